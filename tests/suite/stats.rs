//! Statistics about the shape of a tree.

use crate::scenes;
use hitscan::{Builder, Mesh, Quality};

#[test]
fn counts_agree_with_the_tree() {
    for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
        for meshes in [scenes::level(2), vec![scenes::terrain(40, 1)]] {
            let builder = Builder::new().quality(quality);
            let (bvh, report) = builder.bake(&meshes).expect("sound");
            let (stats, summary) = (bvh.stats(), report.summary);
            assert_eq!(stats.nodes_by_children.iter().sum::<u64>(), summary.nodes);
            assert_eq!(stats.leaves_by_triangles.iter().sum::<u64>(), summary.leaves);
            assert_eq!(stats.leaves_by_level.iter().sum::<u64>(), summary.leaves);
            assert_eq!(stats.leaves_by_level.len(), summary.depth as usize);
            let of = |counts: &[u64]| (1..).zip(counts).map(|(i, n)| i * n).sum::<u64>();
            assert_eq!(of(&stats.leaves_by_triangles), summary.references);
            // All nodes but the root are children.
            let children = of(&stats.nodes_by_children);
            assert_eq!(children, summary.nodes + summary.leaves - 1);
            assert_eq!(stats.sah_cost, summary.sah_cost);
            let met = stats.expected_nodes + stats.expected_leaves;
            assert!((met / stats.sah_cost - 1.0).abs() < 1e-9, "{stats:?}");
        }
    }
    let (bvh, _) = Builder::new().bake(&[] as &[Mesh]).expect("nothing at all");
    let stats = bvh.stats();
    assert_eq!((stats.expected_nodes, stats.expected_overlaps), (0.0, 0.0));
    assert!(stats.leaves_by_level.is_empty());
}

/// Boxes whose areas are easy to calculate.
#[test]
fn expectations_are_ratios_of_areas() {
    // Two flat unit squares, one above the other at a distance of 1, each a leaf.
    let square = |y: f32| {
        [
            [[0.0, y, 0.0], [0.0, y, 1.0], [1.0, y, 0.0]],
            [[1.0, y, 0.0], [0.0, y, 1.0], [1.0, y, 1.0]],
        ]
    };
    let soup = |height: f32| {
        // Each square four times: eight triangles fill a leaf.
        let triangles = [square(0.0).repeat(4), square(height).repeat(4)].concat();
        Mesh::from_soup(triangles.concat())
    };
    let bake = |height: f32| Builder::new().bake(&[soup(height)]).expect("sound").0.stats();
    let apart = bake(1.0);
    assert_eq!(apart.nodes_by_children[1], 1);
    assert_eq!(apart.leaves_by_triangles[7], 2);
    // The cube's area is 6, each square's 2.
    assert!((apart.expected_leaves - 2.0 / 3.0).abs() < 1e-12, "{apart:?}");
    assert_eq!(apart.expected_overlaps, 0.0);
    // In the same place: what meets one meets the other.
    let together = bake(0.0);
    assert_eq!(together.expected_leaves, 2.0);
    assert_eq!(together.expected_overlaps, 1.0);
}

/// Surfaces and boxes whose areas are easy to calculate.
#[cfg(feature = "stats")]
#[test]
fn end_point_overlap_is_the_surface_inside_boxes_of_other_subtrees() {
    let epo = |triangles: &[[[f32; 3]; 3]], threads: usize| {
        // Each eight times, which fills a leaf, so that no two different ones share a leaf.
        let soup: Vec<_> = triangles.iter().flat_map(|triangle| triangle.repeat(8)).collect();
        let mesh = Mesh::from_soup(soup);
        let builder = Builder::new().threads(threads);
        builder.bake(&[mesh]).expect("sound").0.epo_cost()
    };
    // Half of a square, and a square of a quarter of its area, a quarter of which is in the
    // other's box.
    let large = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let small = [[3.0, 3.0, 0.0], [5.0, 3.0, 0.0], [5.0, 5.0, 0.0]];
    let apart = [[9.0, 9.0, 0.0], [8.0, 9.0, 0.0], [9.0, 8.0, 0.0]];
    assert_eq!(epo(&[large], 1), 0.0);
    assert_eq!(epo(&[large, apart], 1), 0.0);
    // Half a unit of the small one is in the large one's box, and nothing the other way round.
    let expected = 0.5 / (8.0 + 2.0);
    assert!((epo(&[large, small], 1) - expected).abs() < 1e-12);
    // In the same place: each lies wholly in the other's box.
    assert!((epo(&[large, large], 1) - 1.0).abs() < 1e-12);

    // A triangle in several leaves belongs to all of them. Threads change no bit.
    let meshes = scenes::level(2);
    for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
        let bake = |threads: usize| {
            let builder = Builder::new().quality(quality).threads(threads);
            builder.bake(&meshes).expect("sound").0
        };
        let (one, two) = (bake(1).epo_cost(), bake(2).epo_cost());
        println!("{quality:?}: {one}");
        assert_eq!(one.to_bits(), two.to_bits());
        assert!(one > 0.0 && one < bake(1).stats().sah_cost);
    }
    let (bvh, _) = Builder::new().bake(&[] as &[Mesh]).expect("nothing at all");
    assert_eq!(bvh.epo_cost(), 0.0);
}

/// A failed assertion prints a summary of a tree, not all of its nodes.
#[test]
fn debug_output_is_short() {
    let mesh = scenes::terrain(50, 1);
    let baked = Builder::new().bake(std::slice::from_ref(&mesh));
    let bvh = baked.expect("sound").0;
    let text = format!("{bvh:?}");
    assert!(text.contains("nodes: ") && text.len() < 400, "{text}");
}
