//! The tree's records: the same bytes in memory and in the file.

use bytemuck::{Pod, Zeroable};

/// Children of a node.
pub(crate) const WIDTH: usize = 16;
/// Triangles of a leaf block.
pub(crate) const LANES: usize = 8;
/// The most levels of wide nodes, the root's counted: a traversal stack never holds more
/// than `(WIDTH - 1) * MAX_DEPTH + 1` entries.
pub(crate) const MAX_DEPTH: u32 = 64;

/// Sixteen boxes, plane by plane, and where their subtrees are.
///
/// Children are packed from lane 0. An unused lane has `min = +inf`, `max = -inf`,
/// `child = 0`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Least coordinates, by axis.
    pub(crate) min: [[f32; WIDTH]; 3],
    /// Greatest coordinates, by axis.
    pub(crate) max: [[f32; WIDTH]; 3],
    /// A node's number, or a leaf block's with `LEAF` set.
    pub(crate) child: [u32; WIDTH],
}

/// Marks a child that is a leaf block.
pub(crate) const LEAF: u32 = 1 << 31;
/// The bits of every coordinate of an unused triangle lane: a quiet NaN.
pub(crate) const UNUSED_COORDINATE: u32 = 0x7fc0_0000;
/// The id of an unused triangle lane.
pub(crate) const UNUSED_ID: u32 = u32::MAX;

/// Eight triangles, coordinate by coordinate.
///
/// Used lanes come first. An unused lane has NaN (`0x7fc0_0000`) coordinates and
/// `id = u32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct LeafBlock {
    /// `vertex[which][axis][lane]`.
    pub(crate) vertex: [[[f32; LANES]; 3]; 3],
    /// Global triangle numbers: the mesh's `first_triangle` plus the triangle's number in it.
    pub(crate) id: [u32; LANES],
}

/// What the tree keeps of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MeshRecord {
    /// Number of triangles in all meshes before this one, dropped ones counted.
    pub(crate) first_triangle: u32,
    /// Triangles as the caller counts them.
    pub(crate) triangle_count: u32,
    /// Positions in the caller's buffer.
    pub(crate) vertex_count: u32,
    /// Layers.
    pub(crate) mask: u32,
    /// The caller's number.
    pub(crate) user_id: u64,
    /// xxh3 of the indices as little-endian `u32`, so that a refit can tell other meshes.
    pub(crate) index_hash: u64,
    /// Bit 0: second and third vertex of each stored triangle are changed over.
    /// Bit 1: triangles have materials.
    pub(crate) flags: u32,
    /// Zero.
    pub(crate) reserved: u32,
}

impl MeshRecord {
    pub(crate) const SWAPPED: u32 = 1;
    pub(crate) const MATERIALS: u32 = 2;
    pub(crate) const KNOWN_FLAGS: u32 = Self::SWAPPED | Self::MATERIALS;
}

const _: () = assert!(size_of::<Node>() == 448);
const _: () = assert!(size_of::<LeafBlock>() == 320);
const _: () = assert!(size_of::<MeshRecord>() == 40);
