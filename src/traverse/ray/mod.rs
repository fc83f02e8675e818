//! One ray: its setup, the node test, the leaf test and the exact hit.

pub(crate) mod coherence;
pub(crate) mod exact_hit;
pub(crate) mod exact_hit_x8;
pub(crate) mod f64_fallback;
pub(crate) mod leaf_candidates;
pub(crate) mod leaf_test;
pub(crate) mod node_test;
pub(crate) mod predict_child;
pub(crate) mod setup;
