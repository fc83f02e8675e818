//! Triangles.

use glam::Vec3;

/// Three vertices, counter-clockwise as seen from the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// First vertex.
    pub v0: Vec3,
    /// Second vertex; a hit's `u` is its weight.
    pub v1: Vec3,
    /// Third vertex; a hit's `v` is its weight.
    pub v2: Vec3,
}

/// Where and how a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// Distance in units of the ray's direction.
    pub t: f32,
    /// Weight of the second vertex.
    pub u: f32,
    /// Weight of the third vertex.
    pub v: f32,
    /// Whether the ray comes from the front (sees the vertices counter-clockwise).
    pub front: bool,
}

impl Triangle {
    /// A triangle from its three vertices.
    #[must_use]
    pub fn new(v0: impl Into<Vec3>, v1: impl Into<Vec3>, v2: impl Into<Vec3>) -> Self {
        Self {
            v0: v0.into(),
            v1: v1.into(),
            v2: v2.into(),
        }
    }
}
