//! The rays of a packet as lines, as the one in the middle sees them.

use super::lanes::{Lanes, RAYS, Span, greatest};
use crate::simd::Vector;
use crate::traverse::ray::setup::{EPSILON, larger};

/// What is moved and sheared so that it runs along the third axis, from zero: a ray in the middle, if not
/// one of the packet's. Axes are in the order of the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Middle {
    pub(crate) origin: [f32; 3],
    pub(crate) shear: [f32; 2],
}

impl Middle {
    pub(crate) const ROOM: Self = Self { origin: [0.0; 3], shear: [0.0; 2] };

    /// The one from an origin, of rays whose shears are within these.
    #[inline(always)]
    pub(crate) fn of(origin: [f32; 3], shears: [Span; 2]) -> Self {
        Self { origin, shear: shears.map(|span| span.middle().0) }
    }

    /// Where it is closest to another ray: anything but numbers, if they are parallel.
    #[inline(always)]
    pub(crate) fn closest_to(&self, other: &Self) -> [f32; 3] {
        let [x, y, z] = self.origin;
        let [shear_x, shear_y] = self.shear;
        let start = other.origin[2] - z;
        let at_x = other.origin[0] - x - other.shear[0] * start;
        let at_y = other.origin[1] - y - other.shear[1] * start;
        let (slope_x, slope_y) = (other.shear[0] - shear_x, other.shear[1] - shear_y);
        let along = at_x * slope_x + at_y * slope_y;
        let depth = -along / (slope_x * slope_x + slope_y * slope_y);
        [x + shear_x * depth, y + shear_y * depth, z + depth]
    }
}

/// Where rays come together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Focus {
    pub(crate) point: [f32; 3],
    /// The farthest that a ray passes it on either of the first two axes, in the plane where it is.
    pub(crate) off: f32,
    /// The farthest that a ray starts from it, on any axis.
    pub(crate) away: f32,
}

impl Focus {
    /// A point, if rays from these origins pass it so closely that it may be for what was rounded: directions, and
    /// shears twice.
    #[inline(always)]
    pub(crate) fn sharp(point: [f32; 3], off: f32, origins: [Span; 3]) -> Option<Self> {
        let away = |k: usize| larger(origins[k].greatest - point[k], point[k] - origins[k].least);
        let away = larger(larger(away(0), away(1)), away(2));
        (off <= 16.0 * EPSILON * away).then_some(Self { point, off, away })
    }
}

/// In the middle one's space, a ray is at `at + slope * depth` on the first two axes.
#[derive(Clone, Debug)]
pub(crate) struct Slants {
    pub(crate) slope: [Lanes; 2],
    pub(crate) at: [Lanes; 2],
    /// `at[1] * slope[0] - at[0] * slope[1]`
    pub(crate) turn: Lanes,
    /// The depth at which the ray starts.
    pub(crate) start: Lanes,
}

impl Slants {
    pub(crate) const ROOM: Self = Self {
        slope: [Lanes::ZERO; 2],
        at: [Lanes::ZERO; 2],
        turn: Lanes::ZERO,
        start: Lanes::ZERO,
    };

    /// Works out rays from their origins and shears. The largest size of what is in `at`.
    #[inline(always)]
    pub(crate) fn set<V: Vector>(
        &mut self,
        isa: V::Isa,
        middle: &Middle,
        origin: [&Lanes; 3],
        shear: &[Lanes; 2],
    ) -> f32 {
        let [mx, my, mz] = middle.origin.map(|x| V::splat(isa, x));
        let [sx, sy] = middle.shear.map(|x| V::splat(isa, x));
        let mut size = V::splat(isa, 0.0);
        let mut first = 0;
        while first < RAYS {
            let (shear_x, shear_y): (V, V) = (shear[0].load(isa, first), shear[1].load(isa, first));
            let start = origin[2].load::<V>(isa, first).sub(mz);
            let x = origin[0].load::<V>(isa, first).sub(mx);
            let y = origin[1].load::<V>(isa, first).sub(my);
            let (x, y) = (start.mul_sub_from(shear_x, x), start.mul_sub_from(shear_y, y));
            let (slope_x, slope_y) = (shear_x.sub(sx), shear_y.sub(sy));
            self.slope[0].store(first, slope_x);
            self.slope[1].store(first, slope_y);
            self.at[0].store(first, x);
            self.at[1].store(first, y);
            let turn = x.mul_sub_from(slope_y, y.mul(slope_x));
            self.turn.store(first, turn);
            self.start.store(first, start);
            size = size.max(x.greater_size(y));
            first += V::LANES;
        }
        greatest(size)
    }
}
