//! What only trees in several parts, or with ids at the very end, can show.

use super::ids::Ids;
use super::lanes::{Slot, check_block};
use crate::bvh::{LANES, LeafBlock, UNUSED_ID};

const NONE: u32 = UNUSED_ID;

/// Sets of both kinds, for a thousand triangles: bits, and a list where there are few leaf blocks.
fn sets() -> [[Ids; 3]; 2] {
    [1000, 1].map(|blocks| [(); 3].map(|()| Ids::new(1000, blocks)))
}

#[test]
fn a_triangle_that_several_threads_find_is_repeated() {
    for [mut one, mut two, mut three] in sets() {
        one.insert(&[3, 63, 64, 127, 500, NONE, NONE, NONE]);
        two.insert(&[4, 64, 127, 999, NONE, NONE, NONE, NONE]);
        two.insert(&[4, 127, NONE, NONE, NONE, NONE, NONE, NONE]);
        three.insert(&[3, 500, 998, NONE, NONE, NONE, NONE, NONE]);
        one.merge(two);
        one.merge(three);
        assert_eq!(one.finish(), 8);
        for id in 0..1000 {
            assert_eq!(one.is_repeated(id), [3, 4, 64, 127, 500].contains(&id), "{id}");
        }
    }
}

#[test]
fn repeated_triangles_are_numbered_in_their_order() {
    let [mut one, mut two, _] = sets().into_iter().next().expect("bits");
    one.insert(&[0, 1, 63, 64, 65, 130, 998, 999]);
    two.insert(&[1, 2, 63, 64, 131, 998, 999, NONE]);
    one.merge(two);
    let Ids::Bits(bits) = one else { panic!("bits") };
    let ranks = bits.ranks();
    let repeated = [1, 63, 64, 998, 999];
    for id in 0..1000 {
        assert_eq!(ranks.rank(id), repeated.iter().position(|&other| other == id), "{id}");
    }
    assert!(ranks.count >= repeated.len());
}

#[test]
fn lists_are_used_where_bits_would_take_more_memory_than_the_ids() {
    let bytes = |blocks: usize| blocks * LANES * 4;
    for total in [1, 64, 65, 1000, 1 << 20] {
        for blocks in [0, 1, 2, 7, 100, 10_000] {
            let set = 2 * 8 * u32::div_ceil(total, 64) as usize;
            let most = Ids::most(total, blocks);
            let bits = matches!(Ids::new(total, blocks), Ids::Bits(_));
            assert_eq!(bits, 2 * set <= bytes(blocks), "{total}, {blocks}");
            assert!(!bits || most * set <= bytes(blocks) && bytes(blocks) < (most + 1) * set);
        }
    }
}

/// A block of `used` triangles with the last ids below `total`, all within the unit box.
fn last_block(used: usize, total: u32) -> LeafBlock {
    let mut block = LeafBlock::EMPTY;
    for lane in 0..used {
        block.set_corners(lane, &[[0.0; 3], [1.0, 0.0, 0.5], [0.0, 1.0, 1.0]]);
        block.id[lane] = total - (used - lane) as u32;
    }
    block
}

#[test]
fn ids_end_before_the_number_of_triangles() {
    let mut unit = LeafBlock::EMPTY;
    unit.id[0] = 0;
    unit.set_corners(0, &[[0.0; 3], [1.0; 3], [0.5; 3]]);
    let mut root = crate::bvh::Node::EMPTY;
    root.set_bounds(0, &unit.bounds());
    let slot = Slot::whole(&root);
    for used in 1..=LANES {
        let block = last_block(used, 20);
        let check = |total| check_block(&block, &slot, &slot, 0, total);
        assert_eq!(check(20).expect("all ids are below 20"), (used, 0));
        let error = check(19).expect_err("19 is not below 19").to_string();
        assert!(error.contains("I17") && error.contains("triangle 19 of 19"), "{error}");
    }
}
