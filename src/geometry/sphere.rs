//! Sphere (being written)
/// Sphere
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere;
