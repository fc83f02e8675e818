//! The records of a tree, which are the same bytes in memory and in the file.
//!
//! The order of planes and rows is decided here. Others read fields by name, take offsets of
//! planes from [`Node::MIN_PLANES`] and [`Node::MAX_PLANES`], and counts from [`WIDTH`] and
//! [`LANES`]. Only `BlockRows::bounds` in `traverse/ray/setup.rs` also assumes that the minima come
//! first.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::geometry::Aabb;

/// Children of a node.
pub(crate) const WIDTH: usize = 16;
/// Triangles of a leaf block.
pub(crate) const LANES: usize = 8;
/// The most leaf blocks: the places of their triangles are numbered with 32 bits, and one number is
/// kept free for "none".
pub(crate) const MAX_BLOCKS: usize = (1 << 29) - 1;
/// The most nodes: their lanes are numbered with 32 bits, and one number is kept free for "none".
pub(crate) const MAX_NODES: usize = (1 << 28) - 1;
/// The most levels of nodes, the root's counted. It bounds the stack of a walk: one that tests a
/// node at a time puts off at most `(WIDTH - 1) * MAX_DEPTH + 1` subtrees. The builder keeps to it,
/// and a file that does not is refused.
pub(crate) const MAX_DEPTH: u32 = 64;

/// Sixteen boxes, plane by plane, and the numbers of their subtrees.
///
/// Children are packed from lane 0. An unused lane has `min = +inf`, `max = -inf`,
/// `child = 0`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Least coordinates, by axis, then lane.
    pub(crate) min: [[f32; WIDTH]; 3],
    /// Greatest coordinates, by axis, then lane.
    pub(crate) max: [[f32; WIDTH]; 3],
    /// A node's number, or a leaf block's with `LEAF` set.
    pub(crate) child: [u32; WIDTH],
}

impl Node {
    /// Where the least planes on x, y and z begin, counted in `f32` from the first.
    pub(crate) const MIN_PLANES: [u32; 3] = [0, WIDTH as u32, 2 * WIDTH as u32];
    /// Where the greatest planes on x, y and z begin.
    pub(crate) const MAX_PLANES: [u32; 3] = [3 * WIDTH as u32, 4 * WIDTH as u32, 5 * WIDTH as u32];

    /// A node without children.
    pub(crate) const EMPTY: Self = Self {
        min: [[f32::INFINITY; WIDTH]; 3],
        max: [[f32::NEG_INFINITY; WIDTH]; 3],
        child: [0; WIDTH],
    };

    /// All planes: min x, min y, min z, max x, max y, max z.
    #[inline(always)]
    pub(crate) fn planes(&self) -> &[[f32; WIDTH]; 6] {
        &bytemuck::cast_ref::<Self, Planes>(self).rows
    }

    /// How many children there are.
    pub(crate) fn len(&self) -> usize {
        self.min[0].iter().take_while(|&&min| min != f32::INFINITY).count()
    }

    /// The box of a child.
    pub(crate) fn bounds(&self, lane: usize) -> Aabb {
        let corner =
            |planes: &[[f32; WIDTH]; 3]| Vec3::from_array([0, 1, 2].map(|k| planes[k][lane]));
        Aabb { min: corner(&self.min), max: corner(&self.max) }
    }

    /// Which leaf block a child is, if it is one.
    pub(crate) fn leaf(&self, lane: usize) -> Option<usize> {
        let child = self.child[lane];
        (child & LEAF != 0).then_some((child & !LEAF) as usize)
    }

    /// The children that are leaf blocks: lanes, and numbers of blocks.
    #[inline(always)]
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let children = self.child.into_iter().enumerate();
        children
            .filter(|(_, child)| child & LEAF != 0)
            .map(|(i, child)| (i, (child & !LEAF) as usize))
    }

    /// The children that are nodes: lanes, and numbers of nodes.
    #[inline(always)]
    pub(crate) fn inner(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let children = self.child.into_iter().enumerate();
        // The root is not a child: 0 marks an unused lane.
        children
            .filter(|(_, child)| child & LEAF == 0 && *child != 0)
            .map(|(i, child)| (i, child as usize))
    }

    /// The box of all children.
    pub(crate) fn whole(&self) -> Aabb {
        // Unused lanes hold no points.
        Aabb { min: least(&self.min), max: greatest(&self.max) }
    }

    pub(crate) fn set_bounds(&mut self, lane: usize, bounds: &Aabb) {
        for k in 0..3 {
            self.min[k][lane] = bounds.min[k];
            self.max[k][lane] = bounds.max[k];
        }
    }
}

/// A node as rows of planes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Planes {
    rows: [[f32; WIDTH]; 6],
    child: [u32; WIDTH],
}

/// The node that a tree begins with.
pub(crate) const ROOT: u32 = 0;
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

impl LeafBlock {
    /// Where the x, y and z of a vertex begin, counted in `f32` from the first of its x.
    pub(crate) const AXIS_ROWS: [u32; 3] = [0, LANES as u32, 2 * LANES as u32];

    /// A block without triangles.
    pub(crate) const EMPTY: Self = Self {
        vertex: [[[f32::from_bits(UNUSED_COORDINATE); LANES]; 3]; 3],
        id: [UNUSED_ID; LANES],
    };

    /// How many triangles there are.
    pub(crate) fn len(&self) -> usize {
        self.id.iter().take_while(|&&id| id != UNUSED_ID).count()
    }

    /// The three vertices in a lane.
    #[inline(always)]
    pub(crate) fn corners(&self, lane: usize) -> [[f32; 3]; 3] {
        let [a, b, c] = &self.vertex;
        [
            [a[0][lane], a[1][lane], a[2][lane]],
            [b[0][lane], b[1][lane], b[2][lane]],
            [c[0][lane], c[1][lane], c[2][lane]],
        ]
    }

    pub(crate) fn set_corners(&mut self, lane: usize, corners: &[[f32; 3]; 3]) {
        for (which, corner) in corners.iter().enumerate() {
            for (k, &x) in corner.iter().enumerate() {
                self.vertex[which][k][lane] = x;
            }
        }
    }

    /// The box of the triangles.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> Aabb {
        let mut rows = BoxRows::EMPTY;
        rows.extend(self);
        rows.bounds()
    }
}

/// Eight boxes, one for each lane of leaf blocks.
pub(crate) struct BoxRows {
    min: [[f32; LANES]; 3],
    max: [[f32; LANES]; 3],
}

impl BoxRows {
    pub(crate) const EMPTY: Self =
        Self { min: [[f32::INFINITY; LANES]; 3], max: [[f32::NEG_INFINITY; LANES]; 3] };

    /// Grows each box by the triangle in its lane.
    #[inline(always)]
    pub(crate) fn extend(&mut self, block: &LeafBlock) {
        for vertex in &block.vertex {
            for ((row, min), max) in vertex.iter().zip(&mut self.min).zip(&mut self.max) {
                for lane in 0..LANES {
                    // Unused lanes are no numbers, which change nothing.
                    let x = row[lane];
                    min[lane] = if x < min[lane] { x } else { min[lane] };
                    max[lane] = if x > max[lane] { x } else { max[lane] };
                }
            }
        }
    }

    /// The box around all.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb { min: least(&self.min), max: greatest(&self.max) }
    }
}

/// The least number of each row; the first of equal ones.
#[inline(always)]
fn least<const N: usize>(rows: &[[f32; N]; 3]) -> Vec3 {
    let least = |row: &[f32; N]| row.iter().fold(f32::INFINITY, |a, &b| if b < a { b } else { a });
    Vec3::new(least(&rows[0]), least(&rows[1]), least(&rows[2]))
}

/// The greatest number of each row; the first of equal ones.
#[inline(always)]
fn greatest<const N: usize>(rows: &[[f32; N]; 3]) -> Vec3 {
    let greatest =
        |row: &[f32; N]| row.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    Vec3::new(greatest(&rows[0]), greatest(&rows[1]), greatest(&rows[2]))
}

/// The record of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MeshRecord {
    /// Number of triangles in all meshes before this one, skipped ones counted.
    pub(crate) first_triangle: u32,
    /// Triangles as the caller counts them.
    pub(crate) triangle_count: u32,
    /// Positions in the caller's buffer.
    pub(crate) vertex_count: u32,
    /// Layers.
    pub(crate) mask: u32,
    /// The caller's number.
    pub(crate) user_id: u64,
    /// xxh3-64 of the indices as little-endian `u32`, so that a refit notices other meshes.
    pub(crate) index_hash: u64,
    /// Bit 0: second and third vertex of each stored triangle are swapped.
    /// Bit 1: triangles have materials.
    pub(crate) flags: u32,
    /// Zero.
    pub(crate) reserved: u32,
}

impl MeshRecord {
    pub(crate) const SWAPPED: u32 = 1;
    pub(crate) const MATERIALS: u32 = 2;
    pub(crate) const KNOWN_FLAGS: u32 = Self::SWAPPED | Self::MATERIALS;

    /// Whether the second and third vertex of its stored triangles are swapped.
    pub(crate) fn is_swapped(&self) -> bool {
        self.flags & Self::SWAPPED != 0
    }

    /// Which of `meshes` the triangle `id` belongs to: the last that begins at or before it.
    /// (Empty meshes begin where the next one does, and come before it.)
    #[inline(always)]
    pub(crate) fn find(meshes: &[Self], id: u32) -> Option<usize> {
        // Called for each hit; without the search, packets report theirs sooner.
        if let [_] = meshes {
            return Some(0);
        }
        meshes.partition_point(|mesh| mesh.first_triangle <= id).checked_sub(1)
    }
}

const _: () = assert!(size_of::<Node>() == 448);
const _: () = assert!(size_of::<LeafBlock>() == 320);
const _: () = assert!(size_of::<MeshRecord>() == 40);
