//! What a ray is asked, and what comes back.

mod forward;
mod many_rays;
mod one_ray;
mod soa;
#[cfg(feature = "stats")]
mod stats;
mod surface;

pub use crate::traverse::hit::{Hit, HitList};
pub use crate::traverse::options::{Facing, Query};
pub use soa::RaySoa;
#[cfg(feature = "stats")]
pub use stats::QueryStats;
