//! Plane (being written)
/// Plane
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane;
