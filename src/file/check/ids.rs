//! Which triangles have been met, and which of them more than once.

use crate::bvh::{LANES, LeafBlock, UNUSED_ID};

/// The triangles met so far: a bit for each that there may be; or, where most of those are not in
/// the tree, so that the bits could be far more than the file, a list.
pub(super) enum Ids {
    /// The last word is for whatever is not below the total, and means nothing.
    Bits(Vec<u64>),
    List(Vec<u32>),
}

fn words(total: u32) -> usize {
    (total as usize).div_ceil(64)
}

impl Ids {
    /// Of so many triangles that there may be, those in some of so many leaf blocks.
    pub(super) fn new(total: u32, blocks: usize) -> Self {
        if Self::most(total, blocks) == usize::MAX {
            Self::List(Vec::new())
        } else {
            Self::Bits(vec![0; words(total) + 1])
        }
    }

    /// How many threads may have such a set each: all bits together take no more than the ids
    /// themselves. Lists share out what there is.
    pub(super) fn most(total: u32, blocks: usize) -> usize {
        let ids = blocks * LANES * size_of::<u32>();
        match ids / (words(total).max(1) * size_of::<u64>()) {
            0 | 1 => usize::MAX,
            most => most,
        }
    }

    /// Notes a block's ids, all of them below the total or unused.
    pub(super) fn insert(&mut self, ids: &[u32; LANES]) {
        match self {
            Self::Bits(met) => {
                let last = met.len() - 1;
                for &id in ids {
                    // Unused lanes end up in the last word: cheaper than a branch.
                    met[last.min(id as usize / 64)] |= 1 << (id % 64);
                }
            }
            Self::List(list) => list.extend(ids.iter().filter(|&&id| id != UNUSED_ID)),
        }
    }

    /// Notes what another set of the same total has.
    pub(super) fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Bits(met), Self::Bits(more)) => {
                met.iter_mut()
                    .zip(more)
                    .for_each(|(met, more)| *met |= more);
            }
            (Self::List(list), Self::List(more)) => list.extend_from_slice(&more),
            // Sets of one total are of one kind.
            _ => {}
        }
    }

    /// All have been met: how many different ones.
    pub(super) fn different(&mut self) -> u64 {
        match self {
            Self::Bits(met) => {
                let (_, met) = met.split_last().unwrap_or((&0, &[]));
                met.iter().map(|word| u64::from(word.count_ones())).sum()
            }
            Self::List(list) => {
                list.sort_unstable();
                list.chunk_by(|a, b| a == b).count() as u64
            }
        }
    }

    /// Those that are in several of the leaf blocks in which all of these were met.
    pub(super) fn repeated(self, blocks: &[LeafBlock]) -> Repeated {
        match self {
            Self::Bits(mut met) => {
                // What is met first is struck out, so that what is met again is not there.
                let mut repeated = vec![0u64; met.len()];
                let last = met.len() - 1;
                for &id in blocks.iter().flat_map(|block| &block.id) {
                    let (at, bit) = (last.min(id as usize / 64), 1 << (id % 64));
                    repeated[at] |= !met[at] & bit;
                    met[at] &= !bit;
                }
                Repeated::Bits(repeated)
            }
            Self::List(list) => Repeated::List(list),
        }
    }
}

/// The triangles that are in several leaf blocks.
pub(super) enum Repeated {
    Bits(Vec<u64>),
    /// All triangles in order, as often as they were met.
    List(Vec<u32>),
}

impl Repeated {
    pub(super) fn contains(&self, id: u32) -> bool {
        match self {
            Self::Bits(bits) => bits[id as usize / 64] >> (id % 64) & 1 != 0,
            Self::List(list) => {
                let first = list.partition_point(|&other| other < id);
                list.get(first + 1) == Some(&id)
            }
        }
    }
}
