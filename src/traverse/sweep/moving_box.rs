//! A box around a shape that moves, in its own axes.

use super::setup::{LARGE, largest};
use crate::array::Each;
use crate::geometry::{TurnedBounds, dot, max_abs, round_up};

/// A box that moves along `motion`. Half of its size is `half`. Its axes are the axes of
/// coordinates, or turned.
///
/// Coordinates are scaled by a power of two, so that none of a triangle is larger than 4, nor is
/// the motion. Of a larger box along the axes the part up to [`LARGE`] counts: nothing else is that
/// far.
///
/// **Lemma 105 (turned boxes).** The rows of a map are unit vectors, about the normals of the box's
/// faces. The map as it is rounded is a map like any other: what it takes apart is apart. It takes
/// the shape into the box, which is made in `f64`, with room for its roundings. Let `e = 2^-24`,
/// and `h` be the largest coordinate of a point as seen from the center, which is off by `e h`
/// along each. Its height along a row has three products, the sum of the row's numbers is at most
/// the root of 3: it is off by `4 * 1.74 e h`, less than `e` times [`SPREAD`] times `h`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepBox {
    pub(super) scale: f32,
    /// The negative of the center.
    pub(super) minus: [f32; 3],
    /// The map to the own axes, if these are not the axes of coordinates.
    pub(super) rows: Option<[[f32; 3]; 3]>,
    /// In the own axes, as all that follows.
    pub(super) half: [f32; 3],
    pub(super) motion: [f32; 3],
    /// The largest magnitudes of box and motion, added.
    pub(super) far: f32,
}

/// What coordinates in the own axes may be off by, in units of the rounding of a coordinate. The
/// search for it is in `times/bounds.rs`.
pub(super) const SPREAD: f32 = 7.0;
/// For a turned box that is larger, or farther away, the box along the axes around it is tested, so
/// that nothing overflows.
const LARGE_TURNED: f64 = (1u32 << 16) as f64;

impl SweepBox {
    pub(super) fn aligned(scale: f32, corners: &[[f64; 3]; 2], motion: [f32; 3]) -> Self {
        let scaled = |x: f64| (x * f64::from(scale)).clamp(-LARGE, LARGE);
        let (mut minus, mut half) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let (low, high) = (scaled(corners[0][k]), scaled(corners[1][k]));
            let center = (low + high) * 0.5;
            minus[k] = -center as f32;
            // With what the center loses in rounding.
            half[k] = round_up((high - low) * 0.5 + (center + f64::from(minus[k])).abs());
        }
        let motion = motion.each(|x| x * scale);
        Self { scale, minus, rows: None, half, motion, far: largest(half) + largest(motion) }
    }

    /// `None` if its faces are along the axes of coordinates, or if it is too large: then the box
    /// is to be made by [`aligned`](Self::aligned).
    pub(super) fn turned(scale: f32, bounds: &TurnedBounds, motion: [f64; 3]) -> Option<Self> {
        let scaled = |v: [f64; 3]| v.each(|x| x * f64::from(scale));
        if !bounds.is_turned() {
            return None;
        }
        let (center, error) = (scaled(bounds.center), scaled(bounds.error));
        let motion = scaled(motion);
        let sides = bounds.sides.each(scaled);
        let size = max_abs(center) + sides.each(max_abs).iter().sum::<f64>();
        if size > LARGE_TURNED {
            return None;
        }
        let minus = center.each(|x| -x as f32);
        let off = [0, 1, 2].each(|k| (center[k] + f64::from(minus[k])).abs() + error[k]);
        let rows = bounds.normals.each(|normal| normal.each(|x| x as f32));
        let (mut half, mut along) = ([0.0; 3], [0.0; 3]);
        for (i, row) in rows.iter().map(|row| row.each(f64::from)).enumerate() {
            let way = dot(row, motion);
            along[i] = way as f32;
            let reach = sides.iter().fold(0.0, |reach, &side| reach + dot(row, side).abs());
            let off = dot(row.each(f64::abs), off) + (way - f64::from(along[i])).abs();
            half[i] = round_up(reach + off);
        }
        let far = largest(half) + largest(along);
        let is_finite = far.is_finite() && rows.as_flattened().iter().all(|x| x.is_finite());
        is_finite.then_some(Self { scale, minus, rows: Some(rows), half, motion: along, far })
    }

    /// A box along the axes, in coordinates that are scaled already.
    #[cfg(test)]
    pub(super) fn of_box(minus: [f32; 3], half: [f32; 3], motion: [f32; 3]) -> Self {
        let far = largest(half) + largest(motion);
        Self { scale: 1.0, minus, rows: None, half, motion, far }
    }
}
