//! Triangle meshes as they go into a bake: owned ([`Mesh`]) or borrowed from the
//! caller's own buffers ([`MeshView`]).

mod hash;
mod positions;
mod view;

pub(crate) use hash::{index_hash, materials_hash, positions_hash};
pub use positions::{Indices, Positions};
pub use view::MeshView;
pub(crate) use view::Placement;

use glam::Affine3A;

/// A triangle mesh that owns its buffers.
///
/// The fields are plain; fill in what is needed and leave the rest at its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// A name that travels into the baked file; may be empty.
    pub name: String,
    /// Vertex positions.
    pub positions: Vec<[f32; 3]>,
    /// Three indices a triangle; `None` when each three positions make a triangle.
    pub indices: Option<Vec<u32>>,
    /// Moves the positions at the bake (see [`is_mirroring`](crate::geometry::is_mirroring)
    /// for maps that turn space inside out).
    pub transform: Affine3A,
    /// Any number of the caller's, returned with each hit.
    pub user_id: u64,
    /// Layers that the mesh lies in: a query sees it if `mask & query.mask != 0`.
    pub mask: u32,
    /// One number a triangle (a material, say), returned with each hit.
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

    /// A mesh in which each three positions make a triangle.
    #[must_use]
    pub fn from_soup(positions: Vec<[f32; 3]>) -> Self {
        Self { positions, ..Self::default() }
    }

    /// The same mesh with another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same mesh, moved by `transform` at the bake.
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

    /// The same mesh with one number a triangle.
    #[must_use]
    pub fn with_materials(self, materials: Vec<u32>) -> Self {
        Self { materials: Some(materials), ..self }
    }

    /// How many triangles the buffers describe (an incomplete last one not counted).
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
