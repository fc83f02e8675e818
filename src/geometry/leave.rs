//! Rays that leave a triangle without meeting it.

use super::exact::{direction_side, origin_side};
use super::ray::Ray;
use super::triangle::Triangle;
use super::vec3_f64::{cross, difference, dot, max, max_abs, round_down, round_up};

#[cfg(test)]
mod tests;

/// The least distance from the plane, as a part of the triangle's longest coordinate difference:
/// 2^-20, about a millionth. From there on the conservative leaf tests nearly always see by
/// themselves that the triangle and its neighbours in the plane are behind the ray.
const STEP: f64 = 1.0 / (1u64 << 20) as f64;

/// A ray from a point near a triangle, with its origin moved to the side of the triangle's plane
/// that its direction leads to; `front` decides for directions in the plane.
///
/// The origin moves along the axis that is closest to the normal, to the first number beyond the
/// plane that is at least [`STEP`] of the triangle's size away. More would put more origins in a
/// corner behind the other wall. Less would leave it to the exact test, which is slow, to tell
/// origins from the plane.
///
/// **Lemma 9 (leaving a triangle).** The ray, from `t = 0` on, meets neither the plane nor the
/// space behind it. Proof: its height over the plane, on its side, is `height(0) + t * slope`. The
/// loop ends with `height(0) > 0`, and `slope >= 0` by the choice of the side. Both signs are
/// exact. The loop ends because `step` grows beyond any error in `plane`, which is in `f64`: after
/// the first round, as far as that error is below [`STEP`] of the triangle's size.
pub(crate) fn leave(ray: &Ray, triangle: &Triangle, front: bool) -> Ray {
    leave_as_seen(ray, triangle, front, &|moved| *moved)
}

/// The same for a ray that is rounded before the triangle meets it: `seen` gives the rounded ray,
/// which has the direction of `ray`. The origin moves until the rounded one is beyond the plane, so
/// the lemma holds of the rounded ray.
pub(crate) fn leave_as_seen(
    ray: &Ray,
    triangle: &Triangle,
    front: bool,
    seen: &dyn Fn(&Ray) -> Ray,
) -> Ray {
    let mut moved = *ray;
    if !(ray.origin.is_finite() && ray.dir.is_finite()) {
        return moved;
    }
    let corners = &triangle.to_arrays();
    let e1 = difference(corners[1], corners[0]);
    let e2 = difference(corners[2], corners[0]);
    let normal = cross(e1, e2);
    let k = (0..3).find(|&k| normal[k].abs() == max_abs(normal)).unwrap_or(0);
    let mut axis = [0.0; 3];
    axis[k] = 1.0;

    let side = match direction_side(ray, corners) {
        0 if front => 1,
        0 => -1,
        side => side,
    };
    let upward = direction_side(&Ray::new(ray.origin, axis), corners) == side;
    let height = dot(difference(ray.origin.to_array(), corners[0]), normal) / normal[k];
    let plane = f64::from(ray.origin[k]) - height;
    let mut step = max(max_abs(e1), max_abs(e2)) * STEP;
    for _ in 0..64 {
        moved.origin[k] = if upward { round_up(plane + step) } else { round_down(plane - step) };
        if origin_side(&seen(&moved), corners) == side {
            break;
        }
        step *= 2.0;
    }
    moved
}
