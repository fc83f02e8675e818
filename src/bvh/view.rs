//! What kernels see of a tree.

use std::array;

use super::{LeafBlock, MeshRecord, Node};
use crate::geometry::Aabb;

/// What kernels see of a tree: its sections and [`Facts`], borrowed from a [`Bvh`].
#[derive(Clone, Copy)]
pub(crate) struct TreeView<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) blocks: &'a [LeafBlock],
    pub(crate) meshes: &'a [MeshRecord],
    /// The material of each triangle as the caller counts them, or none at all.
    pub(crate) materials: &'a [u32],
    /// The encoded [`Metadata`](crate::Metadata).
    pub(crate) metadata: &'a [u8],
    /// The caller's own data.
    pub(crate) user: &'a [u8],
    /// The hash of what the tree was baked from; 0 if that is not known.
    pub(crate) content_hash: u64,
    pub(crate) facts: Facts,
}

impl TreeView<'_> {
    /// A tree without triangles.
    pub(crate) const EMPTY: Self = Self {
        nodes: &[],
        blocks: &[],
        meshes: &[],
        materials: &[],
        metadata: &[],
        user: &[],
        content_hash: 0,
        facts: Facts::EMPTY,
    };
}

impl<'a> TreeView<'a> {
    /// The bytes of all sections, in the order of the file.
    pub(crate) fn sections(&self) -> [&'a [u8]; 6] {
        [
            self.metadata,
            bytemuck::cast_slice(self.nodes),
            bytemuck::cast_slice(self.blocks),
            bytemuck::cast_slice(self.meshes),
            bytemuck::cast_slice(self.materials),
            self.user,
        ]
    }
}

/// What every query needs to know of the whole tree, computed once for each tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    /// The box of all triangles; `+inf` and `-inf` where there are none.
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    /// The greatest absolute value of a coordinate on each axis. It is infinite where there are no
    /// triangles: then no ray is prepared for the kernels, which read the first node unchecked.
    /// The fourth lane is a filler, to make a whole vector.
    pub(crate) size: [f32; 4],
    /// Half the longest side of the box.
    pub(crate) reach: f32,
    /// The layers that all meshes have in common.
    pub(crate) common_mask: u32,
}

impl Facts {
    /// Of a tree without triangles.
    pub(crate) const EMPTY: Self = Self {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
        size: [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0],
        reach: f32::NEG_INFINITY,
        common_mask: u32::MAX,
    };

    pub(crate) fn new(nodes: &[Node], meshes: &[MeshRecord]) -> Self {
        let bounds = nodes.first().unwrap_or(&Node::EMPTY).whole();
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let size = |k: usize| min[k].abs().max(max[k].abs());
        let half = |k: usize| 0.5 * max[k] - 0.5 * min[k];
        Self {
            min,
            max,
            size: [size(0), size(1), size(2), 0.0],
            reach: half(0).max(half(1)).max(half(2)),
            common_mask: meshes.iter().fold(u32::MAX, |mask, mesh| mask & mesh.mask),
        }
    }

    /// The box of all triangles; [`Aabb::EMPTY`] where there are none.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }

    /// The greatest absolute value of a coordinate on each axis.
    pub(crate) fn sizes(&self) -> [f64; 3] {
        let [x, y, z, _] = self.size;
        [x.into(), y.into(), z.into()]
    }

    /// Of two trees together.
    pub(crate) fn merged(&self, other: &Self) -> Self {
        let least = |a: f32, b: f32| if a < b { a } else { b };
        let most = |a: f32, b: f32| if a > b { a } else { b };
        Self {
            min: array::from_fn(|k| least(self.min[k], other.min[k])),
            max: array::from_fn(|k| most(self.max[k], other.max[k])),
            size: array::from_fn(|k| most(self.size[k], other.size[k])),
            reach: most(self.reach, other.reach),
            common_mask: self.common_mask & other.common_mask,
        }
    }
}
