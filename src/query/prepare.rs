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
    /// Rows of a node's planes: min x, min y, min z, max x, max y, max z.
    pub(crate) near: [usize; 3],
    pub(crate) far: [usize; 3],
    pub(crate) inv: [f32; 3],
    pub(crate) near_add: [f32; 3],
    pub(crate) far_add: [f32; 3],
    pub(crate) t_min: f32,

    /// The axes, the direction's largest one last.
    pub(crate) axis: [usize; 3],
    /// The origin, in the order of `axis`.
    pub(crate) origin: [f32; 3],
    /// `dir[axis[0]] / dir[axis[2]]` and `dir[axis[1]] / dir[axis[2]]`.
    pub(crate) shear: [f32; 2],
    /// The sign of the largest component of the direction, and its size.
    pub(crate) z_sign: f32,
    pub(crate) z_size: f32,
    /// A bound on the error of a sheared coordinate.
    pub(crate) delta: f32,
    /// The least depth of a hit, already lowered by the bound on its error.
    pub(crate) z_min: f32,
    /// Depths are clamped to this size: no vertex is farther.
    pub(crate) z_clamp: f32,
}

/// How a ray is best asked of a tree.
pub(crate) enum Path {
    /// It cannot hit anything.
    Miss,
    /// The kernels' `f32` bounds hold.
    Fast(Prepared),
    /// Coordinates or directions so large or small that only `f64` bounds hold.
    Wide,
}

/// Works out a ray.
#[inline(always)]
pub(crate) fn prepare(tree: &BvhView<'_>, ray: &Ray) -> Path {
    if !ray.is_castable() || tree.nodes.is_empty() {
        return Path::Miss;
    }
    let origin = ray.origin.to_array();
    let dir = ray.dir.to_array();
    let (min, max) = (tree.facts.min, tree.facts.max);

    let largest = |a: f32, b: f32| if a > b { a } else { b };
    let (mut scale, mut reach) = (0.0, 0.0);
    for k in 0..3 {
        scale = largest(scale, largest(min[k].abs(), max[k].abs()) + origin[k].abs());
        reach = largest(
            reach,
            largest((min[k] - origin[k]).abs(), (max[k] - origin[k]).abs()),
        );
    }
    // Three roundings at most went into each.
    let (scale, reach) = (scale * (1.0 + 8.0 * EPSILON), reach * (1.0 + 8.0 * EPSILON));

    let size = dir.map(f32::abs);
    let z = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let axis = [(z + 1) % 3, (z + 2) % 3, z];
    let (d, z_size) = (dir[z], size[z]);

    // Within these no product of the kernels overflows, and none that a bound depends on is
    // lost to underflow. They hold coordinates up to 3e10 and directions from 1e-9 to 1e9.
    let limit = |exponent: u32| (1u64 << exponent) as f32;
    let in_range = scale <= limit(36)
        && reach >= 1.0 / limit(20)
        && z_size >= 1.0 / limit(30)
        && z_size <= limit(30);
    if !in_range {
        return Path::Wide;
    }

    let least = z_size * TINY;
    let (mut inv, mut near_add, mut far_add) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    let (mut near, mut far) = ([0; 3], [0; 3]);
    for k in 0..3 {
        let wide = if size[k] < least {
            least.copysign(dir[k])
        } else {
            dir[k]
        };
        inv[k] = 1.0 / wide;
        let pad = 8.0 * EPSILON * scale * inv[k].abs();
        let add = -origin[k] * inv[k];
        near_add[k] = add - pad;
        far_add[k] = add + pad;
        let negative = usize::from(wide.is_sign_negative());
        near[k] = k + 3 * negative;
        far[k] = k + 3 - 3 * negative;
    }

    let delta = 8.0 * EPSILON * reach;
    let z_clamp = 2.0 * reach;
    Path::Fast(Prepared {
        near,
        far,
        inv,
        near_add,
        far_add,
        t_min: ray.t_min,
        axis,
        origin: axis.map(|k| origin[k]),
        shear: [dir[axis[0]] / d, dir[axis[1]] / d],
        z_sign: 1f32.copysign(d),
        z_size,
        delta,
        z_min: (ray.t_min * z_size).max(-z_clamp).min(z_clamp) - 2.0 * delta,
        z_clamp,
    })
}
