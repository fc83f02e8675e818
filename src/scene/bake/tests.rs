use glam::{Affine3A, Vec3};

use super::*;
use crate::error::BakeErrorKind;
use crate::import::Format;

/// A floor that is there once, and a post in two places.
fn model() -> InstancedImport {
    let gltf = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:;base64,
        AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "materials":[{"name":"stone"},{"name":"moss"},{"name":"wood"}],
        "meshes":[{"name":"floor","primitives":[{"attributes":{"POSITION":0},"material":1}]},
        {"name":"post","primitives":[{"attributes":{"POSITION":0},"material":2}]}],
        "nodes":[{"mesh":0},{"mesh":1,"name":"a","translation":[0,0,1]},
        {"mesh":1,"name":"b","translation":[0,0,2]}]}"#;
    let gltf = gltf.replace(['\n', ' '], "");
    InstancedImport::from_bytes(gltf.as_bytes(), Format::Gltf, "a.gltf", None).unwrap()
}

#[test]
fn what_is_there_once_comes_first() {
    let (scene, reports) = Scene::bake_import(&Builder::new(), &model()).unwrap();
    assert_eq!(reports.len(), 2);
    let names: Vec<_> = scene.instances().map(|id| scene.instance(id).unwrap().name).collect();
    assert_eq!(names, ["", "a/post", "b/post"]);
    assert_eq!(scene.snapshot().len(), 3);
    // Materials have the same numbers, and a tree has the names that it needs.
    let trees: Vec<_> = scene.instances().map(|id| scene.bvh(id).unwrap().metadata()).collect();
    assert_eq!(trees[0].material_names, ["", "moss"]);
    assert_eq!(trees[1].material_names, ["", "", "wood"]);
    assert_eq!(trees[1].sources, model().fixed.sources);

    // Nothing is there once: no tree for it.
    let mut posts = model();
    posts.fixed.meshes.clear();
    let (scene, _) = Scene::bake_import(&Builder::new(), &posts).unwrap();
    assert_eq!(scene.len(), 2);
    assert!(scene.is_bake_of(&Builder::new(), &posts));
    assert!(!scene.is_bake_of(&Builder::new(), &model()));
    let (nothing, _) = Scene::bake_import(&Builder::new(), &InstancedImport::default()).unwrap();
    assert!(nothing.is_empty());
}

#[test]
fn a_scene_knows_what_it_is_the_bake_of() {
    let builder = Builder::new();
    let (scene, _) = Scene::bake_import(&builder, &model()).unwrap();
    let scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
    assert!(scene.is_bake_of(&builder, &model()));
    assert!(!scene.is_bake_of(&builder.clone().quality(crate::bvh::Quality::Best), &model()));
    let other = |change: fn(&mut InstancedImport)| {
        let mut model = model();
        change(&mut model);
        assert!(!scene.is_bake_of(&builder, &model));
    };
    other(|model| model.instances[1].name.push('x'));
    other(|model| model.instances[1].mask = 1);
    other(|model| model.instances[0].user_id = 1);
    other(|model| model.instances[0].transform.translation.x = 1e-30);
    other(|model| model.repeated[0][0].positions[0][0] = 0.5);
    other(|model| model.fixed.meshes[0].name.clear());
    other(|model| _ = model.instances.pop());
    other(|model| model.instances[0].repeated = usize::MAX);
    let changed = |change: fn(&mut Scene, crate::traverse::InstanceId)| {
        let mut scene = scene.clone();
        let id = scene.instances().nth(1).unwrap();
        change(&mut scene, id);
        assert!(!scene.is_bake_of(&builder, &model()));
    };
    changed(|scene, id| scene.disable(id).unwrap());
    changed(|scene, id| scene.remove(id).unwrap());
    changed(|scene, id| scene.set_mask(id, 1).unwrap());
}

#[test]
fn errors_say_what_cannot_be_baked() {
    let refused = |change: fn(&mut InstancedImport)| {
        let mut model = model();
        change(&mut model);
        Scene::bake_import(&Builder::new(), &model).unwrap_err()
    };
    let error = refused(|model| model.repeated[0][0].positions[2][0] = f32::NAN);
    assert_eq!((error.kind(), error.mesh()), (BakeErrorKind::NonFinite, None));
    assert!(error.to_string().starts_with("mesh `post`, which repeats: "), "{error}");
    let error = refused(|model| model.fixed.meshes[0].positions[2][0] = f32::NAN);
    assert_eq!((error.kind(), error.mesh()), (BakeErrorKind::NonFinite, Some(0)));
    let flat = |model: &mut InstancedImport| {
        model.instances[1].transform = Affine3A::from_scale(Vec3::ZERO);
    };
    assert_eq!(refused(flat).kind(), BakeErrorKind::Instance);
    let error = refused(|model| model.instances[1].repeated = 1);
    assert_eq!(error.kind(), BakeErrorKind::Instance);
}

#[test]
fn progress_is_that_of_all_trees() {
    let mut told = Vec::new();
    let mut progress = |part: Progress| {
        told.push(part.fraction);
        ControlFlow::Continue(())
    };
    Scene::bake_import_with_progress(&Builder::new(), &model(), &mut progress).unwrap();
    assert!(told.is_sorted() && told.last() == Some(&1.0), "{told:?}");
    let mut stop = |_| ControlFlow::Break(());
    let stopped = Scene::bake_import_with_progress(&Builder::new(), &model(), &mut stop);
    assert_eq!(stopped.unwrap_err().kind(), BakeErrorKind::Cancelled);
}
