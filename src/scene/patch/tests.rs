use std::collections::BTreeMap;

use glam::Vec3;

use super::*;
use crate::scene::build::tests::{boxes, check_nodes};
use crate::scene::build::{Item, build};
use crate::test_rng::{bits, number};

/// A tree over boxes, and the box of each leaf.
fn tree(boxes: &[Aabb]) -> (Vec<Node>, BTreeMap<usize, Aabb>) {
    let items = boxes.iter().zip(0..).map(|(bounds, number)| Item::new(bounds, number));
    let mut items: Vec<_> = items.collect();
    let nodes = build(&mut items);
    let leaves = items.iter().map(|item| boxes[item.number() as usize]).enumerate().collect();
    (nodes, leaves)
}

fn some_boxes(count: usize, seed: usize) -> Vec<Aabb> {
    boxes(count + seed, |_, state| {
        let at = Vec3::from_array([0; 3].map(|_| 100.0 * number(state)));
        // Some are flat, and many are in one place.
        let at = if bits(state).is_multiple_of(4) { at.round() } else { at };
        (at, Vec3::new(number(state).abs(), 0.0, number(state).abs()))
    })
    .split_off(seed)
}

#[test]
fn a_patched_tree_is_sound_and_has_the_leaves_that_it_was_given() {
    let (count, rounds) = if cfg!(miri) { (40, 3) } else { (2000, 40) };
    let state = &mut 5;
    let (mut nodes, mut leaves) = tree(&some_boxes(count, 0));
    let mut unused = count;
    let same = |found: &[(usize, Aabb)], leaves: &BTreeMap<usize, Aabb>| {
        found.iter().copied().eq(leaves.iter().map(|(&leaf, &bounds)| (leaf, bounds)))
    };
    for round in 0..rounds {
        // One time, all but a few; otherwise a tenth.
        let goes = |state: &mut u64| {
            bits(state).is_multiple_of(10) || (round == 20 && !bits(state).is_multiple_of(50))
        };
        let gone: Vec<usize> = leaves.keys().copied().filter(|_| goes(state)).collect();
        for leaf in &gone {
            leaves.remove(leaf);
        }
        take_out(&mut nodes, |leaf| gone.contains(&(leaf as usize)));
        assert!(same(&check_nodes(&nodes).0, &leaves));

        let new = some_boxes(count / 8, count * (round + 1));
        let free = gone.into_iter().chain(unused..);
        for (leaf, bounds) in free.zip(new) {
            put_in(&mut nodes, leaf as u32, &bounds).unwrap();
            leaves.insert(leaf, bounds);
            unused = unused.max(leaf + 1);
        }
        let (found, visited, depth) = check_nodes(&nodes);
        assert!(same(&found, &leaves));
        assert!(depth <= 9, "{depth}");
        // Not all in nodes of their own.
        assert!(round >= 20 || 3 * visited < found.len(), "{visited} of {}", found.len());
    }
}

#[test]
fn what_is_put_in_makes_the_tree_a_little_worse_only() {
    // The sum of the areas of all nodes, to be compared with a tree built anew.
    let cost = |nodes: &[Node]| -> f64 {
        let inner = nodes.iter().flat_map(|node| node.inner().map(|(lane, _)| node.bounds(lane)));
        inner.map(|bounds| f64::from(bounds.surface_area())).sum()
    };
    let count = if cfg!(miri) { 100 } else { 5000 };
    let (mut nodes, _) = tree(&some_boxes(count, 0));
    let old: Vec<Aabb> = check_nodes(&nodes).0.into_iter().map(|(_, bounds)| bounds).collect();
    let new = some_boxes(count / 8, count);
    take_out(&mut nodes, |leaf| leaf % 8 == 0);
    for (leaf, bounds) in (count as u32..).zip(&new) {
        put_in(&mut nodes, leaf, bounds).unwrap();
    }
    let kept = old.into_iter().enumerate().filter(|(leaf, _)| leaf % 8 != 0);
    let all: Vec<Aabb> = kept.map(|(_, bounds)| bounds).chain(new).collect();
    let worse = cost(&nodes) / cost(&tree(&all).0);
    assert!((0.5..1.1).contains(&worse), "{worse}");
}

#[test]
fn all_may_go_and_others_come() {
    let (mut nodes, _) = tree(&some_boxes(300, 0));
    take_out(&mut nodes, |_| true);
    assert!(nodes.iter().all(|node| *node == Node::EMPTY));
    let new = some_boxes(30, 300);
    for (leaf, bounds) in new.iter().enumerate() {
        put_in(&mut nodes, leaf as u32, bounds).unwrap();
    }
    assert_eq!(check_nodes(&nodes).0, new.into_iter().enumerate().collect::<Vec<_>>());
}

#[test]
fn infinite_boxes_are_put_in_too() {
    let all = Aabb::from_min_max([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
    let half = Aabb::from_min_max([0.0, f32::NEG_INFINITY, 0.0], [f32::INFINITY, 1.0, f32::MAX]);
    let mut every = [vec![all; 20], vec![half; 20], some_boxes(20, 0)].concat();
    let (mut nodes, _) = tree(&every[..1]);
    for (leaf, bounds) in every.iter().enumerate().skip(1) {
        put_in(&mut nodes, leaf as u32, bounds).unwrap();
    }
    assert_eq!(check_nodes(&nodes).0, every.drain(..).enumerate().collect::<Vec<_>>());
}

/// A node of fifteen leaves and of another such node, and so on, this many; the last has sixteen.
fn chain(depth: u32) -> Vec<Node> {
    let bounds = Aabb::from_min_max([0.0; 3], [1.0; 3]);
    let node = |number: u32| {
        let mut node = Node::EMPTY;
        for lane in 0..WIDTH {
            node.set_bounds(lane, &bounds);
            node.child[lane] = LEAF | (number * WIDTH as u32 + lane as u32);
        }
        if number + 1 < depth {
            node.child[0] = number + 1;
        }
        node
    };
    (0..depth).map(node).collect()
}

#[test]
fn no_tree_gets_too_deep() {
    let bounds = Aabb::from_min_max([0.25; 3], [0.5; 3]);
    let leaf = MAX_DEPTH * WIDTH as u32;
    let mut nodes = chain(MAX_DEPTH - 1);
    put_in(&mut nodes, leaf, &bounds).unwrap();
    let (leaves, _, depth) = check_nodes(&nodes);
    assert_eq!((leaves.last(), depth), (Some(&(leaf as usize, bounds)), MAX_DEPTH));
    assert!(put_in(&mut chain(MAX_DEPTH), leaf, &bounds).is_err());
}
