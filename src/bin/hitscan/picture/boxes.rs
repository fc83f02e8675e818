//! The boxes at a depth of the trees of a level, drawn over a picture.

use std::collections::BTreeMap;

use hitscan::Aabb;
use hitscan::geometry::transform_point;

use super::lines::Canvas;
use super::palette::viridis;
use super::vector::Vector;
use crate::level::{Level, Placed};

/// The boxes at a depth of the trees of a level: see
/// [`Bvh::boxes_at`](hitscan::Bvh::boxes_at).
pub(crate) struct Boxes<'a> {
    placed: Vec<Placed<'a>>,
    /// By the number of the tree, which instances may share.
    of_tree: BTreeMap<u32, Vec<Aabb>>,
}

impl<'a> Boxes<'a> {
    /// The most that are worth drawing: a picture has no more pixels.
    pub(crate) const MOST: u64 = 1 << 20;

    pub(crate) fn new(level: Level<'a>, depth: u32) -> Self {
        let placed = level.trees();
        let mut of_tree = BTreeMap::new();
        for Placed { tree, bvh, .. } in &placed {
            of_tree
                .entry(*tree)
                .or_insert_with(|| bvh.boxes_at(depth).into_iter().map(|one| one.bounds).collect());
        }
        Self { placed, of_tree }
    }

    /// How many there are, over all instances.
    pub(crate) fn count(&self) -> u64 {
        self.placed.iter().map(|placed| self.of_tree[&placed.tree].len() as u64).sum()
    }

    /// Draws them, from the first to the last in colours of the palette.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>) {
        let whole = self.count() as f64;
        let boxes = self.placed.iter().flat_map(|placed| {
            let corners = |bounds: &Aabb| {
                bounds.corners().map(|c| Vector::from(transform_point(&placed.transform, c)))
            };
            self.of_tree[&placed.tree].iter().map(corners)
        });
        for (i, corners) in boxes.enumerate() {
            // The bright part of the palette, which shows on dark surfaces.
            let colour = viridis(0.4 + 0.6 * (i + 1) as f64 / whole);
            // Corners are numbered by a bit for each axis.
            for from in 0..8 {
                for to in [1, 2, 4].map(|axis| from | axis).into_iter().filter(|&to| to > from) {
                    canvas.line(corners[from], corners[to], colour);
                }
            }
        }
    }
}

/// The depth of the deepest tree: below it there are no boxes.
pub(crate) fn deepest(level: Level<'_>) -> u32 {
    let depth = |placed: &Placed<'_>| placed.bvh.metadata().summary.depth;
    level.trees().iter().map(depth).max().unwrap_or(0)
}
