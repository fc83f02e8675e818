use glam::Vec3;

use super::*;
use crate::bvh::MAX_DEPTH;
use crate::test_rng::{bits, number};

/// Checks that a tree is sound: each box is the box of the subtree below it, and children lie after
/// their parents. Its leaves with their boxes, in order, and how many nodes there are on how many
/// levels.
pub(in crate::scene) fn check_nodes(nodes: &[Node]) -> (Vec<(usize, Aabb)>, usize, u32) {
    let (mut leaves, mut visited, mut deepest) = (Vec::new(), 0, 0);
    let mut stack = if nodes.is_empty() { vec![] } else { vec![(0, 1, None)] };
    while let Some((number, depth, bounds)) = stack.pop() {
        visited += 1;
        deepest = deepest.max(depth);
        let node: &Node = &nodes[number];
        assert!(node.len() > 0);
        assert!(bounds.is_none_or(|bounds| bounds == node.whole()));
        for lane in 0..node.len() {
            if let Some(leaf) = node.leaf(lane) {
                leaves.push((leaf, node.bounds(lane)));
            } else {
                let child = node.child[lane] as usize;
                assert!(child > number);
                stack.push((child, depth + 1, Some(node.bounds(lane))));
            }
        }
        assert!(node.child[node.len()..].iter().all(|&child| child == 0));
    }
    assert!(deepest <= MAX_DEPTH);
    leaves.sort_unstable_by_key(|&(leaf, _)| leaf);
    (leaves, visited, deepest)
}

/// Builds over boxes and checks the tree: each item is a leaf once, with its box. The depth.
fn check(boxes: &[Aabb]) -> u32 {
    let mut items: Vec<Item> =
        boxes.iter().zip(0..).map(|(bounds, number)| Item::new(bounds, number)).collect();
    let nodes = build(&mut items);
    let (leaves, visited, depth) = check_nodes(&nodes);
    assert_eq!(visited, nodes.len());
    assert_eq!(leaves.len(), boxes.len());
    let mut seen = vec![false; boxes.len()];
    for (item, (leaf, (number, bounds))) in items.iter().zip(leaves.iter().enumerate()) {
        let item = item.number() as usize;
        assert_eq!((*number, *bounds), (leaf, boxes[item]));
        assert!(!std::mem::replace(&mut seen[item], true));
    }
    depth
}

pub(in crate::scene) fn boxes(
    count: usize,
    of: impl Fn(usize, &mut u64) -> (Vec3, Vec3),
) -> Vec<Aabb> {
    let state = &mut 1;
    (0..count)
        .map(|i| {
            let (at, size) = of(i, state);
            Aabb::from_min_max(at, at + size)
        })
        .collect()
}

fn point(state: &mut u64) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| number(state)))
}

#[test]
fn trees_over_any_boxes_are_sound_and_flat() {
    let counts = if cfg!(miri) { &[0, 1, 17, 40][..] } else { &[0, 1, 2, 15, 16, 17, 40, 5000] };
    for &count in counts {
        let spread = boxes(count, |_, state| (100.0 * point(state), point(state).abs()));
        assert!(check(&spread) <= 6, "{count}");
        // All alike, in one place.
        let alike = boxes(count, |_, _| (Vec3::ONE, Vec3::ONE));
        assert!(check(&alike) <= 6, "{count}");
        // Larger and larger, to the end of what there is.
        let powers = boxes(count, |i, _| {
            let size = 2f32.powf(-140.0 + 267.0 * i as f32 / count as f32);
            (Vec3::splat(-size), Vec3::splat(2.0 * size))
        });
        check(&powers);
        let on_a_line = boxes(count, |i, state| {
            let exponent = (bits(state) % 270) as i32 - 145;
            (Vec3::new(2f32.powi(exponent), 0.0, i as f32), Vec3::ZERO)
        });
        check(&on_a_line);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn large_trees_are_sound_and_the_same_on_any_number_of_threads() {
    let many = boxes(5 * SERIAL_LIMIT, |_, state| (1000.0 * point(state), point(state).abs()));
    check(&many);
    #[cfg(feature = "parallel")]
    {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let items = many.iter().zip(0..).map(|(bounds, number)| Item::new(bounds, number));
            let mut items: Vec<_> = items.collect();
            let nodes = pool.install(|| build(&mut items));
            let order: Vec<_> = items.iter().map(Item::number).collect();
            (nodes, order)
        };
        assert!(on(1) == on(3));
    }
}

#[test]
fn infinite_boxes_make_a_sound_tree() {
    let all = Aabb::from_min_max([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
    let half = Aabb::from_min_max([0.0, f32::NEG_INFINITY, 0.0], [f32::INFINITY, 1.0, f32::MAX]);
    check(&[[all; 30], [half; 30]].concat());
}
