//! One tree type: every way in gives the same answers, clones share memory, a change of one clone
//! leaves the others as they were, and memory lives as long as a tree needs it.

#[path = "support/counting.rs"]
mod counting;
mod scenes;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use counting::{alone, peak};
use hitscan::file::Aligned;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Hit, LoadErrorKind, Mesh, MeshView, Quality, Query, Ray};
use support::{Placed, Random};

fn meshes() -> Vec<Mesh> {
    let city = scenes::city(60, 3);
    let materials = (0..city.triangle_count() as u32).collect();
    vec![
        scenes::terrain(40, 1).with_name("ground"),
        city.with_name("city").with_materials(materials),
        scenes::soup(500, 20.0, 2.0, 2).with_name("leaves").with_mask(2),
    ]
}

fn baked() -> Bvh {
    let mut bvh = Builder::new().quality(Quality::Best).bake(&meshes()).expect("sound").0;
    bvh.set_user_data(b"spawn points".to_vec());
    bvh
}

fn rays(bvh: &Bvh, count: usize) -> Vec<Ray> {
    let bounds = bvh.bounds();
    let mut random = Random::new(7);
    let mut point = || {
        let at = Vec3::new(random.unit(), random.unit(), random.unit());
        bounds.min + at * (bounds.max - bounds.min)
    };
    // Towards the tree's triangles, in turn.
    let aims = bvh.triangles().map(|aim| (aim.vertices.v0 + aim.vertices.v1) / 2.0);
    let aims: Vec<Vec3> = aims.collect();
    let aim = |from: Vec3, i: usize| Ray::new(from, aims[i * 7 % aims.len()] - from);
    (0..count).map(|i| aim(point(), i)).collect()
}

/// All that a tree says of some rays.
#[derive(Debug, PartialEq)]
struct Answers {
    closest: Vec<Option<Hit>>,
    any: Vec<bool>,
    all: Vec<Vec<Hit>>,
    /// The same, but each ray sees only every other triangle: a filter of hits and rays.
    filtered: (Vec<Option<Hit>>, Vec<bool>, Vec<Vec<Hit>>),
    surfaces: Vec<Option<(Vec3, Vec3)>>,
    names: Vec<Option<String>>,
}

fn ask(bvh: &Bvh, rays: &[Ray], query: &Query) -> Answers {
    let mut closest = vec![None; rays.len()];
    bvh.closest_hit_batch(rays, query, &mut closest).expect("as many");
    let mut any = vec![false; rays.len()];
    bvh.any_hit_batch(rays, query, &mut any).expect("as many");
    let mut list = Vec::new();
    let mut all = Vec::new();
    for (i, ray) in rays.iter().enumerate() {
        assert_eq!(bvh.closest_hit(ray, query), closest[i]);
        assert_eq!(bvh.any_hit(ray, query), any[i]);
        bvh.all_hits(ray, query, &mut list);
        assert_eq!(list.first(), closest[i].as_ref());
        all.push(list.to_vec());
    }
    let filtered = ask_filtered(bvh, rays, query);
    let surface = |hit: &Hit| Some((bvh.point(hit)?, bvh.normal(hit)?));
    let surfaces = closest.iter().flatten().map(surface).collect();
    let names = (0..=bvh.mesh_count()).map(|mesh| bvh.mesh_name(mesh).map(str::to_owned));
    let names = names.collect();
    Answers { closest, any, all, filtered, surfaces, names }
}

fn ask_filtered(
    bvh: &Bvh,
    rays: &[Ray],
    query: &Query,
) -> (Vec<Option<Hit>>, Vec<bool>, Vec<Vec<Hit>>) {
    let sees = |ray: usize, hit: &Hit| (ray + hit.triangle as usize).is_multiple_of(2);
    let by_ray = query.filter_by_index(&sees);
    let (mut closest, mut any) = (vec![None; rays.len()], vec![false; rays.len()]);
    let mut all = vec![Vec::new(); rays.len()];
    bvh.closest_hit_batch(rays, &by_ray, &mut closest).expect("as many");
    bvh.any_hit_batch(rays, &by_ray, &mut any).expect("as many");
    bvh.all_hits_batch(rays, &by_ray, &mut all).expect("as many");
    let mut list = Vec::new();
    for (i, ray) in rays.iter().enumerate() {
        assert_eq!(bvh.closest_hit(ray, &query.filter(&|hit| sees(i, hit))), closest[i]);
        assert_eq!(bvh.any_hit(ray, &query.filter(&|hit| sees(i, hit))), any[i]);
        bvh.all_hits(ray, &query.filter(&|hit| sees(i, hit)), &mut list);
        assert_eq!(list[..], all[i][..]);
        // One ray alone has the index 0.
        if i % 2 == 0 {
            assert_eq!(bvh.closest_hit(ray, &by_ray), closest[i]);
        }
    }
    (closest, any, all.iter().map(|list| list.to_vec()).collect())
}

/// The tree by every way in.
fn ways_in(bvh: &Bvh, folder: &std::path::Path) -> Vec<(&'static str, Bvh)> {
    let bytes = bvh.to_bytes();
    let path = folder.join("tree.hbvh");
    bvh.save(&path).expect("saved");
    let chunk = |chunk: &[u8]| Aligned::<[u8; 64]>(chunk.try_into().expect("whole lines"));
    let lines: &'static [Aligned<[u8; 64]>] =
        Vec::leak(bytes.chunks(64).map(chunk).collect::<Vec<_>>());
    // SAFETY: the lines have no padding, and are never freed.
    let lasting: &'static [u8] =
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), bytes.len()) };
    let mut ways = vec![
        ("built", bvh.clone()),
        ("open", Bvh::open(&path).expect("sound")),
        ("read_from", Bvh::read_from(&*bytes).expect("sound")),
        ("from_bytes", Bvh::from_bytes(&bytes).expect("sound")),
        ("static", Bvh::from_owner(lasting).expect("sound")),
        ("owner", Bvh::from_owner(Placed::new(&bytes, 0)).expect("sound")),
        // SAFETY: `to_bytes` gave them.
        ("unchecked", unsafe { Bvh::from_owner_unchecked(lasting) }.expect("sound")),
    ];
    #[cfg(feature = "mmap")]
    {
        let options = hitscan::file::MapOptions::new();
        // SAFETY: only this test knows the file.
        ways.push(("mapped", unsafe { Bvh::open_mapped(&path, &options) }.expect("sound")));
        // SAFETY: as above.
        let unchecked = unsafe { Bvh::open_mapped_unchecked(&path, &options) };
        ways.push(("mapped unchecked", unchecked.expect("sound")));
    }
    ways.shrink_to_fit();
    ways
}

#[test]
fn every_way_in_gives_the_same_answers() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let bvh = baked();
    let rays = rays(&bvh, if cfg!(miri) { 20 } else { 2000 });
    for query in [Query::new(), Query::new().mask(1)] {
        let expected = ask(&bvh, &rays, &query);
        assert!(expected.any.iter().filter(|&&any| any).count() > rays.len() / 4);
        for (way, tree) in ways_in(&bvh, folder.path()) {
            assert!(ask(&tree, &rays, &query) == expected, "{way}");
            assert!(tree == bvh, "{way}");
            assert_eq!(tree.content_hash(), bvh.content_hash(), "{way}");
            assert_eq!(tree.user_data(), b"spawn points", "{way}");
            assert_eq!(tree.metadata(), bvh.metadata(), "{way}");
            assert_eq!(tree.to_bytes(), bvh.to_bytes(), "{way}");
            tree.validate().expect(way);
        }
    }
}

#[test]
fn clones_share_memory() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    for (way, tree) in ways_in(&baked(), folder.path()) {
        let (clones, taken) = peak(|| [(); 4].map(|()| tree.clone()));
        assert!(taken < 64, "{way}: four clones allocate {taken} bytes");
        assert!(clones.iter().all(|clone| *clone == tree));
        let (user, _) = (clones[0].user_data(), drop(tree));
        assert_eq!(user.as_ptr(), clones[3].user_data().as_ptr(), "{way}");
    }
}

/// Changes a tree in one way.
type Change = fn(&mut Bvh);

const CHANGES: [(&str, Change); 5] = [
    ("refit", |bvh| {
        let mut moved = meshes();
        for mesh in &mut moved {
            mesh.transform = Affine3A::from_translation(Vec3::new(3.0, -2.0, 1.0));
        }
        let views: Vec<_> = moved.iter().map(MeshView::from).collect();
        bvh.refit(&views).expect("the same meshes");
    }),
    ("transform", |bvh| {
        let turn = Affine3A::from_rotation_y(0.5);
        bvh.apply_transform(&turn).expect("it can be undone");
    }),
    ("mirror", |bvh| {
        let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        bvh.apply_transform(&mirror).expect("it can be undone");
    }),
    ("set_mask", |bvh| assert_eq!(bvh.set_mask(2, 8), Some(2))),
    ("set_user_data", |bvh| bvh.set_user_data(b"other points".to_vec())),
];

#[test]
fn a_change_of_one_clone_leaves_the_others_as_they_were() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let built = baked();
    let bytes = built.to_bytes();
    let rays = rays(&built, 200);
    let expected = ask(&built, &rays, &Query::new().mask(!8));
    for (what, change) in CHANGES {
        let mut changed: Option<Vec<u8>> = None;
        for (way, tree) in ways_in(&built, folder.path()) {
            let (before, mut one, after) = (tree.clone(), tree.clone(), tree.clone());
            drop(tree);
            change(&mut one);
            for other in [before, after, one.clone()] {
                if other == one {
                    continue;
                }
                assert!(other == built && other.to_bytes() == bytes, "{way}: {what}");
                assert!(ask(&other, &rays, &Query::new().mask(!8)) == expected, "{way}: {what}");
            }
            assert!(one != built, "{way}: {what}");
            one.validate().expect(what);
            assert_eq!(one.content_hash().is_some(), what == "set_user_data", "{way}: {what}");
            // The same change of the same tree, whatever holds it.
            let now = one.to_bytes();
            assert!(*changed.get_or_insert_with(|| now.clone()) == now, "{way}: {what}");
        }
    }
}

#[test]
fn a_change_copies_only_what_it_touches() {
    let _alone = alone();
    let bvh = baked();
    let size = bvh.to_bytes().len();
    let mut clone = bvh.clone();
    let (before, taken) = peak(|| clone.set_mask(0, 4));
    assert!(before.is_some());
    assert!(taken < 1000, "set_mask takes {taken} of {size} bytes");
    let ((), taken) = peak(|| clone.set_user_data(vec![1; 100]));
    assert!(taken < 1000, "set_user_data takes {taken} of {size} bytes");
}

/// Bytes that tell when they are dropped.
struct Watched(Placed, Arc<AtomicUsize>);

impl AsRef<[u8]> for Watched {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn memory_lives_as_long_as_the_last_tree_that_needs_it() {
    let _alone = alone();
    let drops = Arc::new(AtomicUsize::new(0));
    let (bytes, probes) = {
        let bvh = baked();
        (bvh.to_bytes(), rays(&bvh, 50))
    };
    let expected = ask(&baked(), &probes, &Query::new());
    let tree = {
        // The owner is made and moved in a scope that ends.
        let owner = Watched(Placed::new(&bytes, 0), drops.clone());
        let first = Bvh::from_owner(owner).expect("sound");
        let boxed = Box::new(first.clone());
        drop(first);
        *boxed
    };
    drop(bytes);
    let asked = std::thread::spawn({
        let (tree, probes) = (tree.clone(), probes.clone());
        move || ask(&tree, &probes, &Query::new())
    });
    assert!(asked.join().expect("no panic") == expected);

    // Moved trees still have their names from the file.
    let mut moved = tree.clone();
    moved.apply_transform(&Affine3A::from_translation(Vec3::X)).expect("it can be undone");
    assert!(ask(&tree, &probes, &Query::new()) == expected);
    drop(tree);
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    assert_eq!(moved.mesh_name(0), Some("ground"));
    drop(moved);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

/// Gives its bytes once, and others from then on.
struct Fickle(Placed, AtomicUsize);

impl AsRef<[u8]> for Fickle {
    fn as_ref(&self) -> &[u8] {
        if self.1.fetch_add(1, Ordering::Relaxed) == 0 { self.0.as_ref() } else { &[] }
    }
}

#[test]
fn an_owner_is_asked_for_its_bytes_once() {
    let _alone = alone();
    let bvh = baked();
    let owner = Fickle(Placed::new(&bvh.to_bytes(), 0), AtomicUsize::new(0));
    let tree = Bvh::from_owner(owner).expect("sound");
    assert!(tree.clone() == bvh);
    tree.validate().expect("sound");
}

#[test]
fn owners_of_wrong_bytes_are_refused_and_dropped() {
    let _alone = alone();
    let good = baked().to_bytes();
    let drops = Arc::new(AtomicUsize::new(0));
    let mut damaged = good.clone();
    damaged[500] ^= 1;
    for (bytes, behind, kind) in [
        (&good[..], 32, LoadErrorKind::Misaligned),
        (&good[..good.len() - 64], 0, LoadErrorKind::Truncated),
        (&damaged[..], 0, LoadErrorKind::Checksum),
        (b"HIERARCHY", 0, LoadErrorKind::NotHitscan),
    ] {
        let before = drops.load(Ordering::Relaxed);
        let owner = Watched(Placed::new(bytes, behind), drops.clone());
        assert_eq!(Bvh::from_owner(owner).unwrap_err().kind(), kind);
        assert_eq!(drops.load(Ordering::Relaxed), before + 1);
    }
}

#[test]
fn trees_go_to_other_threads() {
    fn shared<T: Send + Sync + Unpin + 'static>() {}
    shared::<Bvh>();
    assert!(size_of::<Bvh>() <= 320, "{} bytes", size_of::<Bvh>());
}

#[test]
fn names_are_shared_by_clones_and_take_no_memory() {
    let _alone = alone();
    let wall = vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]];
    let names: Vec<String> = (0..1709).map(|i| "ä".repeat(i % 40) + &i.to_string()).collect();
    let meshes: Vec<Mesh> =
        names.iter().map(|name| Mesh::from_soup(wall.clone()).with_name(name)).collect();
    let materials = vec!["glass".to_owned(), String::new(), "leaves".to_owned()];
    let builder = Builder::new().material_names(materials);
    let built = builder.bake(&meshes).expect("sound").0;
    let tree = Bvh::from_bytes(&built.to_bytes()).expect("sound");
    let early = tree.clone();
    let (found, first) = peak(|| tree.mesh_name(5) == Some("äääää5"));
    assert!(found && first < 2 * built.to_bytes().len());

    let mut moved = tree.clone();
    moved.apply_transform(&Affine3A::from_translation(Vec3::X)).expect("it can be undone");
    for other in [&early, &moved] {
        let ((), taken) = peak(|| {
            for (i, name) in names.iter().enumerate() {
                let found = other.mesh_name(i as u32).expect("it has a name");
                assert_eq!(found, name);
                assert_eq!(found.as_ptr(), tree.mesh_name(i as u32).expect("it has").as_ptr());
            }
        });
        assert_eq!(taken, 0);
    }
    assert_eq!([1709, u32::MAX].map(|mesh| tree.mesh_name(mesh)), [None; 2]);
    let materials = [0, 1, 2, 3, u32::MAX].map(|material| tree.material_name(material));
    assert_eq!(materials, [Some("glass"), Some(""), Some("leaves"), None, None]);
}

#[test]
#[cfg(feature = "import")]
fn an_import_bakes_with_its_names_materials_and_sources() {
    let _alone = alone();
    use hitscan::Import;
    use hitscan::file::{Source, source_hash};
    use hitscan::import::Format;

    let corners = "v -9 0 -9\nv -9 0 9\nv 9 0 9\n";
    let read = |name: &str, material: &str| {
        let text = format!("o floor of {material}\n{corners}usemtl {material}\nf 1 2 3\n");
        Import::from_bytes(text.as_bytes(), Format::Obj, name, None).expect("sound")
    };
    let mut import = read("models/a.obj", "stone");
    import.append(read("b.obj", "water"));
    let named = import.sources.iter().map(|source| source.name.as_str());
    assert!(named.eq(["a.obj", "b.obj"]));
    let text = format!("o floor of water\n{corners}usemtl water\nf 1 2 3\n");
    assert_eq!(import.sources[1], Source::of("elsewhere/b.obj", text.as_bytes()));

    let builder = Builder::new().quality(Quality::Best);
    let (bvh, _) = builder.bake(&import).expect("sound");
    assert_eq!(bvh.content_hash(), Some(builder.content_hash(&import)));
    let by_hand = builder.sources(import.sources.clone());
    let by_hand = by_hand.material_names(import.material_names.clone());
    assert!(bvh.to_bytes() == by_hand.bake(&import.meshes).expect("sound").0.to_bytes());
    assert_eq!(bvh.mesh_name(1), Some("floor of water"));
    assert_eq!([0, 1].map(|m| bvh.material_name(m)), [Some("stone"), Some("water")]);
    assert_eq!(bvh.metadata().sources, import.sources);
    assert_eq!(bvh.to_bytes()[48..56], source_hash(&import.sources).to_le_bytes());
}

#[test]
fn rays_are_plain_bytes_and_go_through_serde() {
    let rays = [Ray::new([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).with_range(7.0, 8.0); 2];
    let numbers: &[f32] = bytemuck::cast_slice(&rays);
    assert_eq!(numbers[8..], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let text = serde_json::to_string(&rays).expect("serialised");
    let ray = r#"{"origin":[1.0,2.0,3.0],"dir":[4.0,5.0,6.0],"t_min":7.0,"t_max":8.0}"#;
    assert_eq!(text, format!("[{ray},{ray}]"));
    let back: [Ray; 2] = serde_json::from_str(&text).expect("deserialised");
    assert_eq!(back, rays);
}

#[test]
fn triangles_are_found_by_hit_and_by_number() {
    let _alone = alone();
    let bvh = baked();
    let other = Bvh::from_bytes(&bvh.to_bytes()).expect("sound");
    let mut moved = bvh.clone();
    moved.apply_transform(&Affine3A::from_translation(Vec3::X)).expect("it can be undone");
    let rays = rays(&bvh, 300);
    let mut hits = 0;
    for hit in rays.iter().filter_map(|ray| bvh.closest_hit(ray, &Query::new())) {
        let triangle = bvh.triangle(&hit);
        assert!(triangle.is_some());
        assert_eq!(bvh.mesh_triangle(hit.mesh, hit.triangle), triangle);
        assert_eq!(bvh.triangle_material(hit.mesh, hit.triangle), hit.material());
        let text = serde_json::to_string(&hit).expect("serialised");
        assert!(!text.contains("slot") && !format!("{hit:?}").contains("slot"), "{text}");
        let back: Hit = serde_json::from_str(&text).expect("deserialised");
        assert_eq!(back, hit);
        assert_eq!(bvh.triangle(&back), triangle);
        assert_eq!(other.point(&back), bvh.point(&hit));
        let v0 = triangle.expect("it is there").v0;
        assert_eq!(moved.triangle(&hit).expect("it is there").v0, v0 + Vec3::X);
        hits += 1;
    }
    assert!(hits > 50, "{hits}");

    let counts: Vec<u32> = (0..3).map(|mesh| bvh.mesh(mesh).expect("three").triangles).collect();
    let all: Vec<_> = bvh.triangles().collect();
    assert!(all.is_sorted_by(|a, b| (a.mesh, a.triangle) < (b.mesh, b.triangle)));
    assert_eq!(all.len() as u64, bvh.metadata().summary.triangles_kept);
    for triangle in &all {
        let again = bvh.mesh_triangle(triangle.mesh, triangle.triangle);
        assert_eq!(again, Some(triangle.vertices));
    }
    assert_eq!(bvh.mesh_triangle(0, counts[0]), None);
    assert_eq!(bvh.mesh_triangle(3, 0), None);
    assert_eq!(bvh.triangle_material(0, 0), None);
    assert_eq!(bvh.triangle_material(1, counts[1] - 1), Some(counts[1] - 1));
    assert_eq!(bvh.triangle_material(1, counts[1]), None);
}
