//! The levels that the benches are measured on, and the little mathematics that comes with them.

pub mod math;

use std::path::Path;

use math::{length, mix, sub, vec3};

/// Three vertices.
pub type Triangle = [[f32; 3]; 3];

/// The scene that is generated instead of read.
pub const TERRAIN: &str = "terrain";

/// A scene's triangles.
pub struct Level {
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// The least coordinates.
    pub min: [f32; 3],
    /// The greatest.
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
