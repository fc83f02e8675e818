//! The setup of a ray: what the tests of all nodes and leaf blocks share, computed once.

#[cfg(test)]
mod bounds;

use std::mem::MaybeUninit;

use bytemuck::Zeroable;
use glam::Vec3;

use crate::array::Each;
use crate::bvh::{Facts, LANES, LeafBlock, Node, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::F32x4;

/// Half a unit in the last place of 1: it bounds the relative error of one rounding.
pub(crate) const EPSILON: f32 = 1.0 / (1 << 24) as f32;

/// A component of the direction that is smaller than this part of the largest one counts as that
/// large. Over all `t` at which the ray can be inside the tree, this moves the ray by less than
/// the boxes are padded.
pub(crate) const TINY: f32 = 1.0 / (1u64 << 40) as f32;

/// A ray, set up for the kernels.
///
/// # Lemma 21 (slab padding): no box test loses a hit
///
/// A plane at `b` is reached at `b * inv + add`. Up to one rounding, `scale` is at least
/// `|b| + |origin|` on every axis. So the roundings of `inv`, of `origin * inv`, of the sums and of
/// the hit's own `t` add up to less than `6 * EPSILON * scale * |inv|`. `add` moves near planes
/// nearer and far planes farther by 8 of these units, and the 2 that are left cover the rounding of
/// `scale`. It is as if each box were larger by `8 * EPSILON * scale` on all sides. The hit itself
/// lies exactly in the triangle (see [`Triangle::intersect`]), so the box of the part of the
/// triangle that it lies in is always entered.
///
/// With a negative `t_min` all `t` are shifted by at most the largest `t` at which a vertex can be
/// reached, `2 * scale / z_size`. That rounds the shift and each sum with it, by less than six
/// times its own size, so the padding is 24 units there.
///
/// [`Triangle::intersect`]: crate::Triangle::intersect
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaySetup {
    /// A node's near and far planes. Lane 3 is unused, here and below: four numbers are computed
    /// as fast as three.
    pub(crate) near: PlaneRows,
    pub(crate) far: PlaneRows,
    pub(crate) inv: [f32; 4],
    pub(crate) near_add: [f32; 4],
    pub(crate) far_add: [f32; 4],
    /// The number that is added to each `t` of a box test, so that none in range is negative or
    /// minus zero: zero, except for a negative `t_min`.
    pub(crate) shift: f32,
    /// `t_min`, shifted.
    pub(crate) t_min: f32,

    /// A leaf block's rows, the row of the direction's largest component last.
    pub(crate) row: BlockRows,
    /// The origin, in the order of the rows.
    pub(crate) origin: [f32; 4],
    /// The direction's two smaller components, divided by the largest one and rounded twice. Four
    /// numbers, so that they are stored and loaded at once: one load of two stores would stall.
    pub(crate) shear: [f32; 4],
    /// The size of the direction's largest component, and one by that component.
    pub(crate) z_size: f32,
    pub(crate) z_inverse: f32,
    /// A lower bound on the error bound of a sheared coordinate (Lemma 22).
    pub(crate) delta: f32,
    /// The smallest depth of a hit. It may be infinite.
    pub(crate) z_min: f32,
}

impl RaySetup {
    /// The largest depth of a hit with `t <= t_max`. It may be infinite.
    #[inline(always)]
    pub(crate) fn z_max(&self, t_max: f32) -> f32 {
        t_max * self.z_size
    }
}

/// Sets a ray up. `false`, with nothing written, if it cannot be cast, or if its numbers or the
/// tree's are so large or small that only `f64` bounds hold.
#[inline(always)]
pub(crate) fn set_up_ray<P: F32x4>(
    isa: P::Isa,
    tree: &TreeView<'_>,
    ray: &Ray,
    setup: &mut MaybeUninit<RaySetup>,
) -> bool {
    set_up_padded::<P>(isa, &tree.facts, ray, 0.0, setup)
}

/// As [`set_up_ray`], with boxes larger by `more` units of Lemma 21.
#[inline(always)]
pub(crate) fn set_up_padded<P: F32x4>(
    isa: P::Isa,
    facts: &Facts,
    ray: &Ray,
    more: f32,
    setup: &mut MaybeUninit<RaySetup>,
) -> bool {
    // Each number is loaded by itself: a ray is mostly fresh, written number by number, and a
    // vector load would stall until those stores are done.
    let point = |v: &Vec3| {
        // SAFETY: the pointer is made of a reference to a component of the ray.
        let read = |x: &f32| unsafe { std::ptr::read_volatile(x) };
        P::new(isa, read(&v.x), read(&v.y), read(&v.z))
    };
    let (origin, dir) = (point(&ray.origin), point(&ray.dir));
    let splat = |x: f32| P::splat(isa, x);
    let largest = |v: P| v.max(v.turn()).max(v.turn().turn());
    let scales = P::load(isa, &facts.size).add(origin.abs());
    let sizes = dir.abs();
    let z_sizes = largest(sizes);

    let scale = largest(scales).first();
    let z_size = z_sizes.first();
    // Within these limits no product of the kernels overflows, and none that a bound depends on
    // underflows. Coordinates up to 3e10 and directions from 1e-9 to 1e9 are within them. A NaN or
    // an infinity, the box of an empty tree and a zero direction are not.
    let small = scales.le(splat(power(36))) & sizes.le(splat(power(30)));
    let in_range = (small & 7 == 7)
        & (scale >= 1.0 / power(20))
        & (z_size >= 1.0 / power(30))
        & (ray.t_min <= ray.t_max);
    if !in_range {
        return false;
    }

    let (shift, pad) = if ray.t_min < 0.0 {
        // No vertex is reached at a larger `|t|`.
        let farthest = 2.0 * scale / z_size;
        // Three times the padding, for the roundings of the shift (Lemma 21).
        (larger(-farthest, ray.t_min).abs(), (24.0 + more) * EPSILON * scale)
    } else {
        (0.0, (8.0 + more) * EPSILON * scale)
    };
    // Few rays have tiny components, and the others do not wait for this.
    let tiny = z_sizes.mul(splat(TINY));
    let mut inv = splat(1.0).div(dir);
    if sizes.le(tiny) & 7 != 0 {
        inv = splat(1.0).div(sizes.max(tiny).flip_sign(dir));
    }
    let add = origin.mul_sub_from(inv, splat(shift));
    let (size, pad) = (inv.abs(), splat(pad));
    let swap = dir.where_negative(P::load(isa, bytemuck::cast_ref(&SWAP)));

    let z = (z_sizes.le(sizes)).trailing_zeros() as usize % 4;
    let z_inv = inv.turn_last(z).splat_last();
    let shear = dir.turn_last(z).mul(z_inv);
    let z_inv = z_inv.first();
    setup.write(RaySetup {
        near: PlaneRows(
            P::load(isa, bytemuck::cast_ref(&NEAR)).xor(swap).to_array().each(f32::to_bits),
        ),
        far: PlaneRows(
            P::load(isa, bytemuck::cast_ref(&FAR)).xor(swap).to_array().each(f32::to_bits),
        ),
        inv: inv.to_array(),
        near_add: size.mul_sub_from(pad, add).to_array(),
        far_add: size.mul_add(pad, add).to_array(),
        shift,
        // Minus zero becomes zero.
        t_min: larger(ray.t_min, 0.0) + 0.0,
        row: BlockRows::BY_LAST_AXIS[z],
        origin: origin.turn_last(z).to_array(),
        shear: shear.to_array(),
        z_size,
        z_inverse: z_inv,
        delta: least_delta(scale),
        z_min: ray.t_min * z_size,
    });
    true
}

/// Where the near planes of a node begin on each axis, or the far planes, in numbers from the
/// first.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct PlaneRows([u32; 4]);

const NEAR: [u32; 4] = {
    let [x, y, z] = Node::MIN_PLANES;
    [x, y, z, 0]
};
const FAR: [u32; 4] = {
    let [x, y, z] = Node::MAX_PLANES;
    [x, y, z, 0]
};
/// The bits in which the places of the minima and the maxima differ.
const SWAP: [u32; 4] = [NEAR[0] ^ FAR[0], NEAR[1] ^ FAR[1], NEAR[2] ^ FAR[2], 0];

impl PlaneRows {
    /// The near planes and the far planes, for rays with these signs: `true` is negative.
    #[inline(always)]
    pub(crate) fn of_rays(down: [bool; 3]) -> (Self, Self) {
        let (mut near, mut far) = (NEAR, FAR);
        for k in 0..3 {
            if down[k] {
                (near[k], far[k]) = (FAR[k], NEAR[k]);
            }
        }
        (Self(near), Self(far))
    }

    /// The planes of a node on an axis.
    #[inline(always)]
    pub(crate) fn of<'a>(&self, node: &'a Node, axis: usize) -> &'a [f32; WIDTH] {
        let planes: *const f32 = node.planes().as_flattened().as_ptr();
        // SAFETY: the numbers come from `NEAR` and `FAR`, or from one of them with the bits of
        // `SWAP`, or are zero: each is where one of the six rows of a node begins.
        unsafe { &*planes.add(self.0[axis] as usize).cast() }
    }
}

/// The axes in right-handed order, each in turn the last, as `F32x4::turn_last` turns them.
pub(crate) const AXES: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];
/// Where the rows of these axes begin in each corner of a leaf block, in numbers from the row of x.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct BlockRows([u32; 4]);

impl BlockRows {
    /// In the orders of [`AXES`]. The fourth is unused.
    pub(crate) const BY_LAST_AXIS: [Self; 4] = {
        let [x, y, z] = LeafBlock::AXIS_ROWS;
        [Self([y, z, x, 0]), Self([z, x, y, 0]), Self([x, y, z, 0]), Self([x, y, z, 0])]
    };

    /// The axis at this place.
    #[inline(always)]
    pub(crate) fn axis(&self, k: usize) -> usize {
        self.0[k] as usize / LANES % 3
    }

    /// The coordinates of one of the three corners of all triangles, on the axis at this place.
    #[inline(always)]
    pub(crate) fn of<'a>(&self, block: &'a LeafBlock, which: usize, k: usize) -> &'a [f32; LANES] {
        let rows: *const f32 = block.vertex[which].as_flattened().as_ptr();
        // SAFETY: all values are in `BY_LAST_AXIS`, or zero: each is where one of a corner's rows
        // begins.
        unsafe { &*rows.add(self.0[k] as usize).cast() }
    }

    /// The minimum and maximum planes of a node on the axis at this place.
    #[inline(always)]
    pub(crate) fn bounds<'a>(&self, node: &'a Node, k: usize) -> [&'a [f32; WIDTH]; 2] {
        const {
            let (block, min, max) = (LeafBlock::AXIS_ROWS, Node::MIN_PLANES, Node::MAX_PLANES);
            let mut k = 0;
            while k < 3 {
                assert!(min[k] == 2 * block[k] && max[k] == min[k] + max[0]);
                k += 1;
            }
        }
        let min: *const f32 = node.planes().as_flattened().as_ptr();
        // SAFETY: a node's rows are twice as long as a block's and in the same order; the rows of
        // the maxima begin where `MAX_PLANES` says.
        unsafe {
            let min = min.add(2 * self.0[k] as usize);
            [&*min.cast(), &*min.add(Node::MAX_PLANES[0] as usize).cast()]
        }
    }
}

/// A lower bound on `delta` (Lemma 22), where no coordinate is larger than `scale`: less than a
/// hundredth of a rounding of it, so it rarely matters. `scale` is at least `2^-20`, so its square
/// is far from underflow.
#[inline(always)]
pub(crate) fn least_delta(scale: f32) -> f32 {
    EPSILON / power(7) * scale
}

/// A power of two.
#[inline(always)]
pub(crate) const fn power(exponent: u32) -> f32 {
    (1u64 << exponent) as f32
}

#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
