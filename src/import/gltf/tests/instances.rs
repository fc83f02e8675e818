//! Meshes that repeat, kept once.

use glam::{Affine3A, Vec3};

use super::builder::{File, placed};
use crate::geometry::transform_point;
use crate::import::{Format, Import, ImportErrorKind, InstancedImport};

fn instanced(file: &File, members: &str) -> InstancedImport {
    let (bytes, format) = (file.bytes(members), Format::Gltf);
    let kept = InstancedImport::from_bytes(&bytes, format, "a.glb", None).unwrap();
    let copied = Import::from_bytes(&bytes, format, "a.glb", None).unwrap();
    agree(&kept, &copied);
    kept
}

/// Meshes kept once have the same triangles, in the same places, layers and names, as copies.
fn agree(kept: &InstancedImport, copied: &Import) {
    assert_eq!(kept.triangle_count(), copied.triangle_count());
    assert_eq!(kept.fixed.material_names, copied.material_names);
    assert_eq!(kept.fixed.sources, copied.sources);
    let row = |name: &str, mask: u32, materials: &Option<Vec<u32>>, points: Vec<[f32; 3]>| {
        format!("{name} {mask} {materials:?} {points:?}")
    };
    let mut expected: Vec<_> = (0..copied.meshes.len())
        .map(|i| {
            let mesh = &copied.meshes[i];
            row(&mesh.name, mesh.mask, &mesh.materials, placed(copied, i))
        })
        .collect();
    let mut found: Vec<_> = (0..kept.fixed.meshes.len())
        .map(|i| {
            let mesh = &kept.fixed.meshes[i];
            row(&mesh.name, mesh.mask, &mesh.materials, placed(&kept.fixed, i))
        })
        .collect();
    for instance in &kept.instances {
        let meshes = &kept.repeated[instance.repeated];
        for mesh in meshes {
            assert_eq!((mesh.transform, mesh.mask), (Affine3A::IDENTITY, u32::MAX));
            let place = |&p: &[f32; 3]| transform_point(&instance.transform, p.into()).to_array();
            let part = if meshes.len() > 1 { mesh.name.rsplit_once('/') } else { None };
            let name =
                part.map_or(instance.name.clone(), |(_, part)| format!("{}/{part}", instance.name));
            let points = mesh.positions.iter().map(place).collect();
            found.push(row(&name, instance.mask, &mesh.materials, points));
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_mesh_of_several_nodes_is_kept_once() {
    let mut file = File::default();
    let (first, second) = (file.triangle(), file.triangle());
    let kept = instanced(
        &file,
        &format!(
            r#""materials":[{{"name":"bark"}},{{"name":"leaves"}}],"meshes":[
            {{"name":"tree","extras":{{"user_id":5}},"primitives":[
            {{"attributes":{{"POSITION":{first}}},"material":1}},
            {{"attributes":{{"POSITION":{second}}}}}]}},
            {{"name":"rock","primitives":[{{"attributes":{{"POSITION":{first}}}}}]}}],
            "nodes":[{{"mesh":0,"name":"a","translation":[1,0,0]}},
            {{"mesh":1,"name":"once","children":[3],"translation":[0,0,7]}},
            {{"mesh":0,"scale":[-1,2,1],"extras":{{"layer":3,"user_id":9}}}},
            {{"mesh":0,"name":"b","translation":[0,1,0]}}]"#
        ),
    );
    assert_eq!(kept.fixed.meshes.len(), 1);
    assert_eq!(kept.fixed.meshes[0].name, "once/rock");
    assert_eq!(kept.repeated.len(), 1);
    let names: Vec<_> = kept.repeated[0].iter().map(|mesh| &*mesh.name).collect();
    assert_eq!(names, ["tree/0", "tree/1"]);
    assert_eq!(kept.repeated[0][0].user_id, 5);
    let rows: Vec<_> = kept.instances.iter().map(|i| (&*i.name, i.mask, i.user_id)).collect();
    assert_eq!(rows, [("a/tree", !0, 5), ("b/tree", !0, 5), ("tree", 8, 9)]);
    let at: Vec<_> = kept.instances.iter().map(|i| Vec3::from(i.transform.translation)).collect();
    assert_eq!(at, [Vec3::X, Vec3::new(0.0, 1.0, 7.0), Vec3::ZERO]);
    assert_eq!((kept.triangle_count(), kept.stored_triangle_count()), (7, 3));
}

#[test]
fn copies_of_a_node_are_instances() {
    let mut file = File::default();
    let positions = file.triangle();
    let translations = file.floats("VEC3", &[0., 0., 0., 10., 0., 0., 20., 0., 0.]);
    let turns = file.floats("VEC4", &[0., 0., 0., 1., 0., 0., 1., 1., 1., 0., 0., 0.]);
    let kept = instanced(
        &file,
        &format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}],
            "nodes":[{{"name":"wood","mesh":0,"translation":[0,5,0],"extensions":
            {{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{translations},
            "ROTATION":{turns}}}}}}}}}]"#
        ),
    );
    assert_eq!((kept.fixed.meshes.len(), kept.repeated.len(), kept.instances.len()), (0, 1, 3));
    assert_eq!(kept.repeated[0][0].name, "meshes[0]");
    assert!(kept.instances.iter().all(|instance| instance.name == "wood"));
    assert_eq!(kept.fixed.warnings, [""; 0]);
}

/// What a scene cannot place is copied, as ever.
#[test]
fn flat_copies_are_not_instances() {
    let mut file = File::default();
    let positions = file.triangle();
    let scales = file.floats("VEC3", &[1., 1., 1., 1., 0., 1., 0., 0., 0., 2., 2., 2.]);
    let kept = instanced(
        &file,
        &format!(
            r#""meshes":[{{"name":"card","primitives":[{{"attributes":
            {{"POSITION":{positions}}}}}]}}],"nodes":[{{"mesh":0,"extras":{{"mask":6}},
            "extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"SCALE":{scales}}}}}}}}}]"#
        ),
    );
    assert_eq!((kept.fixed.meshes.len(), kept.instances.len()), (2, 2));
    assert_eq!(kept.fixed.meshes[0].mask, 6);
    // All of them: then the mesh repeats, but nowhere as an instance.
    let kept = instanced(
        &file,
        r#""meshes":[{"name":"card","primitives":[{"attributes":{"POSITION":0}}]}],
        "nodes":[{"mesh":0,"scale":[0,0,0]},{"mesh":0,"scale":[1,0,1]}]"#,
    );
    assert_eq!((kept.fixed.meshes.len(), kept.repeated.len(), kept.instances.len()), (2, 0, 0));
}

#[test]
fn poses_of_a_node_are_not_kept() {
    let mut file = File::default();
    let (positions, offsets) = (file.triangle(), file.triangle());
    let joints = file.add(5121, "VEC4", &[0.; 12]);
    let weights = file.floats("VEC4", &[0.25; 12]);
    let kept = instanced(
        &file,
        &format!(
            r#""meshes":[{{"weights":[0.5],"primitives":[{{"attributes":{{"POSITION":{positions},
            "JOINTS_0":{joints},"WEIGHTS_0":{weights}}},
            "targets":[{{"POSITION":{offsets}}}]}}]}}],"skins":[{{"joints":[5]}}],
            "nodes":[{{"mesh":0}},{{"mesh":0,"weights":[2]}},{{"mesh":0,"skin":0}},
            {{"mesh":0,"skin":0}},{{"mesh":0,"translation":[1,0,0]}},
            {{"translation":[4,0,0]}}]"#
        ),
    );
    // The pose that the mesh itself has is the same in both of its nodes.
    assert_eq!((kept.fixed.meshes.len(), kept.instances.len()), (3, 2));
    assert_eq!(kept.repeated[0][0].positions[1], [1.5, 0.0, 0.0]);
}

#[test]
fn meshes_without_triangles_repeat_nothing() {
    let mut file = File::default();
    let positions = file.triangle();
    let kept = instanced(
        &file,
        &format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}},"mode":1}}]}},
            {{"name":"b","primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}],
            "nodes":[{{"mesh":0}},{{"mesh":1}},{{"mesh":0}},{{"mesh":1}}]"#
        ),
    );
    assert_eq!((kept.repeated.len(), kept.instances.len()), (1, 2));
    assert!(kept.instances.iter().all(|instance| instance.repeated == 0));
    assert_eq!(kept.fixed.warnings.len(), 1, "{:?}", kept.fixed.warnings);
}

/// A few bytes can ask for many places. They are limited as copies are, but take less.
#[test]
fn places_are_limited() {
    let mut file = File::default();
    let positions = file.floats("VEC3", &[1.0; 3 * 3 * 400]);
    let import = |count: u64, keep: bool| {
        let mut file = file.clone();
        let many = format!(r#""componentType":5126,"count":{count},"type":"VEC3""#);
        let many = file.accessor(&many);
        let bytes = file.bytes(&format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}],
            "nodes":[{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":
            {{"attributes":{{"TRANSLATION":{many}}}}}}}}}]"#
        ));
        match keep {
            true => InstancedImport::from_bytes(&bytes, Format::Gltf, "a.glb", None)
                .map(|kept| kept.instances.len()),
            false => Import::from_bytes(&bytes, Format::Gltf, "a.glb", None)
                .map(|import| import.meshes.len()),
        }
    };
    assert_eq!(import(1000, true).unwrap(), 1000);
    assert_eq!(import(20_000, true).unwrap(), 20_000);
    assert_eq!(import(20_000, false).unwrap_err().kind(), ImportErrorKind::TooLarge);
    assert_eq!(import(u32::MAX.into(), true).unwrap_err().kind(), ImportErrorKind::TooLarge);
    // A scale of zero cannot be placed, and copies cost what copies cost.
    let flat = |count: usize| {
        let mut file = file.clone();
        let zeros =
            file.accessor(&format!(r#""componentType":5126,"count":{count},"type":"VEC3""#));
        let bytes = file.bytes(&format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}],
            "nodes":[{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":
            {{"attributes":{{"SCALE":{zeros}}}}}}}}}]"#
        ));
        InstancedImport::from_bytes(&bytes, Format::Gltf, "a.glb", None)
    };
    assert_eq!(flat(10).unwrap().fixed.meshes.len(), 10);
    assert_eq!(flat(20_000).unwrap_err().kind(), ImportErrorKind::TooLarge);
}

#[test]
fn files_are_put_together() {
    let mut file = File::default();
    let positions = file.triangle();
    let members = format!(
        r#""materials":[{{"name":"m"}}],"meshes":[{{"primitives":[{{"attributes":
        {{"POSITION":{positions}}},"material":0}}]}},{{"primitives":[{{"attributes":
        {{"POSITION":{positions}}},"material":0}}]}}],
        "nodes":[{{"mesh":0}},{{"mesh":0}},{{"mesh":1}}]"#
    );
    let mut both = instanced(&file, &members);
    both.append(instanced(&file, &members));
    let repeated: Vec<_> = both.instances.iter().map(|instance| instance.repeated).collect();
    assert_eq!(repeated, [0, 0, 1, 1]);
    assert_eq!(both.repeated[1][0].materials, Some(vec![1]));
    assert_eq!(both.fixed.meshes[1].materials, Some(vec![1]));
    assert_eq!(both.fixed.material_names.len(), 2);
}
