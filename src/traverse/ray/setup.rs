//! What of a ray is the same at every node and leaf, worked out once.

use std::mem::MaybeUninit;

use glam::Vec3;

use crate::bvh::{LANES, LeafBlock, Node, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::F32x4;

/// Half a unit in the last place of 1: the bound on the relative error of one rounding.
pub(crate) const EPSILON: f32 = 1.0 / (1 << 24) as f32;

/// Directions smaller than this part of the largest one are widened to it. Over all `t` at
/// which the ray can be inside the tree, the difference moves it by less than the boxes are
/// padded.
pub(crate) const TINY: f32 = 1.0 / (1u64 << 40) as f32;

/// A ray, ready for the kernels.
///
/// # Why no box test loses a hit
///
/// A plane at `b` is met at `b * inv + add`. With `scale` no less than `|b| + |origin|` on any
/// axis, but for a rounding, the roundings of `inv`, `origin * inv`, the sums and the hit's own `t`
/// come to less than six times `EPSILON * scale * |inv|`; `add` moves near planes nearer and far
/// planes farther by eight, which leaves more than that of `scale` takes. It is as if each box were
/// `EPSILON * 8 * scale` larger all round. The hit itself lies exactly in the triangle (see [`Triangle::intersect`]), so a box that holds
/// the part of the triangle with the hit in it is never passed by.
///
/// # Why no triangle test loses a hit
///
/// See [`leaf`](super::leaf).
///
/// [`Triangle::intersect`]: crate::Triangle::intersect
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaySetup {
    /// A node's near and far planes. (Lane 3 is spare, here and below: four at a time are worked out
    /// as soon as three.)
    pub(crate) near: PlaneRows,
    pub(crate) far: PlaneRows,
    pub(crate) inv: [f32; 4],
    pub(crate) near_add: [f32; 4],
    pub(crate) far_add: [f32; 4],
    /// What is added to every `t` of a box test so that none that counts is negative, nor minus zero. Zero,
    /// but for a negative `t_min`.
    pub(crate) shift: f32,
    /// The least `t` that counts, shifted.
    pub(crate) t_min: f32,

    /// A leaf block's rows, the axis of the direction's largest component last.
    pub(crate) row: BlockRows,
    /// The origin, in the order of the rows.
    pub(crate) origin: [f32; 4],
    /// The direction's two lesser components by its largest one, rounded twice. (Four numbers
    /// written at once: a compiler reads the two at once, and that would wait for two writes.)
    pub(crate) shear: [f32; 4],
    /// The size of the direction's largest component, and one by that component.
    pub(crate) z_size: f32,
    pub(crate) z_inverse: f32,
    /// What the bound on the error of a sheared coordinate is at least.
    pub(crate) delta: f32,
    /// The least depth of a hit; it may be infinite.
    pub(crate) z_min: f32,
}

impl RaySetup {
    /// The greatest depth of a hit at `t_max` at the latest; it may be infinite.
    #[inline(always)]
    pub(crate) fn z_max(&self, t_max: f32) -> f32 {
        t_max * self.z_size
    }
}

/// Works out a ray. `false`, with nothing written, if it cannot be cast, or if its numbers or the
/// tree's are so large or small that only `f64` bounds hold.
#[inline(always)]
pub(crate) fn set_up_ray<P: F32x4>(
    isa: P::Isa,
    tree: &TreeView<'_>,
    ray: &Ray,
    setup: &mut MaybeUninit<RaySetup>,
) -> bool {
    let facts = &tree.facts;
    // One at a time: a ray is mostly fresh from its maker, who wrote one number at a time, and a
    // load of several would wait until that and all before it is done and written.
    let point = |v: &Vec3| {
        // SAFETY: `x` is a reference to a component of the ray.
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
    // Within these no product of the kernels overflows, and none that a bound depends on is
    // lost to underflow. They hold coordinates up to 3e10 and directions from 1e-9 to 1e9. A
    // NaN or an infinity, an empty tree's box and a zero direction are outside of them.
    let small = scales.le(splat(power(36))) & sizes.le(splat(power(30)));
    let in_range = (small & 7 == 7)
        & (scale >= 1.0 / power(20))
        & (z_size >= 1.0 / power(30))
        & (ray.t_min <= ray.t_max);
    if !in_range {
        return false;
    }

    let (shift, pad) = if ray.t_min < 0.0 {
        // No vertex is met at a `t` of a larger size.
        let farthest = 2.0 * scale / z_size;
        // The shift is rounded, and every sum with it: by less than six times its own size.
        (larger(-farthest, ray.t_min).abs(), 24.0 * EPSILON * scale)
    } else {
        (0.0, 8.0 * EPSILON * scale)
    };
    // Few rays have tiny numbers in their directions, so that the others need not wait.
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
            P::load(isa, bytemuck::cast_ref(&NEAR)).xor(swap).to_array().map(f32::to_bits),
        ),
        far: PlaneRows(
            P::load(isa, bytemuck::cast_ref(&FAR)).xor(swap).to_array().map(f32::to_bits),
        ),
        inv: inv.to_array(),
        near_add: size.mul_sub_from(pad, add).to_array(),
        far_add: size.mul_add(pad, add).to_array(),
        shift,
        // A sum of nothing and minus zero is zero.
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

/// Where a node's planes on each axis begin, in numbers from the first: near ones or far ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneRows([u32; 4]);

const NEAR: [u32; 4] = {
    let [x, y, z] = Node::MIN_PLANES;
    [x, y, z, 0]
};
const FAR: [u32; 4] = {
    let [x, y, z] = Node::MAX_PLANES;
    [x, y, z, 0]
};
/// The bits that differ between those of the minima and those of the maxima.
const SWAP: [u32; 4] = [NEAR[0] ^ FAR[0], NEAR[1] ^ FAR[1], NEAR[2] ^ FAR[2], 0];

impl PlaneRows {
    pub(crate) const NEAR: Self = Self(NEAR);

    /// The near planes and the far ones, for rays that run down these axes.
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

    /// Those of a node on an axis.
    #[inline(always)]
    pub(crate) fn of<'a>(&self, node: &'a Node, axis: usize) -> &'a [f32; WIDTH] {
        let planes: *const f32 = node.planes().as_flattened().as_ptr();
        // SAFETY: numbers are made here alone, of `NEAR` and `FAR`, or of one with the bits of
        // `SWAP`: each is where one of a node's six rows begins.
        unsafe { &*planes.add(self.0[axis] as usize).cast() }
    }
}

/// The axes in a right-handed order, each in turn the last: as [`Point::turn_last`] turns them.
pub(crate) const AXES: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];
/// Where the rows of those begin in each corner of a leaf block, in numbers from those of x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockRows([u32; 4]);

impl BlockRows {
    /// As [`AXES`] has them. (The fourth is spare.)
    pub(crate) const BY_LAST_AXIS: [Self; 4] = {
        let [x, y, z] = LeafBlock::AXIS_ROWS;
        [Self([y, z, x, 0]), Self([z, x, y, 0]), Self([x, y, z, 0]), Self([x, y, z, 0])]
    };

    /// Which axis comes at this place.
    #[inline(always)]
    pub(crate) fn axis(&self, k: usize) -> usize {
        self.0[k] as usize / LANES % 3
    }

    /// The coordinates of a block's corners, the first, second or third of each triangle, on the
    /// axis at this place.
    #[inline(always)]
    pub(crate) fn of<'a>(&self, block: &'a LeafBlock, which: usize, k: usize) -> &'a [f32; LANES] {
        let rows: *const f32 = block.vertex[which].as_flattened().as_ptr();
        // SAFETY: numbers are those of `BY_LAST_AXIS` alone, the beginnings of a corner's three rows.
        unsafe { &*rows.add(self.0[k] as usize).cast() }
    }

    /// A node's least and greatest planes on the axis at this place.
    #[inline(always)]
    pub(crate) fn bounds<'a>(&self, node: &'a Node, k: usize) -> [&'a [f32; WIDTH]; 2] {
        const { assert!(WIDTH == 2 * LANES) }
        let min: *const f32 = node.planes().as_flattened().as_ptr();
        // SAFETY: rows are twice as long as those of a block, and follow each other in the same
        // order; three further on are the greatest planes.
        unsafe {
            let min = min.add(2 * self.0[k] as usize);
            [&*min.cast(), &*min.add(Node::MAX_PLANES[0] as usize).cast()]
        }
    }
}

/// What the bound of [`leaf`](super::leaf) on the error of a sheared coordinate is at least, where no
/// coordinate is larger than `scale`: a hundredth of a rounding of that, which rarely counts, and with
/// `scale` no less than `2^-20` its square is far from underflow.
#[inline(always)]
pub(crate) fn least_delta(scale: f32) -> f32 {
    EPSILON / power(7) * scale
}

/// Two to the power.
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
