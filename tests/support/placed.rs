//! Bytes at a chosen place in memory.

#![allow(missing_docs, unreachable_pub, reason = "each test binary uses a part of it")]

/// An owner of bytes that begin some bytes after a 64-byte boundary.
pub struct Placed {
    memory: Vec<u8>,
    start: usize,
}

impl Placed {
    pub fn new(bytes: &[u8], after: usize) -> Self {
        let mut memory = vec![0; bytes.len() + 64 + after];
        let start = memory.as_ptr().align_offset(64) + after;
        memory[start..start + bytes.len()].copy_from_slice(bytes);
        memory.truncate(start + bytes.len());
        Self { memory, start }
    }
}

impl AsRef<[u8]> for Placed {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.start..]
    }
}
