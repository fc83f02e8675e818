//! Which boxes and triangles a moving shape may touch, and when.
//!
//! Both tests may name too much, never too little, and times are never too late. What remains is
//! decided by [`Sweep`], so kernels cannot differ.

#[cfg(test)]
mod bounds;

use glam::Vec3;

use crate::array::Each;
use crate::bvh::{Facts, LANES, LeafBlock};
use crate::geometry::{Sweep, Wanted, round_down, round_up};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::near::scale_to_one;
use crate::traverse::ray::setup::EPSILON;

/// The box around a moving shape, set up for the tests: against other boxes it is a ray against
/// boxes that are larger by its size.
///
/// Coordinates are scaled by a power of two, so that none is larger than 4.
///
/// **Lemma 86 (swept boxes).** Let `e = 2^-24`. A time is the difference of a plane and the shape's
/// own plane, which is rounded to the safe side, times the inverse of the motion. Scaling is exact,
/// or off by 2^-150. The difference is rounded, so are the inverse, which is 2^60 at most, and the
/// product: the time is off by `3 e` times itself and by 2^-90. So where a box is touched, each
/// axis is entered, as computed, no later than `(1 + 6 e)` times when any axis is left, and 2^-80.
/// The constants have room for a few roundings more.
///
/// Where the motion along an axis is less than 2^-60, the shape is larger by that, and by 2^-59:
/// then a box that is touched at any time is entered before zero, and not left before 2.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepSetup {
    scale: f32,
    inverse: [f32; 3],
    /// The negatives of the numbers that are subtracted from near and far planes.
    near: [f32; 3],
    far: [f32; 3],
    is_turned: [bool; 3],
}

/// Room for relative roundings.
pub(super) const SPARE: f32 = 1.0 + 12.0 * EPSILON;
/// Room for underflow.
pub(super) const TINY: f32 = 1.0 / (1u128 << 80) as f32;
/// Motions along an axis that are less count as none.
const LEAST_MOTION: f64 = 1.0 / (1u64 << 60) as f64;
/// Larger than the scaled coordinates of anything that may be touched.
pub(super) const LARGE: f64 = (1u32 << 20) as f64;
/// Farther away than anything.
const FAR: f64 = (1u128 << 100) as f64;

impl SweepSetup {
    pub(super) fn new(facts: &Facts, sweep: &Sweep) -> Self {
        let (bounds, center, motion) = (sweep.bounds(), sweep.center(), sweep.motion());
        let size = |k: usize| {
            let finite = |x: f32| if x.is_finite() { x.abs() } else { 0.0 };
            let bounds = finite(bounds.min[k]).max(finite(bounds.max[k]));
            bounds.max(center[k].abs()).max(motion[k].abs())
        };
        Self::scaled(scale_to_one(facts, [0, 1, 2].each(size)), [bounds.min, bounds.max], motion)
    }

    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    pub(super) fn scaled(scale: f32, [min, max]: [Vec3; 2], motion: [f32; 3]) -> Self {
        let scaled = |x: f32| f64::from(x) * f64::from(scale);
        let mut setup =
            Self { scale, inverse: [0.0; 3], near: [0.0; 3], far: [0.0; 3], is_turned: [false; 3] };
        for k in 0..3 {
            let (mut low, mut high) = (scaled(min[k]), scaled(max[k]));
            let along = scaled(motion[k]);
            let is_still = along.abs() < LEAST_MOTION;
            if is_still {
                low -= 2.0 * LEAST_MOTION + along.abs();
                high += 2.0 * LEAST_MOTION + along.abs();
            }
            let (mut low, mut high) = (round_down(low.max(-FAR)), round_up(high.min(FAR)));
            if is_still {
                // Where that much is lost in rounding.
                (low, high) = (low.next_down(), high.next_up());
            }
            setup.is_turned[k] = along < 0.0 && !is_still;
            let [near, far] = if setup.is_turned[k] { [low, high] } else { [high, low] };
            (setup.near[k], setup.far[k]) = (-near, -far);
            setup.inverse[k] = (1.0 / if is_still { LEAST_MOTION } else { along }) as f32;
        }
        setup
    }

    /// The triangles that may be touched as [`Cut`] says, by the boxes around them.
    #[inline(always)]
    pub(super) fn touches<I: Isa>(&self, isa: I, block: &LeafBlock, cut: Cut) -> Touches {
        let Cut { t: bound, depth, .. } = cut;
        let (mut enters, mut exits) = ([0.0; LANES], [0.0; LANES]);
        let test = SweepTest::<I::Leaf>::new(isa, opaque(self));
        let limit = I::Leaf::splat(isa, limit(bound));
        let [a, b, c] = &block.vertex;
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let load = |row: &[f32; LANES]| I::Leaf::load_at(isa, row, first);
            let x = [load(&a[0]), load(&b[0]), load(&c[0])];
            let y = [load(&a[1]), load(&b[1]), load(&c[1])];
            let z = [load(&a[2]), load(&b[2]), load(&c[2])];
            let low = [least(x), least(y), least(z)];
            let high = [most(x), most(y), most(z)];
            let (enter, exit) = test.interval(low, high);
            enter.replace_at(&mut enters, first);
            exit.replace_at(&mut exits, first);
            let mut near = enter.le(exit.min(limit));
            if depth > 0.0 && depth.is_finite() {
                let depth = (depth * self.scale).min(LARGEST_DEPTH) - DEPTH_ROOM;
                near &= test.is_deep(low, high, depth);
            }
            mask |= near << first;
            first += I::Leaf::LANES;
        }
        Touches { mask, enters, exits }
    }
}

/// The largest magnitude of the three coordinates.
pub(super) fn largest(v: [f32; 3]) -> f32 {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

/// Which triangles of a leaf block a shape may touch.
pub(super) struct Touches {
    pub(super) mask: u32,
    /// Times before which they are not touched.
    pub(super) enters: [f32; LANES],
    /// Times after which they are not, with room for all roundings.
    pub(super) exits: [f32; LANES],
}

/// Which of the touched triangles matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Nothing that is touched later.
    pub(crate) t: f32,
    /// If above zero, nothing at the start that the shape leaves by a shorter way. Along each axis
    /// of coordinates there is a way out, as long as the boxes overlap there.
    pub(super) depth: f32,
    /// Of triangles that are touched at `t` exactly, none whose number in the tree is higher.
    pub(super) last: u32,
    /// The number of the triangle that is touched at `t`, and about the direction to it.
    pub(super) first: u32,
    pub(super) ahead: [f64; 3],
}

impl Cut {
    /// All that is touched matters.
    pub(crate) const NONE: Self =
        Self { t: 1.0, depth: 0.0, last: u32::MAX, first: u32::MAX, ahead: [0.0; 3] };

    /// What first touches of a triangle matter. Of triangles that are touched at the same time, but
    /// not at the start, one with another normal than its face's comes first only by its number.
    #[inline(always)]
    pub(super) fn wanted_of(&self, id: u32) -> Wanted {
        let before = |last: u32| if id > last { self.t.next_down() } else { self.t };
        Wanted {
            until: before(self.last),
            until_beside: if self.t > 0.0 { before(self.first) } else { self.t },
            ahead: self.ahead,
        }
    }
}

/// More than the roundings of a depth, and of the planes that it is compared with: eight and some
/// roundings of numbers that are 4 at most.
const DEPTH_ROOM: f32 = 32.0 * EPSILON;
/// No depth is larger but the depth of an infinite shape, which is as deep everywhere.
const LARGEST_DEPTH: f32 = 16.0;

#[inline(always)]
fn least<V: Vector>([a, b, c]: [V; 3]) -> V {
    a.min(b).min(c)
}

#[inline(always)]
fn most<V: Vector>([a, b, c]: [V; 3]) -> V {
    a.max(b).max(c)
}

/// No box that is touched at `bound` or before is entered later.
#[inline(always)]
pub(super) fn limit(bound: f32) -> f32 {
    bound * SPARE + TINY
}

/// The same in registers.
pub(super) struct SweepTest<V> {
    scale: V,
    inverse: [V; 3],
    near: [V; 3],
    far: [V; 3],
    is_turned: [bool; 3],
}

impl<V: Vector> SweepTest<V> {
    #[inline(always)]
    pub(super) fn new(isa: V::Isa, setup: &SweepSetup) -> Self {
        let ([a, b, c], [d, e, f], [g, h, i]) = (setup.inverse, setup.near, setup.far);
        Self {
            scale: V::splat(isa, setup.scale),
            inverse: [V::splat(isa, a), V::splat(isa, b), V::splat(isa, c)],
            near: [V::splat(isa, d), V::splat(isa, e), V::splat(isa, f)],
            far: [V::splat(isa, g), V::splat(isa, h), V::splat(isa, i)],
            is_turned: setup.is_turned,
        }
    }

    #[inline(always)]
    pub(super) fn isa(&self) -> V::Isa {
        self.scale.isa()
    }

    /// When each box is entered and left, the latter with room for all roundings. One that is
    /// infinite the wrong way round is entered after it is left.
    #[inline(always)]
    pub(super) fn interval(&self, low: [V; 3], high: [V; 3]) -> (V, V) {
        let (enter_x, exit_x) = self.on_axis(0, low[0], high[0]);
        let (enter_y, exit_y) = self.on_axis(1, low[1], high[1]);
        let (enter_z, exit_z) = self.on_axis(2, low[2], high[2]);
        let splat = |x: f32| V::splat(self.scale.isa(), x);
        let enter = enter_x.max(enter_y).max(enter_z).max(splat(0.0));
        (enter, exit_x.min(exit_y).min(exit_z).mul_add(splat(SPARE), splat(TINY)))
    }

    /// Whether boxes overlap the shape's at the start by a depth on each axis.
    #[inline(always)]
    fn is_deep(&self, low: [V; 3], high: [V; 3], depth: f32) -> u32 {
        let depth = V::splat(self.scale.isa(), depth);
        let mut deep = u32::MAX;
        for k in 0..3 {
            let (from, to) = if self.is_turned[k] { (high, low) } else { (low, high) };
            let near = from[k].mul_add(self.scale, self.near[k]);
            let far = to[k].mul_add(self.scale, self.far[k]);
            let (low, high) = if self.is_turned[k] { (far, near) } else { (near, far) };
            deep &= depth.le(high.min(low.negative()));
        }
        deep
    }

    #[inline(always)]
    fn on_axis(&self, k: usize, low: V, high: V) -> (V, V) {
        let (from, to) = if self.is_turned[k] { (high, low) } else { (low, high) };
        (
            from.mul_add(self.scale, self.near[k]).mul(self.inverse[k]),
            to.mul_add(self.scale, self.far[k]).mul(self.inverse[k]),
        )
    }
}
