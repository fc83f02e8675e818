//! Which rays a packet takes, and which not.

use glam::Vec3;

use super::{Packet, RAYS};
use crate::bvh::BvhView;
use crate::simd::{self, Isa, Level, Task};
use crate::{Builder, Bvh, Mesh, Query, Ray};

struct Fill<'a> {
    tree: BvhView<'a>,
    rays: &'a [Ray],
}

impl Task for Fill<'_> {
    type Output = usize;

    #[inline(always)]
    unsafe fn run<I: Isa>(self) -> usize {
        let mut packet = Packet::ROOM;
        // SAFETY: the caller vouches for the instruction set.
        unsafe { packet.fill::<I::Node>(&self.tree, self.rays) }
    }
}

fn tree() -> Bvh {
    let corners = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 10.0]];
    let mesh = Mesh::new(corners.to_vec(), vec![0, 1, 2]);
    Builder::new().bake(&[mesh]).unwrap().0
}

/// How many of the rays go together, which is the same on every kernel.
fn taken(rays: &[Ray]) -> usize {
    taken_by(&tree(), rays)
}

fn taken_by(bvh: &Bvh, rays: &[Ray]) -> usize {
    let counts: Vec<_> = Level::available()
        .into_iter()
        .map(|level| {
            let tree = bvh.view();
            simd::run(level, Fill { tree, rays })
        })
        .collect();
    assert!(counts.iter().all(|&n| n == counts[0]), "{counts:?}");
    counts[0]
}

/// A line of a picture.
fn line() -> Vec<Ray> {
    (0..40)
        .map(|i| Ray::new([1.0, 2.0, 20.0], [0.1 + 0.001 * i as f32, 0.2, -1.0]))
        .collect()
}

#[test]
fn rays_side_by_side_go_together() {
    assert_eq!(taken(&line()), RAYS);
    assert_eq!(taken(&line()[..7]), 7);
    assert_eq!(taken(&vec![line()[0]; 40]), RAYS);
}

#[test]
fn a_ray_that_does_not_fit_ends_the_row() {
    let spoilers: [fn(&mut Ray); 12] = [
        |ray| ray.dir.x = -ray.dir.x,
        |ray| ray.dir = Vec3::new(-0.0, 0.2, -1.0),
        |ray| ray.dir = Vec3::new(0.1, 2.0, -1.0),
        |ray| ray.dir = Vec3::new(0.7, 0.2, -1.0),
        |ray| ray.dir = Vec3::ZERO,
        |ray| ray.dir.y = f32::NAN,
        |ray| ray.dir.z = f32::NEG_INFINITY,
        |ray| ray.origin.x = 9.0,
        |ray| ray.origin.y = f32::NAN,
        |ray| ray.t_min = -1.0,
        |ray| ray.t_max = -1.0,
        |ray| ray.t_max = f32::NAN,
    ];
    for (i, spoil) in spoilers.iter().enumerate() {
        let mut rays = line();
        spoil(&mut rays[11]);
        assert_eq!(taken(&rays), 11, "{i}");
        // Nor does it lead one with the others.
        let others = taken(&rays[11..]);
        assert!(others <= 1, "{i}: {others}");
    }
    let mut rays = line();
    rays[0].origin.x = f32::INFINITY;
    assert_eq!(taken(&rays), 0);
    let far = line().into_iter().map(|ray| Ray {
        origin: ray.origin * 1e20,
        ..ray
    });
    assert_eq!(taken(&far.collect::<Vec<_>>()), 0);
}

#[test]
fn nobody_goes_through_an_empty_tree() {
    let (empty, _) = Builder::new().bake(&[]).unwrap();
    assert_eq!(taken_by(&empty, &line()), 0);
    let mut hits = vec![None; 40];
    empty
        .closest_hits(&line(), &Query::new(), &mut hits)
        .unwrap();
    assert_eq!(hits, vec![None; 40]);
}
