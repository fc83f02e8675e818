/// An owner of bytes on a 64-byte boundary, like a mapped file.
pub(crate) struct Placed {
    memory: Vec<u8>,
    start: usize,
}

impl Placed {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut memory = vec![0; bytes.len() + 64];
        let start = memory.as_ptr().align_offset(64);
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
