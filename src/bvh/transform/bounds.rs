//! The bound of Lemma 19, searched for inputs that need it.

use glam::Affine3A;

use crate::bvh::{Bvh, LEAF, LeafBlock, MeshRecord, Node, Sections};
use crate::geometry::{Aabb, round_down, round_up};
use crate::test_rng::{climb, number};

/// A tree of one triangle that a plane cut in two parts with these boxes.
fn cut_tree(corners: &[[f32; 3]; 3], parts: &[Aabb; 2]) -> Bvh {
    let mut block = LeafBlock::EMPTY;
    block.set_corners(0, corners);
    block.id[0] = 0;
    let mut root = Node::EMPTY;
    for (lane, part) in parts.iter().enumerate() {
        root.set_bounds(lane, part);
        root.child[lane] = LEAF | lane as u32;
    }
    let mesh = MeshRecord {
        first_triangle: 0,
        triangle_count: 1,
        vertex_count: 3,
        mask: u32::MAX,
        user_id: 0,
        index_hash: 0,
        flags: 0,
        reserved: 0,
    };
    Bvh::new(Sections {
        nodes: vec![root],
        blocks: vec![block; 2],
        meshes: vec![mesh],
        ..Sections::default()
    })
}

/// How far, in parts of the padding, the moved lower part reaches past its moved box if that is not
/// padded. The numbers are the ends of the triangle's long edge, the plane across the first axis
/// that cuts it, and the map's first row; the other coordinates stay.
///
/// `f64` is as good as exact here: its errors are less than a millionth of the padding.
fn excess(numbers: &[f32; 11]) -> Option<f64> {
    let &[ax, ay, az, bx, by, bz, plane, mx, my, mz, shift] = numbers;
    let fits = ax < plane && plane < bx && (1e-3..8.0).contains(&mx);
    if !fits || numbers.iter().any(|x| x.abs() > 8.0) {
        return None;
    }
    let (a, b) = ([ax, ay, az], [bx, by, bz]);
    let part = (f64::from(plane) - f64::from(ax)) / (f64::from(bx) - f64::from(ax));
    let lerp = |a: f64, b: f64| a + part * (b - a);
    let cut = [0, 1, 2].map(|k| lerp(f64::from(a[k]), f64::from(b[k])));

    // The third vertex lies lower on the first axis, and nowhere higher on another.
    let corners = [a, b, [ax - 0.01, ay, az]];
    let (min, max) = (cut.map(round_down).into(), cut.map(round_up).into());
    let [mut low, mut high] = [Aabb { min, max }; 2];
    low.extend_point(corners[0]);
    low.extend_point(corners[2]);
    high.extend_point(corners[1]);
    (low.max.x, high.min.x) = (plane, plane);

    // The root's first box holds all vertices after a move, so the lower part comes second.
    let mut bvh = cut_tree(&corners, &[high, low]);
    let mut map = Affine3A::IDENTITY;
    (map.matrix3.x_axis.x, map.matrix3.y_axis.x, map.matrix3.z_axis.x) = (mx, my, mz);
    map.translation.x = shift;
    bvh.apply_transform(&map).ok()?;

    let view = bvh.view();
    let moved = view.blocks[0].corners(0).map(|corner| f64::from(corner[0]));
    let point = lerp(moved[0], moved[1]);
    let bound = f64::from(view.nodes[0].bounds(1).max.x);
    assert!(point <= bound, "{numbers:?}: {point} is past {bound}");

    let plain = f64::from(low.transformed(&map).max.x);
    let size = |k: usize| f64::from(a[k].abs().max(b[k].abs()));
    let terms = [mx, my, mz].map(|m| f64::from(m.abs()));
    let sum = terms[0] * size(0) + terms[1] * size(1) + terms[2] * size(2);
    Some((point - plain) / (12.0 / (1 << 24) as f64 * (sum + f64::from(shift.abs()))))
}

#[test]
fn boxes_of_cut_triangles_are_padded_by_what_rounding_takes() {
    let state = &mut 5;
    let mut starts = vec![[
        0.031215316,
        -0.7497457,
        0.0055596265,
        1.0188121,
        -0.757554,
        -2.4064636,
        1.0074996,
        1.0090206,
        -7.8680394e-8,
        -2.4768564e-8,
        5.8065762e-8,
    ]];
    // Sums next to a power of two, whose later terms are less than half a unit in their last place.
    starts.extend((0..4).map(|_| {
        let mut number = |size: f32| size * number(state);
        let [a, b] = [0, 1].map(|i| [1.0 + 0.05 * i as f32, number(1.0), number(1.0)]);
        let tiny = [number(1e-7), number(1e-7), number(1e-7)];
        [a[0], a[1], a[2], b[0], b[1], b[2], 1.02, 1.01, tiny[0], tiny[1], tiny[2]]
    }));
    let (ratio, numbers) = climb(&starts, if cfg!(miri) { 2 } else { 2000 }, excess);
    println!("{ratio} of the padding needed by {numbers:?}");
    assert!(cfg!(miri) || ratio > 1.0 / 3.0, "{ratio}");
}
