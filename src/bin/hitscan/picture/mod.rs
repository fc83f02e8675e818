//! Pictures of levels, drawn by this crate's own rays. Nothing here knows the command line.
//!
//! ```text
//! camera      which ray belongs to a pixel, and where a point appears
//! auto_view   a good view, found by looking around
//! traced      the hits of a picture's rays
//! occlusion   how much of the sky a hit sees nearby
//! surface     modes that need the hit alone: shaded, normals, facing, mesh, material, quality
//! compared    two levels in one picture, and their differences
//! edges       the kinds of edges, and the mode that draws them
//! measured    modes that show a number: depth and cost
//! lines       lines in space over a picture, and rays
//! boxes       the boxes of trees as such lines
//! ```
//!
//! Below them: `vector`, `tangent`, `image` (pixels and PNG), `colour`, `palette`, `distribution`,
//! `legend` and `font`.
//!
//! A picture has the same pixels on every machine: all numbers are sums, products, quotients and
//! square roots, which IEEE 754 rounds in one way, in an order that does not depend on threads.

pub(crate) mod auto_view;
pub(crate) mod boxes;
pub(crate) mod camera;
pub(crate) mod compared;
pub(crate) mod edges;
pub(crate) mod image;
pub(crate) mod legend;
pub(crate) mod lines;
pub(crate) mod measured;
pub(crate) mod surface;
pub(crate) mod tangent;
pub(crate) mod traced;
pub(crate) mod vector;

mod colour;
mod distribution;
mod font;
mod occlusion;
mod palette;
