//! Numbers with keys, each in one word.

use bytemuck::{Pod, Zeroable};

/// A number with a key, in one word: so lists of all kinds are sorted by the same code.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Keyed(u64);

impl Keyed {
    pub(crate) fn new(key: u32, number: u32) -> Self {
        Self(u64::from(key) << 32 | u64::from(number))
    }

    pub(crate) fn key(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(crate) fn number(self) -> u32 {
        self.0 as u32
    }

    /// By key, then by number.
    pub(crate) fn sort(list: &mut [Self]) {
        bytemuck::cast_slice_mut::<Self, u64>(list).sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::Keyed;

    #[test]
    fn keys_come_before_numbers() {
        let pairs = [(2, 0), (0, u32::MAX), (u32::MAX, 1), (2, u32::MAX), (0, 0), (u32::MAX, 0)];
        let mut list = pairs.map(|(key, number)| Keyed::new(key, number));
        Keyed::sort(&mut list);
        let mut sorted = pairs;
        sorted.sort_unstable();
        assert_eq!(list.map(|one| (one.key(), one.number())), sorted);
    }
}
