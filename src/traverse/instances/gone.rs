//! The instances that have left a tree since it was built.

/// A bit for each instance, by its leaf.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gone {
    bits: Vec<u64>,
    len: usize,
}

impl Gone {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn contains(&self, leaf: u32) -> bool {
        self.bits.get(leaf as usize / 64).is_some_and(|bits| bits >> (leaf % 64) & 1 != 0)
    }

    /// Adds one that is not among them yet.
    pub(crate) fn insert(&mut self, leaf: u32) {
        let at = leaf as usize / 64;
        if at >= self.bits.len() {
            self.bits.resize(at + 1, 0);
        }
        self.bits[at] |= 1 << (leaf % 64);
        self.len += 1;
    }

    /// Takes one out, if it is among them.
    pub(crate) fn remove(&mut self, leaf: u32) {
        if self.contains(leaf) {
            self.bits[leaf as usize / 64] &= !(1 << (leaf % 64));
            self.len -= 1;
        }
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.bits.iter().zip(0u32..).filter(|&(&bits, _)| bits != 0);
        words.flat_map(|(&bits, at)| {
            (0..64).filter(move |i| bits >> i & 1 != 0).map(move |i| 64 * at + i)
        })
    }
}
