use glam::{Affine3A, Mat3, Vec3};
use num_rational::BigRational;

use super::*;
use crate::bvh::{Facts, LEAF};
use crate::test_rng::{bits, number};

fn exact(x: f32) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// A root with some boxes, and the boxes.
fn root(state: &mut u64, size: f32) -> (Node, Vec<Aabb>) {
    let mut node = Node::EMPTY;
    let mut boxes = Vec::new();
    for lane in 0..1 + bits(state) as usize % WIDTH {
        let mut corner = || Vec3::from_array([0; 3].map(|_| size * number(state)));
        let bounds = Aabb::from_points([corner(), corner()]);
        node.set_bounds(lane, &bounds);
        node.child[lane] = LEAF;
        boxes.push(bounds);
    }
    (node, boxes)
}

#[test]
fn boxes_of_placed_trees_hold_all_moved_corners_and_are_tight() {
    let state = &mut 1;
    let mut tighter = 0;
    for i in 0..if cfg!(miri) { 5 } else { 3000 } {
        let size = [1.0, 1e-20, 1e15, 1e-38, 3e37][i % 5];
        let (node, boxes) = root(state, size);
        let column = |state: &mut u64| Vec3::from_array([0; 3].map(|_| number(state)));
        let mut linear = Mat3::from_cols(column(state), column(state), column(state));
        if i % 3 == 0 {
            // Turned about an axis, or only scaled: rows with a single element.
            let turn = Mat3::from_rotation_y([0.0, number(state)][i / 3 % 2]);
            linear = Mat3::from_diagonal(column(state)) * turn;
        }
        let map = Affine3A::from_mat3_translation(linear, size * column(state));
        let Ok(transform) = InstanceTransform::new(&map) else { continue };
        let nodes = &[node];
        let tree = TreeView { nodes, facts: Facts::new(nodes, &[]), ..TreeView::EMPTY };
        let bounds = placed_bounds(&tree, &transform);
        for corner in boxes.iter().flat_map(Aabb::corners) {
            let moved = transform.point_to_world(corner);
            assert!(!moved.is_finite() || bounds.contains(moved), "{map:?} {boxes:?}");
        }
        let m = map.to_cols_array().map(exact);
        for k in 0..3 {
            let corners = boxes.iter().flat_map(Aabb::corners).map(|corner| {
                let p = corner.to_array().map(exact);
                &m[k] * &p[0] + &m[3 + k] * &p[1] + &m[6 + k] * &p[2] + &m[9 + k]
            });
            let corners: Vec<_> = corners.collect();
            let (min, max) = (exact(bounds.min[k]), exact(bounds.max[k]));
            let low = corners.iter().min().unwrap();
            let high = corners.iter().max().unwrap();
            assert!(&min <= low && high <= &max, "{map:?} {boxes:?}");
        }
        let whole = transform.bounds_to_world(&tree.facts.bounds());
        let (tight, loose) = (bounds.size(), whole.size());
        assert!(tight.max_element() <= 1.0001 * loose.max_element() + 4.0 * f32::MIN_POSITIVE);
        tighter += usize::from(tight.max_element() < 0.9 * loose.max_element());
    }
    assert!(cfg!(miri) || tighter > 300, "{tighter}");
}

#[test]
fn a_tree_without_triangles_has_an_empty_box() {
    let transform = InstanceTransform::new(&Affine3A::IDENTITY).unwrap();
    assert!(placed_bounds(&TreeView::EMPTY, &transform).is_empty());
}
