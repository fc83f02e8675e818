//! Arrays on their way out: where the last one lies, and how long it is, is in the block.

use std::cell::Cell;

use crate::block;

/// The block's words with address and length.
const AT: usize = block::WORDS - 2;

/// More memory than this is not kept for the next output.
const KEPT: usize = 1 << 20;

enum Output {
    Words(Vec<u32>),
    Bytes(#[expect(dead_code, reason = "JavaScript reads it")] Vec<u8>),
}

thread_local! {
    static OUTPUT: Cell<Output> = const { Cell::new(Output::Bytes(Vec::new())) };
}

/// An empty list with the memory of the last one.
pub fn words() -> Vec<u32> {
    match OUTPUT.replace(Output::Bytes(Vec::new())) {
        Output::Words(mut words) if words.capacity() * size_of::<u32>() <= KEPT => {
            words.clear();
            words
        }
        _ => Vec::new(),
    }
}

/// Shows words to JavaScript.
pub fn put_words(words: Vec<u32>) {
    point_to(words.as_ptr().cast(), words.len());
    OUTPUT.set(Output::Words(words));
}

/// Shows bytes to JavaScript.
pub fn put_bytes(bytes: Vec<u8>) {
    point_to(bytes.as_ptr(), bytes.len());
    OUTPUT.set(Output::Bytes(bytes));
}

/// Shows bytes that lie elsewhere, and stay there until JavaScript has copied them.
pub fn show_bytes(bytes: &[u8]) {
    point_to(bytes.as_ptr(), bytes.len());
}

/// Frees the last output.
pub fn clear() {
    point_to(std::ptr::null(), 0);
    OUTPUT.set(Output::Bytes(Vec::new()));
}

fn point_to(address: *const u8, length: usize) {
    block::write(AT, &[address.addr() as u32, length as u32]);
}
