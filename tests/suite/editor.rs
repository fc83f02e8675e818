//! What editors ask: snapping to vertices and edges, and whole meshes and instances in a shape.
//! Held against brute force over the triangles in the world.
//!
//! `HITSCAN_LONG=20` asks twenty times as many questions.

use crate::{scenes, support};

use std::collections::BTreeMap;

use hitscan::geometry::{Containment, ConvexHull, Feature, FeaturePoints, Frustum, RayCone, Shape};
use hitscan::glam::{Affine3A, Vec3, Vec4};
use hitscan::query::{Hidden, Snap, SnapOptions, Snaps};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, Facing, Hit, InstanceId, InstructionSet, Layers, Mesh, Obb,
    Overlap, Quality, Query, Ray, Sphere,
};
use scenes::{Change, map, offset_and_turn};
use support::{Random, in_world, long};

fn tree(seed: u64) -> Bvh {
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let meshes = [
        scenes::sphere(9, 6, 1.0, Vec3::ZERO).with_transform(mirror),
        scenes::soup(30, 2.0, 0.7, seed).with_mask(0b01),
        scenes::city(4, seed).with_mask(0b10),
    ];
    let builder = Builder::new().quality(Quality::Best).spatial_budget(0.5);
    builder.bake(&meshes).unwrap().0
}

/// A scene of trees that are turned, mirrored and sheared.
fn scene(random: &mut Random, extent: f32) -> Snapshot {
    let mut scene = Scene::new();
    let kinds = [Change::None, Change::Scaled, Change::ScaledByAxis, Change::Sheared];
    for i in 0..6 {
        let place = offset_and_turn(random, extent);
        let at = map(random, kinds[i % 4], place);
        let mask = [u32::MAX, 0b01][i % 2];
        scene.insert(Instance::new(tree(i as u64 % 2)).with_transform(at).with_mask(mask)).unwrap();
    }
    scene.commit()
}

/// A triangle in the world, in the caller's order of vertices.
struct InWorld {
    key: (InstanceId, u32, u32),
    layers: u32,
    corners: [Vec3; 3],
}

fn of_tree(bvh: &Bvh, instance: InstanceId, mask: u32, at: &Affine3A) -> Vec<InWorld> {
    let all = bvh.triangles().map(|one| {
        let stored = [one.vertices.v0, one.vertices.v1, one.vertices.v2];
        let [a, b, c] = stored.map(|corner| in_world(at, corner));
        // The first mesh was mirrored in the bake.
        let corners = if one.mesh == 0 { [a, c, b] } else { [a, b, c] };
        let layers = mask & bvh.mesh(one.mesh).unwrap().mask;
        InWorld { key: (instance, one.mesh, one.triangle), layers, corners }
    });
    all.collect()
}

fn of_scene(snapshot: &Snapshot, masks: &dyn Fn(InstanceId) -> u32) -> Vec<InWorld> {
    let of = |id| {
        let (bvh, at) = (snapshot.bvh(id).unwrap(), snapshot.transform(id).unwrap());
        of_tree(bvh, id, masks(id), &at)
    };
    snapshot.instances().flat_map(of).collect()
}

/// How near a point is to the ray's line in parts of the cone's radius, and where. Infinite past the
/// ends of the ray.
fn measure(cone: &RayCone, point: [f64; 3]) -> (f64, f64) {
    let [o, d] = [cone.ray.origin, cone.ray.dir].map(|v| v.to_array().map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let from = [0, 1, 2].map(|k| point[k] - o[k]);
    let t = dot(from, d) / dot(d, d);
    let beside = [0, 1, 2].map(|k| from[k] - d[k] * t);
    let radius = f64::from(cone.radius) + f64::from(cone.growth) * t;
    let distance = dot(beside, beside).sqrt();
    let in_range = f64::from(cone.ray.t_min) <= t && t <= f64::from(cone.ray.t_max);
    (if in_range && radius > 0.0 { distance / radius } else { f64::INFINITY }, t)
}

/// The best vertex: its score, place and key, of those that `accepts`.
type Best = (f64, f64, (InstanceId, u32, u32), u8);

fn best_vertex(
    all: &[InWorld],
    cone: &RayCone,
    accepts: &dyn Fn(&InWorld, usize) -> bool,
) -> Option<(Best, Vec3)> {
    let mut best: Option<(Best, Vec3)> = None;
    for one in all {
        for (k, &corner) in one.corners.iter().enumerate() {
            let (score, t) = measure(cone, corner.to_array().map(f64::from));
            let found = (score, t, one.key, k as u8);
            if score <= 1.0 && best.is_none_or(|best| found < best.0) && accepts(one, k) {
                best = Some((found, corner));
            }
        }
    }
    best
}

/// The least score of points of an edge: of many samples, and then between the best of them.
fn edge_score(cone: &RayCone, [a, b]: [Vec3; 2]) -> Option<f64> {
    let [a, b] = [a, b].map(|end| end.to_array().map(f64::from));
    let at = |s: f64| measure(cone, [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]))).0;
    let (mut low, mut high, mut best) = (0.0, 1.0, (f64::INFINITY, 0.0));
    for _ in 0..5 {
        let step = (high - low) / 64.0;
        for s in (0..=64).map(|i| low + step * f64::from(i)) {
            if at(s) < best.0 {
                best = (at(s), s);
            }
        }
        (low, high) = ((best.1 - step).max(0.0), (best.1 + step).min(1.0));
    }
    (best.0 <= 1.0).then_some(best.0)
}

fn assert_snaps(snaps: &Snaps, all: &[InWorld], cone: &RayCone, what: &str) -> [bool; 2] {
    let expected = best_vertex(all, cone, &|_, _| true);
    let found =
        snaps.vertex.map(|vertex| (vertex.hit.instance, vertex.hit.mesh, vertex.hit.triangle));
    assert_eq!(found, expected.map(|((_, _, key, _), _)| key), "{what}: {snaps:?}");
    if let (Some(found), Some(((score, t, _, number), corner))) = (snaps.vertex, expected) {
        assert_eq!((found.point, found.feature), (corner, Feature::Vertex(number)), "{what}");
        assert!((f64::from(found.closeness) - score).abs() < 1e-6, "{what}");
        assert!((f64::from(found.hit.t) - t).abs() <= t.abs() * 1e-6 + 1e-6, "{what}");
    }
    let edges = all.iter().flat_map(|one| {
        let [a, b, c] = one.corners;
        [[a, b], [b, c], [c, a]]
    });
    let least = edges.filter_map(|edge| edge_score(cone, edge)).reduce(f64::min);
    match (snaps.edge, least) {
        (Some(found), Some(least)) => {
            let closeness = f64::from(found.closeness);
            assert!((closeness - least).abs() < 1e-5, "{what}: {closeness} {least}");
        }
        // At the surface of the cone, or at an end of the ray, by a rounding.
        (Some(found), None) => assert!(found.closeness > 0.9 || cone.ray.t_max < 1e9, "{what}"),
        (None, least) => assert!(least.is_none_or(|least| least > 0.999_999), "{what}"),
    }
    [snaps.vertex.is_some(), snaps.edge.is_some()]
}

/// A cone as a cursor has it, near the triangles.
fn cursor(random: &mut Random, kind: usize, all: &[InWorld]) -> RayCone {
    let one = all[random.below(all.len())].corners;
    let eye = one[0] + random.direction() * random.range(1.0, 20.0);
    let near = one[random.below(3)].lerp(one[0], [0.0, random.unit()][kind % 2]);
    let aim = near + random.direction() * [0.0, 0.01, 0.1][random.below(3)];
    let ray = Ray::new(eye, (aim - eye) * [1.0, 0.01, 7.0][kind % 3]);
    let by_t = ray.dir.length();
    let ray = if kind.is_multiple_of(5) {
        ray.with_range(0.2, 2.0 * aim.distance(eye) / by_t)
    } else {
        ray
    };
    let size = [0.01, 0.1, 0.5][random.below(3)];
    match kind % 4 {
        0 => RayCone::new(ray, size, 0.0),
        1 => RayCone::new(ray, 0.1 * size, 0.1 * size * by_t),
        _ => RayCone::new(ray, 0.0, 0.1 * size * by_t),
    }
}

fn tells_where_it_is(points: Option<FeaturePoints>, snap: &Snap) {
    match points.expect("it is there") {
        FeaturePoints::Vertex(vertex) => assert_eq!(vertex, snap.point),
        FeaturePoints::Edge([a, b]) => {
            let size = 1.0 + a.abs().max(b.abs()).max_element();
            let part = ((snap.point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            assert!(a.lerp(b, part).distance(snap.point) < 1e-5 * size, "{snap:?}");
        }
        FeaturePoints::Face(_) => panic!("{snap:?}"),
    }
}

#[test]
fn a_cursor_snaps_to_what_brute_force_finds() {
    let (mut random, mut seen) = (Random::new(5), [0; 2]);
    let bvh = tree(3);
    let in_tree = of_tree(&bvh, InstanceId::NONE, u32::MAX, &Affine3A::IDENTITY);
    let snapshot = scene(&mut random, 3.0);
    let in_scene = of_scene(&snapshot, &|_| u32::MAX);
    let options = &SnapOptions::new();
    for kind in 0..60 * long() {
        let cone = cursor(&mut random, kind, &in_tree);
        let snaps = bvh.snap(&cone, options, &Query::new());
        let found = assert_snaps(&snaps, &in_tree, &cone, &format!("{kind}: {cone:?}"));
        for snap in [snaps.vertex, snaps.edge].into_iter().flatten() {
            tells_where_it_is(bvh.feature_points(&snap.hit, snap.feature), &snap);
        }
        let cone = cursor(&mut random, kind, &in_scene);
        let snaps = snapshot.snap(&cone, options, &Query::new());
        assert_snaps(&snaps, &in_scene, &cone, &format!("{kind} in the scene: {cone:?}"));
        for snap in [snaps.vertex, snaps.edge].into_iter().flatten() {
            tells_where_it_is(snapshot.feature_points(&snap.hit, snap.feature), &snap);
        }
        seen = [0, 1].map(|i| seen[i] + usize::from(found[i]));
    }
    assert!(seen[0] > 10 * long() && seen[1] > 20 * long(), "{seen:?}");
}

#[test]
fn only_what_counts_is_snapped_to() {
    let mut random = Random::new(6);
    let snapshot = scene(&mut random, 2.0);
    let masks: BTreeMap<_, _> =
        snapshot.instances().enumerate().map(|(i, id)| (id, [u32::MAX, 0b01][i % 2])).collect();
    let all = of_scene(&snapshot, &|id| masks[&id]);
    let mut seen = [0; 2];
    for kind in 0..80 * long() {
        // From the tip.
        let cone = RayCone { radius: 0.0, growth: 0.05, ..cursor(&mut random, kind, &all) };
        let cone = RayCone { ray: cone.ray.with_range(0.0, f32::INFINITY), ..cone };
        let accepts = |hit: &Hit| !hit.triangle.is_multiple_of(3);
        let second = |hit: &Hit, feature: Feature| {
            feature == Feature::Vertex(((hit.triangle + 1) % 3) as u8)
        };
        let query = Query::new().mask(0b10).filter(&accepts);
        let is_free = |corner: Vec3| {
            let sight = Ray::between(corner, cone.ray.origin).with_range(1.0 / 4096.0, 1.0);
            !snapshot.any_hit(&sight, &query)
        };
        for hidden in [Hidden::Found, Hidden::LeftOut] {
            let options = SnapOptions::new().features(&second).hidden(hidden);
            let snaps = snapshot.snap(&cone, &options, &query);
            assert_eq!(snaps.edge, None);
            let counts = |one: &InWorld, k: usize| {
                one.layers & 0b10 != 0
                    && !one.key.2.is_multiple_of(3)
                    && k as u32 == (one.key.2 + 1) % 3
                    && (hidden == Hidden::Found || is_free(one.corners[k]))
            };
            let expected = best_vertex(&all, &cone, &counts).map(|(best, corner)| (best.2, corner));
            let found = snaps
                .vertex
                .map(|snap| ((snap.hit.instance, snap.hit.mesh, snap.hit.triangle), snap.point));
            assert_eq!(found, expected, "{kind} {hidden:?} {cone:?}");
            seen[hidden as usize] += usize::from(found.is_some());
        }
    }
    assert!(seen[0] > seen[1] && seen[1] > 5, "{seen:?}");
}

#[test]
fn walls_hide_what_is_behind_them() {
    let square = |z: f32, size: f32| {
        let corners = [[-size, -size, z], [size, -size, z], [size, size, z], [-size, size, z]];
        Mesh::new(corners.to_vec(), vec![0, 1, 2, 0, 2, 3])
    };
    let (bvh, _) = Builder::new().bake(&[square(0.0, 1.0), square(2.0, 4.0)]).unwrap();
    let cursor = |from: Vec3| RayCone::new(Ray::new(from, Vec3::NEG_ONE - from), 0.0, 0.1);
    let front = SnapOptions::new().hidden(Hidden::LeftOut);
    let query = &Query::new();
    // Its own triangles, and those that it lies on, do not hide a corner.
    let seen = bvh.snap(&cursor(Vec3::new(-1.0, -1.5, -8.0)), &front, query).vertex.unwrap();
    assert_eq!((seen.hit.mesh, seen.point), (0, Vec3::new(-1.0, -1.0, 0.0)));
    let behind = cursor(Vec3::new(-1.0, -1.5, 9.0));
    assert!(bvh.snap(&behind, &SnapOptions::new(), query).vertex.is_some());
    assert_eq!(bvh.snap(&behind, &front, query), Snaps::default());
    let of_back = Query::new().facing(Facing::Back);
    assert!(bvh.snap(&behind, &SnapOptions::new(), &of_back).vertex.is_none());
    for nothing in [f32::NAN, -1.0, f32::INFINITY] {
        let cone = RayCone::new(behind.ray, nothing, 0.0);
        assert_eq!(bvh.snap(&cone, &SnapOptions::new(), query), Snaps::default());
    }
}

/// Shapes of all kinds near the origin, and such as hold nothing or all.
fn shapes(random: &mut Random) -> Vec<Shape> {
    let at = random.in_box(Vec3::splat(-3.0), Vec3::splat(3.0));
    let half = random.in_box(Vec3::splat(0.2), Vec3::splat(4.0));
    let normal = random.direction();
    let planes = [normal.extend(random.unit()), Vec4::new(1.0, 0.2, 0.1, 1.5)];
    let place = offset_and_turn(random, 2.0);
    let turn = map(random, Change::Scaled, place);
    let corners = [(); 8].map(|()| at + 3.0 * random.direction());
    vec![
        Aabb::from_center_half_size(at, half).into(),
        Obb::from_transform(&turn, Aabb::from_min_max([-1.0; 3], [2.0; 3])).unwrap().into(),
        Sphere::new(at, half.x * 1.5).into(),
        Capsule::new(at, -at, half.y).into(),
        Frustum::from_planes(&planes, [0.0; 3]).unwrap().into(),
        ConvexHull::from_points(corners).unwrap().into(),
        Sphere::new([0.0; 3], f32::INFINITY).into(),
        Sphere::new(at, f32::NAN).into(),
        Aabb::EMPTY.into(),
    ]
}

/// What the triangles that touch a shape say of the wholes that they belong to.
fn wholes<K: Ord>(
    overlaps: &[Overlap],
    key: impl Fn(&Hit) -> K,
    triangles: impl Fn(&K) -> usize,
) -> Vec<(K, Containment)> {
    let mut inside = BTreeMap::new();
    for overlap in overlaps {
        let count = inside.entry(key(&overlap.hit)).or_insert(0);
        *count += usize::from(overlap.containment == Containment::Inside);
    }
    let whole = |(key, count)| match count == triangles(&key) {
        true => (key, Containment::Inside),
        false => (key, Containment::Touching),
    };
    inside.into_iter().map(whole).collect()
}

#[test]
fn meshes_and_instances_are_touched_as_their_triangles_are() {
    let mut random = Random::new(8);
    let bvh = tree(4);
    let (mut seen, mut overlaps) = ([0; 4], Vec::new());
    for round in 0..20 * long() {
        let snapshot = scene(&mut random, [2.0, 0.5][round % 2]);
        let masks: BTreeMap<_, _> =
            snapshot.instances().enumerate().map(|(i, id)| (id, [u32::MAX, 0b01][i % 2])).collect();
        for shape in shapes(&mut random) {
            let isas = InstructionSet::available();
            for (mask, isa) in
                (0..4 * isas.len()).map(|i| ([u32::MAX, 0b01, 0b10, 0b100][i % 4], isas[i / 4]))
            {
                let layers = Layers::of(mask).instruction_set(isa);
                let query = Query::new().mask(mask);
                bvh.all_overlaps(&shape, &query, &mut overlaps);
                let expected =
                    wholes(&overlaps, |hit| hit.mesh, |&mesh| bvh.mesh_triangles(mesh).count());
                let mut meshes = Vec::new();
                bvh.all_mesh_overlaps(&shape, layers, &mut meshes);
                let found: Vec<_> = meshes.iter().map(|one| (one.mesh, one.containment)).collect();
                assert_eq!(found, expected, "{shape:?}");

                snapshot.all_overlaps(&shape, &query, &mut overlaps);
                let triangles = |id: &InstanceId| {
                    let bvh = snapshot.bvh(*id).unwrap();
                    let in_layers = |mesh: u32| bvh.mesh(mesh).unwrap().mask & mask != 0;
                    assert!(masks[id] & mask != 0);
                    bvh.triangles().filter(|one| in_layers(one.mesh)).count()
                };
                let expected = wholes(&overlaps, |hit| hit.instance, triangles);
                let mut instances = Vec::new();
                snapshot.all_instance_overlaps(&shape, layers, &mut instances);
                let found: Vec<_> =
                    instances.iter().map(|one| (one.instance, one.containment)).collect();
                assert_eq!(found, expected, "{shape:?}");
                for (i, containments) in [
                    meshes.iter().map(|one| one.containment).collect::<Vec<_>>(),
                    instances.iter().map(|one| one.containment).collect(),
                ]
                .into_iter()
                .enumerate()
                {
                    for containment in containments {
                        seen[2 * i + usize::from(containment == Containment::Inside)] += 1;
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn boxes_hold_their_triangles() {
    let mut random = Random::new(9);
    let bvh = tree(5);
    for mesh in 0..bvh.mesh_count() {
        let corners = bvh
            .mesh_triangles(mesh)
            .flat_map(|one| [one.vertices.v0, one.vertices.v1, one.vertices.v2]);
        assert_eq!(bvh.mesh_bounds(mesh), Some(Aabb::from_points(corners)));
    }
    assert_eq!(bvh.mesh_bounds(bvh.mesh_count()), None);
    let mut moved = bvh.clone();
    moved.apply_transform(&Affine3A::from_translation(Vec3::X)).unwrap();
    let [before, after] = [&bvh, &moved].map(|bvh| bvh.mesh_bounds(1).unwrap());
    assert!((after.min.x - before.min.x - 1.0).abs() < 1e-5, "{before:?} {after:?}");

    let snapshot = scene(&mut random, 5.0);
    let mut all = Aabb::EMPTY;
    for id in snapshot.instances() {
        let (bvh, at) = (snapshot.bvh(id).unwrap(), snapshot.transform(id).unwrap());
        let bounds = snapshot.instance_bounds(id).unwrap();
        let corners = of_tree(bvh, id, 0, &at).into_iter().flat_map(|one| one.corners);
        let tight = Aabb::from_points(corners);
        assert!(bounds.contains_box(&tight), "{bounds:?} {tight:?}");
        assert!(bvh.bounds().transformed(&at).expanded(Vec3::splat(1e-4)).contains_box(&bounds));
        all.extend_box(&bounds);
    }
    assert_eq!(all, snapshot.bounds());
    assert_eq!(snapshot.instance_bounds(InstanceId::NONE), None);
    let mut volumes = Scene::new();
    let ball = volumes.insert(Instance::new(Sphere::new([1.0; 3], 2.0))).unwrap();
    let bounds = volumes.commit().instance_bounds(ball).unwrap();
    assert!(bounds.contains_box(&Aabb::from_min_max([-1.0; 3], [3.0; 3])));
}
