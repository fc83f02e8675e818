//! What a ray is asked, and what comes back.

mod hit;
mod options;

pub use hit::{Face, Hit, HitList};
pub use options::{Facing, Query};
