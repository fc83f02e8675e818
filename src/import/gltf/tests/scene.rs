//! Which nodes are read, where and how often.

use super::builder::{File, placed};
use super::{fails, import};
use crate::import::{Import, ImportErrorKind};

/// A file with one mesh of one triangle, mesh 0.
fn one_mesh(file: &mut File, members: &str) -> Import {
    let positions = file.triangle();
    let mesh =
        format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}]"#);
    file.import(&format!("{mesh},{members}")).unwrap()
}

fn starts(import: &Import) -> Vec<[f32; 3]> {
    (0..import.meshes.len()).map(|i| placed(import, i)[0]).collect()
}

#[test]
fn instances_of_a_node_are_made() {
    for required in ["", r#""extensionsRequired":["EXT_mesh_gpu_instancing"],"#] {
        let mut file = File::default();
        let translations = file.floats("VEC3", &[0., 0., 0., 10., 0., 0., 20., 0., 0.]);
        let import = one_mesh(
            &mut file,
            &format!(
                r#"{required}"nodes":[{{"name":"tree","mesh":0,"translation":[0,5,0],"extensions":
                {{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{translations}}}}}}}}},
                {{"mesh":0}}]"#
            ),
        );
        assert_eq!(starts(&import), [[0., 5., 0.], [10., 5., 0.], [20., 5., 0.], [0., 0., 0.]]);
        assert_eq!(import.meshes[2].name, "tree");
        assert_eq!(import.warnings, [""; 0]);
    }
}

#[test]
fn instances_are_scaled_then_rotated_then_moved_inside_the_node() {
    for (component, shape, one) in
        [(5126, "VEC4", 1.0), (5120, "VEC4 normalized", 127.0), (5122, "VEC4 normalized", 32767.0)]
    {
        let mut file = File::default();
        let translations = file.floats("VEC3", &[1., 2., 3., 0., 0., 0.]);
        // A quarter turn about z, and none.
        let rotations = [0., 0., 1., 1., 0., 0., 0., 1.].map(|x: f64| x * one);
        let rotations = file.add(component, shape, &rotations);
        let scales = file.floats("VEC3", &[2., 3., 4., 5., 5., 5.]);
        let import = one_mesh(
            &mut file,
            &format!(
                r#""nodes":[{{"mesh":0,"scale":[10,10,10],"extensions":{{
                "EXT_mesh_gpu_instancing":{{"attributes":{{"SCALE":{scales},
                "ROTATION":{rotations},"TRANSLATION":{translations},"_ID":0}}}}}}}}]"#
            ),
        );
        assert_eq!(placed(&import, 0), [[10., 20., 30.], [10., 40., 30.], [-20., 20., 30.]]);
        assert_eq!(placed(&import, 1), [[0., 0., 0.], [50., 0., 0.], [0., 50., 0.]]);
    }
}

#[test]
fn odd_instances_are_told() {
    let mut file = File::default();
    let two = file.floats("VEC3", &[0.; 6]);
    let three = file.floats("VEC3", &[1.; 9]);
    let none = file.accessor(r#""componentType":5126,"count":0,"type":"VEC3""#);
    let turns = file.floats("VEC4", &[0.; 8]);
    let nodes = |attributes: &str| {
        format!(
            r#""nodes":[{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":
            {{"attributes":{{{attributes}}}}}}}}}]"#
        )
    };
    let positions = file.triangle();
    let mesh =
        format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}]"#);
    let uneven = nodes(&format!(r#""TRANSLATION":{two},"SCALE":{three}"#));
    let at = "a.glb: nodes[0].extensions.EXT_mesh_gpu_instancing.attributes";
    assert_eq!(
        fails(file.import(&format!("{mesh},{uneven}"))),
        (ImportErrorKind::Invalid, format!("{at}.SCALE: 3 elements instead of 2"))
    );
    let count = |attributes: &str| {
        let import = file.import(&format!("{mesh},{}", nodes(attributes))).unwrap();
        (import.meshes.len(), import.warnings)
    };
    assert_eq!(count(r#""_ID":0"#), (1, vec![]));
    assert_eq!(count(&format!(r#""TRANSLATION":{none}"#)).0, 0);
    let (made, warnings) = count(&format!(r#""ROTATION":{turns}"#));
    assert_eq!((made, warnings.len()), (2, 2));
    assert_eq!(warnings[1], format!("{at}: rotation 1 is zero; it is read as no rotation"));
}

#[test]
fn instances_without_bytes_behind_them_are_limited() {
    let mut file = File::default();
    let many = file.accessor(r#""componentType":5126,"count":4294967295,"type":"VEC3""#);
    let import = file.import(&format!(
        r#""meshes":[{{"primitives":[]}}],"nodes":[{{"mesh":0,"extensions":
        {{"EXT_mesh_gpu_instancing":{{"attributes":{{"SCALE":{many}}}}}}}}}]"#
    ));
    assert_eq!(fails(import).0, ImportErrorKind::TooLarge);
}

#[test]
fn hidden_nodes_are_left_out_with_all_below_them() {
    let hide = |visible: &str| {
        format!(r#""extensions":{{"KHR_node_visibility":{{"visible":{visible}}}}}"#)
    };
    let nodes = format!(
        r#""extensionsRequired":["KHR_node_visibility"],"nodes":[
        {{"mesh":0,"children":[1],{}}},{{"mesh":0,{}}},{{"mesh":0,"translation":[2,0,0],{}}},
        {{"mesh":0,"translation":[3,0,0],"extensions":{{"KHR_node_visibility":{{}}}}}}]"#,
        hide("false"),
        hide("true"),
        hide("true"),
    );
    let import = one_mesh(&mut File::default(), &nodes);
    assert_eq!(starts(&import), [[2., 0., 0.], [3., 0., 0.]]);
    assert_eq!(
        import.warnings,
        ["a.glb: nodes[0].extensions.KHR_node_visibility.visible: \
          the node and all below it are hidden: left out"]
    );
}

#[test]
fn hidden_joints_still_move_a_skin() {
    let mut file = File::default();
    let positions = file.triangle();
    let joints = file.add(5121, "VEC4", &[0.; 12]);
    let weights = file.floats("VEC4", &[0.25; 12]);
    let import = file
        .import(&format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions},
            "JOINTS_0":{joints},"WEIGHTS_0":{weights}}}}}]}}],"skins":[{{"joints":[1]}}],
            "nodes":[{{"mesh":0,"skin":0}},{{"translation":[4,0,0],
            "extensions":{{"KHR_node_visibility":{{"visible":false}}}}}}]"#
        ))
        .unwrap();
    assert_eq!(starts(&import), [[4., 0., 0.]]);
}

#[test]
fn the_centre_of_cesium_is_added() {
    let nodes = r#""extensionsRequired":["CESIUM_RTC"],
        "extensions":{"CESIUM_RTC":{"center":[6378137,0,-16777216]}},
        "nodes":[{"scale":[2,2,2],"children":[1]},{"mesh":0,"translation":[0,3,0]}]"#;
    let import = one_mesh(&mut File::default(), nodes);
    assert_eq!(placed(&import, 0)[1], [6378139., 6., -16777216.]);
    assert_eq!(
        import.warnings,
        ["a.glb: extensions.CESIUM_RTC.center: \
          it is added to all positions; numbers there are 2 apart"]
    );
}

#[test]
fn scenes_without_a_default_are_told() {
    let nodes = r#""nodes":[{"mesh":0},{"mesh":0,"translation":[10,0,0]},{"mesh":0}]"#;
    for (scenes, told) in [
        (
            r#""scenes":[{"name":"day","nodes":[0]},{"nodes":[1,2]}],"#,
            Some("scenes[0] 'day', scenes[1]"),
        ),
        (r#""scenes":[{"nodes":[0]}],"#, Some("scenes[0], and 2 nodes of no scene")),
        (
            r#""scenes":[{},{},{},{},{},{},{},{},{},{"nodes":[0,1,2]}],"#,
            Some(
                "scenes[0], scenes[1], scenes[2], scenes[3], scenes[4], scenes[5], scenes[6], \
                 scenes[7] and 2 more",
            ),
        ),
        (r#""scenes":[{"nodes":[0,1,2]}],"#, None),
        ("", None),
    ] {
        let import = one_mesh(&mut File::default(), &format!("{scenes}{nodes}"));
        assert_eq!(import.meshes.len(), 3);
        let start = "a.glb: scene: no scene is the default; all root nodes are read: ";
        let told: Vec<_> = told.iter().map(|told| format!("{start}{told}")).collect();
        assert_eq!(import.warnings, told);
    }
    let one = r#""scene":1,"scenes":[{"nodes":[0]},{"nodes":[1]}],"#;
    let import = one_mesh(&mut File::default(), &format!("{one}{nodes}"));
    assert_eq!((starts(&import), import.warnings), (vec![[10., 0., 0.]], vec![]));
}

#[test]
fn nodes_that_are_listed_twice_are_read_once() {
    for (roots, place) in [
        ("[0,0,2]", "scenes[0].nodes[1]: nodes[0]"),
        ("[0,1,2]", "scenes[0].nodes[1]: nodes[1]"),
        ("[0,2,0]", "scenes[0].nodes[2]: nodes[0]"),
    ] {
        let import = one_mesh(
            &mut File::default(),
            &format!(
                r#""scene":0,"scenes":[{{"nodes":{roots}}}],
                "nodes":[{{"mesh":0,"children":[1]}},{{"mesh":0}},{{"mesh":0}}]"#
            ),
        );
        assert_eq!(import.meshes.len(), 3);
        assert_eq!(import.warnings, [format!("a.glb: {place} is listed again; it is read once")]);
    }
    let children = r#""nodes":[{"children":[1,1]},{"mesh":0}]"#;
    let import = one_mesh(&mut File::default(), children);
    assert_eq!(import.meshes.len(), 1);
    assert_eq!(
        import.warnings,
        ["a.glb: nodes[0].children[1]: nodes[1] is listed again; it is read once"]
    );
}

#[test]
fn a_reference_of_minus_one_is_none() {
    let nodes = r#""scene":-1,"nodes":[{"mesh":-1,"skin":-1},{"mesh":0,"skin":-1}]"#;
    assert_eq!(one_mesh(&mut File::default(), nodes).meshes.len(), 1);
    let import = import(&format!(
        r#"{},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[
        {{"attributes":{{"POSITION":0}},"indices":-1,"material":-1,"mode":5}},
        {{"attributes":{{"POSITION":-1}}}}]}}]"#,
        super::ACCESSORS
    ))
    .unwrap();
    assert_eq!((import.triangle_count(), &import.meshes[0].materials), (3, &None));
    assert_eq!(
        import.warnings,
        ["a.glb: meshes[0].primitives[1].attributes: no POSITION; the primitive is skipped"]
    );
}

#[test]
fn materials_that_do_not_exist_are_none() {
    for (materials, count) in [("", 0), (r#""materials":[{}],"#, 1)] {
        let import = import(&format!(
            r#"{materials}{},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[
            {{"attributes":{{"POSITION":0}},"indices":1,"material":1}}]}}]"#,
            super::ACCESSORS
        ))
        .unwrap();
        assert_eq!(import.meshes[0].materials, None);
        let at = "a.glb: meshes[0].primitives[0].material";
        assert_eq!(
            import.warnings,
            [format!("{at}: 1, but the file has {count} materials; none is used")]
        );
    }
}

#[test]
fn extras_set_the_mask_and_the_user_id() {
    for (mesh, node, mask, user_id, warnings) in [
        ("", "", u32::MAX, 0, 0),
        (r#"{"mask":6,"user_id":18446744073709551615}"#, "", 6, u64::MAX, 0),
        ("", r#"{"layer":4,"user_id":7}"#, 16, 7, 0),
        ("", r#"{"layer":[0,31]}"#, 0x8000_0001, 0, 0),
        ("", r#"{"mask":0}"#, 0, 0, 0),
        // The node's come first, and the mask before the layer.
        (r#"{"mask":6,"user_id":8}"#, r#"{"mask":1,"layer":9}"#, 1, 8, 0),
        ("", r#"{"layer":"walls","mask":4294967296,"user_id":-2}"#, u32::MAX, 0, 3),
        (r#""a text""#, "[1]", u32::MAX, 0, 0),
        ("", r#"{"layer":32}"#, u32::MAX, 0, 1),
    ] {
        let extras = |extras: &str| match extras {
            "" => String::new(),
            extras => format!(r#","extras":{extras}"#),
        };
        let import = import(&format!(
            r#"{},"nodes":[{{"mesh":0{}}},{{"mesh":0}}],"meshes":[{{"primitives":[
            {{"attributes":{{"POSITION":0}},"indices":1}}]{}}}]"#,
            super::ACCESSORS,
            extras(node),
            extras(mesh),
        ))
        .unwrap();
        let first = &import.meshes[0];
        assert_eq!((first.mask, first.user_id), (mask, user_id), "{mesh} {node}");
        assert_eq!(import.warnings.len(), warnings, "{:?}", import.warnings);
        // Another node of the mesh is not affected by the node.
        if mesh.is_empty() {
            assert_eq!((import.meshes[1].mask, import.meshes[1].user_id), (u32::MAX, 0));
        }
    }
}
