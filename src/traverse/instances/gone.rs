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
}
