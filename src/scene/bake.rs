//! Scenes of imported models: all meshes that are there once in one tree, each mesh that repeats in
//! a tree of its own.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::instance::Instance;
use super::scene::Scene;
use crate::bake::{BakeReport, Builder, Progress};
use crate::error::{BakeError, BakeErrorKind};
use crate::import::{ImportedInstance, InstancedImport};
use crate::mesh::{Mesh, MeshView};

#[cfg(test)]
mod tests;

impl Scene {
    /// Bakes an imported model into a scene, with its names of materials and its sources in place
    /// of any that the builder has. The scene is committed once.
    ///
    /// The first instance, which has no name, is the tree of all that is there once; it is left out
    /// if that has no triangles. Then come the model's instances in their order. Materials keep
    /// their numbers; a tree has the names of those that it uses.
    ///
    /// There is a report for each tree: for the meshes that are there once, then for each mesh that
    /// repeats.
    ///
    /// ```no_run
    /// use hitscan::import::InstancedImport;
    /// use hitscan::{Builder, Scene};
    ///
    /// let model = InstancedImport::open("level.glb")?;
    /// let (scene, _reports) = Scene::bake_import(&Builder::new(), &model)?;
    /// scene.save("level.hscn")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Builder::bake`], and of kind [`Instance`](BakeErrorKind::Instance) if an instance
    /// cannot be placed. Instances of an import always can. An error's mesh is a number in
    /// [`fixed`](InstancedImport::fixed); errors in meshes that repeat name them in the message.
    pub fn bake_import(
        builder: &Builder,
        model: &InstancedImport,
    ) -> Result<(Self, Vec<BakeReport>), BakeError> {
        Self::bake_import_with_progress(builder, model, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`bake_import`](Self::bake_import), but `progress` is told how far it is and can stop it,
    /// as in [`Builder::bake_with_progress`]. The stages come for one tree after the other.
    ///
    /// # Errors
    ///
    /// As [`bake_import`](Self::bake_import), or when cancelled.
    pub fn bake_import_with_progress(
        builder: &Builder,
        model: &InstancedImport,
        progress: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<(Self, Vec<BakeReport>), BakeError> {
        let (mut scene, mut reports) = (Self::new(), Vec::new());
        let all = model.stored_triangle_count().max(1) as f32;
        let (mut trees, mut done) = (Vec::new(), 0);
        for (number, (meshes, builder)) in parts(builder, model).enumerate() {
            let views: Vec<_> = meshes.iter().map(MeshView::from).collect();
            let count: usize = meshes.iter().map(Mesh::triangle_count).sum();
            let mut told = |part: Progress| {
                let fraction = (done as f32 + part.fraction * count as f32) / all;
                progress(Progress { fraction: fraction.min(1.0), ..part })
            };
            let baked = builder.bake_with_progress(&views, &mut told);
            let (bvh, report) = baked.map_err(|error| match number {
                0 => error,
                _ => {
                    let name = meshes.first().map_or("", |mesh| &mesh.name);
                    error.within(format_args!("mesh `{name}`, which repeats"))
                }
            })?;
            trees.push(bvh);
            reports.push(report);
            done += count;
        }
        let mut insert = |instance: Instance| {
            scene.insert(instance).map_err(|error| {
                BakeError::new(BakeErrorKind::Instance, error.to_string()).with_source(error)
            })
        };
        if model.fixed.triangle_count() > 0 {
            insert(Instance::new(trees[0].clone()))?;
        }
        for placed in &model.instances {
            let ImportedInstance { repeated, transform, name, mask, user_id } = placed;
            let Some(bvh) = repeated.checked_add(1).and_then(|number| trees.get(number)) else {
                let message = format!("instance `{name}`: there is no repeated mesh {repeated}");
                return Err(BakeError::new(BakeErrorKind::Instance, message));
            };
            let instance = Instance::new(bvh.clone()).with_transform(*transform).with_mask(*mask);
            insert(instance.with_user_id(*user_id).with_name(name.as_str()))?;
        }
        scene.commit();
        Ok((scene, reports))
    }

    /// Whether [`bake_import`](Self::bake_import) would give this scene again. Takes O(bytes) of
    /// the model, much less than a bake.
    #[must_use]
    pub fn is_bake_of(&self, builder: &Builder, model: &InstancedImport) -> bool {
        let hashes: Vec<u64> = parts(builder, model)
            .map(|(meshes, builder)| {
                builder.content_hash(meshes.iter().map(MeshView::from).collect::<Vec<_>>())
            })
            .collect();
        let expected = model.instances.len() + usize::from(model.fixed.triangle_count() > 0);
        if self.len() != expected {
            return false;
        }
        let mut ids = self.instances();
        let is_same = |id, hash: Option<&u64>, placed: Option<&ImportedInstance>| {
            let (Ok(found), Ok(bvh)) = (self.instance(id), self.bvh(id)) else { return false };
            let plain = Instance::new(bvh);
            let wanted = match placed {
                Some(placed) => plain
                    .with_transform(placed.transform)
                    .with_mask(placed.mask)
                    .with_user_id(placed.user_id)
                    .with_name(placed.name.as_str()),
                None => plain,
            };
            hash.is_some_and(|&hash| bvh.content_hash() == Some(hash))
                && self.is_enabled(id).unwrap_or(false)
                && (found.transform, found.mask) == (wanted.transform, wanted.mask)
                && (found.user_id, found.name) == (wanted.user_id, wanted.name)
        };
        let first = match model.fixed.triangle_count() {
            0 => true,
            _ => ids.next().is_some_and(|id| is_same(id, hashes.first(), None)),
        };
        first
            && model.instances.iter().zip(ids).all(|(placed, id)| {
                let hash = placed.repeated.checked_add(1).and_then(|number| hashes.get(number));
                is_same(id, hash, Some(placed))
            })
    }
}

/// The meshes that become a tree each, with the builder for it: all that are there once, then those
/// that repeat.
fn parts<'a>(
    builder: &'a Builder,
    model: &'a InstancedImport,
) -> impl Iterator<Item = (&'a [Mesh], Builder)> {
    let groups = std::iter::once(&model.fixed.meshes).chain(&model.repeated);
    groups.map(|meshes| {
        let used: BTreeSet<u32> =
            meshes.iter().flat_map(|mesh| mesh.materials.iter().flatten().copied()).collect();
        let names = &model.fixed.material_names;
        let count = used.last().map_or(0, |&last| names.len().min(last as usize + 1));
        let name = |number: usize| match used.contains(&(number as u32)) {
            true => names[number].clone(),
            false => String::new(),
        };
        let builder = builder.clone().sources(model.fixed.sources.clone());
        (&meshes[..], builder.material_names((0..count).map(name).collect()))
    })
}
