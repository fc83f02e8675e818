//! Numbers for unit tests, the same each time.

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
