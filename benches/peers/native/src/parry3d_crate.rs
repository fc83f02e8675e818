//! parry3d: the tree of its `TriMesh`.

use parry3d::math::{Real, Vector};
use parry3d::query::RayCast;
use parry3d::shape::TriMesh;

use crate::peer::{Answer, MISS, Peer, Ray, Triangle};

struct Parry(TriMesh);

/// Builds the tree.
pub(crate) fn build(triangles: &[Triangle]) -> Box<dyn Peer> {
    let vertices = triangles
        .iter()
        .flatten()
        .map(|&[x, y, z]| Vector::new(x, y, z))
        .collect();
    let indices = (0..triangles.len() as u32)
        .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
        .collect();
    Box::new(Parry(
        TriMesh::new(vertices, indices).expect("there are triangles"),
    ))
}

#[inline(always)]
fn convert(ray: &Ray) -> parry3d::query::Ray {
    parry3d::query::Ray::new(Vector::from_array(ray.origin), Vector::from_array(ray.dir))
}

impl Peer for Parry {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let own = convert(ray);
            let hit = self
                .0
                .bvh()
                .cast_ray(&own, ray.t_max.min(Real::MAX), |triangle, best| {
                    self.0.triangle(triangle).cast_local_ray(&own, best, false)
                });
            *answer = hit.map_or(MISS, |(triangle, t)| Answer { t, triangle });
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let own = convert(ray);
            let t_max = ray.t_max.min(Real::MAX);
            *answer = self
                .0
                .bvh()
                .leaves(|node| node.cast_ray(&own, t_max) < Real::MAX)
                .any(|triangle| {
                    self.0
                        .triangle(triangle)
                        .cast_local_ray(&own, t_max, false)
                        .is_some()
                });
        }
    }
}
