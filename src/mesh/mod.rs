//! Triangle meshes, the input of a bake.
//!
//! A [`Mesh`] owns its buffers. A [`MeshView`] borrows the buffers that you already have, in
//! one of several layouts ([`Positions`], [`Indices`]), so that nothing is copied.
//!
//! ```
//! use hitscan::{Builder, Indices, Mesh, MeshView, Positions};
//!
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
//! let indices = [0, 1, 2, 0, 2, 3];
//! let view = MeshView::new(Positions::Arrays(&corners), Indices::U16(&indices));
//! assert_eq!(view.triangle_count(), 2);
//!
//! let floor = Mesh::new(corners.to_vec(), vec![0, 1, 2, 0, 2, 3]).with_name("floor");
//! let (bvh, report) = Builder::new().bake(&[floor])?;
//! # Ok::<(), hitscan::BakeError>(())
//! ```

mod hash;
mod positions;
mod topology;
mod view;

pub(crate) use hash::{index_hash, materials_hash, positions_hash};
pub use positions::{Indices, Positions};
pub use topology::{EdgeCounts, Gap, Topology};
pub(crate) use topology::{EdgeUse, Solid, for_each_edge, solids};
pub use view::MeshView;
pub(crate) use view::Placement;

use glam::Affine3A;

/// A triangle mesh that owns its buffers.
///
/// All fields are public: set the ones you need and leave the rest at their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// A name, which is stored in the baked tree. May be empty.
    pub name: String,
    /// Vertex positions.
    pub positions: Vec<[f32; 3]>,
    /// Three indices for each triangle. `None` if every three positions make a triangle.
    pub indices: Option<Vec<u32>>,
    /// The bake applies it to the positions. If it mirrors, see
    /// [`is_mirroring`](crate::geometry::is_mirroring).
    pub transform: Affine3A,
    /// Your own number for the mesh, returned with each hit.
    pub user_id: u64,
    /// The layers of the mesh, as bits: a query sees it if `mask & query.mask != 0`.
    /// Default: all bits set.
    pub mask: u32,
    /// One number for each triangle, such as its material, returned with each hit.
    pub materials: Option<Vec<u32>>,
}

impl Default for Mesh {
    fn default() -> Self {
        Self {
            name: String::new(),
            positions: Vec::new(),
            indices: None,
            transform: Affine3A::IDENTITY,
            user_id: 0,
            mask: u32::MAX,
            materials: None,
        }
    }
}

impl Mesh {
    /// A mesh from indexed positions.
    #[must_use]
    pub fn new(positions: Vec<[f32; 3]>, indices: Vec<u32>) -> Self {
        Self { positions, indices: Some(indices), ..Self::default() }
    }

    /// A mesh without indices: every three positions make a triangle.
    #[must_use]
    pub fn from_soup(positions: Vec<[f32; 3]>) -> Self {
        Self { positions, ..Self::default() }
    }

    /// The same mesh with another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same mesh with another transform, which the bake applies.
    #[must_use]
    pub fn with_transform(self, transform: Affine3A) -> Self {
        Self { transform, ..self }
    }

    /// The same mesh with another user id.
    #[must_use]
    pub fn with_user_id(self, user_id: u64) -> Self {
        Self { user_id, ..self }
    }

    /// The same mesh in other layers.
    #[must_use]
    pub fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// The same mesh with one number for each triangle.
    #[must_use]
    pub fn with_materials(self, materials: Vec<u32>) -> Self {
        Self { materials: Some(materials), ..self }
    }

    /// The number of triangles. An incomplete last one is not counted.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.view().triangle_count()
    }

    /// The mesh as a view over its own buffers.
    #[must_use]
    pub fn view(&self) -> MeshView<'_> {
        let indices = match &self.indices {
            Some(indices) => Indices::U32(indices),
            None => Indices::None,
        };
        let mut view = MeshView::new(Positions::Arrays(&self.positions), indices)
            .with_name(&self.name)
            .with_transform(self.transform)
            .with_user_id(self.user_id)
            .with_mask(self.mask);
        if let Some(materials) = &self.materials {
            view = view.with_materials(materials);
        }
        view
    }
}

impl<'a> From<&'a Mesh> for MeshView<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        mesh.view()
    }
}
