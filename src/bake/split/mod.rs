//! From references to a binary tree.

pub(super) mod binned;
pub(super) mod build;
pub(super) mod clip;
pub(super) mod denormal;
pub(super) mod median;
pub(super) mod sah;
pub(super) mod spatial;
pub(super) mod spatial_bins;
pub(super) mod sweep_sah;
