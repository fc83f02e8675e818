//! What a model file gives.

use crate::bvh::Source;
use crate::mesh::Mesh;

/// The contents of a model file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The meshes, each with at least one triangle, in the order that the
    /// [module](crate::import) states.
    pub meshes: Vec<Mesh>,
    /// The names of the materials. The numbers in [`Mesh::materials`] are indices into this
    /// list. A material without a name has an empty one.
    pub material_names: Vec<String>,
    /// The file itself, by name and content: the separate buffers of a glTF file are not counted.
    pub sources: Vec<Source>,
    /// What was skipped or looks wrong, each with file and place. After a hundred
    /// warnings the rest are only counted.
    pub warnings: Vec<String>,
}

impl Import {
    /// The number of triangles in all meshes together.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.meshes.iter().map(Mesh::triangle_count).sum()
    }

    /// Adds the contents of another file after this one's. The other's material numbers move
    /// up by the number of materials here.
    pub fn append(&mut self, other: Self) {
        let names = self.material_names.len();
        self.meshes.extend(other.meshes.into_iter().map(|mut mesh| {
            move_materials(&mut mesh, names);
            mesh
        }));
        self.material_names.extend(other.material_names);
        self.sources.extend(other.sources);
        self.warnings.extend(other.warnings);
    }
}

/// Moves the numbers of a mesh's materials up, behind the materials of other files.
pub(super) fn move_materials(mesh: &mut Mesh, names: usize) {
    let first = u32::try_from(names).unwrap_or(u32::MAX);
    for material in mesh.materials.iter_mut().flatten() {
        *material = material.saturating_add(first);
    }
}
