//! How much of a triangle a shape holds.

use serde::{Deserialize, Serialize};

/// How much of a triangle a shape holds, if it has a point of it at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Containment {
    /// A part of it, or no more than a point of its boundary.
    Touching,
    /// All of it. The shape's surface belongs to the shape.
    Inside,
}
