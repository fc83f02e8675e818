//! Directions over a surface, as light falls in: by the cosine of the angle to the normal.

use glam::Vec3;

/// Cosine and sine of the golden angle, `pi * (3 - sqrt(5))`.
const GOLDEN: [f64; 2] = [-0.737_368_878_078_319_7, 0.675_490_294_261_523_8];

/// As many directions over the plane `z = 0`: a spiral of points that are spread evenly in the unit
/// disk (Vogel 1979), moved up to the sphere. Turned by products, since the platform's sine is not
/// the same everywhere; all are above the plane by `sqrt(0.5 / count)` at least.
pub(super) fn directions(count: u16) -> Vec<[f64; 3]> {
    let [cos, sin] = GOLDEN;
    let (mut x, mut y) = (1.0, 0.0);
    let direction = |i: u16| {
        let square = (f64::from(i) + 0.5) / f64::from(count);
        let radius = square.sqrt();
        let direction = [radius * x, radius * y, (1.0 - square).sqrt()];
        (x, y) = (x * cos - y * sin, x * sin + y * cos);
        direction
    };
    (0..count).map(direction).collect()
}

/// Axes that are perpendicular, of the length of the third, which is the given one (Duff and others
/// 2017). `None` for an axis that is zero or not finite.
pub(super) fn frame(axis: Vec3) -> Option<[[f64; 3]; 3]> {
    let [x, y, z] = axis.to_array().map(f64::from);
    let length = (x * x + y * y + z * z).sqrt();
    if !(length.is_finite() && length > 0.0) {
        return None;
    }
    let [x, y, z] = [x / length, y / length, z / length];
    let sign = 1f64.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    let unit =
        [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y], [x, y, z]];
    let scaled = |[x, y, z]: [f64; 3]| [x * length, y * length, z * length];
    let [right, up, normal] = unit;
    Some([scaled(right), scaled(up), scaled(normal)])
}

/// A direction over the plane, in a frame.
pub(super) fn turned([right, up, normal]: &[[f64; 3]; 3], [x, y, z]: [f64; 3]) -> Vec3 {
    let at = |k: usize| (right[k] * x + up[k] * y + normal[k] * z) as f32;
    Vec3::new(at(0), at(1), at(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_spread_by_the_cosine() {
        for count in [1, 2, 64, 1000, u16::MAX] {
            let directions = directions(count);
            assert_eq!(directions.len(), usize::from(count));
            for [x, y, z] in &directions {
                assert!((x * x + y * y + z * z - 1.0).abs() < 1e-10);
                assert!(*z >= (0.499 / f64::from(count)).sqrt());
            }
        }
        // In each sector and each ring of the disk, as many as its area says.
        let directions = directions(4096);
        for (i, part) in [0.1, 0.25, 0.5, 0.9].into_iter().enumerate() {
            let inner = directions.iter().filter(|[x, y, _]| x * x + y * y < part).count();
            assert!((inner as f64 - 4096.0 * part).abs() <= 1.0, "{inner}");
            let (sin, cos) = (i as f64).sin_cos();
            let half = directions.iter().filter(|[x, y, _]| x * cos + y * sin > 0.0).count();
            assert!((2028..=2068).contains(&half), "{half}");
        }
    }

    #[test]
    fn frames_are_perpendicular_for_every_axis() {
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let axes = [
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            [0.0, -0.0, -0.0001],
            [0.6, 0.0, -0.8],
            [1e-20, 3e-20, -2e-20],
            [3e30, -1e30, 1e30],
            [1.0, 1e-9, -1e-9],
        ];
        for axis in axes.map(Vec3::from_array) {
            let frame = frame(axis).expect("it has a length");
            let length = dot(frame[2], frame[2]).sqrt();
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                assert!(dot(frame[i], frame[j]).abs() < 1e-12 * length * length, "{axis}");
                assert!((dot(frame[i], frame[i]).sqrt() / length - 1.0).abs() < 1e-12, "{axis}");
            }
            let straight = turned(&frame, [0.0, 0.0, 1.0]);
            assert!(straight.distance(axis) <= 1e-6 * length as f32, "{straight} {axis}");
        }
        for axis in [Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::new(0.0, f32::INFINITY, 0.0)] {
            assert_eq!(frame(axis), None);
        }
    }
}
