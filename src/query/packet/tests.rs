//! Which rays a packet takes, and which not.

use glam::Vec3;

use super::{Mask, Packet, RAYS, ROW, ROWS, Rows};
use crate::bvh::BvhView;
use crate::simd::{self, Isa, Level, Task};
use crate::{Builder, Bvh, Mesh, Query, Ray};

struct Fill<'a> {
    tree: BvhView<'a>,
    rays: &'a [Ray; RAYS],
    asked: Mask,
}

impl Task for Fill<'_> {
    type Output = Mask;

    #[inline(always)]
    unsafe fn run<I: Isa>(self) -> Mask {
        let mut packet = Packet::ROOM;
        let firsts: [u32; ROWS] = std::array::from_fn(|i| (i * ROW) as u32);
        // SAFETY: the caller vouches for the instruction set.
        unsafe { packet.fill::<I::Node>(&self.tree, &Rows::new(self.rays, &firsts), self.asked) }
    }
}

fn tree() -> Bvh {
    let corners = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 10.0]];
    let mesh = Mesh::new(corners.to_vec(), vec![0, 1, 2]);
    Builder::new().bake(&[mesh]).unwrap().0
}

const ALL: Mask = Mask::MAX;

/// Which of the rays go together, which is the same on every kernel.
fn taken(rays: &[Ray; RAYS], asked: Mask) -> Mask {
    taken_by(&tree(), rays, asked)
}

fn taken_by(bvh: &Bvh, rays: &[Ray; RAYS], asked: Mask) -> Mask {
    let taken: Vec<_> = Level::available()
        .into_iter()
        .map(|level| {
            let tree = bvh.view();
            simd::run(level, Fill { tree, rays, asked })
        })
        .collect();
    assert!(taken.iter().all(|&n| n == taken[0]), "{taken:x?}");
    taken[0]
}

/// A line of a picture.
fn line() -> [Ray; RAYS] {
    std::array::from_fn(|i| Ray::new([1.0, 2.0, 20.0], [0.1 + 0.001 * i as f32, 0.2, -1.0]))
}

#[test]
fn rays_side_by_side_go_together() {
    assert_eq!(taken(&line(), ALL), ALL);
    assert_eq!(taken(&[line()[0]; RAYS], ALL), ALL);
}

#[test]
fn only_those_are_taken_that_are_asked() {
    for asked in [0b1, 0b111_1111, 0b1_0110_0000, 1 << 63, ALL << 20] {
        assert_eq!(taken(&line(), asked), asked);
    }
    // What the others are does not matter, nor who they are like.
    let mut rays = line();
    rays[0].dir = Vec3::NAN;
    rays[3].dir = Vec3::new(0.1, 2.0, -1.0);
    rays[4].origin.x = f32::INFINITY;
    assert_eq!(taken(&rays, 0b1110_0110), 0b1110_0110);
    assert_eq!(taken(&rays, 0b1001_1000), 0b1000);
}

#[test]
fn a_ray_that_does_not_fit_is_left_out() {
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
        assert_eq!(taken(&rays, ALL), !(1 << 11), "{i}");
        // Nor does it lead one with the others.
        let others = taken(&rays, ALL << 11);
        assert_eq!(others & !(1 << 11), 0, "{i}");
    }
    let mut rays = line();
    rays[0].origin.x = f32::INFINITY;
    assert_eq!(taken(&rays, ALL), 0);
    let far = line().map(|ray| Ray {
        origin: ray.origin * 1e20,
        ..ray
    });
    assert_eq!(taken(&far, ALL), 0);
}

#[test]
fn nobody_goes_through_an_empty_tree() {
    let (empty, _) = Builder::new().bake(&[]).unwrap();
    assert_eq!(taken_by(&empty, &line(), ALL), 0);
    let mut hits = vec![None; RAYS];
    empty
        .closest_hits(&line(), &Query::new(), &mut hits)
        .unwrap();
    assert_eq!(hits, vec![None; RAYS]);
}
