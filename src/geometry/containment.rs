//! How much of a triangle a shape holds.

use serde::{Deserialize, Serialize};

/// Whether a shape that touches a triangle holds all of it or only a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Containment {
    /// A part of it, or no more than a point of its boundary.
    Touching,
    /// All of it. The shape's surface belongs to the shape.
    Inside,
}
