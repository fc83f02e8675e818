//! A block of memory for a call's numbers, at an address that never changes.

use std::array;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many numbers there is room for: a hull of 64 points and its kind.
pub const WORDS: usize = 256;

// Atomic, for a static must be; without threads they are plain numbers.
static BLOCK: [AtomicU32; WORDS] = [const { AtomicU32::new(0) }; WORDS];

/// Where it is, for JavaScript.
pub fn address() -> *const AtomicU32 {
    BLOCK.as_ptr()
}

/// A number that JavaScript wrote; zero beyond the end.
pub fn word(at: usize) -> u32 {
    BLOCK.get(at).map_or(0, |word| word.load(Ordering::Relaxed))
}

/// The same of an `f32`.
pub fn number(at: usize) -> f32 {
    f32::from_bits(word(at))
}

/// `N` of them in a row.
pub fn numbers<const N: usize>(at: usize) -> [f32; N] {
    array::from_fn(|i| number(at + i))
}

/// Writes numbers for JavaScript, up to the end of the block.
pub fn write(at: usize, words: &[u32]) {
    for (word, value) in BLOCK.iter().skip(at).zip(words) {
        word.store(*value, Ordering::Relaxed);
    }
}

/// The same of `f32`.
pub fn write_numbers(at: usize, numbers: &[f32]) {
    for (i, number) in numbers.iter().enumerate() {
        write(at + i, &[number.to_bits()]);
    }
}
