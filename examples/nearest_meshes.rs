//! What is around a player: the meshes nearest to a point, each once, with where they are nearest.
//!
//! `cargo run --release --features import --example nearest_meshes`
//!
//! No call of the library answers this question: `closest_point` knows the nearest triangle only,
//! and `all_within` needs a distance. So the tree is visited with tests of our own. Boxes come the
//! nearest first, and what is farther than the meshes found is left out.

use std::error::Error;
use std::ops::ControlFlow;

use hitscan::glam::Vec3;
use hitscan::query::{MeshTriangle, Visitor};
use hitscan::{Aabb, Builder, Bvh, Import};

const MESHES: usize = 8;

struct NearestMeshes {
    point: Vec3,
    /// Distance, mesh and point, the nearest first.
    found: Vec<(f32, u32, Vec3)>,
    /// How many triangles were looked at.
    triangles: usize,
}

impl NearestMeshes {
    fn to(bvh: &Bvh, point: Vec3) -> Self {
        let mut nearest = Self { point, found: Vec::new(), triangles: 0 };
        bvh.visit(&mut nearest);
        nearest
    }

    fn add(&mut self, triangle: &MeshTriangle) {
        let at = triangle.vertices.closest_point(self.point);
        let (distance, mesh) = (at.distance(self.point), triangle.mesh);
        match self.found.iter_mut().find(|near| near.1 == mesh) {
            Some(near) if near.0 <= distance => return,
            Some(near) => *near = (distance, mesh, at),
            None => self.found.push((distance, mesh, at)),
        }
        self.found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.found.truncate(MESHES);
    }
}

impl Visitor for NearestMeshes {
    fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
        let distance = bounds.closest_point(self.point).distance(self.point);
        let last = self.found.get(MESHES - 1);
        last.is_none_or(|last| distance <= last.0).then_some(distance)
    }

    fn triangle(&mut self, triangle: &MeshTriangle) -> ControlFlow<()> {
        self.triangles += 1;
        self.add(triangle);
        ControlFlow::Continue(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let level = Import::open(concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb"))?;
    let (bvh, _report) = Builder::new().bake(&level)?;
    // In the hall, in the garden, in the library.
    for point in [[-29.0, 1.7, 17.0], [2.0, 1.7, 6.0], [11.0, 1.7, -22.0]].map(Vec3::from_array) {
        let nearest = NearestMeshes::to(&bvh, point);
        println!("around {point}, from {} triangles:", nearest.triangles);
        for (distance, mesh, at) in &nearest.found {
            println!("  {distance:.2} {} at {at:.2}", bvh.mesh_name(*mesh).unwrap_or("unnamed"));
        }

        // The same from all triangles.
        let mut all = NearestMeshes { point, found: Vec::new(), triangles: 0 };
        bvh.triangles().for_each(|triangle| all.add(&triangle));
        // Of several nearest points of a mesh it may be any.
        let meshes = |all: Vec<(f32, u32, Vec3)>| all.into_iter().map(|near| (near.0, near.1));
        assert!(meshes(nearest.found).eq(meshes(all.found)));
        assert!(nearest.triangles < 5_000, "most of the level is left out");
    }
    Ok(())
}
