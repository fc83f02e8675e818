//! Many volumes among trees: answers are the first, or all, of what each volume and all triangles
//! say alone, on every instruction set, one by one and in batches.

use std::cmp::Ordering;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Builder, ClosestPoint, Contact, ConvexShape, Face, Facing, Hit, InstanceId, InstructionSet,
    Mesh, Overlap, Query, Ray, Shape, StartContacts, Targets,
};

use super::{shape, transform, volume};
use crate::scenes::instruction_sets;
use crate::support::{Random, long};

/// A scene, and each of its volumes in a scene of its own.
struct Crowd {
    now: Snapshot,
    alone: Vec<(InstanceId, Snapshot)>,
}

impl Crowd {
    fn new(random: &mut Random, count: usize) -> Self {
        let soup = (0..60).map(|_| random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0)).to_array());
        let (tree, _) = Builder::new().bake(&[Mesh::from_soup(soup.collect::<Vec<_>>())]).unwrap();
        let (mut scene, mut placed) = (Scene::new(), Vec::new());
        for i in 0..count {
            let at = Affine3A::from_translation(random.in_box(Vec3::splat(-6.0), Vec3::splat(6.0)));
            let kind = 4 * random.below(6);
            let change = transform(random, kind);
            let mask = 1 << random.below(3);
            let instance = |body: hitscan::scene::Body| {
                Instance::new(body).with_transform(at * change).with_mask(mask).with_user_id(9)
            };
            if i % 3 == 0 {
                scene.insert(instance((&tree).into())).unwrap();
            } else {
                let instance = instance(volume(random, i).into());
                placed.push((scene.insert(instance.clone()).unwrap(), instance));
            }
        }
        let alone = placed.into_iter().map(|(id, instance)| {
            let mut scene = Scene::new();
            scene.insert(instance).unwrap();
            (id, scene.commit())
        });
        Self { now: scene.commit(), alone: alone.collect() }
    }
}

/// What a hit is a part of.
trait Found: Clone + PartialEq + std::fmt::Debug {
    fn hit(&mut self) -> &mut Hit;

    /// Which of two comes first, before their numbers decide.
    fn order(&self, other: &Self) -> Ordering;
}

impl Found for Hit {
    fn hit(&mut self) -> &mut Hit {
        self
    }

    fn order(&self, other: &Self) -> Ordering {
        self.t.partial_cmp(&other.t).unwrap()
    }
}

impl Found for ClosestPoint {
    fn hit(&mut self) -> &mut Hit {
        &mut self.hit
    }

    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance)
    }
}

impl Found for Overlap {
    fn hit(&mut self) -> &mut Hit {
        &mut self.hit
    }

    fn order(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Found for Contact {
    fn hit(&mut self) -> &mut Hit {
        &mut self.hit
    }

    fn order(&self, other: &Self) -> Ordering {
        let key = |contact: &Self| contact.normal != contact.face_normal;
        let by_time = self.t.total_cmp(&other.t).then(other.depth.total_cmp(&self.depth));
        by_time.then(key(self).cmp(&key(other)))
    }
}

fn sorted<T: Found>(mut all: Vec<T>) -> Vec<T> {
    all.sort_by(|a, b| {
        let (mut one, mut other) = (a.clone(), b.clone());
        let number = |hit: &Hit| (hit.instance, hit.mesh, hit.triangle);
        a.order(b).then(number(one.hit()).cmp(&number(other.hit())))
    });
    all
}

/// Asks for all that there is of volumes alone, of triangles alone, and of both.
fn ask_all<T: Found>(
    crowd: &Crowd,
    query: &Query<'_>,
    accepts: &(dyn Fn(&Hit) -> bool + Sync),
    ask: impl Fn(&Snapshot, &Query<'_>, &mut Vec<T>),
) -> [Vec<T>; 3] {
    let list = |now: &Snapshot, targets: Targets| {
        let mut list = Vec::new();
        ask(now, &query.filter(accepts).targets(targets), &mut list);
        list
    };
    let [triangles, volumes, both] =
        [Targets::Triangles, Targets::Volumes, Targets::Both].map(|of| list(&crowd.now, of));
    let each = crowd.alone.iter().flat_map(|(id, alone)| {
        let mut found = Vec::new();
        ask(alone, &query.targets(Targets::Volumes), &mut found);
        found.into_iter().filter_map(|mut one| {
            one.hit().instance = *id;
            accepts(one.hit()).then_some(one)
        })
    });
    let expected = sorted(each.collect());
    assert_eq!(volumes, expected, "{query:?}");
    assert_eq!(both, sorted(triangles.iter().chain(&volumes).cloned().collect()), "{query:?}");
    [triangles, volumes, both]
}

/// Queries that see different parts of a scene.
fn query(random: &mut Random, isa: InstructionSet) -> Query<'static> {
    let facing = [Facing::Both, Facing::Both, Facing::Front, Facing::Back][random.below(4)];
    let start = [StartContacts::All, StartContacts::Opposed][random.below(2)];
    let mask = [u32::MAX, u32::MAX, 3, 4, 0][random.below(5)];
    Query::new().facing(facing).start_contacts(start).mask(mask).instruction_set(isa)
}

fn ray(random: &mut Random) -> Ray {
    let reach = Vec3::splat(8.0);
    let ray = Ray::new(random.in_box(-reach, reach), random.direction() * 3.0);
    match random.below(5) {
        0 => Ray { origin: ray.origin.round(), dir: Vec3::Y, ..ray },
        1 => ray.with_range(-2.0, 1.0),
        2 => ray.with_range(0.5, 3.0),
        // Beyond what kernels do.
        3 => Ray::new(1e12 * ray.dir, -1e12 * ray.dir + ray.origin),
        _ => ray,
    }
}

fn some_shape(random: &mut Random, kind: usize) -> (ConvexShape, Vec3) {
    let at = random.in_box(Vec3::splat(-7.0), Vec3::splat(7.0));
    let size = [0.0, 0.5, 3.0][random.below(3)];
    let motion = random.direction() * [0.0, 1.0, 5.0, 20.0][random.below(4)];
    (shape(random, kind, at, size), motion)
}

#[test]
fn many_volumes_say_what_each_says_alone() {
    let isas = instruction_sets();
    let mut random = Random::new(11);
    let mut found = [0; 4];
    for i in 0..40 * long() {
        let crowd = Crowd::new(&mut random, 5 + i % 60);
        for _ in 0..12 {
            let query = query(&mut random, isas[i % isas.len()]);
            let odd = random.below(3);
            let accepts = move |hit: &Hit| odd != 0 || hit.instance.to_bits() % 2 == 1;
            let filtered = query.filter(&accepts);

            let ray = ray(&mut random);
            let lists = ask_all(&crowd, &query, &accepts, |now, query, hits: &mut Vec<Hit>| {
                now.all_hits(&ray, query, hits);
            });
            let (shape, motion) = some_shape(&mut random, i);
            let (point, reach) = (shape_center(&shape), [1.0, 9.0, f32::INFINITY][random.below(3)]);
            let near = ask_all(&crowd, &query, &accepts, |now, query, near| {
                now.all_within(point, reach, query, near);
            });
            let touching = ask_all(&crowd, &query, &accepts, |now, query, overlaps| {
                now.all_overlaps(&shape, query, overlaps);
            });
            let contacts = ask_all(&crowd, &query, &accepts, |now, query, contacts| {
                now.all_contacts(&shape, motion, query, contacts);
            });
            let targets = [Targets::Triangles, Targets::Volumes, Targets::Both];
            for (k, targets) in targets.into_iter().enumerate() {
                let query = &filtered.targets(targets);
                let now = &crowd.now;
                assert_eq!(now.closest_hit(&ray, query), lists[k].first().copied());
                assert_eq!(now.any_hit(&ray, query), !lists[k].is_empty());
                assert_eq!(now.closest_point(point, reach, query), near[k].first().copied());
                assert_eq!(now.any_within(point, reach, query), !near[k].is_empty());
                assert_eq!(now.any_overlap(&shape, query), !touching[k].is_empty());
                let first = now.first_contact(&shape, motion, query);
                assert_eq!(first, contacts[k].first().copied());
            }
            found[0] += lists[1].len();
            found[1] += near[1].len();
            found[2] += touching[1].len();
            found[3] += contacts[1].len();
        }
    }
    println!("{found:?}");
    assert!(found.iter().all(|&found| found > 80 * long()), "{found:?}");
}

fn shape_center(shape: &ConvexShape) -> Vec3 {
    match shape {
        ConvexShape::Aabb(bounds) => bounds.center(),
        ConvexShape::Obb(obb) => obb.center(),
        ConvexShape::Sphere(sphere) => sphere.center,
        ConvexShape::Capsule(capsule) => capsule.a,
        _ => Vec3::ZERO,
    }
}

#[test]
fn batches_say_what_each_question_says_alone() {
    let mut random = Random::new(12);
    let crowd = Crowd::new(&mut random, 60);
    let now = &crowd.now;
    let count = if cfg!(debug_assertions) { 1_500 } else { 3_000 };
    let rays: Vec<Ray> = (0..count).map(|_| ray(&mut random)).collect();
    let points: Vec<Vec3> =
        (0..count).map(|_| random.in_box(Vec3::splat(-8.0), Vec3::splat(8.0))).collect();
    for isa in instruction_sets() {
        for targets in [Targets::Volumes, Targets::Both] {
            let by_index = |i: usize, hit: &Hit| i % 3 != hit.instance.to_bits() as usize % 3;
            let query = Query::new().targets(targets).instruction_set(isa);
            let asked = query.filter_by_index(&by_index);
            // What was there before does not matter.
            let old = now.closest_hit(&rays[0], &Query::new());
            let (mut hits, mut found) = (vec![old; count], vec![true; count]);
            let (mut lists, mut near) = (vec![vec![]; count], vec![None; count]);
            now.closest_hit_batch(&rays, &asked, &mut hits).unwrap();
            now.any_hit_batch(&rays, &asked, &mut found).unwrap();
            now.all_hits_batch(&rays, &asked, &mut lists).unwrap();
            now.closest_point_batch(&points, 2.0, &asked, &mut near).unwrap();
            for i in 0..count {
                let own = |hit: &Hit| by_index(i, hit);
                let query = query.filter(&own);
                assert_eq!(hits[i], now.closest_hit(&rays[i], &query));
                assert_eq!(found[i], hits[i].is_some());
                assert_eq!(lists[i].first(), hits[i].as_ref());
                assert_eq!(near[i], now.closest_point(points[i], 2.0, &query));
            }
            assert!(found.iter().filter(|&&found| found).count() > count / 4);
        }
    }
}

#[test]
fn one_instance_can_be_left_out() {
    let mut random = Random::new(13);
    let crowd = Crowd::new(&mut random, 40);
    let now = &crowd.now;
    let ids: Vec<InstanceId> = now.instances().collect();
    for i in 0..2_000 {
        let ray = ray(&mut random);
        let isa = InstructionSet::available()[i % InstructionSet::available().len()];
        let targets = [Targets::Triangles, Targets::Volumes, Targets::Both][i % 3];
        let query = Query::new().targets(targets).instruction_set(isa);
        let (mut all, mut rest) = (Vec::new(), Vec::new());
        now.all_hits(&ray, &query, &mut all);
        let out = all.first().map_or(ids[i % ids.len()], |hit| hit.instance);
        all.retain(|hit| hit.instance != out);
        let without = query.except(out);
        now.all_hits(&ray, &without, &mut rest);
        assert_eq!(rest, all);
        assert_eq!(now.closest_hit(&ray, &without), all.first().copied());
        assert_eq!(now.any_hit(&ray, &without), !all.is_empty());
        let mut batch = [None];
        now.closest_hit_batch(&[ray], &without, &mut batch).unwrap();
        assert_eq!(batch[0], all.first().copied());
        // With a filter too, in any order; another instance in its place; none at all.
        let is_front = |hit: &Hit| hit.face == Face::Front;
        let fronts = all.iter().find(|hit| is_front(hit)).copied();
        assert_eq!(now.closest_hit(&ray, &without.filter(&is_front)), fronts);
        assert_eq!(now.closest_hit(&ray, &query.filter(&is_front).except(out)), fronts);
        let none = without.except(InstanceId::NONE);
        assert_eq!(now.closest_hit(&ray, &none), now.closest_hit(&ray, &query));

        let (shape, motion) = some_shape(&mut random, i);
        let (mut contacts, mut other) = (Vec::new(), Vec::new());
        now.all_contacts(&shape, motion, &query, &mut contacts);
        contacts.retain(|contact| contact.hit.instance != out);
        now.all_contacts(&shape, motion, &without, &mut other);
        assert_eq!(other, contacts);
        let Shape::Aabb(bounds) = Shape::from(&shape) else { continue };
        assert_eq!(
            now.any_overlap(bounds, &without),
            now.any_overlap(bounds, &query.filter(&|hit| hit.instance != out)),
        );
    }
}
