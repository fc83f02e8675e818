//! What a ray is asked, and what comes back.
//!
//! ```text
//! single, batch     the methods of `BvhView` and `Bvh`
//! soa               a batch column by column
//! visitors          the three questions: nearest, any, all
//! bundle            a run of rays: who goes together, who on a way of its own
//! cast              one question of one ray: which walk it takes
//! traverse          the walk, once for every question and instruction set
//! descend           its step from nodes to what is in them: one at a time, or side by side
//! packet            the walk of many rays that run much the same way
//! wave              the walks of many unlike rays, a step of each in turn
//! wide_range        the walk where `f32` bounds do not hold
//! prepare           a ray's constants
//! slabs, leaf       sixteen boxes, eight triangles at once; or as many rays
//! last              what a thread remembers of the ray before: its way, and what was in it
//! guess             which child is next, where a ray takes the way of the one before
//! stack, look       the subtrees put off; the triangles that are shown
//! locate            the last word on the triangles that were hit
//! ahead             what the tree is asked for in time
//! visitor           what a walk shows, and to whom
//! surface           what was hit: its triangle, point and normal
//! forward           all of it on the owned tree
//! stats             how much of the tree a query looks at
//! ```

mod ahead;
mod batch;
mod bundle;
mod cast;
mod descend;
mod forward;
mod guess;
mod hit;
mod last;
mod leaf;
mod locate;
mod look;
mod options;
mod packet;
mod prepare;
mod single;
mod slabs;
mod soa;
mod stack;
#[cfg(feature = "stats")]
mod stats;
mod surface;
mod traverse;
mod visitor;
mod visitors;
mod wave;
mod wide_range;

pub use hit::{Face, Hit, HitList};
pub use options::{Facing, Query};
pub use soa::RaySoa;
#[cfg(feature = "stats")]
pub use stats::QueryStats;
