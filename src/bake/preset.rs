//! What a [`Quality`] means for the build.

use crate::bvh::Quality;
use crate::error::{BakeError, BakeErrorKind};

/// How a tree is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preset {
    /// Bins on each axis, to look for object splits: a power of two, at most
    /// [`MAX_BINS`](super::split::MAX_BINS).
    pub(super) bins: usize,
    pub(super) axes: Axes,
    pub(super) leaves: Leaves,
    /// The most references that spatial splits may add, as a fraction of the triangles.
    pub(super) spatial_budget: f64,
    /// Rays that are generated to estimate how often boxes are hit.
    pub(super) sample_rays: usize,
}

/// Which axes splits are looked for on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    /// All three, except those along which the centroids are spread less than a quarter as far as
    /// along another.
    All,
    /// Only the axis along which the centroids are spread furthest.
    Widest,
}

/// Which sets of references become leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// Sets are split down to single references, and the collapse chooses the cheapest leaves. A
    /// set that fits a leaf is not split if its boxes fill the box around them: parts of it would
    /// be hardly smaller.
    Cheapest,
    /// A set becomes a leaf as soon as it fits one.
    FirstFit,
}

impl Preset {
    /// The settings of a quality, with another spatial budget if one is given.
    pub(super) fn new(quality: Quality, spatial_budget: Option<f64>) -> Self {
        let balanced = Self {
            bins: 32,
            axes: Axes::All,
            leaves: Leaves::Cheapest,
            spatial_budget: 0.0,
            sample_rays: 512,
        };
        let preset = match quality {
            Quality::Fast => Self {
                bins: 16,
                axes: Axes::Widest,
                leaves: Leaves::FirstFit,
                sample_rays: 0,
                ..balanced
            },
            Quality::Balanced => balanced,
            Quality::Best => Self { spatial_budget: 0.5, ..balanced },
        };
        Self { spatial_budget: spatial_budget.unwrap_or(preset.spatial_budget), ..preset }
    }

    pub(super) fn check(&self) -> Result<(), BakeError> {
        let budget = self.spatial_budget;
        // A NaN is in no range.
        if (0.0..=4.0).contains(&budget) {
            return Ok(());
        }
        let message = format!("option `spatial_budget` is {budget}, expected 0 to 4");
        Err(BakeError::new(BakeErrorKind::Options, message))
    }
}
