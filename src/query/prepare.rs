//! What of a ray is the same at every node and leaf, worked out once.

use crate::bvh::BvhView;
use crate::geometry::Ray;

/// Half a unit in the last place of 1: the bound on the relative error of one rounding.
const EPSILON: f32 = 1.0 / (1 << 24) as f32;

/// Directions smaller than this part of the largest one are widened to it. Over all `t` at
/// which the ray can be inside the tree, the difference moves it by less than the boxes are
/// padded.
const TINY: f32 = 1.0 / (1u64 << 40) as f32;

/// A ray, ready for the kernels.
///
/// # Why no box test loses a hit
///
/// A plane at `b` is met at `b * inv + add`. With `scale` at least `|b| + |origin|` on every
/// axis, the roundings of `inv`, `origin * inv`, the sum and the hit's own `t` come to less
/// than six times `EPSILON * scale * |inv|`; `add` moves near planes nearer and far planes
/// farther by eight. That is as if each box were `EPSILON * 8 * scale` larger all round. The
/// hit itself lies exactly in the triangle (see [`Triangle::intersect`]), so a box that holds
/// the triangle is never passed by.
///
/// # Why no triangle test loses a hit
///
/// See [`leaf`](super::leaf); its bound needs `reach`, the greatest distance from the origin to
/// a vertex on any axis.
///
/// [`Triangle::intersect`]: crate::Triangle::intersect
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared {
    /// Rows of a node's planes: min x, min y, min z, max x, max y, max z. (Lane 3 is spare, here
    /// and below: four at a time are worked out as soon as three.)
    pub(crate) near: [u32; 4],
    pub(crate) far: [u32; 4],
    pub(crate) inv: [f32; 4],
    pub(crate) near_add: [f32; 4],
    pub(crate) far_add: [f32; 4],
    /// What is added to every `t` of a box test so that none that counts is negative. Zero, but
    /// for a negative `t_min`.
    pub(crate) shift: f32,
    /// The least `t` that counts, shifted.
    pub(crate) t_min: f32,

    /// The axes, the direction's largest one last.
    pub(crate) axis: [u32; 3],
    /// The origin, in the order of `axis`.
    pub(crate) origin: [f32; 3],
    /// `dir[axis[0]] / dir[axis[2]]` and `dir[axis[1]] / dir[axis[2]]`, rounded twice.
    pub(crate) shear: [f32; 2],
    /// The sign of the largest component of the direction, and its size.
    pub(crate) z_sign: f32,
    pub(crate) z_size: f32,
    /// A bound on the error of a sheared coordinate.
    pub(crate) delta: f32,
    /// The least depth of a hit.
    pub(crate) z_min: f32,
    /// Depths are clamped to this size: no vertex is farther.
    pub(crate) z_clamp: f32,
}

/// Works out a ray. `None` if it cannot be cast, or if its numbers or the tree's are so large or
/// small that only `f64` bounds hold.
#[inline(always)]
pub(crate) fn prepare(tree: &BvhView<'_>, ray: &Ray) -> Option<Prepared> {
    let facts = &tree.facts;
    let origin = [ray.origin.x, ray.origin.y, ray.origin.z, 0.0];
    let dir = [ray.dir.x, ray.dir.y, ray.dir.z, 0.0];

    let size = each(|k| dir[k].abs());
    // Three roundings at most go into each, and one into the product.
    let slack = 1.0 + 8.0 * EPSILON;
    let (scales, reaches) = (
        each(|k| facts.size[k] + origin[k].abs()),
        each(|k| (origin[k] - facts.center[k]).abs() + facts.half[k]),
    );
    let (scale, reach) = (largest(scales) * slack, largest(reaches) * slack);
    let z_size = largest(size);

    let sum = |v: [f32; 4]| v[0] + v[1] + v[2];
    // Within these no product of the kernels overflows, and none that a bound depends on is
    // lost to underflow. They hold coordinates up to 3e10 and directions from 1e-9 to 1e9. A NaN
    // or an infinity, an empty tree's box and a zero direction are outside of them.
    let power = |exponent: u32| (1u64 << exponent) as f32;
    let in_range = (sum(scales) <= power(36))
        & (reach >= 1.0 / power(20))
        & (z_size >= 1.0 / power(30))
        & (sum(size) <= power(30))
        & (ray.t_min <= ray.t_max);
    if !in_range {
        return None;
    }

    let (shift, pad) = if ray.t_min < 0.0 {
        // No vertex is met at a `t` of a larger size.
        let farthest = 2.0 * scale / z_size;
        // The shift is rounded, and every sum with it: by less than six times its own size.
        (larger(-farthest, ray.t_min).abs(), 24.0 * EPSILON * scale)
    } else {
        (0.0, 8.0 * EPSILON * scale)
    };
    let least = z_size * TINY;
    let inv = each(|k| 1.0 / larger(size[k], least).copysign(dir[k]));
    let add = each(|k| shift - origin[k] * inv[k]);
    let pads = each(|k| pad * inv[k].abs());
    let negative = each(|k| 3 * (dir[k].to_bits() >> 31));

    let z = if size[0] == z_size {
        0
    } else {
        2 - usize::from(size[1] == z_size)
    };
    let axis: [u32; 3] = AXES[z];
    let [x, y] = [axis[0] as usize % 4, axis[1] as usize % 4];
    let delta = 8.0 * EPSILON * reach;
    let z_clamp = 2.0 * reach;
    Some(Prepared {
        near: each(|k| k as u32 + negative[k]),
        far: each(|k| k as u32 + 3 - negative[k]),
        inv,
        near_add: each(|k| add[k] - pads[k]),
        far_add: each(|k| add[k] + pads[k]),
        shift,
        // A sum of nothing and minus zero is zero.
        t_min: larger(ray.t_min, 0.0) + 0.0,
        axis,
        origin: [origin[x], origin[y], origin[z]],
        shear: [dir[x] * inv[z], dir[y] * inv[z]],
        z_sign: 1f32.copysign(dir[z]),
        z_size,
        delta,
        z_min: lesser(larger(ray.t_min * z_size, -z_clamp), z_clamp),
        z_clamp,
    })
}

/// The two other axes, for each axis.
static AXES: [[u32; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

#[inline(always)]
fn each<T>(f: impl Fn(usize) -> T) -> [T; 4] {
    [f(0), f(1), f(2), f(3)]
}

#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The largest of the first three; a NaN among them may or may not be it.
#[inline(always)]
fn largest(v: [f32; 4]) -> f32 {
    larger(larger(v[0], v[1]), v[2])
}
