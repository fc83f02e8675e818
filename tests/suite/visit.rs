//! Visits with the caller's own tests.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::{scenes, support};

use hitscan::glam::Vec3;
use hitscan::query::{MeshTriangle, Visitor};
use hitscan::{Aabb, Builder, Bvh, Mesh, Quality};
use support::{Random, long};

type Number = (u32, u32);

/// The nearest triangles to a point, of one that is let in by distance.
struct Nearest {
    point: Vec3,
    most: usize,
    found: Vec<(f32, Number)>,
    entered: Vec<f32>,
}

impl Nearest {
    fn to(bvh: &Bvh, point: Vec3, most: usize) -> Self {
        let mut nearest = Self { point, most, found: Vec::new(), entered: Vec::new() };
        bvh.visit(&mut nearest);
        nearest
    }

    fn add(&mut self, triangle: &MeshTriangle) {
        let distance = triangle.vertices.closest_point(self.point).distance(self.point);
        let found = (distance, (triangle.mesh, triangle.triangle));
        if let Err(at) =
            self.found.binary_search_by(|a| a.0.total_cmp(&found.0).then(a.1.cmp(&found.1)))
        {
            self.found.insert(at, found);
        }
        self.found.truncate(self.most);
    }
}

impl Visitor for Nearest {
    fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
        let distance = bounds.closest_point(self.point).distance(self.point);
        let last = self.found.get(self.most - 1);
        // A little more, for rounding.
        last.is_none_or(|last| distance <= 1.000_01 * last.0 + 1e-5).then_some(distance)
    }

    fn triangle(&mut self, triangle: &MeshTriangle) -> ControlFlow<()> {
        self.entered
            .push(triangle.vertices.bounds().closest_point(self.point).distance(self.point));
        self.add(triangle);
        ControlFlow::Continue(())
    }
}

#[test]
fn the_nearest_triangles_are_those_of_brute_force() {
    let mut random = Random::new(3);
    for (what, meshes) in scenes::many() {
        for quality in [Quality::Balanced, Quality::Best] {
            let (bvh, _) = Builder::new().quality(quality).bake(&meshes).expect("sound");
            let bounds = bvh.bounds();
            for _ in 0..20 * long() {
                let point = random.in_box(bounds.min, bounds.max);
                let nearest = Nearest::to(&bvh, point, 7);
                let mut all = Nearest { point, most: 7, found: Vec::new(), entered: Vec::new() };
                bvh.triangles().for_each(|triangle| all.add(&triangle));
                assert_eq!(nearest.found, all.found, "{what} {quality:?} {point}");
            }
        }
    }
}

/// Lets all in, in the order of the boxes' least `y`, and notes what comes.
struct Upward<'a> {
    lowest: Vec<f32>,
    count: BTreeMap<Number, (usize, MeshTriangle)>,
    order: &'a dyn Fn(&Aabb) -> Option<f32>,
    asked: usize,
    stop_after: usize,
}

impl<'a> Upward<'a> {
    fn visit(bvh: &Bvh, stop_after: usize, order: &'a dyn Fn(&Aabb) -> Option<f32>) -> Self {
        let (lowest, count) = (Vec::new(), BTreeMap::new());
        let mut all = Self { lowest, count, order, asked: 0, stop_after };
        bvh.visit(&mut all);
        all
    }
}

impl Visitor for Upward<'_> {
    fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
        self.asked += 1;
        (self.order)(bounds)
    }

    fn triangle(&mut self, triangle: &MeshTriangle) -> ControlFlow<()> {
        self.lowest.push(triangle.vertices.bounds().min.y);
        let number = (triangle.mesh, triangle.triangle);
        self.count.entry(number).or_insert((0, *triangle)).0 += 1;
        match self.lowest.len() == self.stop_after {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_visit_without_limits_comes_to_every_triangle_as_it_is_stored() {
    for (what, meshes) in scenes::many() {
        for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
            let (bvh, report) = Builder::new().quality(quality).bake(&meshes).expect("sound");
            let all = Upward::visit(&bvh, usize::MAX, &|_| Some(0.0));
            let seen = all.count.values().map(|(_, triangle)| *triangle);
            assert!(seen.eq(bvh.triangles()), "{what} {quality:?}");
            assert_eq!(all.lowest.len() as u64, report.summary.references, "{what} {quality:?}");
        }
    }
}

#[test]
fn boxes_come_in_order_and_a_break_ends_the_visit() {
    // Each in a leaf block of its own box: single triangles far apart.
    let mut random = Random::new(8);
    let one = |at: Vec3| [at, at + 0.01 * Vec3::X, at + 0.01 * Vec3::Y].map(|v| v.to_array());
    let far = (0..2_000).flat_map(|_| one(random.in_box(Vec3::ZERO, Vec3::splat(1e3))));
    let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(far.collect())]).expect("sound");
    let up = |bounds: &Aabb| Some(bounds.min.y);
    let all = Upward::visit(&bvh, usize::MAX, &up);
    assert_eq!(all.lowest.len(), 2_000);
    // Within a block the order is the tree's; the lowest of the blocks is the lowest of all.
    let blocks: Vec<f32> = all.lowest.clone();
    let lowest = blocks.iter().copied().fold(f32::INFINITY, f32::min);
    assert!(blocks[..8].contains(&lowest));
    let first = Upward::visit(&bvh, 5, &up);
    assert_eq!(first.lowest, all.lowest[..5]);
    assert!(first.asked < all.asked / 10, "{} of {}", first.asked, all.asked);
    // What is not let in is not there. An order that is no number comes last.
    let low = |bounds: &Aabb| (bounds.min.y < 100.0).then_some(bounds.min.y);
    let some = Upward::visit(&bvh, usize::MAX, &low);
    assert!(some.lowest.iter().filter(|&&y| y < 100.0).count() > 100);
    let below = |all: &[f32]| all.iter().filter(|&&y| y < 100.0).count();
    assert_eq!(below(&some.lowest), below(&all.lowest));
    assert!(some.lowest.len() < all.lowest.len() / 2);
    let last = |bounds: &Aabb| Some(if bounds.min.y < 500.0 { -f32::NAN } else { 1.0 });
    let nan = Upward::visit(&bvh, usize::MAX, &last);
    assert_eq!(nan.lowest.len(), 2_000);
    assert_eq!(Upward::visit(&bvh, usize::MAX, &|_| None).asked, 1);
}

#[test]
fn an_empty_tree_asks_nothing() {
    let (bvh, _) = Builder::new().bake(&[] as &[Mesh]).expect("sound");
    assert_eq!(Upward::visit(&bvh, usize::MAX, &|_| Some(0.0)).asked, 0);
}
