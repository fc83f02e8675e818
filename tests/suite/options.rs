//! Options of a bake are checked, stored, and part of the content hash.

use crate::{scenes, support};
use hitscan::file::Source;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{
    BadTriangles, BakeErrorKind, Builder, Indices, Mesh, MeshView, Positions, Quality, Query, Ray,
};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

#[test]
fn options_out_of_range_are_refused_by_name() {
    let meshes = [scenes::terrain(3, 1)];
    for budget in [-0.1, 4.1, f64::NAN, f64::INFINITY] {
        let error = Builder::new().spatial_budget(budget).bake(&meshes).expect_err("refused");
        assert_eq!(error.kind(), BakeErrorKind::Options);
        let message = error.to_string();
        assert!(message.contains("`spatial_budget`"), "{message}");
        assert!(message.contains("expected 0 to 4"), "{message}");
    }
}

/// Every preset with the ends of the budget's range: sound trees with the same hits.
#[test]
fn options_change_trees_but_no_hits() {
    let meshes = scenes::level(4);
    let mut random = support::Random::new(5);
    let rays: Vec<Ray> = (0..2000)
        .map(|_| {
            let origin = random.in_box(Vec3::splat(-20.0), Vec3::splat(20.0));
            Ray::new(origin, random.direction())
        })
        .collect();
    let mut expected = None;
    for quality in QUALITIES {
        let mut references = Vec::new();
        for budget in [None, Some(0.0), Some(0.1), Some(4.0)] {
            let builder = Builder::new().quality(quality);
            let builder = match budget {
                Some(budget) => builder.spatial_budget(budget),
                None => builder,
            };
            let (bvh, report) = builder.bake(&meshes).expect("in range");
            bvh.validate().expect("sound");
            let metadata = bvh.metadata();
            let preset = if quality == Quality::Best { 0.5 } else { 0.0 };
            assert_eq!(metadata.quality, quality);
            assert_eq!(metadata.spatial_budget, budget.unwrap_or(preset));
            let most = (1.0 + metadata.spatial_budget) * report.summary.triangles_kept as f64;
            assert!(report.summary.references as f64 <= most);
            let hits = rays.iter().map(|ray| {
                let hit = bvh.closest_hit(ray, &Query::new())?;
                Some((hit.t.to_bits(), hit.mesh, hit.triangle))
            });
            let hits: Vec<_> = hits.collect();
            let found = hits.iter().flatten().count();
            assert!(found > 100, "{quality:?}, {budget:?}: {found} hits");
            assert_eq!(
                *expected.get_or_insert_with(|| hits.clone()),
                hits,
                "{quality:?}, {budget:?}"
            );
            references.push((metadata.spatial_budget, report.summary.references));
        }
        references.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(references.is_sorted_by_key(|&(_, count)| count), "{quality:?}: {references:?}");
        assert!(references[0].1 < references[3].1, "{quality:?}: {references:?}");
    }
}

#[test]
fn presets_have_their_documented_options() {
    let meshes = [scenes::terrain(20, 1)];
    let bake = |builder: Builder| builder.bake(&meshes).expect("sound").0;
    let default = bake(Builder::new());
    assert!(default == bake(Builder::new().quality(Quality::Balanced)));
    assert!(default == bake(Builder::new().spatial_budget(0.0)));
    let best = bake(Builder::new().quality(Quality::Best));
    assert!(best == bake(Builder::new().spatial_budget(0.5).quality(Quality::Best)));
    let budget = |quality| bake(Builder::new().quality(quality)).metadata().spatial_budget;
    assert_eq!(QUALITIES.map(budget), [0.0, 0.0, 0.5]);
}

/// The hash is that of the content, however it lies in memory.
#[test]
fn the_content_hash_covers_contents_and_not_layout() {
    let mesh = scenes::terrain(5, 1).with_name("hill");
    let view = MeshView::from(&mesh);
    let builder = Builder::new();
    let hash = |mesh: &MeshView<'_>| builder.content_hash(&[*mesh]);
    let first = hash(&view);
    let (bvh, _) = builder.bake(&[view]).expect("sound");
    assert_eq!(bvh.content_hash(), Some(first));
    assert_eq!(bvh.to_bytes()[56..64], first.to_le_bytes());
    for threads in [1, 2] {
        let (bvh, _) = builder.clone().threads(threads).bake(&[view]).expect("sound");
        assert_eq!(bvh.content_hash(), Some(first));
    }

    let indices = mesh.indices.clone().expect("it has indices");
    let narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
    let vectors: Vec<Vec3> = mesh.positions.iter().map(|&p| p.into()).collect();
    let mut bytes = Vec::new();
    for position in &mesh.positions {
        bytes.extend(position.iter().flat_map(|x| x.to_ne_bytes()));
        bytes.extend([7; 5]);
    }
    for positions in [
        Positions::Arrays(&mesh.positions),
        Positions::Vec3(&vectors),
        Positions::Strided { bytes: &bytes, stride: 17 },
    ] {
        for indices in [Indices::U32(&indices), Indices::U16(&narrow)] {
            let same = MeshView::new(positions, indices).with_name("hill");
            assert_eq!(hash(&same), first);
        }
    }

    let mut changed: Vec<Mesh> = Vec::new();
    let mut change = |change: &dyn Fn(&mut Mesh)| {
        let mut other = mesh.clone();
        change(&mut other);
        changed.push(other);
    };
    change(&|mesh| mesh.name.push('s'));
    change(&|mesh| mesh.positions[35][2] = mesh.positions[35][2].next_up());
    change(&|mesh| mesh.positions.swap(3, 4));
    change(&|mesh| mesh.positions.push([0.0; 3]));
    change(&|mesh| mesh.indices.as_mut().expect("some").swap(0, 3));
    change(&|mesh| mesh.indices.as_mut().expect("some").truncate(30));
    change(&|mesh| mesh.user_id = 1);
    change(&|mesh| mesh.mask = 1);
    change(&|mesh| mesh.transform = Affine3A::from_translation(Vec3::X));
    change(&|mesh| mesh.materials = Some(vec![0; 50]));
    change(&|mesh| mesh.materials = Some(vec![1; 50]));
    let mut hashes: Vec<u64> = changed.iter().map(|mesh| hash(&mesh.into())).collect();
    hashes.push(first);
    hashes.push(builder.content_hash(&[view, view]));
    hashes.push(builder.content_hash(&[] as &[Mesh]));
    let source = Source { name: "hill.obj".to_owned(), hash: 1 };
    for builder in [
        Builder::new().quality(Quality::Fast),
        Builder::new().bad_triangles(BadTriangles::Skip),
        Builder::new().sources(vec![source]),
        Builder::new().spatial_budget(1.5),
    ] {
        hashes.push(builder.content_hash(&[view]));
    }
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count, "two of these have one number");
}

/// Sizes in geometric progression make the deepest trees. They must not overflow the stack.
#[test]
fn the_deepest_trees_need_little_stack() {
    let corner = |i: usize, x: f32| {
        let size = (100.0 - (i % 230) as f32).exp2();
        [[size + x, 0.0, 0.0], [size, size, 0.0], [size, 0.0, size]]
    };
    let soup: Vec<[f32; 3]> = (0..1500).flat_map(|i| corner(i, (i / 230) as f32)).collect();
    for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
        let mesh = Mesh::from_soup(soup.clone());
        let bake = move || {
            let builder = Builder::new().quality(quality);
            let (bvh, report) = builder.bake(&[mesh]).expect("sound");
            bvh.validate().expect("sound");
            report.summary.triangles_kept
        };
        // A quarter of the smallest default stack of a main thread.
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(bake);
        let kept = thread.expect("a thread").join().expect("no overflow");
        assert!(kept > 1000, "{kept}");
    }
}

/// With first-fit leaves a set that fits a leaf is one, even if it has spare places for spatial
/// splits.
#[test]
fn sets_that_fit_become_leaves_with_spatial_splits() {
    // Triangles apart from each other: there is nothing to cut.
    let corners = (0..4000).flat_map(|i| {
        let [x, y, z] = [i % 16, i / 16 % 16, i / 256].map(|k| 2.0 * k as f32);
        [[x, y, z], [x + 1.0, y, z], [x, y + 1.0, z + 1.0]]
    });
    let meshes = [Mesh::from_soup(corners.collect())];
    let with = |budget: f64| {
        let builder = Builder::new().quality(Quality::Fast).spatial_budget(budget);
        builder.bake(&meshes).expect("in range").1.summary
    };
    let (without, spare) = (with(0.0), with(1.0));
    assert_eq!(spare.references, spare.triangles_kept);
    assert_eq!((without.leaves, without.nodes), (spare.leaves, spare.nodes));
}
