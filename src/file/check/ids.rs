//! The set of triangles found so far, and which of them were found more than once.

use crate::bvh::{LANES, UNUSED_ID};

/// The triangles found so far: two bits for each that the meshes have. Where most of those are not
/// in the tree, bits could take far more memory than the file; then it is a list.
pub(super) enum Ids {
    Bits(Bits),
    /// As often as they were found; sorted by [`finish`](Self::finish).
    List(Vec<u32>),
}

/// Bits for triangles. The last word takes the bits of unused lanes, and means nothing.
pub(super) struct Bits {
    met: Vec<u64>,
    /// Found more than once.
    repeated: Vec<u64>,
}

fn words(total: u32) -> usize {
    (total as usize).div_ceil(64)
}

impl Ids {
    /// An empty set, for `total` triangles in the meshes and `blocks` leaf blocks in the tree.
    pub(super) fn new(total: u32, blocks: usize) -> Self {
        if Self::most(total, blocks) == usize::MAX {
            return Self::List(Vec::new());
        }
        let none = vec![0; words(total) + 1];
        Self::Bits(Bits { met: none.clone(), repeated: none })
    }

    /// How many threads may have such a set each, if all bits together are to take no more memory
    /// than the ids themselves. Lists are shared out, so any number.
    pub(super) fn most(total: u32, blocks: usize) -> usize {
        let ids = blocks * LANES * size_of::<u32>();
        match ids / (words(total).max(1) * 2 * size_of::<u64>()) {
            0 | 1 => usize::MAX,
            most => most,
        }
    }

    /// Adds a block's ids, all of them below the total or unused.
    pub(super) fn insert(&mut self, ids: &[u32; LANES]) {
        match self {
            Self::Bits(Bits { met, repeated }) => {
                // Unused lanes go to the last word: cheaper than a branch.
                let last = met.len().min(repeated.len()) - 1;
                for &id in ids {
                    let used = id != UNUSED_ID;
                    let (at, bit) = (if used { id as usize / 64 } else { last }, 1 << (id % 64));
                    repeated[at] |= met[at] & bit;
                    met[at] |= bit;
                }
            }
            Self::List(list) => list.extend(ids.iter().filter(|&&id| id != UNUSED_ID)),
        }
    }

    /// Adds another set of the same total.
    pub(super) fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Bits(bits), Self::Bits(more)) => {
                for (at, (met, repeated)) in more.met.into_iter().zip(more.repeated).enumerate() {
                    bits.repeated[at] |= repeated | bits.met[at] & met;
                    bits.met[at] |= met;
                }
            }
            (Self::List(list), Self::List(more)) => list.extend_from_slice(&more),
            // Sets of one total are of one kind.
            _ => {}
        }
    }

    /// After all have been added: how many different ones there are.
    pub(super) fn finish(&mut self) -> u64 {
        match self {
            Self::Bits(Bits { met, .. }) => {
                let (_, met) = met.split_last().unwrap_or((&0, &[]));
                met.iter().map(|word| u64::from(word.count_ones())).sum()
            }
            Self::List(list) => {
                list.sort_unstable();
                list.chunk_by(|a, b| a == b).count() as u64
            }
        }
    }

    /// Whether a triangle of the set was found more than once.
    pub(super) fn is_repeated(&self, id: u32) -> bool {
        match self {
            Self::Bits(bits) => bits.is_repeated(id),
            Self::List(list) => {
                let first = list.partition_point(|&other| other < id);
                list.get(first + 1) == Some(&id)
            }
        }
    }
}

impl Bits {
    pub(super) fn is_repeated(&self, id: u32) -> bool {
        self.repeated[id as usize / 64] >> (id % 64) & 1 != 0
    }

    /// Numbers the repeated ones from 0.
    pub(super) fn ranks(&self) -> Ranks<'_> {
        let mut sum = 0;
        let mut before = Vec::with_capacity(self.repeated.len());
        for word in &self.repeated {
            before.push(sum);
            sum += word.count_ones();
        }
        Ranks { repeated: &self.repeated, before, count: sum as usize }
    }
}

/// The repeated triangles, numbered.
pub(super) struct Ranks<'a> {
    repeated: &'a [u64],
    /// How many there are before each word.
    before: Vec<u32>,
    /// At least as many as there are: the last word's are counted too.
    pub(super) count: usize,
}

impl Ranks<'_> {
    /// The number of a triangle, if it is repeated.
    pub(super) fn rank(&self, id: u32) -> Option<usize> {
        let (at, bit) = (id as usize / 64, id % 64);
        let word = self.repeated[at];
        let below = (word & ((1 << bit) - 1)).count_ones();
        (word >> bit & 1 != 0).then(|| (self.before[at] + below) as usize)
    }
}
