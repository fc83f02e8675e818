//! Each invariant broken by itself: refused, and by its name.

use super::*;
use crate::bvh::MAX_DEPTH;
use crate::error::LoadErrorKind;
use crate::file::check::PIECE_BLOCKS;

#[track_caller]
fn refused(invariant: &str, bytes: &[u8]) {
    for error in [Bvh::from_bytes(bytes), Bvh::read_from(bytes)] {
        let error = error.expect_err(invariant);
        assert_eq!(error.kind(), LoadErrorKind::Invalid, "{invariant}: {error}");
        let name = format!("(invariant {invariant}): ");
        assert!(error.to_string().contains(&name), "{invariant}: {error}");
    }
}

#[test]
fn of_header_and_padding() {
    for (invariant, at) in [
        ("I1", 32),
        ("I1", 36),
        ("I2", 64),
        ("I2", 68),
        ("I2", 72),
        ("I2", 80),
        ("I2", 40),
        ("I3", 64 + 28),
        ("I3", 104 + 28),
        ("I3", 264 + 29),
        ("I5", 304),
        ("I5", 319),
    ] {
        let mut bytes = tree(2).to_bytes();
        bytes[at] ^= 1;
        repair(&mut bytes);
        refused(invariant, &bytes);
    }
    let mut bytes = tree(2).to_bytes();
    let last = bytes.len() - 1;
    assert_eq!(bytes[last], 0);
    bytes[last] = 1;
    refused("I5", &bytes);
    let mut bytes = tree(2).to_bytes();
    bytes[48] ^= 1;
    repair(&mut bytes);
    refused("I6", &bytes);
}

#[test]
fn of_metadata() {
    let refused = |invariant: &str, change: &dyn Fn(&mut Metadata)| {
        let mut tree = tree(2);
        let mut metadata = tree.tree().metadata();
        change(&mut metadata);
        tree.metadata = metadata.encode().expect("small");
        refused(invariant, &tree.to_bytes());
    };
    refused("I6", &|metadata| metadata.mesh_names.push(String::new()));
    refused("I7", &|metadata| metadata.summary.triangles_in += 1);
    refused("I7", &|metadata| metadata.summary.triangles_kept += 1);
    refused("I7", &|metadata| metadata.summary.nodes += 1);
    refused("I7", &|metadata| metadata.summary.leaves += 1);
    refused("I7", &|metadata| metadata.summary.depth += 1);
    refused("I7", &|metadata| metadata.summary.tree_bytes += 1);

    let mut tree = tree(2);
    tree.metadata.push(0);
    super::invariants::refused("I6", &tree.to_bytes());
    tree.metadata.pop();
    // Not UTF-8.
    tree.metadata[8] = 0xff;
    super::invariants::refused("I6", &tree.to_bytes());
    tree.metadata.clear();
    super::invariants::refused("I6", &tree.to_bytes());
}

#[test]
fn of_meshes() {
    let refused = |invariant: &str, change: &dyn Fn(&mut Sections)| {
        let mut tree = tree(4);
        change(&mut tree);
        describe(&mut tree, 1);
        refused(invariant, &tree.to_bytes());
    };
    refused("I8", &|tree| tree.meshes[0].first_triangle = 1);
    refused("I8", &|tree| tree.meshes[1].first_triangle -= 1);
    refused("I8", &|tree| tree.meshes[1].triangle_count = u32::MAX);
    refused("I8", &|tree| {
        let first = tree.meshes[1].first_triangle;
        tree.meshes[1].triangle_count = u32::MAX - first;
    });
    refused("I9", &|tree| tree.meshes[1].flags |= 4);
    refused("I9", &|tree| tree.meshes[0].reserved = 1);
    refused("I10", &|tree| tree.materials.truncate(1));
    refused("I10", &|tree| tree.materials.clear());
    refused("I10", &|tree| tree.meshes[1].flags = 0);
}

#[test]
fn of_nodes() {
    // Two levels: a root with two children of sixteen and four leaf blocks.
    let refused = |invariant: &str, change: &dyn Fn(&mut Sections)| {
        let mut tree = tree(20);
        change(&mut tree);
        describe(&mut tree, 2);
        refused(invariant, &tree.to_bytes());
    };
    let blank = |node: &mut Node, lane: usize| {
        for axis in 0..3 {
            node.min[axis][lane] = f32::INFINITY;
            node.max[axis][lane] = f32::NEG_INFINITY;
        }
        node.child[lane] = 0;
    };
    refused("I11", &|tree| tree.nodes[2] = BLANK_NODE);
    refused("I11", &|tree| blank(&mut tree.nodes[1], 3));
    refused("I11", &|tree| tree.nodes[0].min[0][2] = f32::NEG_INFINITY);
    refused("I11", &|tree| tree.nodes[0].max[2][15] = f32::NAN);
    refused("I11", &|tree| tree.nodes[0].child[7] = 1);
    refused("I11", &|tree| tree.nodes[0].child[15] = LEAF);
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        refused("I12", &|tree| tree.nodes[0].min[1][0] = value);
        refused("I12", &|tree| tree.nodes[0].max[2][1] = value);
        refused("I12", &|tree| tree.nodes[1].max[0][15] = value);
    }
    refused("I12", &|tree| {
        let node = &mut tree.nodes[0];
        std::mem::swap(&mut node.min[0][0], &mut node.max[0][0]);
    });
    refused("I12", &|tree| {
        let max = tree.nodes[0].max[1][0];
        tree.nodes[1].max[1][4] = max.next_up();
    });
    refused("I12", &|tree| {
        let min = tree.nodes[0].min[2][1];
        tree.nodes[2].min[2][3] = min.next_down();
    });
    // Boxes of the root's lanes may be any that are finite.
    let mut wide = tree(20);
    wide.nodes[0].min[0][0] = f32::MIN;
    wide.nodes[0].max[0][0] = f32::MAX;
    wide.tree().validate().expect("sound");

    refused("I11", &|tree| tree.nodes[0].child.swap(0, 2));
    refused("I13", &|tree| tree.nodes[0].child[1] = 1);
    refused("I13", &|tree| tree.nodes[0].child[1] = 3);
    refused("I13", &|tree| tree.nodes[2].child[3] = 1);
    refused("I13", &|tree| tree.nodes[2].child[3] = 2);
    refused("I13", &|tree| tree.nodes[2].child[3] = LEAF | 20);
    refused("I13", &|tree| tree.nodes[2].child[3] = LEAF | 18);
    refused("I13", &|tree| tree.nodes[2].child[3] = u32::MAX);
    refused("I13", &|tree| tree.blocks.push(BLANK_BLOCK));
    refused("I13", &|tree| tree.nodes.push(BLANK_NODE));
    refused("I13", &|tree| blank(&mut tree.nodes[2], 3));
    refused("I18", &|tree| tree.nodes.clear());
}

#[test]
fn of_depth() {
    // A chain: each node has the next one, the last the leaf block.
    for depth in [1, 2, MAX_DEPTH, MAX_DEPTH + 1] {
        let mut tree = tree(1);
        let last = tree.nodes[0];
        tree.nodes = vec![last; depth as usize];
        for (index, node) in tree.nodes.iter_mut().enumerate().take(depth as usize - 1) {
            node.child[0] = index as u32 + 1;
        }
        describe(&mut tree, depth);
        if depth > MAX_DEPTH {
            refused("I14", &tree.to_bytes());
        } else {
            tree.tree().validate().expect("sound");
        }
    }
}

#[test]
fn of_leaf_blocks() {
    let mut chosen = tree(4);
    // A block that is neither full nor of one triangle.
    let number = chosen.blocks.iter().position(|block| {
        (2..LANES).contains(&block.id.iter().filter(|&&id| id != UNUSED_ID).count())
    });
    let number = number.expect("such a block");
    let used = chosen.blocks[number].id.iter().filter(|&&id| id != UNUSED_ID).count();
    describe(&mut chosen, 1);
    let refused = |invariant: &str, change: &dyn Fn(&mut LeafBlock)| {
        let mut tree = chosen.clone();
        change(&mut tree.blocks[number]);
        describe(&mut tree, 1);
        refused(invariant, &tree.to_bytes());
    };
    refused("I15", &|block| *block = BLANK_BLOCK);
    refused("I15", &|block| block.id[used - 2] = UNUSED_ID);
    refused("I15", &|block| block.id[LANES - 1] = 1);
    refused("I15", &|block| block.vertex[0][0][used] = 0.0);
    refused("I15", &|block| block.vertex[2][2][LANES - 1] = f32::from_bits(0x7fc0_0001));
    refused("I15", &|block| block.vertex[1][1][LANES - 1] = f32::from_bits(0xffc0_0000));
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1000.0] {
        refused("I16", &|block| block.vertex[0][0][0] = value);
        refused("I16", &|block| block.vertex[2][2][used - 1] = value);
    }
    let total = chosen.materials.len() as u32;
    refused("I17", &|block| block.id[0] = total);
    refused("I17", &|block| block.id[used - 1] = total);
    refused("I17", &|block| block.id[0] = UNUSED_ID - 1);
    refused("I17", &|block| block.id[0] = block.id[1]);
    // Twice, though it is the same triangle.
    refused("I17", &|block| {
        block.set_corners(0, &block.corners(1));
        block.id[0] = block.id[1];
    });
}

/// Trees in memory, which are sound unless they come from an unchecked way in.
#[test]
fn errors_say_what_is_wrong_and_where() {
    let says = |blocks: usize, words: &str, change: &dyn Fn(&mut Sections)| {
        let mut tree = tree(blocks);
        change(&mut tree);
        let error = tree.tree().validate().expect_err(words).to_string();
        assert!(error.contains(words), "{error}, expected {words}");
    };
    let nodes = |words: &str, change: &dyn Fn(&mut [Node])| {
        says(20, words, &|tree| change(&mut tree.nodes));
    };
    let unused = "node 0, lane 9, child 0x0: y is 0.0 to -inf, expected an unused lane";
    nodes(unused, &|nodes| nodes[0].min[1][9] = 0.0);
    let unused = "node 0, lane 9, child 0x0: z is inf to 0.0, expected an unused lane";
    nodes(unused, &|nodes| nodes[0].max[2][9] = 0.0);
    for value in [f32::NAN, f32::INFINITY] {
        let words = format!("to {value:?}, expected finite numbers in order");
        nodes(&words, &|nodes| nodes[1].max[0][3] = value);
        let words = format!("node 1, lane 3, child 0x80000003: y is {value:?} to ");
        nodes(&words, &|nodes| nodes[1].min[1][3] = value);
    }
    nodes("y is 1.0 to -1.0, expected finite numbers in order", &|nodes| {
        (nodes[2].min[1][2], nodes[2].max[1][2]) = (1.0, -1.0);
    });
    nodes("to 1000.0, expected within its parent's ", &|nodes| nodes[2].max[1][3] = 1000.0);
    nodes("x is -1000.0 to ", &|nodes| nodes[2].min[0][3] = -1000.0);
    nodes("node 2 has no children", &|nodes| nodes[2] = BLANK_NODE);
    for (node, lane, child, words) in [
        (2, 3, LEAF | 20, "node 2, lane 3: child is leaf block 20, but there are 20 only"),
        (2, 3, LEAF | 18, "leaf block 18, but something else refers to it too"),
        (2, 3, LEAF | 2, "leaf block 2, but something else refers to it too"),
        (2, 3, 3, "node 2, lane 3: child is node 3, but there are 3 only"),
        (2, 3, 2, "child is node 2, but a child lies behind its parent"),
        (2, 3, 1, "child is node 1, but a child lies behind its parent"),
        (0, 1, 1, "node 0, lane 1: child is node 1, but something else refers to it too"),
    ] {
        nodes(words, &|nodes| nodes[node].child[lane] = child);
    }
    says(20, "leaf block 20: no node refers to it", &|tree| tree.blocks.push(BLANK_BLOCK));
    says(20, "node 3: no node before it refers to it", &|tree| tree.nodes.push(BLANK_NODE));
    says(20, "metadata: depth is 3, the tree says 2", &|tree| describe(tree, 3));

    let sound = tree(4);
    let used = |block: &LeafBlock| block.id.iter().filter(|&&id| id != UNUSED_ID).count();
    let number = sound.blocks.iter().position(|block| (2..LANES).contains(&used(block)));
    let number = number.expect("such a block");
    let (block, used) = (&sound.blocks[number], used(&sound.blocks[number]));
    let total = sound.materials.len() as u32;
    let block_says = |words: &str, change: &dyn Fn(&mut LeafBlock)| {
        says(4, words, &|tree| change(&mut tree.blocks[number]));
    };
    let place = |lane: usize| format!("leaf block {number}, lane {lane}");
    let words = format!("{}: triangle {total} of {total} is not there", place(used - 1));
    block_says(&words, &|block| block.id[used - 1] = total);
    let (one, other) = (block.id[0], block.id[1]);
    let words = format!("{}: id {one:#x} is not greater than {other:#x} before it", place(1));
    block_says(&words, &|block| block.id.swap(0, 1));
    let words = "id 0xffffffff: z of vertex 1 is 0.0 (0x0), expected an unused lane";
    block_says(&format!("{}, {words}", place(used)), &|block| block.vertex[1][2][used] = 0.0);
    let words = "y of vertex 2 is 1000000000.0 (0x4e6e6b28), expected within the tree's box";
    let words = format!("{}, id {one:#x}: {words}", place(0));
    block_says(&words, &|block| block.vertex[2][1][0] = 1e9);
    let words = format!("leaf block {number} holds no triangle");
    block_says(&words, &|block| *block = BLANK_BLOCK);
}

/// In every lane: a triangle that is in no other leaf block has to be within its lane's box.
#[test]
fn of_triangles_that_are_not_cut() {
    let mut sound = tree(20);
    let far = sound.tree().bounds().max.x;
    let number = sound.blocks.iter().position(|block| !block.id.contains(&UNUSED_ID));
    let number = number.expect("a full block");
    for lane in 0..LANES {
        let old = std::mem::replace(&mut sound.blocks[number].vertex[1][0][lane], far);
        let id = sound.blocks[number].id[lane];
        let error = sound.tree().validate().expect_err("not in its box").to_string();
        let words = format!("leaf block {number}: triangle {id} is in no other");
        assert!(error.contains("I16") && error.contains(&words), "{error}");
        sound.blocks[number].vertex[1][0][lane] = old;
    }
    sound.tree().validate().expect("sound");
}

/// Wherever its places are: lanes, leaf blocks, and the pieces in which these are checked.
#[test]
fn of_cut_triangles_in_any_two_places() {
    let count = 2 * PIECE_BLOCKS + 20;
    let sound = tree(count);
    let depth = sound.tree().metadata().summary.depth;
    let lanes = |block: usize| sound.blocks[block].id.iter().filter(|&&id| id != UNUSED_ID).count();
    for (one, other) in [
        (0, 1),
        (0, 8),
        (3, 11),
        (2, PIECE_BLOCKS + 2),
        (4, PIECE_BLOCKS + 4),
        (6, PIECE_BLOCKS + 6),
        (7, PIECE_BLOCKS + 7),
        (9, PIECE_BLOCKS + 8),
        (PIECE_BLOCKS - 1, PIECE_BLOCKS),
        (PIECE_BLOCKS + 4, 2 * PIECE_BLOCKS + 4),
        (PIECE_BLOCKS + 5, count - 1),
    ] {
        // Ids ascend in a block, so the triangle comes last in the first one.
        let last = lanes(one) - 1;
        for lane in 0..lanes(other) {
            let mut tree = sound.clone();
            let (id, mut corners) = (tree.blocks[other].id[lane], tree.blocks[other].corners(lane));
            tree.blocks[one].id[last] = id;
            tree.blocks[one].set_corners(last, &corners);
            describe(&mut tree, depth);
            tree.tree().validate().expect("sound");
            corners.swap(0, 1);
            tree.blocks[one].set_corners(last, &corners);
            let error = tree.tree().validate().expect_err("other vertices").to_string();
            let words = format!(
                "triangle {id} has other vertices in leaf block {other} than in leaf block {one}"
            );
            assert!(error.contains("I17") && error.contains(&words), "{error}");
        }
    }
}

/// A triangle that a spatial split cut is in several leaf blocks and may stick out of their boxes,
/// but not out of the tree.
fn cut_triangles(sparse: bool) {
    let mut tree = tree(4);
    if sparse {
        // Almost all triangles dropped: a bit for each would be far more than the file.
        tree.materials.clear();
        tree.meshes.truncate(1);
        tree.meshes[0].triangle_count = u32::MAX - 1;
    }
    describe(&mut tree, 1);
    let whole = Bvh::from_bytes(&tree.to_bytes()).expect("sound");
    let [_, second, ..] = &mut tree.blocks[..] else {
        panic!("four leaf blocks");
    };
    let (corners, id) = (whole.view().blocks[0].corners(0), whole.view().blocks[0].id[0]);
    second.set_corners(0, &corners);
    second.id[0] = id;
    describe(&mut tree, 1);
    let summary = Bvh::from_bytes(&tree.to_bytes()).expect("sound").metadata().summary;
    assert_eq!(summary.references, summary.triangles_kept + 1);

    // As another triangle it has no business there.
    tree.blocks[1].id[0] = whole.view().blocks[1].id[0];
    describe(&mut tree, 1);
    refused("I16", &tree.to_bytes());

    // The same triangle, but not the same vertices.
    tree.blocks[1].id[0] = id;
    tree.blocks[1].vertex[1][2][0] = whole.view().blocks[0].vertex[0][2][0];
    describe(&mut tree, 1);
    refused("I17", &tree.to_bytes());

    // Nor has a part that no box of the tree can hold.
    tree.blocks[1].id[0] = id;
    tree.blocks[1].vertex[1][2][0] = 1e6;
    describe(&mut tree, 1);
    refused("I16", &tree.to_bytes());
}

/// Boxes of cut triangles need not cover them; a moved tree is sound all the same.
#[test]
fn a_tree_with_odd_cuts_can_be_moved() {
    let mut tree = tree(4);
    let bounds = tree.tree().bounds();
    let mut corners = tree.blocks[0].corners(0);
    corners[1] = [bounds.min.x, bounds.max.y, bounds.min.z];
    corners[2] = [bounds.max.x, bounds.min.y, bounds.max.z];
    let id = tree.blocks[0].id[0];
    for block in &mut tree.blocks[..2] {
        block.set_corners(0, &corners);
        block.id[0] = id;
    }
    describe(&mut tree, 1);
    let mut tree = Bvh::from_bytes(&tree.to_bytes()).expect("sound");
    for turn in [0.8, 2.1, 0.3] {
        let turn = glam::Mat3::from_rotation_z(turn) * glam::Mat3::from_rotation_y(turn);
        let turn = glam::Affine3A::from_mat3(turn);
        tree.apply_transform(&turn).expect("it can be moved");
        tree.validate().expect("still sound");
        Bvh::from_bytes(&tree.to_bytes()).expect("still sound");
    }
}

#[test]
fn of_cut_triangles() {
    cut_triangles(false);
}

#[test]
fn of_cut_triangles_in_a_sparse_tree() {
    cut_triangles(true);
}
