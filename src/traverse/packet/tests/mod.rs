//! Which rays a packet takes, and which not.

mod frustum;

use glam::Vec3;

use crate::bake::Builder;
use crate::bvh::{Bvh, TreeView};
use crate::geometry::Ray;
use crate::mesh::Mesh;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::traverse::collect::AcceptAll;
use crate::traverse::options::Query;
use crate::traverse::packet::AnyGroup;
use crate::traverse::packet::{Group, Mask, Packet, RAYS, ROW, ROWS, Rows, walk};

struct Fill<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    asked: Mask,
}

impl Task for Fill<'_> {
    type Output = Mask;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Mask {
        filled(isa, &self.tree, self.rays, self.asked).1
    }
}

/// A packet of those of the rays that are asked, and which of them go together.
#[inline(always)]
fn filled<I: Isa>(isa: I, tree: &TreeView<'_>, rays: &[Ray; RAYS], asked: Mask) -> (Packet, Mask) {
    let mut packet = Packet::ROOM;
    let rows = Rows::new(0, rays, &FIRSTS);
    let taken = packet.fill::<I::Wide>(isa, tree, &rows, asked);
    (packet, taken)
}

/// Where the rows of a packet's rays begin, one after the other.
const FIRSTS: [u32; ROWS] = {
    let mut firsts = [0; ROWS];
    let mut row = 0;
    while row < ROWS {
        firsts[row] = (row * ROW) as u32;
        row += 1;
    }
    firsts
};

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
    let taken: Vec<_> = InstructionSet::available()
        .into_iter()
        .map(|level| {
            let tree = bvh.view();
            simd::run(level, Fill { tree: *tree, rays, asked })
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
    let far = line().map(|ray| Ray { origin: ray.origin * 1e20, ..ray });
    assert_eq!(taken(&far, ALL), 0);
}

#[test]
fn nobody_goes_through_an_empty_tree() {
    let (empty, _) = Builder::new().bake(&[]).unwrap();
    assert_eq!(taken_by(&empty, &line(), ALL), 0);
    let mut hits = vec![None; RAYS];
    empty.closest_hits(&line(), &Query::new(), &mut hits).unwrap();
    assert_eq!(hits, vec![None; RAYS]);
}

/// As a whole number, minus zero is before all others.
#[test]
fn a_range_may_end_at_minus_zero() {
    let corners = [[-1.0, -1.0, 0.0], [4.0, -1.0, 0.0], [-1.0, 4.0, 0.0]];
    let mesh = Mesh::new(corners.to_vec(), vec![0, 1, 2]);
    let (bvh, _) = Builder::new().bake(&[mesh]).unwrap();
    let ranges = [(0.0, -0.0), (-0.0, -0.0), (-1.0, -0.0)];
    let some = if cfg!(miri) { 1 } else { ranges.len() };
    for (t_min, t_max) in ranges.into_iter().take(some) {
        let rays: [Ray; RAYS] = std::array::from_fn(|i| {
            let at = [i as f32 / 64.0, 0.25, 0.0];
            Ray::new(at, [0.1, 0.2, -1.0]).with_range(t_min, t_max)
        });
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let mut hits = vec![None; RAYS];
            bvh.closest_hits(&rays, &query, &mut hits).unwrap();
            let mut any = vec![false; RAYS];
            bvh.any_hits(&rays, &query, &mut any).unwrap();
            for (i, ray) in rays.iter().enumerate() {
                let hit = bvh.closest_hit(ray, &query);
                assert_eq!(hit.map(|hit| hit.t), Some(0.0), "{isa}: {t_min}, {t_max}");
                assert_eq!(hits[i], hit, "{isa}: {t_min}, {t_max}");
                assert!(any[i] && bvh.any_hit(ray, &query));
            }
        }
    }
}

/// Which rays find any hit, and in which leaf block the next packet is to look first.
struct Occluded<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    occluder: Option<u32>,
}

impl Task for Occluded<'_> {
    type Output = (Vec<bool>, Option<u32>);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Self { tree, rays, mut occluder } = self;
        let query = &Query::new();
        let query_filter = &tree.query_filter(query, AcceptAll);
        let mut packet = Packet::ROOM;
        let mut found = vec![false; RAYS];
        let rows = Rows::new(0, rays, &FIRSTS);
        // SAFETY: the tree is baked here, the packet filled for it, and the occluder one of its blocks.
        unsafe {
            let taken = packet.fill::<I::Wide>(isa, &tree, &rows, ALL);
            let mut group = AnyGroup::new(query_filter);
            walk(isa, &tree, &rows, &mut packet, taken, &mut occluder, &mut group);
            group.finish(isa, &packet, rays, &FIRSTS, taken, &mut found);
        }
        (found, occluder)
    }
}

#[test]
fn what_was_in_everybodys_way_is_looked_at_first() {
    // Two walls of eight triangles, one behind the other; and rays to one of them, to both, past all.
    let wall = |z: f32, right: f32| {
        (0..8).flat_map(move |i| {
            let z = z - 0.01 * i as f32;
            [[-50.0, -50.0, z], [right, -50.0, z], [right, 150.0, z]]
        })
    };
    let corners: Vec<[f32; 3]> = wall(0.0, 4.0).chain(wall(-40.0, 50.0)).collect();
    let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(corners)]).unwrap();
    let tree = bvh.view();
    assert_eq!(tree.blocks.len(), 2);
    let aim = |x: f32| line().map(|ray| Ray::new(ray.origin + Vec3::new(x, 0.0, 0.0), ray.dir));
    for isa in InstructionSet::available() {
        let ask = |rays: &[Ray; RAYS], occluder: Option<u32>| {
            simd::run(isa, Occluded { tree: *tree, rays, occluder })
        };
        for (rays, some, all) in [
            (aim(-10.0), true, true),
            (aim(-0.5), true, true),
            (aim(20.0), true, true),
            (aim(40.5), true, false),
            (aim(300.0), false, false),
        ] {
            let (found, next) = ask(&rays, None);
            assert_eq!(found.contains(&true), some, "{isa}: {rays:?}");
            assert_eq!(!found.contains(&false), all, "{isa}: {rays:?}");
            assert_eq!(next.is_some(), all, "{isa}");
            for occluder in [0, 1] {
                let (again, next) = ask(&rays, Some(occluder));
                assert_eq!(again, found, "{isa}: {occluder}, {rays:?}");
                assert_eq!(next.is_some(), all, "{isa}");
            }
            // What is in the way of all stays the first that is looked at.
            if let Some(next) = next {
                assert_eq!(ask(&rays, Some(next)).1, Some(next), "{isa}");
            }
        }
    }
}
