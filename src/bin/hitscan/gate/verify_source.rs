//! Whether baking the models again gives the same file.

use std::path::PathBuf;

use hitscan::import::InstancedImport;
use hitscan::{BadTriangles, Builder, Bvh, Import, Metadata, Scene};

use crate::level::baked::Baked;
use crate::terminal::failure::Failure;

/// `None` if it does, else what differs. Layers and quality are taken from the file.
pub(crate) fn difference(
    baked: &Baked,
    sources: &[PathBuf],
) -> Result<Option<&'static str>, Failure> {
    match baked {
        Baked::Tree(bvh) => of_tree(bvh, sources),
        Baked::Scene(scene) => of_scene(scene, sources),
    }
}

fn of_tree(bvh: &Bvh, sources: &[PathBuf]) -> Result<Option<&'static str>, Failure> {
    let mut model = Import::default();
    for source in sources {
        let part = Import::open(source).map_err(|error| Failure::opening(source, &error))?;
        model.append(part);
    }
    if bvh.content_hash().is_none() {
        return Ok(Some("the tree was changed after its bake"));
    }
    if model.meshes.len() != bvh.mesh_count() as usize {
        return Ok(Some("another number of meshes"));
    }
    for (mesh, number) in model.meshes.iter_mut().zip(0..) {
        mesh.mask = bvh.mesh(number).map_or(mesh.mask, |info| info.mask);
    }
    let mut builders = builders(&bvh.metadata()).into_iter();
    let builder = builders.find(|builder| bvh.content_hash() == Some(builder.content_hash(&model)));
    let Some(builder) = builder else { return Ok(Some("another content hash")) };
    let (mut again, _) = builder.bake(&model).map_err(|error| failed(sources, &error))?;
    again.set_user_data(bvh.user_data().to_vec());
    Ok((again.to_bytes() != bvh.to_bytes()).then_some("the same content hash, but other bytes"))
}

fn of_scene(scene: &Scene, sources: &[PathBuf]) -> Result<Option<&'static str>, Failure> {
    let mut model = InstancedImport::default();
    for source in sources {
        let part = InstancedImport::open(source);
        model.append(part.map_err(|error| Failure::opening(source, &error))?);
    }
    let mut ids = scene.instances();
    let mut metadata = Metadata::default();
    if let Some(bvh) = scene.instances().next().and_then(|first| scene.bvh(first).ok()) {
        metadata = bvh.metadata();
        // The first instance has all meshes that do not repeat.
        if model.fixed.triangle_count() > 0 {
            for (mesh, number) in model.fixed.meshes.iter_mut().zip(0..) {
                mesh.mask = bvh.mesh(number).map_or(mesh.mask, |info| info.mask);
            }
            ids.next();
        }
    }
    for (instance, id) in model.instances.iter_mut().zip(ids) {
        instance.mask = scene.instance(id).map_or(instance.mask, |placed| placed.mask);
    }
    let mut builders = builders(&metadata).into_iter();
    let Some(builder) = builders.find(|builder| scene.is_bake_of(builder, &model)) else {
        return Ok(Some("another content hash, or instances in other places"));
    };
    let again = Scene::bake_import(&builder, &model);
    let (again, _) = again.map_err(|error| failed(sources, &error))?;
    Ok((again.to_bytes() != scene.to_bytes()).then_some("the same content hash, but other bytes"))
}

/// The file does not tell how bad triangles were treated.
fn builders(metadata: &Metadata) -> [Builder; 2] {
    [BadTriangles::Error, BadTriangles::Skip].map(|bad| {
        let builder = Builder::new().quality(metadata.quality).bad_triangles(bad);
        builder.spatial_budget(metadata.spatial_budget)
    })
}

fn failed(sources: &[PathBuf], error: &hitscan::BakeError) -> Failure {
    let names: Vec<_> = sources.iter().map(|path| path.display().to_string()).collect();
    Failure::in_file(names.join(", "), error)
}
