//! How much room the wide tree needs, subtree by subtree.

use smallvec::SmallVec;

use super::binary::Child;
use super::collapse::Collapsed;
use super::monitor::Monitor;
use crate::bvh::WIDTH;
use crate::error::BakeError;
use crate::platform::parallel;

/// Leaves after which the monitor is told.
pub(super) const REPORT: usize = 1 << 10;
/// Children of nodes down to this level are worth another thread.
pub(super) const FORK_LEVELS: u32 = 3;

/// How much room a subtree needs.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) nodes: usize,
    pub(super) leaves: usize,
}

/// The size of the subtree of a node that stays, and those of it and of the nodes below, by their numbers
/// in the order in which they are written. It is `units` of work.
pub(super) fn measure(
    collapsed: &Collapsed,
    root: Child,
    units: u32,
    monitor: &Monitor<'_>,
) -> Result<(Size, Vec<Size>), BakeError> {
    let work = Work {
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

struct Work<'a, 'm> {
    collapsed: &'a Collapsed,
    monitor: &'a Monitor<'m>,
    /// The work of a leaf.
    units_each: f64,
}

impl Work<'_, '_> {
    /// Finds the size of the subtree of a node that stays, and appends it and those below it, in the order of
    /// the nodes. They are not to be used if the bake is not to go on.
    fn measure(&self, root: Child, level: u32, sizes: &mut Vec<Size>) -> Size {
        let mut size = Size { nodes: 1, leaves: 0 };
        if !self.monitor.goes_on() {
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
        let mut add = |below: Size| {
            size.nodes += below.nodes;
            size.leaves += below.leaves;
            if below.leaves >= REPORT {
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
        if size.leaves >= REPORT {
            let untold = size.leaves - told;
            self.monitor.advance((untold as f64 * self.units_each) as u32);
        }
        sizes[place] = size;
        size
    }
}
