//! What a bake is made of.

use crate::bvh::Source;
#[cfg(feature = "import")]
use crate::import::Import;
use crate::mesh::{Mesh, MeshView};

/// What a [`Builder`](crate::Builder) takes: [`Mesh`]es, [`MeshView`]s over your own buffers, or an
/// `Import` (feature `import`). References to each turn into it with `into`, so it need not be
/// named.
///
/// ```
/// use hitscan::mesh::{Indices, MeshView, Positions};
/// use hitscan::{Builder, Mesh};
///
/// let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let view = MeshView::new(Positions::Arrays(&corners), Indices::None);
/// let mesh = Mesh::from_soup(corners.clone());
/// let builder = Builder::new();
/// assert_eq!(builder.bake(&[view])?.0, builder.bake(&[mesh])?.0);
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BakeInput<'a> {
    pub(super) meshes: Vec<MeshView<'a>>,
    /// The names of materials and the sources of the model that they are from.
    pub(super) model: Option<(&'a [String], &'a [Source])>,
}

impl<'a> From<Vec<MeshView<'a>>> for BakeInput<'a> {
    fn from(meshes: Vec<MeshView<'a>>) -> Self {
        Self { meshes, model: None }
    }
}

impl<'a> From<&'a [Mesh]> for BakeInput<'a> {
    fn from(meshes: &'a [Mesh]) -> Self {
        meshes.iter().map(Mesh::view).collect::<Vec<_>>().into()
    }
}

impl<'a> From<&'a Vec<Mesh>> for BakeInput<'a> {
    fn from(meshes: &'a Vec<Mesh>) -> Self {
        meshes.as_slice().into()
    }
}

impl<'a, const N: usize> From<&'a [Mesh; N]> for BakeInput<'a> {
    fn from(meshes: &'a [Mesh; N]) -> Self {
        meshes.as_slice().into()
    }
}

impl<'a> From<&[MeshView<'a>]> for BakeInput<'a> {
    fn from(meshes: &[MeshView<'a>]) -> Self {
        meshes.to_vec().into()
    }
}

impl<'a> From<&Vec<MeshView<'a>>> for BakeInput<'a> {
    fn from(meshes: &Vec<MeshView<'a>>) -> Self {
        meshes.clone().into()
    }
}

impl<'a, const N: usize> From<&[MeshView<'a>; N]> for BakeInput<'a> {
    fn from(meshes: &[MeshView<'a>; N]) -> Self {
        meshes.to_vec().into()
    }
}

/// With its names of materials and its sources, in place of any that are set in the builder.
#[cfg(feature = "import")]
impl<'a> From<&'a Import> for BakeInput<'a> {
    fn from(import: &'a Import) -> Self {
        let model = Some((&*import.material_names, &*import.sources));
        Self { model, ..import.meshes.as_slice().into() }
    }
}
