//! bvh: a binary tree, leaves taken in order of distance.

use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::Bvh;
use nalgebra::{Point3, Vector3};

use crate::peer::{Answer, MISS, Peer, Ray, Triangle};

struct Shape {
    v: [Point3<f32>; 3],
    triangle: u32,
    node: usize,
}

impl Bounded<f32, 3> for Shape {
    fn aabb(&self) -> Aabb<f32, 3> {
        Aabb::empty()
            .grow(&self.v[0])
            .grow(&self.v[1])
            .grow(&self.v[2])
    }
}

impl BHShape<f32, 3> for Shape {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

impl Shape {
    /// Möller–Trumbore for both sides; the crate's own culls triangles seen from behind.
    #[inline(always)]
    fn intersect(&self, origin: Point3<f32>, dir: Vector3<f32>) -> f32 {
        let (e1, e2) = (self.v[1] - self.v[0], self.v[2] - self.v[0]);
        let p = dir.cross(&e2);
        let inverse = 1.0 / e1.dot(&p);
        let s = origin - self.v[0];
        let q = s.cross(&e1);
        let (u, v) = (s.dot(&p) * inverse, dir.dot(&q) * inverse);
        let t = e2.dot(&q) * inverse;
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 {
            t
        } else {
            f32::INFINITY
        }
    }
}

struct BvhCrate {
    bvh: Bvh<f32, 3>,
    shapes: Vec<Shape>,
}

/// Builds the tree.
pub(crate) fn build(triangles: &[Triangle]) -> Box<dyn Peer> {
    let mut shapes: Vec<Shape> = (0..)
        .zip(triangles)
        .map(|(triangle, v)| Shape {
            v: v.map(Point3::from),
            triangle,
            node: 0,
        })
        .collect();
    let bvh = Bvh::build(&mut shapes);
    Box::new(BvhCrate { bvh, shapes })
}

#[inline(always)]
fn convert(ray: &Ray) -> bvh::ray::Ray<f32, 3> {
    bvh::ray::Ray::new(ray.origin.into(), ray.dir.into())
}

impl Peer for BvhCrate {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let own = convert(ray);
            *answer = MISS;
            // Shapes come in order of the distance of their boxes: once that is beyond
            // the best hit, nothing better follows.
            for shape in self.bvh.nearest_traverse_iterator(&own, &self.shapes) {
                let enter = own
                    .intersection_slice_for_aabb(&shape.aabb())
                    .map_or(0.0, |(enter, _)| enter);
                if enter > answer.t {
                    break;
                }
                let t = shape.intersect(own.origin, own.direction);
                if t < answer.t && t <= ray.t_max {
                    *answer = Answer {
                        t,
                        triangle: shape.triangle,
                    };
                }
            }
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let own = convert(ray);
            *answer = self
                .bvh
                .traverse_iterator(&own, &self.shapes)
                .any(|shape| shape.intersect(own.origin, own.direction) <= ray.t_max);
        }
    }
}
