//! Questions about a shape: the triangles that touch it; and whether a point is inside a surface.
//!
//! ```text
//! setup       the tests of nodes and leaf blocks: what the shape may touch
//! box_test    a box against eight triangles
//! candidates  the triangles that the shape may touch, one after the other
//! touching    the triangles that touch it
//! meshes      the meshes that touch it
//! inside      whether a point is inside a closed surface
//! ```

mod box_test;
mod candidates;
mod inside;
mod meshes;
mod setup;
mod touching;

pub use inside::PointLocation;
pub(crate) use inside::{InsideQuery, WayOut};
pub use meshes::MeshOverlap;
pub(crate) use meshes::MeshOverlapQuery;
pub(super) use setup::ShapeSetup;
pub use touching::Overlap;
pub(crate) use touching::{OverlapQuery, sort_overlaps};
