//! What a ray is asked, and what comes back.
//!
//! ```text
//! single, batch     the methods of `BvhView` and `Bvh`
//! visitors          the three questions: nearest, any, all
//! traverse          the walk, once for every question and instruction set
//! prepare, leaf     the ray's constants; eight triangles at once
//! wide_range        the walk where `f32` bounds do not hold
//! ```

mod batch;
mod hit;
mod leaf;
mod options;
mod prepare;
mod single;
mod traverse;
mod visitors;
mod wide_range;

pub use hit::{Face, Hit, HitList};
pub use options::{Facing, Query};
