//! The limits of memory and work.

/// The limit of memory for the meshes, in multiples of the bytes read. Instanced levels need
/// a lot, but a small hostile file could ask for any amount.
pub(super) const MAX_EXPANSION: u64 = 256;
/// Memory that every file may take, however small.
pub(super) const FREE_EXPANSION: u64 = 1 << 20;
