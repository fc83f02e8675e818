//! How a shape has moved as a whole: shifted, turned, scaled, mirrored.

use crate::picture::tangent::arctangent;
use crate::picture::vector::Vector;

/// Where each point of a shape was and where it is.
pub(super) struct Points<'a> {
    pub(super) count: usize,
    pub(super) pair: &'a dyn Fn(usize) -> [Vector; 2],
}

/// A motion that keeps the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    Moved { by: [f64; 3] },
    Turned { degrees: f64, transform: [f64; 12] },
    Scaled { factor: f64, transform: [f64; 12] },
    Mirrored { transform: [f64; 12] },
}

/// What coordinates may be off, as a part of the largest of all: models are placed with some
/// roundings to `f32` before they are baked.
const ROUNDING: f64 = 1.0 / (1 << 22) as f64;

impl Points<'_> {
    /// The shift, turn or change of size by which each point has moved, but for roundings.
    pub(super) fn motion(&self) -> Option<Motion> {
        match self.shift() {
            // What moves by less than a rounding has changed in another way.
            Some(by) => (by != [0.0; 3]).then_some(Motion::Moved { by }),
            None => self.similar(1.0),
        }
    }

    /// The same for a shape that was mirrored.
    pub(super) fn mirroring(&self) -> Option<Motion> {
        self.similar(-1.0)
    }

    fn all(&self) -> impl Iterator<Item = [Vector; 2]> {
        (0..self.count).map(self.pair)
    }

    fn tolerance(&self) -> f64 {
        let largest = self.all().flatten().map(|p| p.x.abs().max(p.y.abs()).max(p.z.abs()));
        ROUNDING * largest.fold(0.0, f64::max)
    }

    fn shift(&self) -> Option<[f64; 3]> {
        let tolerance = self.tolerance();
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for [before, after] in self.all() {
            let Vector { x, y, z } = after - before;
            for (axis, way) in [x, y, z].into_iter().enumerate() {
                low[axis] = low[axis].min(way);
                high[axis] = high[axis].max(way);
            }
        }
        let mut by = [0.0; 3];
        for axis in 0..3 {
            if high[axis] - low[axis] > tolerance {
                return None;
            }
            by[axis] = shortest(high[axis] - tolerance, low[axis] + tolerance);
        }
        Some(by)
    }

    /// The turn and the factor that move every point to where it is. `hand` is -1 if the shape was
    /// mirrored.
    fn similar(&self, hand: f64) -> Option<Motion> {
        let [one, other, third] = self.far_apart()?.map(self.pair);
        let [before, after] = [0, 1].map(|side| Frame::new(one[side], other[side], third[side]));
        let factor = after.length / before.length;
        let axes = [after.axes[0], after.axes[1], after.axes[2] * hand];
        // Of a vector, in the axes before: the same numbers in the axes after.
        let turned = |v: Vector| {
            let [x, y, z] = before.axes.map(|axis| axis.dot(v));
            axes[0] * x + axes[1] * y + axes[2] * z
        };
        let place = |p: Vector| after.origin + turned(p - before.origin) * factor;
        let tolerance = 4.0 * self.tolerance();
        let is_there = |[from, to]: [Vector; 2]| (place(from) - to).length() <= tolerance;
        if !self.all().all(is_there) {
            return None;
        }
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let columns = unit.map(|[x, y, z]| turned(Vector::new(x, y, z)));
        let trace = columns[0].x + columns[1].y + columns[2].z;
        let mut transform = [0.0; 12];
        let scaled = columns.map(|column| column * factor);
        let all = [scaled[0], scaled[1], scaled[2], place(Vector::default())];
        for (numbers, Vector { x, y, z }) in transform.chunks_mut(3).zip(all) {
            numbers.copy_from_slice(&[x, y, z]);
        }
        let is_as_large = (factor - 1.0).abs() * before.length <= tolerance;
        Some(match (hand < 0.0, is_as_large) {
            (true, _) => Motion::Mirrored { transform },
            (false, true) => Motion::Turned { degrees: degrees(trace), transform },
            (false, false) => Motion::Scaled { factor, transform },
        })
    }

    /// The numbers of three points, chosen so that an error at one of them grows little elsewhere.
    fn far_apart(&self) -> Option<[usize; 3]> {
        let at = |number: usize| (self.pair)(number)[0];
        let farthest = |distance: &dyn Fn(Vector) -> f64| {
            let numbers = 0..self.count;
            numbers.max_by(|&i, &j| distance(at(i)).total_cmp(&distance(at(j))))
        };
        let first = farthest(&|p| (p - at(0)).length())?;
        let second = farthest(&|p| (p - at(first)).length())?;
        let along = at(second) - at(first);
        let third = farthest(&|p| along.cross(p - at(first)).length())?;
        let area = along.cross(at(third) - at(first)).length();
        (area > 0.0).then_some([first, second, third])
    }
}

/// Axes of unit length at a point.
struct Frame {
    origin: Vector,
    axes: [Vector; 3],
    /// From the origin to the point on the first axis.
    length: f64,
}

impl Frame {
    fn new(origin: Vector, on_first: Vector, in_plane: Vector) -> Self {
        let first = on_first - origin;
        let third = first.cross(in_plane - origin).normalized();
        let length = first.length();
        let first = first.normalized();
        Self { origin, axes: [first, third.cross(first), third], length }
    }
}

/// The angle of a turn, from the trace of its matrix.
fn degrees(trace: f64) -> f64 {
    let cosine = (0.5 * (trace - 1.0)).clamp(-1.0, 1.0);
    2.0 * arctangent(((1.0 - cosine) / (1.0 + cosine)).sqrt())
}

/// The number between these with the fewest digits.
fn shortest(low: f64, high: f64) -> f64 {
    if low <= 0.0 && high >= 0.0 {
        return 0.0;
    }
    let middle = 0.5 * (low + high);
    let rounded = (0..17).map(|digits| format!("{middle:.digits$e}").parse().unwrap_or(middle));
    rounded.into_iter().find(|number| (low..=high).contains(number)).unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [[f32; 3]; 5] =
        [[1.0, 0.0, 0.0], [3.0, 0.5, 0.0], [1.0, 4.0, 0.25], [0.0, 0.0, 5.0], [2.0, 2.0, 2.0]];

    fn vector(p: [f32; 3]) -> Vector {
        let [x, y, z] = p.map(f64::from);
        Vector::new(x, y, z)
    }

    /// The motion to where `place` puts the points, rounded.
    fn found(place: impl Fn([f64; 3]) -> [f64; 3]) -> [Option<Motion>; 2] {
        let pair = |i: usize| {
            let to = place(SHAPE[i].map(f64::from)).map(|x| x as f32);
            [SHAPE[i], to].map(vector)
        };
        let points = Points { count: SHAPE.len(), pair: &pair };
        [points.motion(), points.mirroring()]
    }

    #[test]
    fn a_shift_is_found_with_its_digits() {
        let [motion, mirroring] = found(|[x, y, z]| [x + 0.1, y, z - 1234.567]);
        assert_eq!(motion, Some(Motion::Moved { by: [0.1, 0.0, -1234.567] }));
        assert_eq!(mirroring, None);
        assert_eq!(found(|p| p)[0], None);
    }

    #[test]
    fn turns_sizes_and_mirrors_are_told_apart() {
        let Some(Motion::Turned { degrees, transform }) = found(|[x, y, z]| [z + 7.0, y, -x])[0]
        else {
            panic!("no turn")
        };
        assert!((degrees - 90.0).abs() < 1e-4, "{degrees}");
        let expected = [0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 7.0, 0.0, 0.0];
        let off = transform.iter().zip(expected).map(|(x, y): (&f64, f64)| (x - y).abs());
        assert!(off.fold(0.0, f64::max) < 1e-6, "{transform:?}");
        let Some(Motion::Scaled { factor, .. }) = found(|p| p.map(|x| 1.5 * x - 3.0))[0] else {
            panic!("no change of size")
        };
        assert!((factor - 1.5).abs() < 1e-6, "{factor}");
        let [motion, mirroring] = found(|[x, y, z]| [2.0 - x, y, z]);
        assert!(motion.is_none() && matches!(mirroring, Some(Motion::Mirrored { .. })));
    }

    #[test]
    fn what_bends_is_no_motion() {
        assert_eq!(found(|[x, y, z]| [x, y + 0.001 * x * x, z]), [None, None]);
        assert_eq!(found(|[x, y, z]| [x, 2.0 * y, z]), [None, None]);
        // One point only.
        let moved = found(|p| if p[2] == 5.0 { [p[0], p[1], 5.001] } else { p });
        assert_eq!(moved, [None, None]);
    }
}
