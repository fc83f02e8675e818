//! The axis-aligned bounding box.

use glam::Vec3;

/// An axis-aligned box, given by its least and its greatest corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The least corner.
    pub min: Vec3,
    /// The greatest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing: the neutral element of `extend_box`.
    pub const EMPTY: Self = Self {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };
}
