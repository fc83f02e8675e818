//! A mesh borrowed from the caller's own buffers.

use glam::Affine3A;

use super::{Indices, Positions};
use crate::geometry::{Triangle, is_mirroring, transform_point};

/// A triangle mesh over borrowed buffers.
#[derive(Clone, Copy, Debug)]
pub struct MeshView<'a> {
    positions: Positions<'a>,
    indices: Indices<'a>,
    name: &'a str,
    transform: Affine3A,
    user_id: u64,
    mask: u32,
    materials: Option<&'a [u32]>,
}

impl<'a> MeshView<'a> {
    /// A mesh over these positions and indices, without a transform and in all layers.
    #[must_use]
    pub fn new(positions: Positions<'a>, indices: Indices<'a>) -> Self {
        Self {
            positions,
            indices,
            name: "",
            transform: Affine3A::IDENTITY,
            user_id: 0,
            mask: u32::MAX,
            materials: None,
        }
    }

    /// The same mesh with a name, which is stored in the baked tree.
    #[must_use]
    pub fn with_name(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// The same mesh with another transform, which the bake applies.
    #[must_use]
    pub fn with_transform(self, transform: Affine3A) -> Self {
        Self { transform, ..self }
    }

    /// The same mesh with your own number, which is returned with each hit.
    #[must_use]
    pub fn with_user_id(self, user_id: u64) -> Self {
        Self { user_id, ..self }
    }

    /// The same mesh in these layers.
    #[must_use]
    pub fn with_mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// The same mesh with one number for each triangle.
    #[must_use]
    pub fn with_materials(self, materials: &'a [u32]) -> Self {
        Self { materials: Some(materials), ..self }
    }

    /// The positions.
    #[must_use]
    pub fn positions(&self) -> Positions<'a> {
        self.positions
    }

    /// The indices.
    #[must_use]
    pub fn indices(&self) -> Indices<'a> {
        self.indices
    }

    /// The name; empty if there is none.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The transform that the bake applies to the positions.
    #[must_use]
    pub fn transform(&self) -> Affine3A {
        self.transform
    }

    /// Your own number for the mesh.
    #[must_use]
    pub fn user_id(&self) -> u64 {
        self.user_id
    }

    /// The layers.
    #[must_use]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// The numbers of the triangles, if there are any.
    #[must_use]
    pub fn materials(&self) -> Option<&'a [u32]> {
        self.materials
    }

    /// The number of indices, or of positions if there are no indices.
    #[must_use]
    pub fn index_count(&self) -> usize {
        match self.indices {
            Indices::None => self.positions.len(),
            Indices::U16(indices) => indices.len(),
            Indices::U32(indices) => indices.len(),
        }
    }

    /// The number of complete triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.index_count() / 3
    }

    /// The three vertex numbers of a triangle, or `None` past the end.
    #[must_use]
    #[inline]
    pub fn triangle_indices(&self, triangle: usize) -> Option<[u32; 3]> {
        let start = triangle.checked_mul(3)?;
        let end = start.checked_add(3)?;
        match self.indices {
            Indices::None => {
                let first = u32::try_from(start).ok()?;
                (end <= self.positions.len()).then_some(())?;
                Some([first, first.checked_add(1)?, first.checked_add(2)?])
            }
            Indices::U16(indices) => {
                let raw = indices.get(start..end)?;
                Some([raw[0].into(), raw[1].into(), raw[2].into()])
            }
            Indices::U32(indices) => {
                let raw = indices.get(start..end)?;
                Some([raw[0], raw[1], raw[2]])
            }
        }
    }

    /// A triangle as it is baked: transformed and, if the transform mirrors, with the second
    /// and third vertex swapped. `None` past the end, or if an index has no position.
    #[must_use]
    pub fn triangle(&self, triangle: usize) -> Option<Triangle> {
        Placement::new(self).triangle(self, triangle)
    }
}

/// How a mesh's vertices are moved by the bake. It is computed once for each mesh.
#[derive(Clone, Copy)]
pub(crate) struct Placement {
    transform: Option<Affine3A>,
    mirrored: bool,
}

impl Placement {
    pub(crate) fn new(mesh: &MeshView<'_>) -> Self {
        // The identity is not applied: it would change the sign of negative zeros.
        let transform = (mesh.transform != Affine3A::IDENTITY).then_some(mesh.transform);
        Self { transform, mirrored: is_mirroring(&mesh.transform) }
    }

    /// Whether the second and third vertex are swapped.
    pub(crate) fn mirrored(&self) -> bool {
        self.mirrored
    }

    /// Whether all points with coordinates of at most this magnitude are placed within the range of
    /// `f32`; it may be said of none although they are.
    pub(crate) fn keeps_finite(&self, magnitude: f32) -> bool {
        let Some(transform) = &self.transform else { return magnitude.is_finite() };
        let m = transform.to_cols_array().map(|x| f64::from(x).abs());
        (0..3).all(|row| {
            let most = (m[row] + m[3 + row] + m[6 + row]) * f64::from(magnitude) + m[9 + row];
            // Half the range leaves more than enough for the rounding of each step.
            most < 0.5 * f64::from(f32::MAX)
        })
    }

    /// A triangle of the mesh as it is baked; `None` if the buffers do not have it.
    pub(crate) fn triangle(&self, mesh: &MeshView<'_>, triangle: usize) -> Option<Triangle> {
        self.place(&mesh.positions, mesh.triangle_indices(triangle)?)
    }

    /// The triangle with these corners as it is baked; `None` if a corner is missing.
    #[inline(always)]
    pub(crate) fn place(&self, positions: &Positions<'_>, corners: [u32; 3]) -> Option<Triangle> {
        let mut a = positions.position(corners[0] as usize)?;
        let mut b = positions.position(corners[1] as usize)?;
        let mut c = positions.position(corners[2] as usize)?;
        if let Some(transform) = &self.transform {
            a = transform_point(transform, a);
            b = transform_point(transform, b);
            c = transform_point(transform, c);
        }
        if self.mirrored {
            std::mem::swap(&mut b, &mut c);
        }
        Some(Triangle { v0: a, v1: b, v2: c })
    }
}
