//! obvhs: its compressed wide tree, from its slowest and best preset.

use std::time::Duration;

use obvhs::BvhBuildParams;
use obvhs::cwbvh::{CwBvh, builder::build_cwbvh_from_tris};
use obvhs::ray::RayHit;

use crate::peer::{Answer, MISS, Peer, Ray, Triangle};

struct Obvhs {
    bvh: CwBvh,
    /// In the tree's order, as its own examples do it.
    triangles: Vec<obvhs::triangle::Triangle>,
}

/// Builds the tree.
pub(crate) fn build(triangles: &[Triangle]) -> Box<dyn Peer> {
    let triangles: Vec<_> = triangles
        .iter()
        .map(|&[v0, v1, v2]| obvhs::triangle::Triangle {
            v0: v0.into(),
            v1: v1.into(),
            v2: v2.into(),
        })
        .collect();
    let bvh = build_cwbvh_from_tris(
        &triangles,
        BvhBuildParams::very_slow_build(),
        &mut Duration::default(),
    );
    let triangles = bvh
        .primitive_indices
        .iter()
        .map(|&i| triangles[i as usize])
        .collect();
    Box::new(Obvhs { bvh, triangles })
}

#[inline(always)]
fn convert(ray: &Ray) -> obvhs::ray::Ray {
    obvhs::ray::Ray::new(ray.origin.into(), ray.dir.into(), ray.t_min, ray.t_max)
}

impl Peer for Obvhs {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let mut hit = RayHit::none();
            let found = self.bvh.ray_traverse(convert(ray), &mut hit, |ray, id| {
                self.triangles[id].intersect(ray)
            });
            *answer = if found {
                Answer {
                    t: hit.t,
                    triangle: self.bvh.primitive_indices[hit.primitive_id as usize],
                }
            } else {
                MISS
            };
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        for (ray, answer) in rays.iter().zip(answers) {
            *answer = !self
                .bvh
                .ray_traverse_miss(convert(ray), |ray, id| self.triangles[id].intersect(ray));
        }
    }
}
