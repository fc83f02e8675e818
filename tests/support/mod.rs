//! Shared by the integration tests: random numbers, real meshes, brute force.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    unused_imports,
    reason = "each test binary uses a part of it"
)]

mod placed;
pub mod repair;

use std::path::PathBuf;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Bvh, Face, Facing, Hit, Mesh, Query, Ray, Triangle};

pub use placed::Placed;

/// A small, seeded generator of random numbers (PCG-XSH-RR 32, O'Neill 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    pub fn next(&mut self) -> u32 {
        let old = self.0;
        self.0 =
            old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
    }

    pub fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.next()) * end as u64) >> 32) as usize
    }

    /// In `0..1`.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }

    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub fn in_box(&mut self, min: Vec3, max: Vec3) -> Vec3 {
        Vec3::new(self.range(min.x, max.x), self.range(min.y, max.y), self.range(min.z, max.z))
    }

    /// A direction of unit length, evenly spread.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_box(Vec3::NEG_ONE, Vec3::ONE);
            let square = v.length_squared();
            if square > 1e-4 && square <= 1.0 {
                return v / square.sqrt();
            }
        }
    }

    /// Points of some kinds: on a coarse grid, anywhere, tiny, huge, far away.
    pub fn point(&mut self, kind: usize) -> Vec3 {
        let whole = |random: &mut Self| (random.below(9) as f32 - 4.0) * 0.5;
        let any = self.in_box(Vec3::splat(-2.0), Vec3::splat(2.0));
        match kind % 8 {
            0..3 => Vec3::new(whole(self), whole(self), whole(self)),
            3 => any * 1e-30,
            4 => any * 1e30,
            5 => any + Vec3::new(1e4, 0.0, -3e5),
            6 => Vec3::new(whole(self), whole(self), whole(self)) * (f32::MAX * 0.5),
            _ => any,
        }
    }
}

/// The factor by which a test is larger than usual: `HITSCAN_LONG=20` for twenty times.
pub fn long() -> usize {
    std::env::var("HITSCAN_LONG").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// What to do before a query: nothing, if it may follow another of the same ray, or else to
/// [turn away](turn_away).
pub fn before_each<'a>(tree: &'a Bvh, query: &'a Query, follows: bool) -> impl Fn() + use<'a> {
    move || {
        if !follows {
            turn_away(tree, query);
        }
    }
}

/// Casts an unrelated ray. A ray that is like the thread's previous one takes another code path,
/// which the same ray cast twice always would. After this call it does not.
fn turn_away(tree: &Bvh, query: &Query) {
    let bounds = tree.bounds();
    let size = bounds.max - bounds.min;
    let away = Ray::new(bounds.max + 2.0 * size, Vec3::new(0.1, 0.2, 1.0));
    let _ = tree.any_hit(&away, query);
}

/// The folder of real meshes beside the project, if there is one.
pub fn shared_meshes() -> Option<PathBuf> {
    let folder = std::env::var_os("HITSCAN_MESHES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/meshes")),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no folder of real meshes (set HITSCAN_MESHES)");
    None
}

/// Triangles of a `.tri` file: a count, then nine `f32` each.
pub fn read_tri(path: &std::path::Path) -> Vec<[f32; 3]> {
    let bytes = std::fs::read(path).expect("the mesh can be read");
    let floats: Vec<f32> =
        bytes[4..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    floats.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect()
}

/// The named mesh as a soup, or `None` if there are no real meshes.
pub fn shared_mesh(name: &str) -> Option<Mesh> {
    let path = shared_meshes()?.join(name).with_extension("tri");
    Some(Mesh::from_soup(read_tri(&path)).with_name(name))
}

/// The names of all real meshes with at most `most` triangles, smallest first.
pub fn shared_names(most: usize) -> Vec<String> {
    let Some(folder) = shared_meshes() else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "tri") {
            let triangles = (path.metadata().unwrap().len() as usize - 4) / 36;
            if triangles <= most {
                names.push((triangles, path.file_stem().unwrap().to_str().unwrap().to_owned()));
            }
        }
    }
    names.sort();
    names.into_iter().map(|(_, name)| name).collect()
}

/// Every triangle of some meshes as it is baked, with the contents of its hits.
pub struct Judge {
    pub triangles: Vec<Judged>,
    meshes: Vec<Mesh>,
    /// Bounding spheres of runs of triangles, so that brute force can skip some.
    spheres: Vec<(Vec3, f32)>,
}

pub struct Judged {
    pub mesh: u32,
    pub number: u32,
    pub triangle: Triangle,
    pub swapped: bool,
}

const RUN: usize = 32;

impl Judge {
    pub fn new(meshes: &[Mesh]) -> Self {
        let mut triangles = Vec::new();
        for (m, mesh) in meshes.iter().enumerate() {
            let view = mesh.view();
            let swapped = hitscan::geometry::is_mirroring(&mesh.transform);
            for number in 0..view.triangle_count() {
                if let Some(triangle) = view.triangle(number)
                    && [triangle.v0, triangle.v1, triangle.v2].iter().all(|v| v.is_finite())
                {
                    let (mesh, number) = (m as u32, number as u32);
                    triangles.push(Judged { mesh, number, triangle, swapped });
                }
            }
        }
        Self { triangles, meshes: meshes.to_vec(), spheres: Vec::new() }
    }

    /// The hit on one triangle, by the reference.
    pub fn hit(&self, judged: &Judged, ray: &Ray) -> Option<Expected> {
        let hit = judged.triangle.intersect(ray)?;
        let (u, v) = if judged.swapped { (hit.v, hit.u) } else { (hit.u, hit.v) };
        let mesh = &self.meshes[judged.mesh as usize];
        Some(Expected {
            t: hit.t,
            u,
            v,
            face: hit.face,
            mesh: judged.mesh,
            triangle: judged.number,
            user_id: mesh.user_id,
            material: mesh.materials.as_ref().map(|m| m[judged.number as usize]),
            mask: mesh.mask,
        })
    }

    /// All hits by brute force, in the promised order.
    pub fn all(&self, ray: &Ray, facing: Facing, mask: u32) -> Vec<Expected> {
        let mut hits: Vec<_> = self
            .triangles
            .iter()
            .filter_map(|judged| self.hit(judged, ray))
            .filter(|hit| hit.mask & mask != 0)
            .filter(|hit| match facing {
                Facing::Both => true,
                Facing::Front => hit.face == Face::Front,
                Facing::Back => hit.face == Face::Back,
            })
            .collect();
        hits.sort_by(|a, b| {
            a.t.partial_cmp(&b.t).unwrap().then((a.mesh, a.triangle).cmp(&(b.mesh, b.triangle)))
        });
        hits
    }
}

/// The expected contents of a hit, bit for bit.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub t: f32,
    pub u: f32,
    pub v: f32,
    pub face: Face,
    pub mesh: u32,
    pub triangle: u32,
    pub user_id: u64,
    pub material: Option<u32>,
    pub mask: u32,
}

impl Expected {
    pub fn is(&self, hit: &Hit) -> bool {
        (self.t.to_bits(), self.u.to_bits(), self.v.to_bits())
            == (hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits())
            && (self.face, self.mesh, self.triangle) == (hit.face, hit.mesh, hit.triangle)
            && (self.user_id, self.material) == (hit.user_id, hit.material())
    }
}

/// A corner in the world, by the formula that the documentation gives.
pub fn in_world(map: &Affine3A, corner: Vec3) -> Vec3 {
    let m = map.to_cols_array().map(f64::from);
    let [x, y, z] = corner.to_array().map(f64::from);
    let row = |k: usize| (((m[k] * x + m[3 + k] * y) + m[6 + k] * z) + m[9 + k]) as f32;
    Vec3::new(row(0), row(1), row(2))
}
