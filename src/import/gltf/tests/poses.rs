//! Skins and morph targets: the default pose.

use super::builder::{File, placed};
use super::fails;
use crate::geometry::is_mirroring;
use crate::import::{Import, ImportError, ImportErrorKind};

/// Sixteen numbers of a matrix that scales by `s` and moves by `x` along x.
fn matrix(s: f64, x: f64) -> [f64; 16] {
    [s, 0., 0., 0., 0., s, 0., 0., 0., 0., s, 0., x, 0., 0., 1.]
}

/// A skinned triangle with these accessors of joints and weights.
fn mesh(positions: usize, sets: &[(usize, usize)]) -> String {
    let sets: String = sets
        .iter()
        .enumerate()
        .map(|(set, (j, w))| format!(r#","JOINTS_{set}":{j},"WEIGHTS_{set}":{w}"#))
        .collect();
    format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}{sets}}}}}]}}]"#)
}

const FIRST_JOINT: [f64; 12] = [0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.];
const FULL_WEIGHT: [f64; 12] = [1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.];

/// One triangle that follows the joint of node 2, which is below node 1.
fn one_joint(nodes: &str, skin: &str, inverse_bind: Option<[f64; 16]>) -> Import {
    let mut file = File::default();
    let positions = file.triangle();
    let joints = file.add(5121, "VEC4", &FIRST_JOINT);
    let weights = file.floats("VEC4", &FULL_WEIGHT);
    let mut skin = skin.to_owned();
    if let Some(matrix) = inverse_bind {
        let matrices = file.floats("MAT4", &matrix);
        skin += &format!(r#","inverseBindMatrices":{matrices}"#);
    }
    let mesh = mesh(positions, &[(joints, weights)]);
    file.import(&format!(r#"{mesh},"nodes":[{nodes}],"skins":[{{{skin}}}]"#)).unwrap()
}

#[test]
fn joints_place_a_skinned_mesh_and_its_node_does_not() {
    let node = r#"{"mesh":0,"skin":0,"translation":[7,7,7]}"#;
    for (parent, inverse_bind, expected) in [
        // An armature that is scaled by 0.01, as from a program that counts in centimetres.
        (r#""scale":[0.01,0.01,0.01]"#, None, [[0., 0., 0.], [0.01, 0., 0.], [0., 0.01, 0.]]),
        (r#""translation":[50,0,0]"#, None, [[50., 0., 0.], [51., 0., 0.], [50., 1., 0.]]),
        // The inverse bind matrix comes before the joint.
        (
            r#""translation":[50,0,0]"#,
            Some(matrix(2.0, -50.0)),
            [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.]],
        ),
        (
            r#""scale":[0.5,0.5,0.5],"translation":[0,3,0]"#,
            Some(matrix(4.0, 1.0)),
            [[0.5, 3., 0.], [2.5, 3., 0.], [0.5, 5., 0.]],
        ),
        // A quarter turn about z.
        (r#""rotation":[0,0,1,1]"#, None, [[0., 0., 0.], [0., 1., 0.], [-1., 0., 0.]]),
    ] {
        let nodes = format!(r#"{node},{{"children":[2],{parent}}},{{}}"#);
        let import = one_joint(&nodes, r#""joints":[2]"#, inverse_bind);
        assert_eq!(placed(&import, 0), expected, "{parent}");
        assert_eq!(import.warnings, [""; 0]);
    }
}

#[test]
fn joints_outside_the_scene_are_placed_by_their_parents() {
    let import = one_joint(
        r#"{"mesh":0,"skin":0},{"children":[2],"translation":[5,0,0]},{"scale":[2,2,2]}"#,
        r#""joints":[2]}],"scene":0,"scenes":[{"nodes":[0]"#,
        None,
    );
    assert_eq!(placed(&import, 0), [[5., 0., 0.], [7., 0., 0.], [5., 2., 0.]]);
}

/// A triangle and two joints, at x = 10 and x = 20, with these joints and weights.
fn two_joints(
    joints: (u32, &[&[f64]]),
    weights: (u32, &str, &[&[f64]]),
) -> Result<Import, ImportError> {
    let mut file = File::default();
    let positions = file.triangle();
    let sets: Vec<_> = (joints.1.iter().zip(weights.2))
        .map(|(j, w)| (file.add(joints.0, "VEC4", j), file.add(weights.0, weights.1, w)))
        .collect();
    let mesh = mesh(positions, &sets);
    file.import(&format!(
        r#"{mesh},"skins":[{{"joints":[1,2]}}],"nodes":[{{"mesh":0,"skin":0}},
        {{"translation":[10,0,0]}},{{"translation":[20,0,0]}}]"#
    ))
}

#[test]
fn weights_are_blended_and_normalised() {
    let both = [0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0.];
    let expected = [[10., 0., 0.], [21., 0., 0.], [15., 1., 0.]];
    for (component, shape, scale) in [
        (5126, "VEC4", 1.0),
        // The sums are not one.
        (5126, "VEC4", 0.25),
        (5126, "VEC4", 3.0),
        (5121, "VEC4 normalized", 254.0),
        (5123, "VEC4 normalized", 65534.0),
        (5121, "VEC4", 2.0),
    ] {
        let weights = [1., 0., 0., 0., 0., 1., 0., 0., 0.5, 0.5, 0., 0.].map(|w| w * scale);
        for joints in [5121, 5123, 5125] {
            let import = two_joints((joints, &[&both]), (component, shape, &[&weights])).unwrap();
            assert_eq!(placed(&import, 0), expected, "{component} {joints} {scale}");
        }
    }
}

#[test]
fn several_sets_of_joints_are_added_up() {
    let quarter = [0.25; 12];
    let one = [1.; 12];
    // Four quarters of the first joint, and four of the second.
    let import =
        two_joints((5121, &[&FIRST_JOINT, &one]), (5126, "VEC4", &[&quarter, &quarter])).unwrap();
    assert_eq!(placed(&import, 0), [[15., 0., 0.], [16., 0., 0.], [15., 1., 0.]]);
    let three = two_joints(
        (5121, &[&FIRST_JOINT, &one, &one]),
        (5126, "VEC4", &[&quarter, &quarter, &[0.5; 12]]),
    );
    assert_eq!(placed(&three.unwrap(), 0)[0], [17.5, 0., 0.]);
}

#[test]
fn vertices_without_usable_weights_are_placed_and_told() {
    let none = two_joints((5121, &[&[1.; 12]]), (5126, "VEC4", &[&[0.; 12]])).unwrap();
    assert_eq!(placed(&none, 0), [[20., 0., 0.], [21., 0., 0.], [20., 1., 0.]]);
    assert_eq!(
        none.warnings,
        ["a.glb: meshes[0].primitives[0]: 3 vertices without weights follow their first joint"]
    );
    let mut joints = [0.0; 12];
    (joints[1], joints[5]) = (9.0, 9.0);
    let mut weights = FULL_WEIGHT;
    weights[1] = 1.0;
    // The second vertex has the wrong joint too, but without a weight.
    let wrong = two_joints((5121, &[&joints]), (5126, "VEC4", &[&weights])).unwrap();
    assert_eq!(placed(&wrong, 0), [[10., 0., 0.], [11., 0., 0.], [10., 1., 0.]]);
    assert_eq!(
        wrong.warnings,
        ["a.glb: meshes[0].primitives[0]: 1 joint numbers are ignored: the skin has 2 joints"]
    );
}

#[test]
fn quantised_vertices_are_skinned() {
    let mut file = File::default();
    let positions =
        file.add(5122, "VEC3 normalized", &[0., 0., 0., 32767., 0., 0., 0., -32768., 0.]);
    let joints = file.add(5123, "VEC4", &FIRST_JOINT);
    let weights = file.add(5121, "VEC4 normalized", &FULL_WEIGHT.map(|w| w * 255.0));
    // Quantisation is undone by the inverse bind matrix.
    let matrices = file.floats("MAT4", &matrix(8.0, 4.0));
    let mesh = mesh(positions, &[(joints, weights)]);
    let import = file.import(&format!(
        r#"{mesh},"skins":[{{"joints":[1],"inverseBindMatrices":{matrices}}}],
        "extensionsRequired":["KHR_mesh_quantization"],
        "nodes":[{{"mesh":0,"skin":0,"scale":[9,9,9]}},{{"translation":[0,1,0]}}]"#
    ));
    let import = import.unwrap();
    assert_eq!(placed(&import, 0), [[4., 1., 0.], [12., 1., 0.], [4., -7., 0.]]);
    assert_eq!(import.warnings, [""; 0]);
}

#[test]
fn nodes_of_one_mesh_may_have_different_skins_or_none() {
    let mut file = File::default();
    let positions = file.triangle();
    let joints = file.add(5121, "VEC4", &FIRST_JOINT);
    let weights = file.floats("VEC4", &FULL_WEIGHT);
    let mesh = mesh(positions, &[(joints, weights)]);
    let import = file
        .import(&format!(
            r#"{mesh},"skins":[{{"joints":[4]}},{{"joints":[5]}}],"nodes":[
            {{"mesh":0,"skin":1}},{{"mesh":0,"translation":[1,0,0]}},{{"mesh":0,"skin":0}},
            {{"mesh":0,"skin":1}},{{"translation":[10,0,0]}},{{"translation":[20,0,0]}}]"#
        ))
        .unwrap();
    let starts: Vec<f32> = (0..4).map(|i| placed(&import, i)[0][0]).collect();
    assert_eq!(starts, [20., 1., 10., 20.]);
}

#[test]
fn a_mirroring_node_turns_the_fronts_of_a_skinned_mesh() {
    for (scale, mirrors) in [("[-1,1,1]", true), ("[1,1,1]", false)] {
        let nodes = format!(r#"{{"mesh":0,"skin":0,"scale":{scale}}},{{"children":[2]}},{{}}"#);
        let import = one_joint(&nodes, r#""joints":[2]"#, None);
        assert_eq!(placed(&import, 0), [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]);
        assert_eq!(is_mirroring(&import.meshes[0].transform), mirrors);
    }
}

#[test]
fn a_primitive_without_joints_is_placed_by_its_node() {
    let mut file = File::default();
    let positions = file.triangle();
    let import = file
        .import(&format!(
            r#"{},"skins":[{{"joints":[1]}}],
            "nodes":[{{"mesh":0,"skin":0,"translation":[3,0,0]}},{{"translation":[50,0,0]}}]"#,
            mesh(positions, &[])
        ))
        .unwrap();
    assert_eq!(placed(&import, 0)[0], [3., 0., 0.]);
    assert_eq!(
        import.warnings,
        ["a.glb: meshes[0].primitives[0].attributes: no JOINTS_0 or no WEIGHTS_0, \
          so the node places it, not the skin"]
    );
}

#[test]
fn errors_in_skins_name_the_place() {
    use ImportErrorKind::*;
    let mut file = File::default();
    let positions = file.triangle();
    let joints = file.add(5121, "VEC4", &FIRST_JOINT);
    let few = file.floats("VEC4", &FULL_WEIGHT[..8]);
    let weights = file.floats("VEC4", &FULL_WEIGHT);
    let matrices = file.floats("MAT4", &matrix(1.0, 0.0));
    let good = (joints, weights);
    for (sets, skin, kind, message) in [
        (good, "{}", Invalid, "skins[0].joints: missing"),
        (good, r#"{"joints":[9]}"#, OutOfRange, "skins[0].joints[0]: 9, but the file has 4 nodes"),
        (good, r#"{"joints":[2]}"#, Invalid, "nodes[2]: the node is part of a cycle, or below one"),
        (
            good,
            &format!(r#"{{"joints":[1,1],"inverseBindMatrices":{matrices}}}"#),
            Invalid,
            "accessors[4].count: 1 elements for 2 joints",
        ),
        (
            good,
            &format!(r#"{{"joints":[1],"inverseBindMatrices":{weights}}}"#),
            Invalid,
            "accessors[3].type: matrices must be MAT4, not VEC4",
        ),
        (
            (joints, few),
            r#"{"joints":[1]}"#,
            Invalid,
            "accessors[2].count: 2 elements for 3 vertices",
        ),
        (
            (weights, weights),
            r#"{"joints":[1]}"#,
            Invalid,
            "accessors[3].componentType: joints cannot be of this type",
        ),
    ] {
        let mesh = mesh(positions, &[sets]);
        let import = file.import(&format!(
            r#"{mesh},"skins":[{skin}],"scene":0,"scenes":[{{"nodes":[0]}}],
            "nodes":[{{"mesh":0,"skin":0}},{{}},{{"children":[3]}},{{"children":[2]}}]"#
        ));
        assert_eq!(fails(import), (kind, format!("a.glb: {message}")));
    }
}

/// A triangle with two morph targets: the first moves all by x, the second the last by z.
fn morphed(mesh_weights: &str, node: &str) -> Result<Import, ImportError> {
    let mut file = File::default();
    let positions = file.triangle();
    let first = file.add(5120, "VEC3 normalized", &[127., 0., 0., 127., 0., 0., 127., 0., 0.]);
    let (places, values) = (file.view(5121, &[2.]), file.view(5126, &[0., 0., 4.]));
    let second = file.accessor(&format!(
        r#""componentType":5126,"count":3,"type":"VEC3","sparse":{{"count":1,
        "indices":{{"bufferView":{places},"componentType":5121}},
        "values":{{"bufferView":{values}}}}}"#
    ));
    let joints = file.add(5121, "VEC4", &FIRST_JOINT);
    let weights = file.floats("VEC4", &FULL_WEIGHT);
    file.import(&format!(
        r#""meshes":[{{{mesh_weights}"primitives":[{{"attributes":{{"POSITION":{positions},
        "JOINTS_0":{joints},"WEIGHTS_0":{weights}}},"targets":[{{"POSITION":{first}}},{{}},
        {{"POSITION":{second}}}]}}]}}],"skins":[{{"joints":[1]}}],
        "nodes":[{{"mesh":0{node}}},{{"scale":[10,10,10]}}]"#
    ))
}

#[test]
fn morph_targets_are_added_by_their_weights() {
    let stored = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]];
    for (mesh, node, expected) in [
        ("", "", stored),
        (r#""weights":[0,1,0],"#, "", stored),
        (r#""weights":[2,0,0.5],"#, "", [[2., 0., 0.], [3., 0., 0.], [2., 1., 2.]]),
        // The node's weights replace the mesh's.
        (
            r#""weights":[2,0,0.5],"#,
            r#","weights":[0,0,-1]"#,
            [stored[0], stored[1], [0., 1., -4.]],
        ),
        (r#""weights":[2,0,0.5],"#, r#","weights":[0,0,0]"#, stored),
        ("", r#","weights":[0.5]"#, [[0.5, 0., 0.], [1.5, 0., 0.], [0.5, 1., 0.]]),
        ("", r#","weights":[0,0,0,7]"#, stored),
        // Targets come before the skin, which scales by ten.
        (r#""weights":[1,0,1],"#, r#","skin":0"#, [[10., 0., 0.], [20., 0., 0.], [10., 10., 40.]]),
    ] {
        let import = morphed(mesh, node).unwrap();
        assert_eq!(placed(&import, 0), expected, "{mesh} {node}");
        assert_eq!(import.warnings, [""; 0]);
    }
}

#[test]
fn quantised_positions_and_targets_are_added_in_full_precision() {
    let mut file = File::default();
    let positions = file.add(5121, "VEC3", &[0., 0., 0., 200., 0., 0., 0., 100., 0.]);
    let target = file.add(5122, "VEC3", &[0., 0., -300., 0., 0., -300., 0., 0., -300.]);
    let import = file
        .import(&format!(
            r#""meshes":[{{"weights":[0.1],"primitives":[{{"attributes":{{"POSITION":{positions}}},
            "targets":[{{"POSITION":{target}}}]}}]}}],
            "nodes":[{{"mesh":0,"scale":[0.5,0.5,0.5]}}]"#
        ))
        .unwrap();
    assert_eq!(placed(&import, 0), [[0., 0., -15.], [100., 0., -15.], [0., 50., -15.]]);
    // The sum is rounded once: in steps of f32 it would be 16777216.
    let mut file = File::default();
    let positions = file.floats("VEC3", &[16777216., 0., 0., 0., 1., 0., 0., 0., 1.]);
    let target = file.floats("VEC3", &[1., 0., 0., 0., 0., 0., 0., 0., 0.]);
    let import = file
        .import(&format!(
            r#""meshes":[{{"weights":[1,1],"primitives":[{{"attributes":{{"POSITION":{positions}}},
            "targets":[{{"POSITION":{target}}},{{"POSITION":{target}}}]}}]}}],
            "nodes":[{{"mesh":0}}]"#
        ))
        .unwrap();
    assert_eq!(placed(&import, 0)[0], [16777218., 0., 0.]);
}

#[test]
fn nodes_of_one_mesh_may_have_different_weights() {
    let mut file = File::default();
    let positions = file.triangle();
    let nodes = r#"{"mesh":0},{"mesh":0,"weights":[3]},{"mesh":0},{"mesh":0,"weights":[0]}"#;
    let import = file
        .import(&format!(
            r#""meshes":[{{"weights":[1],"primitives":[{{"attributes":{{"POSITION":{positions}}},
            "targets":[{{"POSITION":{positions}}}]}}]}}],"nodes":[{nodes}]"#
        ))
        .unwrap();
    let widths: Vec<f32> = (0..4).map(|i| placed(&import, i)[1][0]).collect();
    assert_eq!(widths, [2., 4., 2., 1.]);
}

#[test]
fn a_target_of_too_few_vertices_is_an_error() {
    let mut file = File::default();
    let positions = file.triangle();
    let target = file.floats("VEC3", &[0.; 6]);
    let import = file.import(&format!(
        r#""meshes":[{{"weights":[1],"primitives":[{{"attributes":{{"POSITION":{positions}}},
        "targets":[{{"POSITION":{target}}}]}}]}}],"nodes":[{{"mesh":0}}]"#
    ));
    let message = "a.glb: accessors[1].count: 2 elements for 3 vertices";
    assert_eq!(fails(import), (ImportErrorKind::Invalid, message.into()));
}
