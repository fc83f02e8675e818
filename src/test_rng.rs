//! Numbers and shapes for unit tests, the same each time.

use glam::{Affine3A, Mat3, Vec3};

use crate::geometry::{Aabb, ConvexHull, ConvexShape, Obb};

/// Thirty-two bits. (A linear congruential generator, Knuth's.)
pub(crate) fn bits(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 32
}

/// A number between -1 and 1.
pub(crate) fn number(state: &mut u64) -> f32 {
    (bits(state) >> 8) as f32 / (1 << 23) as f32 - 1.0
}

/// A point with coordinates between -1 and 1 times `size`, or whole numbers from -4 to 4 times it.
pub(crate) fn point(state: &mut u64, size: f32, is_whole: bool) -> [f32; 3] {
    [0; 3].map(|_| {
        let x = number(state);
        if is_whole { (x * 4.0).round() * size } else { x * size }
    })
}

/// The corners of a triangle, and the center, the motion and half the sides of a box that mostly
/// moves towards it: case `i`, of all sizes, and some of whole numbers.
pub(crate) fn moving_box(state: &mut u64, i: usize) -> ([[f32; 3]; 3], [[f32; 3]; 3]) {
    let size = [1.0, 1e-3, 1e-12, 1e15][i % 4];
    let part = [1.0, 0.1, 0.01][i / 8 % 3];
    let mut next = |size: f32| point(state, size, (i / 4).is_multiple_of(2));
    let (a, b, c) = (next(size), next(size * part), next(size * part));
    let plus = |v: [f32; 3]| [0, 1, 2].map(|k| a[k] + v[k]);
    let (at, mut motion, half) = (next(size), next(size), next(size * 0.3).map(f32::abs));
    if !(i / 24).is_multiple_of(4) {
        motion = [0, 1, 2].map(|k| a[k] - at[k] + motion[k] * 0.1);
    }
    ([a, plus(b), plus(c)], [at, motion, half])
}

/// A box in any position, or the hull of some of its corners: about `at`, turned, and mostly about
/// `half` as large. Some are sheared or flat, some have an origin far away. `None` if there is no
/// such shape.
pub(crate) fn turned_shape(state: &mut u64, at: [f32; 3], half: [f32; 3]) -> Option<ConvexShape> {
    let axis = Vec3::from(point(state, 1.0, false)).normalize_or(Vec3::Y);
    let turn = Mat3::from_axis_angle(axis, [number(state) * 3.0, 0.01][bits(state) as usize % 2]);
    let shear = [0.0, 0.0, 0.0, 0.8][bits(state) as usize % 4];
    let turn = turn * Mat3::from_cols(Vec3::X, Vec3::new(shear, 1.0, 0.0), Vec3::Z);
    if bits(state).is_multiple_of(3) {
        let corners = (0..8).map(|i| {
            let side = |k: usize| if i >> k & 1 == 0 { -half[k] } else { half[k] };
            Vec3::from(at) + turn * Vec3::new(side(0), side(1), side(2))
        });
        return Some(ConvexHull::from_points(corners.skip(bits(state) as usize % 4)).ok()?.into());
    }
    let far = [0.0, 0.0, 30.0][bits(state) as usize % 3];
    let to = Vec3::from(at) - turn * (far * Vec3::from(half));
    let local = Aabb::from_center_half_size(far * Vec3::from(half), half);
    Some(Obb::from_transform(&Affine3A::from_mat3_translation(turn, to), local)?.into())
}

/// Searches for numbers with a high score by hill climbing: from each of `starts` it changes one or
/// two numbers at a time, by one unit in the last place or by much more, and keeps what scores no
/// less. Numbers without a score are not allowed. Returns the best score and its numbers.
pub(crate) fn climb<const N: usize>(
    starts: &[[f32; N]],
    steps: usize,
    score: impl Fn(&[f32; N]) -> Option<f64>,
) -> (f64, [f32; N]) {
    let state = &mut 1;
    let mut best = (0.0, [0.0; N]);
    for start in starts {
        let (mut numbers, mut height) = (*start, score(start).unwrap_or(0.0));
        for _ in 0..steps {
            let mut next = numbers;
            for _ in 0..1 + bits(state) % 2 {
                let number = &mut next[bits(state) as usize % N];
                let step = bits(state) as u32 >> (8 + bits(state) % 24);
                let sign = if bits(state) >> 31 == 0 { step } else { step.wrapping_neg() };
                *number = f32::from_bits(number.to_bits().wrapping_add(sign));
            }
            let valid = next.iter().all(|x| x.is_finite());
            if valid && let Some(next_height) = score(&next).filter(|&next| next >= height) {
                (numbers, height) = (next, next_height);
            }
        }
        if height > best.0 {
            best = (height, numbers);
        }
    }
    best
}
