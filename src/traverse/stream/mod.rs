//! Many unlike rays in flight: each takes a step in turn.
//!
//! One ray alone waits for memory, and for branches that are predict_child wrong at every step: which way
//! the walk goes on depends on what was met last. Here the same step is taken for one ray after the
//! other, node by node and block by block, without such branches, so that the processor works on
//! several at a time; and what a ray needs next is asked for before its next turn (as Kocberber,
//! Falsafi and Grot 2015 have it for other trees).
//!
//! ```text
//! unlike     rays taken up as others end
//! steps      which step is next, for all of them
//! nodes      a node's
//! blocks     a leaf block's
//! flights    all rays in flight
//! flight     one of them, its subtrees put off, its visitor
//! queues     who is to meet a node next, who a leaf block; who is in the middle of it
//! ```

pub(crate) mod flights;
pub(crate) mod leaf_stage;
pub(crate) mod node_stage;
pub(crate) mod queues;
pub(crate) mod ray_state;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
pub(crate) mod unlike;

pub(crate) use unlike::walk;
