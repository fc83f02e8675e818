//! The scenes: where they come from, where their cameras stand and where the light is.

use std::path::Path;

use crate::math::{length, mix, sub, vec3};
use crate::peer::Triangle;

/// A camera.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub eye: [f32; 3],
    pub dir: [f32; 3],
}

/// A scene's fixed choices.
pub struct Scene {
    /// The file's name without `.tri`, or [`TERRAIN`].
    pub name: &'static str,
    /// Looked at from outside, not from within.
    pub outside: bool,
    pub views: [View; 4],
    pub light: [f32; 3],
}

/// The scene that is generated instead of read.
pub const TERRAIN: &str = "terrain";

/// A scene's triangles.
pub struct Level {
    pub triangles: Vec<Triangle>,
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Level {
    /// The scene's triangles; the terrain has about `terrain` of them.
    pub fn load(name: &str, folder: Option<&Path>, terrain: usize) -> Result<Self, String> {
        if name == TERRAIN {
            return Ok(Self::new(generate_terrain(terrain)));
        }
        let folder = folder.ok_or("HITSCAN_MESHES names no folder of `.tri` files")?;
        let path = folder.join(name).with_extension("tri");
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let triangles = parse_tri(&bytes).ok_or(format!("{}: damaged", path.display()))?;
        Ok(Self::new(triangles))
    }

    fn new(triangles: Vec<Triangle>) -> Self {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for vertex in triangles.iter().flatten() {
            for axis in 0..3 {
                min[axis] = min[axis].min(vertex[axis]);
                max[axis] = max[axis].max(vertex[axis]);
            }
        }
        Self {
            triangles,
            min,
            max,
        }
    }

    /// The length of its box's diagonal.
    pub fn diagonal(&self) -> f64 {
        length(sub(vec3(self.max), vec3(self.min)))
    }
}

/// `.tri`: a `u32` count, then nine `f32` a triangle, little-endian.
fn parse_tri(bytes: &[u8]) -> Option<Vec<Triangle>> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let (floats, _) = rest.as_chunks::<4>();
    let (vertices, _) = floats.as_chunks::<3>();
    let (triangles, _) = vertices.as_chunks::<3>();
    (triangles.len() == u32::from_le_bytes(*count) as usize).then(|| {
        triangles
            .iter()
            .map(|triangle| triangle.map(|vertex| vertex.map(f32::from_le_bytes)))
            .collect()
    })
}

/// Hills of value noise over a square of 1000 units, as a grid of about `count` triangles.
fn generate_terrain(count: usize) -> Vec<Triangle> {
    let cells = ((count as f64 / 2.0).sqrt().round() as usize).max(1);
    let step = 1000.0 / cells as f64;
    let point = |i: usize, j: usize| {
        let (x, z) = (i as f64 * step, j as f64 * step);
        [x as f32, terrain_height(x, z) as f32, z as f32]
    };
    let row = |j: usize| (0..=cells).map(|i| point(i, j)).collect::<Vec<_>>();
    let mut triangles = Vec::with_capacity(2 * cells * cells);
    let mut near = row(0);
    for j in 0..cells {
        let far = row(j + 1);
        for i in 0..cells {
            // Counter-clockwise as seen from above.
            triangles.push([near[i], far[i], near[i + 1]]);
            triangles.push([near[i + 1], far[i], far[i + 1]]);
        }
        near = far;
    }
    triangles
}

/// Eight octaves of value noise.
fn terrain_height(x: f64, z: f64) -> f64 {
    (0..8).fold(0.0, |height, octave| {
        let frequency = f64::from(1 << octave) / 200.0;
        height + 80.0 / f64::from(1 << octave) * noise(octave, x * frequency, z * frequency)
    })
}

/// Random values at whole numbers, smoothly joined.
fn noise(octave: u64, x: f64, z: f64) -> f64 {
    let at = |x: f64, z: f64| {
        let key = (octave << 56) ^ ((x as u64) << 28) ^ z as u64;
        (mix(mix(key)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
    let (i, j) = (x.floor(), z.floor());
    let (s, t) = (smooth(x - i), smooth(z - j));
    let near = at(i, j) * (1.0 - s) + at(i + 1.0, j) * s;
    let far = at(i, j + 1.0) * (1.0 - s) + at(i + 1.0, j + 1.0) * s;
    near * (1.0 - t) + far * t
}

/// A camera in short.
const fn view(eye: [f32; 3], dir: [f32; 3]) -> View {
    View { eye, dir }
}

/// All scenes, in the order in which they are measured. Cameras and lights were found by
/// `--find-cameras`, rounded, and looked at.
pub const SCENES: [Scene; 11] = [
    Scene {
        name: "sponza_crytek",
        outside: false,
        views: [
            view([-2.5229, -0.71314, -0.37996], [-1.0, -0.15, 0.0]),
            view([5.4498, 3.0216, -4.4931], [1.0, -0.15, 0.0]),
            view([8.066, -0.6707, 3.0414], [-0.7, -0.15, -0.7]),
            view([5.1604, 8.4718, 3.2627], [0.7, -0.15, -0.7]),
        ],
        light: [-8.0156, -0.62696, -0.651],
    },
    Scene {
        name: "pc_cave",
        outside: false,
        views: [
            view([0.439, -1.249, 10.349], [0.0, -0.15, -1.0]),
            view([-0.15483, -1.2689, 20.881], [0.0, -0.15, 1.0]),
            view([-1.0556, -0.87455, 3.7744], [0.0, -0.15, 1.0]),
            view([-2.2597, -0.74335, 15.646], [0.7, -0.15, -0.7]),
        ],
        light: [-1.087, -1.5904, 15.033],
    },
    Scene {
        name: "gk_sd_macross_city_standoff_diorama",
        outside: false,
        views: [
            view([0.035093, 0.27777, -0.48707], [-0.7, -0.15, 0.7]),
            view([-0.40407, -0.50613, 1.276], [0.7, -0.15, -0.7]),
            view([2.0378, 0.07673, -1.0018], [-1.0, -0.15, 0.0]),
            view([0.20017, 0.21775, -2.213], [0.0, -0.15, 1.0]),
        ],
        light: [-0.12686, 0.69213, -0.79507],
    },
    Scene {
        name: "jam_city",
        outside: false,
        views: [
            view([-8.1626, 1630.3, 1176.9], [0.7, -0.15, 0.7]),
            view([-2899.4, 1431.8, -1010.3], [0.7, -0.15, 0.7]),
            view([2915.9, 1629.7, -1181.0], [-0.7, -0.15, 0.7]),
            view([2667.6, 1483.6, 2013.0], [-1.0, -0.15, 0.0]),
        ],
        light: [-1344.3, 1096.6, -817.39],
    },
    Scene {
        name: "sauer_zdm2",
        outside: false,
        views: [
            view([-209.07, 147.33, 128.28], [1.0, -0.15, 0.0]),
            view([46.092, 74.107, -85.779], [0.0, -0.15, 1.0]),
            view([164.96, 286.5, 151.92], [-1.0, -0.15, 0.0]),
            view([-205.52, 25.189, -168.06], [0.0, -0.15, 1.0]),
        ],
        light: [46.092, 74.107, -85.779],
    },
    Scene {
        name: "re_fortitude",
        outside: false,
        views: [
            view([-145.23, 463.19, -11.699], [0.7, -0.15, 0.7]),
            view([486.75, 676.7, 330.2], [-0.7, -0.15, -0.7]),
            view([346.09, 136.63, -0.24631], [-0.7, -0.15, -0.7]),
            view([-131.3, 828.88, 509.4], [0.0, -0.15, -1.0]),
        ],
        light: [-120.91, 402.48, 227.13],
    },
    Scene {
        name: "tess_steelribs",
        outside: false,
        views: [
            view([53.005, 94.851, 35.027], [-1.0, -0.15, 0.0]),
            view([-402.11, 139.12, -0.95127], [1.0, -0.15, 0.0]),
            view([497.19, 172.96, -25.101], [-1.0, -0.15, 0.0]),
            view([-193.78, 48.578, 13.449], [1.0, -0.15, 0.0]),
        ],
        light: [-38.277, 157.48, 28.467],
    },
    Scene {
        name: "godot_occl_room",
        outside: false,
        views: [
            view([-0.91631, 2.5652, -0.41235], [-0.7, -0.15, -0.7]),
            view([3.3206, 3.3199, 1.3706], [-1.0, -0.15, 0.0]),
            view([-2.0038, 2.4746, 3.5896], [0.0, -0.15, -1.0]),
            view([2.1489, 3.0998, -2.3764], [0.0, -0.15, 1.0]),
        ],
        light: [-1.1028, 2.3934, -1.5704],
    },
    Scene {
        name: "recast_dungeon",
        outside: false,
        views: [
            view([43.602, 17.063, 2.5168], [-0.7, -0.15, -0.7]),
            view([18.828, 27.219, -78.032], [0.0, -0.15, -1.0]),
            view([0.20771, 11.082, -19.321], [0.0, -0.15, -1.0]),
            view([-23.373, 22.793, -83.899], [0.7, -0.15, -0.7]),
        ],
        light: [43.602, 17.063, 2.5168],
    },
    Scene {
        name: "tb_bunny",
        outside: true,
        views: [
            view([10.419, 8.4637, 3.3514], [-0.89443, -0.35777, -0.26833]),
            view([-4.5317, 8.4637, 11.402], [0.26833, -0.35777, -0.89443]),
            view([-12.582, 8.4637, -3.5489], [0.89443, -0.35777, 0.26833]),
            view([2.3685, 8.4637, -11.599], [-0.26833, -0.35777, 0.89443]),
        ],
        light: [7.1615, 13.18, 10.079],
    },
    Scene {
        name: TERRAIN,
        outside: false,
        views: [
            view([252.0, 131.12, 435.54], [1.0, -0.15, 0.0]),
            view([203.7, 134.91, 859.93], [0.0, -0.15, -1.0]),
            view([842.12, 133.94, 253.79], [-0.7, -0.15, 0.7]),
            view([825.62, 130.06, 834.09], [-0.7, -0.15, -0.7]),
        ],
        light: [280.86, 133.18, 568.91],
    },
];
