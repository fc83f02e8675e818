//! What a bake can be told, and what it tells while it runs.

use serde::{Deserialize, Serialize};

use super::ray_sample::MAX_RAYS;
use super::split::binned::MAX_BINS;
use crate::bvh::LANES;
use crate::error::{BakeError, BakeErrorKind};

/// How much work goes into the tree: presets of [`BakeOptions`]. Hits are the same bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Quality {
    /// For edits in a running tool, and for small files: 16 bins on the widest axis alone, and a
    /// leaf of each set of triangles as soon as it fits one. Takes two thirds of `Balanced`'s time to
    /// bake, and a seventh fewer bytes; queries take up to a quarter longer.
    Fast,
    /// Binned surface area heuristic (Wald 2007) down to single triangles, 32 bins an axis, in which a
    /// leaf's empty places count half, and the optimal collapse into nodes of sixteen (Ylitie, Karras and
    /// Laine 2017), such that rays which begin at triangles cost least (after Bittner and Havran
    /// 2009). Each triangle is in one leaf. Right for meshes of evenly sized triangles: scans, terrains.
    #[default]
    Balanced,
    /// The same with spatial splits (Stich, Friedrich and Dietrich 2009): where large triangles lie
    /// across small ones, as in most architecture, they are referred to from several leaves, up to
    /// half as many references more than triangles. Takes two to four times as long to bake, but hardly longer
    /// on a terrain, where there is nothing to cut; queries take up to a fifth less time, at worst a few
    /// percent more.
    Best,
}

impl Quality {
    /// What the preset stands for.
    #[must_use]
    pub fn options(self) -> BakeOptions {
        let balanced = BakeOptions {
            bins: 32,
            axes: Axes::All,
            leaves: Leaves::Cheapest,
            leaf_triangles: 8,
            node_cost: 1.0,
            leaf_cost: 1.0,
            depth: 40,
            spatial_gate: 1e-4,
            spatial_gain: 0.0,
            spatial_budget: 0.0,
            sample_rays: 512,
        };
        match self {
            Self::Fast => BakeOptions {
                bins: 16,
                axes: Axes::Widest,
                leaves: Leaves::FirstFit,
                sample_rays: 0,
                ..balanced
            },
            Self::Balanced => balanced,
            Self::Best => BakeOptions { spatial_budget: 0.5, ..balanced },
        }
    }
}

/// Everything that decides how a tree is built. Start from a [`Quality`]'s
/// [`options`](Quality::options) and change what you like; a bake refuses what is out of range.
///
/// ```
/// use hitscan::{Builder, Quality};
///
/// let mut options = Quality::Best.options();
/// options.spatial_budget = 0.2;
/// let builder = Builder::new().options(options);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BakeOptions {
    /// Bins that each axis is cut into to look for planes, 4 to 32.
    pub bins: u32,
    /// Which axes are looked at.
    pub axes: Axes,
    /// Which sets of triangles become leaves.
    pub leaves: Leaves,
    /// The most triangles in a leaf, 1 to 8.
    pub leaf_triangles: u32,
    /// What it costs to test the sixteen boxes of a node, 1/16 to 16. Only the ratio to
    /// `leaf_cost` counts.
    pub node_cost: f32,
    /// What it costs to test a leaf's triangles, 1/16 to 16.
    pub leaf_cost: f32,
    /// The most levels of the binary tree that the wide one is made of, 40 to 60. Near it, sets
    /// are halved by count. To the levels of games that were tried, 40 makes no difference.
    /// With triangles of sizes from 2^-100 to 2^100 each level of the tree splits off a few of the largest, and takes
    /// a way over all the others: the more levels, the longer.
    pub depth: u32,
    /// Spatial splits are tried where the two sides of the best other plane overlap by more than
    /// this part of the whole tree's surface area, 0 to 1.
    pub spatial_gate: f64,
    /// And where cutting what the two sides share could save more than this part of what the set costs,
    /// 0 to 1. Sides of a smooth surface overlap, too, but by little more than where they touch: with 0.03
    /// no time goes into splits that save them little (a quarter less than `Best` takes on a cave;
    /// rays take 1 % longer).
    pub spatial_gain: f64,
    /// The most further references that spatial splits may make, as a part of the triangles, 0 to
    /// 4; 0 for no such splits.
    pub spatial_budget: f64,
    /// How many rays are made up to tell which boxes are often met, 0 to 65,536: they begin anywhere on
    /// triangles, no more on each than on others, and go anywhere. If the caller [gave](crate::Builder::rays) some,
    /// there are at least two for each of those; never more than one for four triangles. 0 for none: without
    /// any rays, surface areas tell.
    pub sample_rays: u32,
}

impl Default for BakeOptions {
    /// Those of [`Quality::Balanced`].
    fn default() -> Self {
        Quality::default().options()
    }
}

/// Which axes planes are looked for on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Axes {
    /// All three, but for those along which the middles of a set's triangles lie less than a quarter as far
    /// apart as along another: slabs cost less by their surface areas than they do in the end.
    All,
    /// Only the one along which the middles of a set's triangles lie furthest apart.
    Widest,
}

/// Which sets of triangles become leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Leaves {
    /// Sets are split down to single triangles, and the leaves are chosen so that the whole tree
    /// is cheapest. A set that fits a leaf is one as it is, though, if the boxes of its triangles have twice
    /// the surface area of the box around them: no parts of it would be much smaller.
    Cheapest,
    /// A set is a leaf as soon as it fits one.
    FirstFit,
}

impl BakeOptions {
    /// Whether all of them are in range.
    pub(super) fn check(&self) -> Result<(), BakeError> {
        let range = |name: &str, value: f64, least: f64, most: f64| {
            // A NaN is in no range.
            if value >= least && value <= most {
                return Ok(());
            }
            let message = format!("option `{name}` is {value}, expected {least} to {most}");
            Err(BakeError::new(BakeErrorKind::Options, message))
        };
        range("bins", self.bins.into(), 4.0, MAX_BINS as f64)?;
        range("leaf_triangles", self.leaf_triangles.into(), 1.0, LANES as f64)?;
        range("node_cost", self.node_cost.into(), 0.0625, 16.0)?;
        range("leaf_cost", self.leaf_cost.into(), 0.0625, 16.0)?;
        range("depth", self.depth.into(), 40.0, 60.0)?;
        range("spatial_gate", self.spatial_gate, 0.0, 1.0)?;
        range("spatial_gain", self.spatial_gain, 0.0, 1.0)?;
        range("spatial_budget", self.spatial_budget, 0.0, 4.0)?;
        range("sample_rays", self.sample_rays.into(), 0.0, MAX_RAYS as f64)
    }
}

/// What to do with triangles that have non-finite coordinates or name vertices that are
/// not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BadTriangles {
    /// Refuse the bake with an error that names mesh and triangle.
    #[default]
    Error,
    /// Leave them out and count them.
    Skip,
}

/// A stage of the bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stage {
    /// Reading and checking triangles.
    Gather,
    /// Building the binary tree.
    Split,
    /// Choosing the wide tree.
    Collapse,
    /// Writing nodes and leaf blocks.
    Layout,
}

impl Stage {
    /// All of them, in order.
    pub(crate) const ALL: [Self; 4] = [Self::Gather, Self::Split, Self::Collapse, Self::Layout];

    /// Its name in small letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Split => "split",
            Self::Collapse => "collapse",
            Self::Layout => "layout",
        }
    }

    /// The parts of the whole at which the stage starts and ends, by measurement.
    pub(crate) fn span(self) -> (f32, f32) {
        match self {
            Self::Gather => (0.0, 0.1),
            Self::Split => (0.1, 0.75),
            Self::Collapse => (0.75, 0.85),
            Self::Layout => (0.85, 1.0),
        }
    }
}

/// How far a bake is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The stage that it is in.
    pub stage: Stage,
    /// The part of the whole that is done, 0 to 1; never falls, ends at 1.
    pub fraction: f32,
}
