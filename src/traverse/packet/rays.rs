//! The rays of a packet, set up for the kernels, and the choice of the rays that form one.
//!
//! A packet forms around a lead ray: it takes the rays whose directions have the same signs and are
//! similar to the lead's, and whose origins are near the lead's. All others stay outside.

use bytemuck::Zeroable;

use super::frustum::{Focus, Frustum};
use super::interval::IntervalRay;
use super::lanes::{Interval, Lanes, Mask, RAYS, RayRows, load};
use super::triangle_test::{CentralRay, RelativeRays, TriangleTests};
use crate::array::Each;
use crate::bvh::{Facts, Node, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Task, Vector};
use crate::traverse::ray::exact_hit::X8;
use crate::traverse::ray::leaf_test::TriangleTerms;
use crate::traverse::ray::node_test;
use crate::traverse::ray::setup::{AXES, BlockRows, EPSILON, PlaneRows, TINY, larger, power};

/// The `t_max` of a ray that needs no more tests.
pub(crate) const RETIRED: f32 = -1.0;

/// How far origins may be apart, in units of half the tree's size.
const MAX_ORIGIN_DISTANCE: f32 = 1.0 / 4.0;
/// How far from the origins a focus may be, in the same units.
const MAX_FOCUS_DISTANCE: f32 = 8.0;

/// Coherent rays, set up for the kernels: to the rays of a packet what [`RaySetup`] is to a single
/// ray. No `t_min` is negative, so no `t` is shifted. A packet starts as zeros; after a
/// [`gather`](Self::gather) that takes no rays its numbers mean nothing.
///
/// [`RaySetup`]: crate::traverse::ray::setup::RaySetup
#[derive(Clone, Debug, Zeroable)]
pub(crate) struct Packet {
    /// Its rays are in this many lanes, the first ones, in whole vectors. The values of the other
    /// lanes mean nothing.
    pub(crate) width: usize,
    pub(crate) interval: IntervalRay,
    pub(crate) frustum: Frustum,
    /// As in [`RaySetup`], by axis.
    pub(crate) near: PlaneRows,
    pub(crate) far: PlaneRows,
    /// The rays' own values, by axis.
    pub(crate) origin: [Lanes; 3],
    pub(crate) dir: [Lanes; 3],
    pub(crate) inv: [Lanes; 3],
    pub(crate) near_add: [Lanes; 3],
    pub(crate) far_add: [Lanes; 3],
    pub(crate) t_min: Lanes,
    pub(crate) t_max: Lanes,
    /// A bit for each ray that needs more tests. The others' `t_max` is [`RETIRED`].
    pub(crate) active: Mask,

    pub(crate) block_rows: BlockRows,
    /// Values in the order of the block rows.
    pub(crate) relative: RelativeRays,
    pub(crate) shear: [Lanes; 2],
    /// The triangles of the last leaf block.
    pub(crate) tests: TriangleTests,
}

/// Makes a packet of some rays, as a task for an instruction set: see [`Packet::gather`]. One
/// function for the packets of trees and of scenes, closest and any.
pub(crate) struct Gather<'a> {
    pub(crate) packet: &'a mut Packet,
    pub(crate) facts: (&'a Facts, f32),
    pub(crate) rays: &'a RayRows<'a>,
    /// Of which rays, and how many are too few.
    pub(crate) wanted: (Mask, u32),
    pub(crate) max_difference: f32,
}

impl Task for Gather<'_> {
    type Output = Mask;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Mask {
        let Self { packet, facts, rays, wanted, max_difference } = self;
        packet.gather::<I::Wide>(isa, facts, rays, wanted, max_difference)
    }
}

/// How many of the first lanes hold these rays, in whole vectors of any instruction set.
#[inline(always)]
fn width_of(rays: Mask) -> usize {
    const WIDEST: usize = 16;
    ((Mask::BITS - rays.leading_zeros()) as usize).next_multiple_of(WIDEST)
}

impl Packet {
    /// The largest `t_max` of the rays.
    #[inline(always)]
    pub(crate) fn largest_t_max<V: Vector>(&self, isa: V::Isa) -> f32 {
        Interval::of::<V>((isa, self.width), &self.t_max).max
    }

    /// Sets the `t_max` of a ray.
    #[inline(always)]
    pub(crate) fn set_t_max(&mut self, lane: usize, t_max: f32) {
        // Vectors are compared as integers, where minus zero comes before all others.
        self.t_max.0[lane] = t_max + 0.0;
    }

    /// Retires the rays whose bits are set.
    #[inline(always)]
    pub(crate) fn retire<V: Vector>(&mut self, isa: V::Isa, done: Mask) {
        self.active &= !done;
        self.t_max.set::<V>((isa, self.width), done, RETIRED);
    }

    /// A bit for each ray that hits the box of a node's child.
    #[inline(always)]
    pub(crate) fn intersect_child<V: Vector>(&self, isa: V::Isa, node: &Node, lane: usize) -> Mask {
        let mut mask = 0;
        let near = |k: usize| V::splat(isa, self.near.of(node, k)[lane % WIDTH]);
        let far = |k: usize| V::splat(isa, self.far.of(node, k)[lane % WIDTH]);
        let (near, far) = ([near(0), near(1), near(2)], [far(0), far(1), far(2)]);
        let mut first = 0;
        while first < RAYS && first < self.width {
            let terms = node_test::SlabTerms {
                inv: load(isa, &self.inv, first),
                near_add: load(isa, &self.near_add, first),
                far_add: load(isa, &self.far_add, first),
                t_min: self.t_min.load(isa, first),
            };
            let (_, hit) = terms.intersect(near, far, self.t_max.load(isa, first));
            mask |= Mask::from(hit) << first;
            first += V::LANES;
        }
        mask
    }

    /// Tests the boxes of a node's children for one of the rays. Tells for each vector of children
    /// its first lane, where the ray enters them, and a bit for each that it hits.
    #[inline(always)]
    pub(crate) fn intersect_children<V: Vector>(
        &self,
        isa: V::Isa,
        node: &Node,
        lane: usize,
        mut tell: impl FnMut(usize, V, u32),
    ) {
        let lane = lane % RAYS;
        let splat = |lanes: &Lanes| V::splat(isa, lanes.0[lane]);
        let splats = |lanes: &[Lanes; 3]| lanes.refs().each(splat);
        let terms = node_test::SlabTerms {
            inv: splats(&self.inv),
            near_add: splats(&self.near_add),
            far_add: splats(&self.far_add),
            t_min: splat(&self.t_min),
        };
        let t_max = splat(&self.t_max);
        let mut first = 0;
        while first < WIDTH {
            let near = |k: usize| V::load_at(isa, self.near.of(node, k), first);
            let far = |k: usize| V::load_at(isa, self.far.of(node, k), first);
            let (near, far) = ([near(0), near(1), near(2)], [far(0), far(1), far(2)]);
            let (enter, hit) = terms.intersect(near, far, t_max);
            tell(first, enter, hit);
            first += V::LANES;
        }
    }

    /// What the leaf test needs of some of the rays, as `splat` takes it from their lanes.
    #[inline(always)]
    pub(crate) fn triangle_terms<V: Vector>(
        &self,
        isa: V::Isa,
        splat: impl Fn(&Lanes) -> V,
    ) -> TriangleTerms<V> {
        let origin = |k: usize| splat(&self.origin[self.block_rows.axis(k)]);
        TriangleTerms {
            origin: [origin(0), origin(1), origin(2)],
            shear: [splat(&self.shear[0]), splat(&self.shear[1])],
            z_inverse: splat(&self.relative.z_inverse),
            z_min: splat(&self.relative.z_min),
            z_max: splat(&self.t_max).mul(splat(&self.relative.z_size)),
            delta: V::splat(isa, self.frustum.least_delta),
        }
    }

    /// The origins and the directions of a row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> [[&X8<f32>; 3]; 2] {
        [&self.origin, &self.dir].each(|lanes| lanes.refs().each(|lanes| lanes.row(row)))
    }

    /// Takes the `wanted` rays that are similar to the first of them, and sets them up for a tree
    /// with these `facts`, with boxes larger by `more` units of Lemma 21. The directions of similar
    /// rays differ from the direction of the first by at most `max_difference`, in units of their
    /// largest components. Returns a bit for each ray taken. Takes none if they would be fewer than
    /// `min_count`, if the first ray itself has a negative `t_min`, or if its numbers or the tree's
    /// are not for the `f32` kernels. See
    /// [`set_up_ray`](crate::traverse::ray::setup::set_up_ray). (The frustum keeps to the boxes
    /// themselves.)
    #[inline(always)]
    pub(super) fn gather<V: Vector>(
        &mut self,
        isa: V::Isa,
        (facts, more): (&Facts, f32),
        rays: &RayRows<'_>,
        (wanted, min_count): (Mask, u32),
        max_difference: f32,
    ) -> Mask {
        let lead_lane = wanted.trailing_zeros() as usize % RAYS;
        let lead = rays.ray(lead_lane);
        self.width = width_of(wanted);
        let across = (isa, self.width);
        self.transpose::<V>(isa, rays);
        let (origin, dir) = (lead.origin.to_array(), lead.dir.to_array());
        let sizes = dir.each(f32::abs);
        let axis = lead.dir.abs().max_position();
        let [x, y, z] = AXES[axis];
        self.block_rows = BlockRows::BY_LAST_AXIS[axis];

        let splat = |x: f32| V::splat(isa, x);
        let zero = splat(0.0);
        let mut similar: Mask = 0;
        let mut first = 0;
        while first < RAYS && first < self.width {
            let z_size = self.dir[z].load::<V>(isa, first).abs();
            // These are sums, because a sum keeps a NaN and a maximum may not.
            let (mut difference, mut distance) = (zero, zero);
            let mut sign = splat(1.0);
            for k in 0..3 {
                let along: V = self.dir[k].load(isa, first);
                let size = along.abs();
                let wide = size.max(z_size.mul(splat(TINY))).flip_sign(along);
                // It may have an eighth of a rounding more than a division. All bounds allow that.
                let inv = wide.inverse();
                self.inv[k].store(first, inv);
                sign = sign.min(inv.flip_sign(splat(dir[k])));
                let skew = size.mul_sub_from(splat(sizes[z]), z_size.mul(splat(sizes[k])));
                difference = difference.add(skew.abs());
                let offset = self.origin[k].load::<V>(isa, first).sub(splat(origin[k]));
                distance = distance.add(offset.abs());
            }
            let size = self.dir[x].load::<V>(isa, first).abs();
            let size = size.max(self.dir[y].load::<V>(isa, first).abs());
            let (t_min, t_max): (V, V) = (self.t_min.load(isa, first), self.t_max.load(isa, first));
            let good = difference.le(z_size.mul(splat(max_difference * sizes[z])))
                & distance.le(splat(MAX_ORIGIN_DISTANCE * facts.reach))
                & zero.le(sign)
                & size.le(z_size)
                & splat(1.0 / power(30)).le(z_size)
                & z_size.le(splat(power(30)))
                & zero.le(t_min)
                & t_min.le(t_max);
            let z_inv: V = self.inv[z].load(isa, first);
            self.shear[0].store(first, self.dir[x].load::<V>(isa, first).mul(z_inv));
            self.shear[1].store(first, self.dir[y].load::<V>(isa, first).mul(z_inv));
            self.relative.z_size.store(first, z_size);
            self.relative.z_inverse.store(first, z_inv);
            // The sum of zero and minus zero is zero.
            self.t_min.store(first, t_min.add(zero));
            similar |= Mask::from(good & (u32::MAX >> (32 - V::LANES))) << first;
            first += V::LANES;
        }
        let taken = similar & wanted;
        if taken >> lead_lane & 1 == 0 || taken.count_ones() < min_count {
            return 0;
        }

        // The intervals are over all lanes, so the others repeat the lead's values.
        let others = !taken;
        if others != 0 {
            let lanes = self.origin.iter_mut().chain(&mut self.inv).chain(&mut self.shear);
            for lanes in lanes.chain([&mut self.t_min]) {
                lanes.set::<V>(across, others, lanes.0[lead_lane]);
            }
            self.t_max.set::<V>(across, others, RETIRED);
        }
        let (from, inv, shear) = (&self.origin, &self.inv, &self.shear);
        let [a, b, c, shear_x] =
            Interval::of_four::<V>(across, [&from[0], &from[1], &from[2], &shear[0]]);
        self.interval.origin = [a, b, c];
        let [a, b, c, shear_y] =
            Interval::of_four::<V>(across, [&inv[0], &inv[1], &inv[2], &shear[1]]);
        self.interval.inv = [a, b, c];
        self.active = taken;
        let mut scale = 0f32;
        for k in 0..3 {
            scale = larger(scale, facts.size[k] + self.interval.origin[k].max_abs());
            self.interval.negative[k] = dir[k].is_sign_negative();
        }
        (self.near, self.far) = PlaneRows::of_rays(self.interval.negative);
        // The range of `set_up_ray`. Directions and origins are not NaN, so nothing here is.
        if scale > power(36) || scale < 1.0 / power(20) {
            return 0;
        }

        let pad = (8.0 + more) * EPSILON * scale;
        let mut first = 0;
        while first < RAYS && first < self.width {
            for k in 0..3 {
                let inv: V = self.inv[k].load(isa, first);
                let add = self.origin[k].load::<V>(isa, first).mul_sub_from(inv, zero);
                let (size, pad) = (inv.abs(), splat(pad));
                self.near_add[k].store(first, size.mul_sub_from(pad, add));
                self.far_add[k].store(first, size.mul_add(pad, add));
            }
            let z_min = self.t_min.load::<V>(isa, first).mul(self.relative.z_size.load(isa, first));
            self.relative.z_min.store(first, z_min);
            first += V::LANES;
        }
        for k in 0..3 {
            self.interval.pad[k] = pad * self.interval.inv[k].max_abs();
        }
        self.interval.t_min = Interval::of::<V>((isa, self.width), &self.t_min).min;
        self.set_frustum::<V>(
            isa,
            [x, y, z],
            [shear_x, shear_y],
            [lead_lane, taken.ilog2() as usize],
            (facts.reach, scale),
        );
        taken
    }

    /// Puts the frustum around the rays. Its focus is where two of them are closest, if all others
    /// pass there too. Half the tree's size is `reach`, and no coordinate of the tree or the rays
    /// is larger than `scale`.
    #[inline(always)]
    fn set_frustum<V: Vector>(
        &mut self,
        isa: V::Isa,
        axes: [usize; 3],
        shears: [Interval; 2],
        two: [usize; 2],
        (reach, scale): (f32, f32),
    ) {
        let [x, y, z] = axes;
        let [i, j] = two;
        let origins = [self.interval.origin[x], self.interval.origin[y], self.interval.origin[z]];
        let origin = [&self.origin[x], &self.origin[y], &self.origin[z]];
        let across = (isa, self.width);
        let mut focus = None;
        if origins.iter().any(|origin| origin.min != origin.max) {
            let shear = &self.shear;
            let line = |lane: usize| CentralRay {
                origin: [origin[0].0[lane], origin[1].0[lane], origin[2].0[lane]],
                shear: [shear[0].0[lane], shear[1].0[lane]],
            };
            let one = line(i);
            let point = one.closest_to(&line(j));
            if (point[2] - one.origin[2]).abs() <= MAX_FOCUS_DISTANCE * reach {
                let central = CentralRay::new(point, shears);
                let error = self.relative.set_lines::<V>(across, &central, origin, &self.shear);
                focus = Focus::new(point, error, origins);
            }
        }
        self.frustum = Frustum::new(origins, shears, focus, scale);
        if focus.is_none() {
            self.relative.set_lines::<V>(across, &self.frustum.central, origin, &self.shear);
        }
    }

    /// Copies the rays into lanes.
    #[inline(always)]
    fn transpose<V: Vector>(&mut self, isa: V::Isa, rays: &RayRows<'_>) {
        const { assert!(size_of::<Ray>() == 8 * size_of::<f32>()) };
        let mut first = 0;
        while first < RAYS && first < self.width {
            let row = |i: usize, half: usize| {
                V::load_fours(isa, |four| {
                    // Origin and direction, `t_min` and `t_max`: eight values.
                    let ray: *const Ray = rays.ray(first + 4 * four + i);
                    // SAFETY: by the assertion above a ray is two arrays of four, and it lives as
                    // long as the borrowed rows.
                    unsafe { &*ray.cast::<[f32; 4]>().add(half) }
                })
            };
            let rows = [row(0, 0), row(1, 0), row(2, 0), row(3, 0)];
            let [a, b, c, d] = V::transpose_fours(rows);
            self.origin[0].store(first, a);
            self.origin[1].store(first, b);
            self.origin[2].store(first, c);
            self.dir[0].store(first, d);
            let rows = [row(0, 1), row(1, 1), row(2, 1), row(3, 1)];
            let [a, b, c, d] = V::transpose_fours(rows);
            self.dir[1].store(first, a);
            self.dir[2].store(first, b);
            self.t_min.store(first, c);
            // As in `set_t_max`.
            self.t_max.store(first, d.add(V::splat(isa, 0.0)));
            first += V::LANES;
        }
    }
}
