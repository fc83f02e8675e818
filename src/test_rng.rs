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
