//! A tree or a scene, for code that asks either.

use crate::bvh::Bvh;
use crate::scene::Snapshot;

/// A tree or a scene, which questions are asked of.
#[cfg_attr(not(feature = "record"), allow(unreachable_pub, reason = "`record` shows it"))]
#[derive(Clone, Copy, Debug)]
pub enum World<'a> {
    /// A tree by itself.
    Tree(&'a Bvh),
    /// A scene as it was at a commit.
    Scene(&'a Snapshot),
}

impl<'a> From<&'a Bvh> for World<'a> {
    fn from(bvh: &'a Bvh) -> Self {
        Self::Tree(bvh)
    }
}

impl<'a> From<&'a Snapshot> for World<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self::Scene(snapshot)
    }
}

/// Asks a question that trees and scenes have in common.
macro_rules! of_either {
    ($world:expr, $asked:ident => $question:expr) => {
        match $world {
            World::Tree($asked) => $question,
            World::Scene($asked) => $question,
        }
    };
}
pub(crate) use of_either;
