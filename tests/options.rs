//! Options of a bake are checked, stored, and part of the content hash.

mod scenes;
mod support;

use hitscan::bake::Leaves;
use hitscan::file::Source;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{
    BadTriangles, BakeErrorKind, BakeOptions, Builder, Indices, Mesh, MeshView, Positions, Quality,
    Query, Ray,
};

fn builder_with(change: impl FnOnce(&mut BakeOptions)) -> Builder {
    let mut options = BakeOptions::default();
    change(&mut options);
    Builder::new().options(options)
}

#[test]
fn options_out_of_range_are_refused_by_name() {
    let meshes = [scenes::terrain(3, 1)];
    let refused = |name: &str, change: &dyn Fn(&mut BakeOptions)| {
        let error = builder_with(change).bake(&meshes).expect_err(name);
        assert_eq!(error.kind(), BakeErrorKind::Options);
        let message = error.to_string();
        assert!(message.contains(&format!("`{name}`")), "{message}");
        assert!(message.contains("expected"), "{message}");
    };
    for bins in [0, 3, 33, u32::MAX] {
        refused("bins", &|options| options.bins = bins);
    }
    for triangles in [0, 9, u32::MAX] {
        refused("leaf_triangles", &|options| options.leaf_triangles = triangles);
    }
    for cost in [0.0, -1.0, 0.06, 16.1, f32::NAN, f32::INFINITY] {
        refused("node_cost", &|options| options.node_cost = cost);
        refused("leaf_cost", &|options| options.leaf_cost = cost);
    }
    for depth in [0, 39, 61] {
        refused("depth", &|options| options.depth = depth);
    }
    for gate in [-0.1, 1.1, f64::NAN] {
        refused("spatial_gate", &|options| options.spatial_gate = gate);
    }
    for budget in [-0.1, 4.1, f64::NAN, f64::INFINITY] {
        refused("spatial_budget", &|options| options.spatial_budget = budget);
    }
    for rays in [65_537, u32::MAX] {
        refused("sample_rays", &|options| options.sample_rays = rays);
    }
}

/// The ends of every range, alone and combined, give sound trees with the same hits.
#[test]
fn options_change_trees_but_no_hits() {
    let meshes = scenes::level(4);
    let changes: [&dyn Fn(&mut BakeOptions); 16] = [
        &|_| {},
        &|options| options.bins = 4,
        &|options| options.bins = 5,
        &|options| options.leaf_triangles = 1,
        &|options| options.leaf_triangles = 3,
        &|options| options.leaves = Leaves::FirstFit,
        &|options| {
            options.leaves = Leaves::FirstFit;
            options.leaf_triangles = 1;
        },
        &|options| {
            options.leaves = Leaves::FirstFit;
            options.spatial_budget = 4.0;
            options.spatial_gate = 0.0;
        },
        &|options| options.node_cost = 16.0,
        &|options| options.leaf_cost = 16.0,
        &|options| options.leaf_cost = 0.0625,
        &|options| options.depth = 40,
        &|options| options.spatial_budget = 4.0,
        &|options| options.spatial_gate = 1.0,
        &|options| options.sample_rays = 0,
        &|options| options.sample_rays = 65_536,
    ];
    let mut random = support::Random::new(5);
    let rays: Vec<Ray> = (0..2000)
        .map(|_| {
            let origin = random.in_box(Vec3::splat(-20.0), Vec3::splat(20.0));
            Ray::new(origin, random.direction())
        })
        .collect();
    let mut expected = None;
    for (number, change) in changes.into_iter().enumerate() {
        let (bvh, report) = builder_with(change).bake(&meshes).expect("in range");
        bvh.validate().expect("sound");
        let mut options = BakeOptions::default();
        change(&mut options);
        assert_eq!(bvh.metadata().options, options);
        if options.leaf_triangles == 1 {
            assert_eq!(report.summary.leaves, report.summary.references);
        }
        let hits = rays.iter().map(|ray| {
            let hit = bvh.closest_hit(ray, &Query::new())?;
            Some((hit.t.to_bits(), hit.mesh, hit.triangle))
        });
        let hits: Vec<_> = hits.collect();
        let found = hits.iter().flatten().count();
        assert!(found > 100, "{number}: {found} hits");
        assert_eq!(*expected.get_or_insert_with(|| hits.clone()), hits, "{number}");
    }
}

#[test]
fn presets_have_their_documented_options() {
    let [fast, balanced, best] =
        [Quality::Fast, Quality::Balanced, Quality::Best].map(Quality::options);
    assert_eq!(balanced, BakeOptions::default());
    assert_eq!(fast.leaves, Leaves::FirstFit);
    assert_eq!(balanced.spatial_budget, 0.0);
    assert!(best.spatial_budget > 0.0);
    let meshes = [scenes::terrain(20, 1)];
    for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
        let (a, _) = Builder::new().quality(quality).bake(&meshes).expect("sound");
        let (b, _) = Builder::new().options(quality.options()).bake(&meshes).expect("sound");
        assert!(a == b);
    }
}

/// The hash depends on the meshes and options, not on their layout in memory.
#[test]
fn the_content_hash_covers_contents_and_not_layout() {
    let mesh = scenes::terrain(5, 1).with_name("hill");
    let view = MeshView::from(&mesh);
    let builder = Builder::new();
    let hash = |mesh: &MeshView<'_>| builder.content_hash(&[*mesh]);
    let first = hash(&view);
    let (bvh, _) = builder.bake_views(&[view]).expect("sound");
    assert_eq!(bvh.content_hash(), Some(first));
    assert_eq!(bvh.to_bytes()[56..64], first.to_le_bytes());
    for threads in [1, 2] {
        let (bvh, _) = builder.clone().threads(threads).bake_views(&[view]).expect("sound");
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
    hashes.push(builder.content_hash(&[]));
    let source = Source { name: "hill.obj".to_owned(), hash: 1 };
    for builder in [
        Builder::new().quality(Quality::Fast),
        Builder::new().bad_triangles(BadTriangles::Skip),
        Builder::new().sources(vec![source]),
        builder_with(|options| options.leaf_cost = 1.5),
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

/// A set that fits a leaf becomes one, even if the budget for spatial splits is not used up.
#[test]
fn sets_that_fit_become_leaves_with_spatial_splits() {
    let meshes = scenes::level(4);
    let with = |budget: f64| {
        let builder = builder_with(|options| {
            options.leaves = Leaves::FirstFit;
            options.spatial_budget = budget;
            // No overlap reaches this: there is a budget, but there are no splits.
            options.spatial_gate = 1.0;
        });
        builder.bake(&meshes).expect("in range").1.summary
    };
    let (without, room) = (with(0.0), with(1.0));
    assert_eq!(room.references, room.triangles_kept);
    assert_eq!((without.leaves, without.nodes), (room.leaves, room.nodes));
}
