//! No ray slips through a closed surface.
//!
//! A ray from inside a closed mesh must hit it: at every vertex, at points on every edge, and as
//! near to them as `f32` can aim. Some of the meshes lie on a grid, so that the aim is exact and
//! the ray goes *through* the edge; then the hit must be in the known place, to the bit. A ray
//! that meets no edge leaves a closed mesh more often than it enters it, by the winding number of
//! its origin.
//!
//! Möller and Trumbore's test loses some of the same rays, which shows that they are hard.

use crate::support;
use std::collections::{BTreeMap, BTreeSet};

use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Face, InstructionSet, Mesh, Quality, Query, Ray, Triangle};
use support::{Random, before_each, long, shared_mesh};

fn instruction_sets() -> Vec<InstructionSet> {
    let isas = InstructionSet::available();
    println!("kernels: {isas:?}");
    isas
}

/// A closed surface whose triangles share vertices bit for bit.
struct Closed {
    name: String,
    triangles: Vec<Triangle>,
    vertices: Vec<Vec3>,
    edges: Vec<[Vec3; 2]>,
    /// With spatial splits.
    bvh: Bvh,
    /// Without.
    unsplit: Bvh,
}

impl Closed {
    fn new(name: &str, mesh: Mesh) -> Self {
        let view = mesh.view();
        let triangles: Vec<_> =
            (0..view.triangle_count()).map(|i| view.triangle(i).expect("it is there")).collect();
        // Bits decide what is one vertex; adding zero makes the two zeros one.
        let key = |v: Vec3| v.to_array().map(|x| (x + 0.0).to_bits());
        let mut vertices = BTreeMap::new();
        let mut sides = BTreeMap::new();
        for t in &triangles {
            let corners = [t.v0, t.v1, t.v2];
            for i in 0..3 {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                vertices.insert(key(a), a);
                if key(a) < key(b) {
                    *sides.entry((key(a), key(b))).or_insert(0) += 1;
                } else if key(a) > key(b) {
                    *sides.entry((key(b), key(a))).or_insert(0) -= 1;
                }
            }
        }
        assert!(sides.values().all(|&balance| balance == 0), "{name} is not closed");
        let edges = sides.keys().map(|(a, b)| [vertices[a], vertices[b]]).collect();
        let vertices = vertices.into_values().collect();
        let bake = |quality| {
            let baked = Builder::new().quality(quality).bake(std::slice::from_ref(&mesh));
            baked.expect("it can be baked").0
        };
        Self {
            name: name.to_owned(),
            triangles,
            vertices,
            edges,
            bvh: bake(Quality::Best),
            unsplit: bake(Quality::Balanced),
        }
    }

    /// How many of these rays `closest_hit`, `any_hit` or `all_hits` loses, in either tree.
    fn missed(&self, rays: &[Aimed], isa: InstructionSet) -> usize {
        let query = Query::new().instruction_set(isa);
        let mut list = Vec::new();
        let mut misses = 0;
        for bvh in [&self.bvh, &self.unsplit] {
            let view = &bvh;
            for (number, Aimed { ray, .. }) in rays.iter().enumerate() {
                // Half of the queries follow another of the same ray.
                let apart = before_each(view, &query, number % 2 != 0);
                apart();
                let closest = bvh.closest_hit(ray, &query);
                apart();
                bvh.all_hits(ray, &query, &mut list);
                apart();
                let missed = closest.is_none() || !bvh.any_hit(ray, &query) || list.is_empty();
                misses += usize::from(missed);
            }
        }
        misses
    }

    /// The winding number of a point: the solid angles of all triangles (van Oosterom and Strackee
    /// 1983) divided by that of a sphere. 1 is inside, 0 outside.
    fn winding(&self, point: Vec3) -> f64 {
        let to = |v: Vec3| [0, 1, 2].map(|k| f64::from(v[k]) - f64::from(point[k]));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let mut sum = 0.0;
        for t in &self.triangles {
            let [a, b, c] = [to(t.v0), to(t.v1), to(t.v2)];
            let det = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            let [x, y, z] = [a, b, c].map(|v| dot(v, v).sqrt());
            let rest = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y;
            sum += 2.0 * det.atan2(rest);
        }
        sum / (4.0 * std::f64::consts::PI)
    }

    /// A point with winding number 1, away from the surface.
    fn inside(&self, random: &mut Random) -> Vec3 {
        let bounds = self.bvh.bounds();
        loop {
            let point = random.in_box(bounds.min, bounds.max);
            if (self.winding(point) - 1.0).abs() < 1e-6 {
                return point;
            }
        }
    }

    /// Rays from a point to every vertex and, in this many steps, along every edge, with their
    /// targets. On a grid all of these numbers are exact.
    fn aimed(&self, from: Vec3, steps: u16) -> Vec<Aimed> {
        let mut rays = Vec::new();
        for &vertex in &self.vertices {
            rays.push(Aimed { ray: Ray::new(from, vertex - from), t: 1.0 });
        }
        for &[a, b] in &self.edges {
            for step in 1..steps {
                let (on_b, all) = (f32::from(step), f32::from(steps));
                let dir = (a - from) * (all - on_b) + (b - from) * on_b;
                rays.push(Aimed { ray: Ray::new(from, dir), t: 1.0 / all });
            }
        }
        rays
    }

    /// How many of a sixteenth of the rays brute force with the other test loses, and how many
    /// these are.
    fn missed_by_moller_trumbore(&self, rays: &[Aimed]) -> [usize; 2] {
        let hit =
            |ray: &Ray| self.triangles.iter().any(|t| t.intersect_moller_trumbore(ray).is_some());
        let some = rays.iter().step_by(16);
        let asked = some.len();
        [some.filter(|aimed| !hit(&aimed.ray)).count(), asked]
    }
}

struct Aimed {
    ray: Ray,
    /// Where an exact ray hits its target.
    t: f32,
}

/// A sphere of 64 by 32 segments with one vertex at each pole. Its vertices are rounded to a grid
/// of this step, if there is one.
fn sphere(at: Vec3, step: Option<f32>) -> Closed {
    let (sides, rings, radius) = (64u32, 32u32, 10.0);
    let place = |p: Vec3| step.map_or(p, |step| (p / step).round() * step) + at;
    let mut positions = vec![place(Vec3::Y * radius)];
    for j in 1..rings {
        let (r, y) = (std::f32::consts::PI * j as f32 / rings as f32).sin_cos();
        for i in 0..sides {
            let (z, x) = (std::f32::consts::TAU * i as f32 / sides as f32).sin_cos();
            positions.push(place(Vec3::new(x * r, y, z * r) * radius));
        }
    }
    positions.push(place(Vec3::NEG_Y * radius));
    let last = positions.len() as u32 - 1;
    let on_ring = |j: u32, i: u32| 1 + (j - 1) * sides + i % sides;
    let mut indices = Vec::new();
    for i in 0..sides {
        indices.extend([0, on_ring(1, i + 1), on_ring(1, i)]);
        for j in 1..rings - 1 {
            let [a, b] = [on_ring(j, i), on_ring(j, i + 1)];
            let [c, d] = [on_ring(j + 1, i + 1), on_ring(j + 1, i)];
            indices.extend([a, b, c, a, c, d]);
        }
        indices.extend([last, on_ring(rings - 1, i), on_ring(rings - 1, i + 1)]);
    }
    let positions = positions.into_iter().map(Vec3::into).collect();
    let name = format!("sphere at {at}{}", if step.is_some() { ", on a grid" } else { "" });
    Closed::new(&name, Mesh::new(positions, indices))
}

/// A ring, on a grid: not convex, so rays go in and out of it.
fn torus() -> Closed {
    let (sides, rings) = (48u32, 24u32);
    let mut positions = Vec::new();
    for j in 0..rings {
        let (y, r) = (std::f32::consts::TAU * j as f32 / rings as f32).sin_cos();
        for i in 0..sides {
            let (z, x) = (std::f32::consts::TAU * i as f32 / sides as f32).sin_cos();
            let p = Vec3::new(x * (8.0 + 3.0 * r), 3.0 * y, z * (8.0 + 3.0 * r));
            positions.push(((p / FINE).round() * FINE).into());
        }
    }
    let at = |j: u32, i: u32| j % rings * sides + i % sides;
    let mut indices = Vec::new();
    for j in 0..rings {
        for i in 0..sides {
            let [a, b] = [at(j, i), at(j, i + 1)];
            let [c, d] = [at(j + 1, i + 1), at(j + 1, i)];
            indices.extend([a, c, b, a, d, c]);
        }
    }
    Closed::new("torus, on a grid", Mesh::new(positions, indices))
}

const MOVED: Vec3 = Vec3::new(10_000.0, 50.0, -8_000.0);

/// Grid steps, near zero and far away. Near zero the step is so fine that products of three
/// coordinates do not fit into `f64`.
const FINE: f32 = 1.0 / 65536.0;
const COARSE: f32 = 1.0 / 1024.0;

/// A point on the grid within a ball.
fn near(random: &mut Random, center: Vec3, radius: f32) -> Vec3 {
    let step = if center.x > 1e3 { COARSE } else { FINE };
    center + (random.direction() * random.range(0.0, radius) / step).round() * step
}

#[test]
fn no_ray_slips_out_of_a_sphere() {
    let isas = instruction_sets();
    let mut by_moller_trumbore = [0, 0];
    for (at, grid) in [(Vec3::ZERO, FINE), (MOVED, COARSE)] {
        for step in [None, Some(grid)] {
            let sphere = sphere(at, step);
            assert_eq!((sphere.vertices.len(), sphere.triangles.len()), (1986, 3968));
            assert_eq!(sphere.edges.len(), 5952);
            let mut random = Random::new(11);
            let (mut count, mut misses) = (0, vec![0; isas.len()]);
            for number in 0..2 * long() {
                let from = if number == 0 { at } else { near(&mut random, at, 9.5) };
                let rays = sphere.aimed(from, 4);
                for (misses, &isa) in misses.iter_mut().zip(&isas) {
                    *misses += sphere.missed(&rays, isa);
                }
                if number < 2 {
                    let [misses, asked] = sphere.missed_by_moller_trumbore(&rays);
                    by_moller_trumbore[0] += misses;
                    by_moller_trumbore[1] += asked;
                }
                count += rays.len();
            }
            println!("{}: {count} rays, missed by instruction set: {misses:?}", sphere.name);
            assert!(misses.iter().all(|&n| n == 0), "{}: {misses:?}", sphere.name);
        }
    }
    let [misses, rays] = by_moller_trumbore;
    println!("Möller–Trumbore in f64 misses {misses} of {rays}");
    assert!(misses > 0, "these rays are not hard");
}

/// Where the aim is exact, so is the hit: from inside and from outside, silhouettes included.
#[test]
fn exactly_aimed_rays_hit_their_targets() {
    let isas = instruction_sets();
    let ring = torus();
    let meshes = [sphere(Vec3::ZERO, Some(FINE)), sphere(MOVED, Some(COARSE)), ring];
    let (mut by_moller_trumbore, mut asked) = (0, 0);
    for mesh in &meshes {
        let center = mesh.bvh.bounds().center();
        let mut random = Random::new(12);
        let (mut count, mut silhouette) = (0, 0);
        for number in 0..3 * long() {
            // From near and far, inside and outside, and from the plane of the equator, in which
            // whole rings of edges lie.
            let mut from = near(&mut random, center, [9.0, 40.0][number % 2]);
            if number % 3 == 2 {
                from.y = center.y;
            }
            let outside = mesh.winding(from).abs() < 0.5;
            let rays = mesh.aimed(from, 4);
            for &isa in &isas {
                let query = Query::new().instruction_set(isa);
                let mut list = Vec::new();
                for aimed in &rays {
                    mesh.bvh.all_hits(&aimed.ray, &query, &mut list);
                    let closest = mesh.bvh.closest_hit(&aimed.ray, &query);
                    let context = || format!("{}, {isa}: {:?}: {list:?}", mesh.name, aimed.ray);
                    let there: Vec<_> = list.iter().filter(|hit| hit.t == aimed.t).collect();
                    assert!(!there.is_empty(), "{}", context());
                    assert_eq!(closest.as_ref(), list.first(), "{}", context());
                    assert!(mesh.bvh.any_hit(&aimed.ray, &query));
                    // A ray from outside hits a front first; at a silhouette also backs, at the
                    // same `t`.
                    let mut first = list.iter().take_while(|hit| hit.t == list[0].t);
                    assert!(!outside || first.any(|hit| hit.face == Face::Front), "{}", context());
                    let faces: BTreeSet<_> = there.iter().map(|hit| hit.face as u8).collect();
                    silhouette += usize::from(outside && faces.len() == 2);
                }
            }
            if number < 2 {
                let [misses, of] = mesh.missed_by_moller_trumbore(&rays);
                by_moller_trumbore += misses;
                asked += of;
            }
            count += rays.len();
        }
        println!("{}: {count} exact rays, {silhouette} hits of silhouettes", mesh.name);
        assert!(silhouette > 0, "{}: no silhouette was hit", mesh.name);
    }
    println!("Möller–Trumbore in f64 misses {by_moller_trumbore} of {asked}");
    assert!(by_moller_trumbore > 0, "these rays are not hard");
}

/// From outside with inexact aim: at vertices and edges that face the origin, a front must be
/// hit.
#[test]
fn no_ray_slips_into_a_sphere() {
    let isas = instruction_sets();
    for at in [Vec3::ZERO, MOVED] {
        let sphere = sphere(at, None);
        let mut random = Random::new(13);
        let mut count = 0;
        for _ in 0..4 * long() {
            let from = at + random.direction() * random.range(11.0, 60.0);
            for aimed in sphere.aimed(from, 4) {
                // Away from the silhouette: facets deviate from the sphere by a twentieth.
                let (out, back) = (aimed.ray.at(aimed.t) - at, -aimed.ray.dir);
                if out.normalize().dot(back.normalize()) < 0.1 {
                    continue;
                }
                for &isa in &isas {
                    let query = Query::new().instruction_set(isa);
                    let hit = sphere.bvh.closest_hit(&aimed.ray, &query);
                    let hit = hit.unwrap_or_else(|| panic!("{isa}: {:?} slips in", aimed.ray));
                    assert_eq!(hit.face, Face::Front, "{isa}: {:?}", aimed.ray);
                    assert!(sphere.bvh.any_hit(&aimed.ray, &query), "{isa}: {:?}", aimed.ray);
                }
                count += 1;
            }
        }
        println!("{}: {count} rays from outside, none missed", sphere.name);
        assert!(count > 2_000 * long(), "few rays face the sphere");
    }
}

/// The real closed meshes, if they are there.
fn real() -> Vec<Closed> {
    let names = ["mf_menger3", "mf_gyroidpuzzle"];
    names.iter().filter_map(|name| Some(Closed::new(name, shared_mesh(name)?))).collect()
}

#[test]
fn no_ray_slips_out_of_real_meshes() {
    let isas = instruction_sets();
    for mesh in real() {
        let mut random = Random::new(14);
        let (mut count, mut misses) = (0, vec![0; isas.len()]);
        let mut by_moller_trumbore = [0, 0];
        for number in 0..long() {
            let from = mesh.inside(&mut random);
            let rays = mesh.aimed(from, 2);
            for (misses, &isa) in misses.iter_mut().zip(&isas) {
                *misses += mesh.missed(&rays, isa);
            }
            count += rays.len();
            if number == 0 {
                by_moller_trumbore = mesh.missed_by_moller_trumbore(&rays);
            }
        }
        println!(
            "{}: {count} rays from inside ({} vertices, {} edges), \
             missed by instruction set: {misses:?}; \
             Möller–Trumbore misses {} of {}",
            mesh.name,
            mesh.vertices.len(),
            mesh.edges.len(),
            by_moller_trumbore[0],
            by_moller_trumbore[1],
        );
        assert!(misses.iter().all(|&n| n == 0), "{}: {misses:?}", mesh.name);
    }
}

/// A ray from inside hits one more back than fronts, a ray from outside equally many.
#[test]
fn rays_leave_as_often_as_the_winding_number_says() {
    let isas = instruction_sets();
    let mut meshes = vec![torus(), sphere(Vec3::ZERO, None), sphere(MOVED, None)];
    meshes.extend(real());
    for mesh in &meshes {
        let mut random = Random::new(15);
        let bounds = mesh.bvh.bounds();
        let (mut count, mut inside, mut skipped, mut most) = (0, 0, 0, 0);
        for number in 0..6 * long() {
            let from = if number % 3 == 0 {
                random.in_box(bounds.min, bounds.max)
            } else {
                mesh.inside(&mut random)
            };
            let winding = mesh.winding(from);
            if (winding - winding.round()).abs() > 1e-6 {
                continue;
            }
            let winding = winding.round() as i64;
            inside += usize::from(winding == 1);
            for _ in 0..200 {
                let ray = Ray::new(from, random.direction());
                for &isa in &isas {
                    let mut list = Vec::new();
                    mesh.bvh.all_hits(&ray, &Query::new().instruction_set(isa), &mut list);
                    // On an edge several triangles are hit, and the sum means nothing.
                    let on_edge = |u: f32, v: f32| u == 0.0 || v == 0.0 || u + v > 0.999_999;
                    if list.iter().any(|hit| on_edge(hit.u, hit.v)) {
                        skipped += 1;
                        continue;
                    }
                    let backs = list.iter().filter(|hit| hit.face == Face::Back).count() as i64;
                    let fronts = list.len() as i64 - backs;
                    assert_eq!(backs - fronts, winding, "{}, {isa}: {ray:?}", mesh.name);
                    assert_eq!(list.len() % 2, winding.unsigned_abs() as usize % 2);
                    most = most.max(list.len());
                    count += 1;
                }
            }
        }
        println!(
            "{}: {count} rays from {inside} points inside and others, up to {most} hits, {skipped} \
             on an edge",
            mesh.name
        );
        assert!(count > 1_000 * long() && inside >= 4 * long() && skipped < count / 50);
    }
}
