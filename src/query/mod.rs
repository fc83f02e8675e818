//! What a ray is asked, and what comes back.
//!
//! ```text
//! single, batch     the methods of `BvhView` and `Bvh`
//! visitors          the three questions: nearest, any, all
//! cast              one question of one ray: which walk it takes
//! traverse          the walk, once for every question and instruction set
//! wide_range        the walk where `f32` bounds do not hold
//! prepare, leaf     the ray's constants; eight triangles at once
//! locate            the last word on the triangle that was hit
//! visitor           what a walk shows, and to whom
//! ```

mod batch;
mod bundle;
mod cast;
mod hit;
mod leaf;
mod locate;
mod look;
mod options;
mod packet;
mod prepare;
mod single;
mod slabs;
mod stack;
mod traverse;
mod visitor;
mod visitors;
mod wide_range;

pub use hit::{Face, Hit, HitList};
pub use options::{Facing, Query};
