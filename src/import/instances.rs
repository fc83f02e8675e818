//! Models with meshes that repeat: each is kept once, with the places where it stands.

use glam::Affine3A;

use super::model::{Import, move_materials};
use crate::mesh::Mesh;

/// The contents of a model file, in which a mesh that is there more than once is kept once.
///
/// [`Scene::bake_import`](crate::Scene::bake_import) makes a scene of it. The command line does so
/// with `hitscan bake --instanced`. See [Instances](crate::import#instances) for the meshes that
/// are kept as instances.
///
/// ```no_run
/// use hitscan::import::InstancedImport;
/// use hitscan::{Builder, Scene};
///
/// let model = InstancedImport::open("forest.glb")?;
/// let (placed, stored) = (model.triangle_count(), model.stored_triangle_count());
/// println!("{placed} triangles, of which {stored} are stored");
/// let (scene, _reports) = Scene::bake_import(&Builder::new(), &model)?;
/// scene.save("forest.hscn")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct InstancedImport {
    /// The meshes that are there once. Its names of materials, sources and warnings are for the
    /// whole file.
    pub fixed: Import,
    /// The meshes that are there more than once: for each glTF mesh the meshes of its primitives,
    /// in coordinates of its own. Each has at least one place in [`instances`](Self::instances).
    pub repeated: Vec<Vec<Mesh>>,
    /// Where those stand, in the order in which [`Import`] gives their copies.
    pub instances: Vec<ImportedInstance>,
}

/// A place of a mesh that repeats.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportedInstance {
    /// Its number in [`InstancedImport::repeated`].
    pub repeated: usize,
    /// From the coordinates of the meshes to world coordinates. A scene can place it.
    pub transform: Affine3A,
    /// As the name of a mesh in [`Import`], without the number of a primitive.
    pub name: String,
    /// Its layers, from the `extras` of the node or the glTF mesh.
    pub mask: u32,
    /// Its number, from there too.
    pub user_id: u64,
}

impl InstancedImport {
    /// The number of triangles in all places together: as many as [`Import`] gives.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        let counts: Vec<usize> = self.repeated.iter().map(|meshes| triangles(meshes)).collect();
        let placed = self.instances.iter().filter_map(|instance| counts.get(instance.repeated));
        self.fixed.triangle_count() + placed.sum::<usize>()
    }

    /// The number of triangles, those that repeat counted once.
    #[must_use]
    pub fn stored_triangle_count(&self) -> usize {
        let repeated = self.repeated.iter().map(|meshes| triangles(meshes));
        self.fixed.triangle_count() + repeated.sum::<usize>()
    }

    /// Adds the contents of another file after this one's, as [`Import::append`].
    pub fn append(&mut self, mut other: Self) {
        let first = self.repeated.len();
        let names = self.fixed.material_names.len();
        other.repeated.iter_mut().flatten().for_each(|mesh| move_materials(mesh, names));
        self.repeated.extend(other.repeated);
        self.instances.extend(other.instances.into_iter().map(|instance| {
            let repeated = first.saturating_add(instance.repeated);
            ImportedInstance { repeated, ..instance }
        }));
        self.fixed.append(other.fixed);
    }
}

/// Leaves out meshes without triangles, with their places, and those that have no place.
pub(super) fn with_triangles(
    mut repeated: Vec<Vec<Mesh>>,
    mut instances: Vec<ImportedInstance>,
) -> (Vec<Vec<Mesh>>, Vec<ImportedInstance>) {
    repeated.iter_mut().for_each(|meshes| meshes.retain(|mesh| mesh.triangle_count() > 0));
    instances.retain(|instance| !repeated[instance.repeated].is_empty());
    let mut is_used = vec![false; repeated.len()];
    instances.iter().for_each(|instance| is_used[instance.repeated] = true);
    let mut kept = 0;
    let numbers: Vec<usize> = is_used
        .iter()
        .map(|&is_used| {
            kept += usize::from(is_used);
            kept.saturating_sub(1)
        })
        .collect();
    instances.iter_mut().for_each(|instance| instance.repeated = numbers[instance.repeated]);
    let used = repeated.into_iter().zip(is_used).filter(|(_, is_used)| *is_used);
    (used.map(|(meshes, _)| meshes).collect(), instances)
}

fn triangles(meshes: &[Mesh]) -> usize {
    meshes.iter().map(Mesh::triangle_count).sum()
}
