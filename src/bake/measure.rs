//! How much room the wide tree needs, subtree by subtree.

use smallvec::SmallVec;

use super::bvh2::Child;
use super::collapse::Collapsed;
use super::progress::ProgressMonitor;
use crate::bvh::WIDTH;
use crate::error::BakeError;
use crate::platform::parallel;

/// Leaves after which the monitor is told.
pub(super) const REPORT_LEAVES: usize = 1 << 10;
/// Children of nodes down to this level are worth another thread.
pub(super) const FORK_LEVELS: u32 = 3;

/// How much room a subtree needs.
#[derive(Clone, Copy)]
pub(super) struct SubtreeSize {
    pub(super) nodes: usize,
    pub(super) leaves: usize,
}

/// The size of the subtree of a node that stays, and those of it and of the nodes below, by their numbers
/// in the order in which they are written. It is `units` of work.
pub(super) fn measure(
    collapsed: &Collapsed,
    root: Child,
    units: u32,
    monitor: &ProgressMonitor<'_>,
) -> Result<(SubtreeSize, Vec<SubtreeSize>), BakeError> {
    let work = Sizer {
        collapsed,
        monitor,
        // As if there were two references to a leaf; there are seldom fewer.
        units_each: f64::from(units) * 2.0 / collapsed.tree.references as f64,
    };
    let mut sizes = Vec::new();
    let whole = work.measure(root, 1, &mut sizes);
    monitor.check()?;
    Ok((whole, sizes))
}

struct Sizer<'a, 'm> {
    collapsed: &'a Collapsed,
    monitor: &'a ProgressMonitor<'m>,
    /// The work of a leaf.
    units_each: f64,
}

impl Sizer<'_, '_> {
    /// Finds the size of the subtree of a node that stays, and appends it and those below it, in the order of
    /// the nodes. They are not to be used if the bake is not to go on.
    fn measure(&self, root: Child, level: u32, sizes: &mut Vec<SubtreeSize>) -> SubtreeSize {
        let mut size = SubtreeSize { nodes: 1, leaves: 0 };
        if !self.monitor.keep_going() {
            return size;
        }
        let place = sizes.len();
        sizes.push(size);
        let children = self.collapsed.children(root);
        let children = children.as_slice();
        let inner = |child: &Child| !self.collapsed.is_leaf(*child);
        let below: SmallVec<[Child; WIDTH]> = children.iter().copied().filter(inner).collect();
        size.leaves += children.len() - below.len();
        let mut told = 0;
        let mut add = |below: SubtreeSize| {
            size.nodes += below.nodes;
            size.leaves += below.leaves;
            if below.leaves >= REPORT_LEAVES {
                told += below.leaves;
            }
        };
        if level <= FORK_LEVELS {
            let measure = |child| {
                let mut sizes = Vec::new();
                (self.measure(child, level + 1, &mut sizes), sizes)
            };
            for (below, its) in parallel::map_each(true, below.into_vec(), measure) {
                add(below);
                sizes.extend(its);
            }
        } else {
            for child in below {
                add(self.measure(child, level + 1, sizes));
            }
        }
        if size.leaves >= REPORT_LEAVES {
            let untold = size.leaves - told;
            self.monitor.advance((untold as f64 * self.units_each) as u32);
        }
        sizes[place] = size;
        size
    }
}
