//! Hits that are equally near, as far as bounds can tell.

use super::*;
use crate::bake::Builder;
use crate::mesh::Mesh;
use crate::traverse::options::Query;

/// With the second of two triangles in one place known exactly at `t = 2`.
fn with_second_known(test: impl Fn(Closest<'_>)) {
    let corners = [[-1.0, -1.0, 0.0], [4.0, -1.0, 0.0], [-1.0, 4.0, 0.0]];
    let mesh = Mesh::from_soup([corners, corners].concat());
    let (bvh, _) = Builder::new().bake(&[mesh]).expect("sound");
    let tree = bvh.view();
    let query = &Query::new();
    let query_filter = &QueryFilter::new(tree, query);
    let mut closest = Closest::new(query_filter, 0, f32::INFINITY);
    let ray = Ray::new([0.0, 0.0, 2.0], [0.0, 0.0, -1.0]);
    assert!(offer_exact(&ray, &tree.blocks[0], 0, 1, &mut closest));
    assert_eq!((closest.t_lo, closest.t_max, closest.id), (2.0, 2.0, Some(1)));
    test(closest);
}

/// The triangle with the lower id may be at the same `t`: only the exact test can tell.
#[test]
fn a_certain_hit_that_may_be_as_near_is_tested_exactly() {
    with_second_known(|mut closest| {
        for t_hi in [2.0, 2.0f32.next_up(), 3.0] {
            let first = CertainHit { slot: 0, t_lo: 1.0, t_hi };
            assert!(matches!(closest.offer_certain(first), Offered::Unclear), "{t_hi}");
            assert_eq!((closest.slot, closest.t_max), (1, 2.0));
        }
    });
}

#[test]
fn a_certain_hit_that_is_nearer_is_taken() {
    with_second_known(|mut closest| {
        let first = CertainHit { slot: 0, t_lo: 1.0, t_hi: 2.0f32.next_down() };
        assert!(matches!(closest.offer_certain(first), Offered::Taken));
        assert_eq!((closest.slot, closest.t_lo, closest.t_max), (0, 1.0, 2.0f32.next_down()));
        assert_eq!(closest.id, None);
    });
}

#[test]
fn the_best_itself_in_another_leaf_is_taken_as_it_is() {
    with_second_known(|mut closest| {
        let again = CertainHit { slot: 1, t_lo: 1.0, t_hi: 3.0 };
        assert!(matches!(closest.offer_certain(again), Offered::Taken));
        assert_eq!((closest.t_lo, closest.t_max, closest.id), (2.0, 2.0, Some(1)));
    });
}
