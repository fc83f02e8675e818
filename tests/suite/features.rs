//! The edges and corners that are near or touched: whatever mirrors, their points are those that
//! the caller numbered so, and the found point lies on them.

use crate::{scenes, support};
use hitscan::geometry::{FeaturePoints, is_mirroring, transform_point};
use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::scene::Instance;
use hitscan::{
    Aabb, Builder, Bvh, Capsule, ClosestPoint, Contact, ConvexHull, ConvexShape, Feature, Hit,
    InstanceId, Mesh, Obb, Overlap, Quality, Query, Scene, Snapshot, Sphere, Triangle,
};

use scenes::instruction_sets;
use support::{Random, long};

/// What the caller knows of a mesh: the corners of each triangle in its own order, where they are
/// now.
type Caller = Vec<Vec<[Vec3; 3]>>;

/// How meshes, trees and instances are turned: some mirror.
fn maps() -> [Affine3A; 5] {
    let sheared = Mat3::from_cols(Vec3::new(1.0, 0.25, 0.0), Vec3::Y, Vec3::new(0.5, 0.0, -2.0));
    [
        Affine3A::IDENTITY,
        Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)),
        Affine3A::from_scale(-Vec3::ONE),
        Affine3A::from_rotation_y(1.0),
        Affine3A::from_mat3_translation(sheared, Vec3::new(3.0, -1.0, 0.5)),
    ]
}

/// Triangles at random, as a soup or by indices.
fn mesh(random: &mut Random, triangles: usize, by_indices: bool) -> Mesh {
    let near = |random: &mut Random, at: Vec3| at + random.in_box(-Vec3::ONE, Vec3::ONE);
    let corners = (0..triangles).flat_map(|_| {
        let at = random.in_box(Vec3::splat(-2.0), Vec3::splat(2.0));
        [(); 3].map(|()| near(random, at))
    });
    let corners: Vec<Vec3> = corners.collect();
    let corners: Vec<_> = corners.iter().map(Vec3::to_array).collect();
    if !by_indices {
        return Mesh::from_soup(corners);
    }
    let indices = (0..3 * triangles).map(|_| random.below(corners.len()) as u32);
    let indices = indices.collect();
    Mesh::new(corners, indices)
}

fn corners_of(mesh: &Mesh) -> Vec<[Vec3; 3]> {
    let view = mesh.view();
    let position = |i: u32| transform_point(&mesh.transform, mesh.positions[i as usize].into());
    (0..view.triangle_count())
        .map(|i| view.triangle_indices(i).expect("it is there").map(position))
        .collect()
}

fn moved(caller: &Caller, map: &Affine3A) -> Caller {
    let triangle = |corners: &[Vec3; 3]| corners.map(|corner| transform_point(map, corner));
    caller.iter().map(|mesh| mesh.iter().map(triangle).collect()).collect()
}

/// What was found, of whatever question.
struct Found {
    hit: Hit,
    part: Option<(Vec3, Feature)>,
}

impl From<&ClosestPoint> for Found {
    fn from(near: &ClosestPoint) -> Self {
        Self { hit: near.hit, part: Some((near.point, near.feature)) }
    }
}

impl From<&Contact> for Found {
    fn from(contact: &Contact) -> Self {
        Self { hit: contact.hit, part: Some((contact.point, contact.feature)) }
    }
}

/// Of an overlap no part is told.
impl From<&Overlap> for Found {
    fn from(overlap: &Overlap) -> Self {
        Self { hit: overlap.hit, part: None }
    }
}

/// How far a point is from what points span, in `f64`.
fn distance(point: Vec3, points: &[Vec3]) -> f64 {
    let from = |a: Vec3, b: Vec3| [0, 1, 2].map(|k| f64::from(b[k]) - f64::from(a[k]));
    let a = points[0];
    let to_point = from(a, point);
    match points[1..] {
        [] => dot(to_point, to_point).sqrt(),
        [b] => {
            let along = from(a, b);
            let t = (dot(to_point, along) / dot(along, along)).clamp(0.0, 1.0);
            let off = [0, 1, 2].map(|k| to_point[k] - t * along[k]);
            dot(off, off).sqrt()
        }
        [b, c] => {
            let (ab, ac) = (from(a, b), from(a, c));
            let normal = cross(ab, ac);
            let area = dot(normal, normal);
            let u = dot(cross(to_point, ac), normal) / area;
            let v = dot(cross(ab, to_point), normal) / area;
            if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                return (dot(to_point, normal) / area.sqrt()).abs();
            }
            let sides = [[a, b], [b, c], [c, a]].map(|side| distance(point, &side));
            sides.into_iter().fold(f64::INFINITY, f64::min)
        }
        _ => unreachable!("a part of a triangle"),
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Holds the points of what was found against the caller's. Returns how many edges and corners
/// there were.
fn check(
    found: &Found,
    caller: &Caller,
    stored: Option<Triangle>,
    points: impl Fn(Feature) -> Option<FeaturePoints>,
) -> usize {
    let expected = caller[found.hit.mesh as usize][found.hit.triangle as usize];
    let Some(FeaturePoints::Face(face)) = points(Feature::Face) else { panic!() };
    for (vertex, expected) in face.iter().zip(expected) {
        assert!(vertex.distance(expected) < 1e-4, "{face:?} {expected:?}");
    }
    let Triangle { v0, v1, v2 } = stored.expect("it is there");
    let stored = if face[1] == v1 { [v0, v1, v2] } else { [v0, v2, v1] };
    assert_eq!(face, stored);
    for number in 0..3u8 {
        let at = usize::from(number);
        let edge = [face[at], face[(at + 1) % 3]];
        assert_eq!(points(Feature::Edge(number)), Some(FeaturePoints::Edge(edge)));
        assert_eq!(points(Feature::Vertex(number)), Some(FeaturePoints::Vertex(edge[0])));
    }
    assert_eq!((points(Feature::Edge(3)), points(Feature::Vertex(3))), (None, None));
    let Some((point, feature)) = found.part else { return 0 };
    let part = points(feature).expect("a part");
    let size = face.iter().fold(0f32, |size, at| size.max(at.abs().max_element()));
    let off = distance(point, part.as_slice());
    assert!(off <= 2e-6 * f64::from(size), "{off}: {point} {feature:?} {part:?}");
    usize::from(feature != Feature::Face)
}

fn shape(random: &mut Random, number: usize, at: Vec3) -> ConvexShape {
    let size = random.range(0.05, 0.8);
    match number % 5 {
        0 => Sphere::new(at, size).into(),
        1 => Capsule::new(at, at + size * random.direction(), size).into(),
        2 => Aabb::from_center_half_size(at, Vec3::new(size, 0.5, 0.25)).into(),
        3 => {
            let turned = Affine3A::from_translation(at) * Affine3A::from_rotation_x(size);
            let local = Aabb::from_center_half_size(Vec3::ZERO, Vec3::splat(size));
            Obb::from_transform(&turned, local).expect("sound").into()
        }
        _ => {
            let points = [(); 6].map(|()| at + random.in_box(-Vec3::ONE, Vec3::ONE) * size);
            (&ConvexHull::from_points(points).expect("not flat")).into()
        }
    }
}

/// A question at random.
struct Asked {
    at: Vec3,
    shape: ConvexShape,
    motion: Vec3,
}

impl Asked {
    fn new(random: &mut Random, number: usize) -> Self {
        let at = random.in_box(Vec3::splat(-5.0), Vec3::splat(5.0));
        Self { at, shape: shape(random, number, at), motion: 6.0 * random.direction() }
    }
}

/// All that a tree finds.
fn found_in_tree(bvh: &Bvh, asked: &Asked, query: &Query) -> Vec<Found> {
    let Asked { at, shape, motion } = asked;
    let (mut near, mut contacts, mut pushes, mut overlaps) = (vec![], vec![], vec![], vec![]);
    let mut nearest = [None];
    bvh.all_within(*at, 2.0, query, &mut near);
    bvh.closest_point_batch(&[*at], 9.0, query, &mut nearest).expect("as many");
    near.extend(nearest.into_iter().flatten());
    near.extend(bvh.closest_point(*at, f32::INFINITY, query));
    bvh.all_contacts(shape, *motion, query, &mut contacts);
    contacts.extend(bvh.first_contact(shape, *motion, query));
    bvh.penetrations(shape, query, &mut pushes);
    contacts.extend(pushes);
    bvh.all_overlaps(Sphere::new(*at, 1.0), query, &mut overlaps);
    let near = near.iter().map(Found::from).chain(contacts.iter().map(Found::from));
    near.chain(overlaps.iter().map(Found::from)).collect()
}

/// All that a scene finds, and where.
fn found_in_scene(now: &Snapshot, asked: &Asked, query: &Query) -> Vec<(Hit, Found)> {
    let Asked { at, shape, motion } = asked;
    let (mut near, mut contacts, mut pushes, mut overlaps) = (vec![], vec![], vec![], vec![]);
    let mut nearest = [None];
    now.all_within(*at, 2.0, query, &mut near);
    now.closest_point_batch(&[*at], 9.0, query, &mut nearest).expect("as many");
    near.extend(nearest.into_iter().flatten());
    near.extend(now.closest_point(*at, f32::INFINITY, query));
    now.all_contacts(shape, *motion, query, &mut contacts);
    contacts.extend(now.first_contact(shape, *motion, query));
    now.penetrations(shape, query, &mut pushes);
    contacts.extend(pushes);
    now.all_overlaps(Sphere::new(*at, 1.0), query, &mut overlaps);
    let near = near.iter().map(|near| (near.hit, Found::from(near)));
    let contacts = contacts.iter().map(|touch| (touch.hit, Found::from(touch)));
    let overlaps = overlaps.iter().map(|overlap| (overlap.hit, Found::from(overlap)));
    near.chain(contacts).chain(overlaps).collect()
}

/// Four meshes, each with a map of its own, of which some mirror.
fn meshes(random: &mut Random, first: usize) -> Vec<Mesh> {
    let mesh =
        |i: usize| mesh(random, 12, i.is_multiple_of(2)).with_transform(maps()[(first + i) % 5]);
    (0..4).map(mesh).collect()
}

/// Full size: `HITSCAN_LONG=20`.
#[test]
fn parts_of_triangles_in_trees_are_the_callers() {
    let random = &mut Random::new(7);
    let mut parts = 0;
    for (number, map) in maps().iter().enumerate() {
        let meshes = meshes(random, number);
        let caller: Caller = meshes.iter().map(corners_of).collect();
        for quality in [Quality::Fast, Quality::Best] {
            let (mut bvh, _) = Builder::new().quality(quality).bake(&meshes).expect("sound");
            let mut caller = caller.clone();
            // As baked, then moved, and once more: back on the side where it was.
            for _ in 0..3 {
                for set in instruction_sets() {
                    let query = Query::new().instruction_set(set);
                    for i in 0..20 * long() {
                        for found in found_in_tree(&bvh, &Asked::new(random, i), &query) {
                            let points = |feature| bvh.feature_points(&found.hit, feature);
                            parts += check(&found, &caller, bvh.triangle(&found.hit), points);
                        }
                    }
                }
                bvh.apply_transform(map).expect("it can be inverted");
                caller = moved(&caller, map);
            }
        }
    }
    println!("{parts} edges and corners");
    assert!(parts > 3000, "only {parts} edges and corners were found");
}

/// Full size: `HITSCAN_LONG=20`.
#[test]
fn parts_of_triangles_in_scenes_are_the_callers() {
    let random = &mut Random::new(8);
    let (mut parts, mut mirrored) = (0, 0);
    for number in 0..5 {
        let meshes = meshes(random, number);
        let local: Caller = meshes.iter().map(corners_of).collect();
        let (bvh, _) = Builder::new().bake(&meshes).expect("sound");
        let mut scene = Scene::new();
        let placed = maps().map(|map| {
            let instance = Instance::new(bvh.clone()).with_transform(map);
            (scene.insert(instance).expect("sound"), map, moved(&local, &map))
        });
        let now = scene.commit();
        for set in instruction_sets() {
            let query = Query::new().instruction_set(set);
            for i in 0..20 * long() {
                for (hit, found) in found_in_scene(&now, &Asked::new(random, i), &query) {
                    let is_at = |placed: &&(InstanceId, _, _)| placed.0 == hit.instance;
                    let (_, map, caller) = placed.iter().find(is_at).expect("it stands there");
                    let points = |feature| now.feature_points(&hit, feature);
                    parts += check(&found, caller, now.triangle(&hit), points);
                    mirrored += usize::from(is_mirroring(map));
                }
            }
        }
        let near = now.closest_point(Vec3::ZERO, 99.0, &Query::new()).expect("it is there").hit;
        assert!(now.feature_points(&near, Feature::Face).is_some());
        scene.remove(near.instance).expect("it is there");
        assert_eq!(scene.commit().feature_points(&near, Feature::Face), None);
    }
    println!("{parts} edges and corners, {mirrored} in mirrored instances");
    assert!(parts > 3000 && mirrored > 3000, "only {parts} and {mirrored} were found");
}

/// Q8: the corner of a mirrored triangle that is nearest is the one that the caller numbered so.
#[test]
fn the_nearest_corner_of_a_mirrored_triangle_is_named_and_given() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    for map in maps() {
        let mesh = Mesh::from_soup(corners.to_vec()).with_transform(map);
        let (bvh, _) = Builder::new().bake(&[mesh]).expect("sound");
        for (number, corner) in (0u8..).zip(corners) {
            let [corner, center] = [corner.into(), Vec3::new(1.25, 1.25, 0.0)]
                .map(|point: Vec3| transform_point(&map, point));
            let outside = corner + 3.0 * (corner - center);
            let near = bvh.closest_point(outside, f32::INFINITY, &Query::new()).expect("there");
            assert_eq!(near.feature, Feature::Vertex(number), "{map:?}");
            let found = bvh.feature_points(&near.hit, near.feature);
            assert_eq!(found, Some(FeaturePoints::Vertex(corner)), "{map:?}");
            assert_eq!(near.point, corner);
        }
    }
}
