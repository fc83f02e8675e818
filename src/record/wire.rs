//! Records of a fixed number of words: how what is asked and found lies in a file.

use glam::Vec3;

use crate::traverse::{InstanceId, VolumeHit};

/// What breaks a rule of the format, for a message.
pub(super) type Fault = &'static str;

/// A value that is `N` words of four bytes in a file: equal words are equal bits.
pub(super) trait Wire<const N: usize>: Sized {
    fn words(&self) -> [u32; N];

    /// The value of these words. Words that no value has may be given any: a reader writes what it
    /// has read, and refuses what was written otherwise.
    fn from_words(words: &[u32; N]) -> Option<Self>;
}

/// Appends words.
pub(super) fn put<const N: usize>(out: &mut Vec<u8>, words: &[u32; N]) {
    out.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
}

/// Appends all values, at once: a batch has thousands.
pub(super) fn put_all<T: Wire<N>, const N: usize>(out: &mut Vec<u8>, values: &[T]) {
    let start = out.len();
    out.resize(start + 4 * N * values.len(), 0);
    for (place, value) in out[start..].chunks_exact_mut(4 * N).zip(values) {
        place.copy_from_slice(value.words().map(u32::to_le_bytes).as_flattened());
    }
}

/// Appends a bit for each, the first one as the least of the first byte.
pub(super) fn put_bits<T>(out: &mut Vec<u8>, all: &[T], bit_of: impl Fn(&T) -> bool) {
    out.extend(all.chunks(8).map(|eight| {
        let bits = eight.iter().enumerate();
        bits.fold(0, |byte, (i, one)| byte | u8::from(bit_of(one)) << i)
    }));
}

/// Appends a bit for each answer that is yes or no.
pub(super) fn put_found(out: &mut Vec<u8>, found: &[bool]) {
    put_bits(out, found, |&found| found);
}

/// The words of bytes, of which there are as many as are needed.
pub(super) fn words_of<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let (quads, _) = bytes.as_chunks();
    std::array::from_fn(|i| u32::from_le_bytes(quads[i]))
}

/// Bytes that are read from the front. What is asked for must be there: nothing is allocated for
/// what is not.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn bytes(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let count = usize::try_from(count).ok().filter(|&count| count <= self.0.len());
        let (taken, rest) = self.0.split_at(count.ok_or("a record is longer than it says")?);
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn words<const N: usize>(&mut self) -> Result<[u32; N], Fault> {
        self.bytes(4 * N as u64).map(words_of)
    }

    pub(super) fn long(&mut self) -> Result<u64, Fault> {
        let [low, high] = self.words()?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    pub(super) fn bits(&mut self, count: u64) -> Result<Vec<bool>, Fault> {
        let bytes = self.bytes(count.div_ceil(8))?;
        Ok((0..count as usize).map(|i| bytes[i / 8] >> (i % 8) & 1 != 0).collect())
    }

    pub(super) fn all<T: Wire<N>, const N: usize>(&mut self, count: u64) -> Result<Vec<T>, Fault> {
        let length = count.checked_mul(4 * N as u64).ok_or("a record has too many values")?;
        let values = self.bytes(length)?.chunks_exact(4 * N);
        let values = values.map(|bytes| T::from_words(&words_of(bytes)));
        values.collect::<Option<_>>().ok_or("a value breaks the rules of its kind")
    }

    /// All values up to the end.
    pub(super) fn rest<T: Wire<N>, const N: usize>(&mut self) -> Result<Vec<T>, Fault> {
        if !self.0.len().is_multiple_of(4 * N) {
            return Err("a record ends within a value");
        }
        self.all(self.0.len() as u64 / (4 * N as u64))
    }
}

impl Wire<3> for Vec3 {
    fn words(&self) -> [u32; 3] {
        self.to_array().map(f32::to_bits)
    }

    fn from_words(words: &[u32; 3]) -> Option<Self> {
        Some(words.map(f32::from_bits).into())
    }
}

impl Wire<2> for InstanceId {
    fn words(&self) -> [u32; 2] {
        let bits = self.to_bits();
        [bits as u32, (bits >> 32) as u32]
    }

    fn from_words(&[low, high]: &[u32; 2]) -> Option<Self> {
        Self::from_bits(u64::from(high) << 32 | u64::from(low))
    }
}

impl Wire<5> for VolumeHit {
    fn words(&self) -> [u32; 5] {
        let &Self { instance, enter, exit, origin_inside, .. } = self;
        let [slot, generation] = instance.words();
        [slot, generation, enter.to_bits(), exit.to_bits(), u32::from(origin_inside)]
    }

    fn from_words(&[slot, generation, enter, exit, inside]: &[u32; 5]) -> Option<Self> {
        Some(Self {
            instance: InstanceId::from_words(&[slot, generation])?,
            enter: f32::from_bits(enter),
            exit: f32::from_bits(exit),
            origin_inside: inside != 0,
        })
    }
}
