//! Which boxes and triangles a shape may touch.
//!
//! Both tests may name too much, never too little. What remains is decided by
//! [`Shape`](crate::geometry::Shape), so kernels cannot differ.

#[cfg(test)]
mod bounds;

use std::mem::MaybeUninit;

use glam::Vec3;
use smallvec::SmallVec;

use super::box_test::BoxTest;
use crate::array::Each;
use crate::bvh::{Facts, LANES, LeafBlock, Node, WIDTH};
use crate::geometry::{
    Aabb, Shape, Support, dot as dot_f64, finite_bounds, max_abs, round_down, round_up,
};
use crate::simd::{Isa, Vector};
use crate::traverse::near::leaf_distances;
use crate::traverse::near::{PointSetup, scale_to_one};
use crate::traverse::place::{LEAST, Place};
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::vectors::dot;
use crate::traverse::walk::NodeTest;

/// A shape, set up for the tests.
pub(crate) struct ShapeSetup {
    /// The part of the tree's bounds that the shape may be in.
    min: [f32; 3],
    max: [f32; 3],
    planes: SmallVec<[Plane; 6]>,
    kind: Kind,
}

enum Kind {
    Box(BoxTest),
    /// The center, and the scaled radius.
    Sphere(PointSetup, f32),
    Other,
}

/// A point `p` in the shape has `normal . p >= least`, as far as `f32` can tell.
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: [f32; 3],
    least: f32,
}

impl Plane {
    /// Of the points with `normal . p >= least`. No coordinate is larger than `reach`.
    ///
    /// **Lemma 83 (planes).** No point with `normal . p >= least`, within `reach`, is found below
    /// `least` in `f32`. Proof: the normal is scaled so that its largest coordinate is 1/16, and
    /// rounded, which changes a height by 2^-24 times each product of the normal and the point. In
    /// `f32` a product passes three more roundings at most. The slack has room for eight. Where
    /// numbers underflow, a coordinate of the normal is off by 2^-150 and a product too. Nothing
    /// overflows: no product is above 2^124.
    fn new(normal: [f64; 3], least: f64, reach: [f32; 3]) -> Option<Self> {
        let scale = 0.0625 / max_abs(normal);
        let normal = normal.each(|x| (x * scale) as f32);
        let reach = reach.each(f64::from);
        let product = |k: usize| f64::from(normal[k].abs()) * reach[k];
        let slack = 8.0 * f64::from(EPSILON) * (product(0) + product(1) + product(2))
            + LEAST * (reach[0] + reach[1] + reach[2] + 8.0);
        let least = least * scale - slack;
        let is_sound = scale.is_normal() && !least.is_nan();
        is_sound.then(|| Self { normal, least: round_down(least) })
    }

    /// Of the points with `normal . p >= least` in the world, for a tree that stands in it.
    fn in_place(normal: [f64; 3], least: f64, place: &Place<'_>, reach: [f32; 3]) -> Option<Self> {
        let (linear, to) = (place.transform().linear(), place.transform().translation());
        let sum = normal[0].abs() + normal[1].abs() + normal[2].abs();
        let off = dot_f64(normal, to.each(f64::from)) + sum * place.error(0.0);
        Self::new(linear.each(|column| dot_f64(column, normal)), least - off, reach)
    }
}

impl ShapeSetup {
    /// For a tree of these facts. `None` if the shape has no point within its bounds.
    pub(crate) fn new(facts: &Facts, shape: &Shape) -> Option<Self> {
        let [x, y, z, _] = facts.size;
        let mut planes = SmallVec::new();
        let bounds = if let Shape::Aabb(bounds) = shape {
            *bounds
        } else {
            let support = Support::of(shape)?;
            let new = |(normal, least)| Plane::new(normal, least, [x, y, z]);
            planes.extend(support.planes().filter_map(new));
            support.bounds()
        };
        let bounds = finite_bounds(&bounds.intersection(&facts.bounds()))?;
        let kind = match shape {
            Shape::Aabb(_) => Kind::Box(BoxTest::new(scale_to_one(facts, [0.0; 3]), &bounds)),
            Shape::Sphere(sphere) => {
                let setup = PointSetup::new(facts, sphere.center.to_array());
                let radius = setup.scaled(sphere.radius.into());
                Kind::Sphere(setup, radius)
            }
            _ => Kind::Other,
        };
        Some(Self { min: bounds[0], max: bounds[1], planes, kind })
    }

    /// The same shape in a tree that stands elsewhere: for nodes only. `facts` are the facts of the
    /// tree. `None` if the shape has no point within its bounds.
    ///
    /// **Lemma 97 (shapes in a placed tree).** A point `w` of a triangle in the world belongs to a
    /// point `v` of the tree with `w = A v + c`, but for the error of Lemma 94. If `w` is in the
    /// shape's box, `v` is in the box moved by the inverse, with that error. If `n . w >= least`,
    /// then `(A^T n) . v >= least - n . c`, but for that error times the sum of the magnitudes of
    /// `n`; the sums in `f64` are covered by it too.
    pub(crate) fn in_place(&self, place: &Place<'_>, facts: &Facts, shape: &Shape) -> Option<Self> {
        let reach = Vec3::from(place.reach().each(round_up));
        let whole = Aabb { min: self.min.into(), max: self.max.into() };
        let whole = finite_bounds(&whole.intersection(&Aabb { min: -reach, max: reach }))?;
        let ([low, high], error) = (place.box_to_local(whole), place.error_in_tree(0.0));
        let local = Aabb {
            min: [0, 1, 2].each(|k| round_down(low[k] - error[k])).into(),
            max: [0, 1, 2].each(|k| round_up(high[k] + error[k])).into(),
        };
        let [min, max] = finite_bounds(&local.intersection(&facts.bounds()))?;

        let [x, y, z, _] = facts.size;
        let moved = |normal, least| Plane::in_place(normal, least, place, [x, y, z]);
        let mut planes = SmallVec::new();
        planes.extend(
            self.planes
                .iter()
                .filter_map(|plane| moved(plane.normal.each(f64::from), f64::from(plane.least))),
        );
        if self.planes.is_empty() {
            // The sides of a box, which the box in the tree may stick out of.
            for k in 0..3 {
                let normal = [0, 1, 2].each(|i| f64::from(u8::from(i == k)));
                planes.extend(moved(normal, whole[0][k].into()));
                planes.extend(moved(normal.each(|x| -x), -f64::from(whole[1][k])));
            }
        }
        let kind = match (shape, &self.kind) {
            (Shape::Sphere(sphere), Kind::Sphere(center, radius)) => {
                Kind::Sphere(center.in_place(place, facts, sphere.center.to_array()), *radius)
            }
            _ => Kind::Other,
        };
        Some(Self { min, max, planes, kind })
    }

    /// The triangles that may touch the shape, and among them those that certainly do.
    #[inline(always)]
    pub(super) fn touches<I: Isa>(&self, isa: I, block: &LeafBlock) -> (u32, u32) {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let load = |row: &[f32; LANES]| I::Leaf::load_at(isa, row, first);
            let [a, b, c] = &block.vertex;
            let corners = [
                [load(&a[0]), load(&a[1]), load(&a[2])],
                [load(&b[0]), load(&b[1]), load(&b[2])],
                [load(&c[0]), load(&c[1]), load(&c[2])],
            ];
            mask |= self.may_touch(isa, corners) << first;
            first += I::Leaf::LANES;
        }
        if mask == 0 {
            return (0, 0);
        }
        match &self.kind {
            Kind::Box(test) => {
                let (possible, certain) = test.touches::<I::Leaf>(isa, block);
                (mask & possible, mask & certain)
            }
            Kind::Sphere(center, radius) => {
                let (_, near) = leaf_distances::<I::Leaf>(isa, center, block, *radius);
                (mask & near, 0)
            }
            Kind::Other => (mask, 0),
        }
    }

    /// By the triangles' own boxes, and by the planes.
    #[inline(always)]
    fn may_touch<V: Vector>(&self, isa: V::Isa, corners: [[V; 3]; 3]) -> u32 {
        let [a, b, c] = corners;
        let mut mask = u32::MAX;
        for k in 0..3 {
            let low = a[k].min(b[k]).min(c[k]);
            let high = a[k].max(b[k]).max(c[k]);
            mask &= low.le(V::splat(isa, self.max[k])) & V::splat(isa, self.min[k]).le(high);
        }
        for plane in &self.planes {
            if mask == 0 {
                break;
            }
            let normal = plane.normal.each(|x| V::splat(isa, x));
            let highest = dot(normal, a).max(dot(normal, b)).max(dot(normal, c));
            mask &= V::splat(isa, plane.least).le(highest);
        }
        mask
    }
}

// SAFETY: all numbers of `entry` are written, `LANES` at a time. The planes of an unused lane are
// infinite, the shape's bounds are not, so it is outside.
unsafe impl<I: Isa> NodeTest<I> for ShapeSetup {
    type Loaded<'a> = (I, &'a Self);

    #[inline(always)]
    fn load(&self, isa: I) -> (I, &Self) {
        (isa, self)
    }

    #[inline(always)]
    fn limit(&self, bound: f32) -> f32 {
        bound
    }

    /// Each child is entered at zero.
    #[inline(always)]
    fn intersect(
        &(isa, setup): &(I, &Self),
        node: &Node,
        _limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        let splat = |x: f32| I::Node::splat(isa, x);
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let load = |row: &[f32; WIDTH]| I::Node::load_at(isa, row, first);
            let mut touches = u32::MAX;
            for k in 0..3 {
                touches &= load(&node.min[k]).le(splat(setup.max[k]));
                touches &= splat(setup.min[k]).le(load(&node.max[k]));
            }
            for Plane { normal, least } in &setup.planes {
                if touches == 0 {
                    break;
                }
                // The corner that is highest over the plane.
                let x = load(if normal[0] < 0.0 { &node.min[0] } else { &node.max[0] });
                let y = load(if normal[1] < 0.0 { &node.min[1] } else { &node.max[1] });
                let z = load(if normal[2] < 0.0 { &node.min[2] } else { &node.max[2] });
                touches &= splat(*least).le(dot(normal.each(splat), [x, y, z]));
            }
            mask |= touches << first;
            splat(0.0).store_at(entry, first);

            first += I::Node::LANES;
        }
        if let Kind::Sphere(center, radius) = &setup.kind {
            let loaded = &NodeTest::<I>::load(center, isa);
            let limit = NodeTest::<I>::limit(center, *radius);
            let mut distances = MaybeUninit::uninit();
            let near = <PointSetup as NodeTest<I>>::intersect(loaded, node, limit, &mut distances);
            mask &= near;
        }
        mask
    }
}
