//! Obb (being written)
/// Obb
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb;
