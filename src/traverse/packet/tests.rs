//! Which rays form a packet; the frustum test and the triangle test against exact results.

use bytemuck::Zeroable;
use glam::Vec3;

use super::collect::{AnyPacket, ClosestPacket, PacketCollector as _};
use super::lanes::{Lanes, Mask, RAYS, ROW, ROWS, RayRows};
use super::rays::Packet;
use crate::bake::Builder;
use crate::bvh::{Bvh, LANES, LeafBlock, Node, TreeView, WIDTH};
use crate::geometry::{Ray, intersect_exact};
use crate::mesh::Mesh;
use crate::simd::{self, InstructionSet, Isa, Task, Vector};
use crate::test_rng;
use crate::traverse::options::Query;

/// The first rays of the rows of consecutive rays.
const FIRSTS: [u32; ROWS] = [0, 8, 16, 24, 32, 40, 48, 56];
const _: () = assert!(ROW == 8);

struct Gather<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    wanted: Mask,
    max_difference: f32,
}

impl Task for Gather<'_> {
    type Output = Mask;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Mask {
        gathered(isa, &self.tree, self.rays, self.wanted, self.max_difference).1
    }
}

/// A packet of the wanted rays, and a bit for each ray that it takes.
#[inline(always)]
fn gathered<I: Isa>(
    isa: I,
    tree: &TreeView<'_>,
    rays: &[Ray; RAYS],
    wanted: Mask,
    max_difference: f32,
) -> (Packet, Mask) {
    let mut packet = Packet::zeroed();
    let rows = RayRows::new((0, rays), &FIRSTS);
    let taken =
        packet.gather::<I::Wide>(isa, (&tree.facts, 0.0), &rows, (wanted, 1), max_difference);
    (packet, taken)
}

fn tree() -> Bvh {
    let corners = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 10.0]];
    let mesh = Mesh::new(corners.to_vec(), vec![0, 1, 2]);
    Builder::new().bake(&[mesh]).unwrap().0
}

const ALL: Mask = Mask::MAX;

/// A bit for each ray that a packet takes: the same on every instruction set.
fn taken(rays: &[Ray; RAYS], wanted: Mask) -> Mask {
    taken_by(&tree(), rays, wanted, NARROW)
}

fn taken_by(bvh: &Bvh, rays: &[Ray; RAYS], wanted: Mask, max_difference: f32) -> Mask {
    let taken: Vec<_> = InstructionSet::available()
        .into_iter()
        .map(|isa| {
            let tree = bvh.view();
            simd::run(isa, Gather { tree: *tree, rays, wanted, max_difference })
        })
        .collect();
    assert!(taken.iter().all(|&n| n == taken[0]), "{taken:x?}");
    taken[0]
}

/// How far the directions of rays for the closest hit may differ, and of those for any.
const NARROW: f32 = ClosestPacket::MAX_DIRECTION_DIFFERENCE;
const WIDE: f32 = AnyPacket::MAX_DIRECTION_DIFFERENCE;

/// The rays of one line of a picture.
fn line() -> [Ray; RAYS] {
    std::array::from_fn(|i| Ray::new([1.0, 2.0, 20.0], [0.1 + 0.001 * i as f32, 0.2, -1.0]))
}

#[test]
fn neighboring_rays_form_a_packet() {
    assert_eq!(taken(&line(), ALL), ALL);
    assert_eq!(taken(&[line()[0]; RAYS], ALL), ALL);
}

#[test]
fn packets_for_any_hit_are_wider() {
    let mut rays = line();
    rays[11].dir = Vec3::new(0.7, 0.2, -1.0);
    assert_eq!(taken(&rays, ALL), !(1 << 11));
    assert_eq!(taken_by(&tree(), &rays, ALL, WIDE), ALL);
    rays[11].dir = Vec3::new(1.0, 0.9, -1.0);
    assert_eq!(taken_by(&tree(), &rays, ALL, WIDE), !(1 << 11));
}

#[test]
fn only_wanted_rays_are_taken() {
    for wanted in [0b1, 0b111_1111, 0b1_0110_0000, 1 << 63, ALL << 20] {
        assert_eq!(taken(&line(), wanted), wanted);
    }
    // The other rays do not matter, similar or not.
    let mut rays = line();
    rays[0].dir = Vec3::NAN;
    rays[3].dir = Vec3::new(0.1, 2.0, -1.0);
    rays[4].origin.x = f32::INFINITY;
    assert_eq!(taken(&rays, 0b1110_0110), 0b1110_0110);
    assert_eq!(taken(&rays, 0b1001_1000), 0b1000);
}

/// Takes all similar rays, if there are enough.
struct GatherAtLeast<'a>(&'a TreeView<'a>, &'a [Ray; RAYS], u32);

impl Task for GatherAtLeast<'_> {
    type Output = Mask;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Mask {
        let Self(tree, rays, least) = self;
        let (rows, facts) = (RayRows::new((0, rays), &FIRSTS), (&tree.facts, 0.0));
        Packet::zeroed().gather::<I::Wide>(isa, facts, &rows, (ALL, least), NARROW)
    }
}

#[test]
fn too_few_rays_form_no_packet() {
    let (bvh, mut rays) = (tree(), line());
    rays[11].dir.x = -0.1;
    for isa in InstructionSet::available() {
        let taken = |least: u32| simd::run(isa, GatherAtLeast(bvh.view(), &rays, least));
        assert_eq!(taken(63), !(1 << 11), "{isa}");
        assert_eq!(taken(64), 0, "{isa}");
    }
}

#[test]
fn a_ray_that_does_not_fit_is_not_taken() {
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
        // It does not lead a packet of the others either.
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
fn no_packet_forms_for_an_empty_tree() {
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    assert_eq!(taken_by(&empty, &line(), ALL, NARROW), 0);
    let mut hits = vec![None; RAYS];
    empty.closest_hit_batch(&line(), &Query::new(), &mut hits).unwrap();
    assert_eq!(hits, vec![None; RAYS]);
}

/// As an integer, minus zero comes before all other floats.
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
            bvh.closest_hit_batch(&rays, &query, &mut hits).unwrap();
            let mut any = vec![false; RAYS];
            bvh.any_hit_batch(&rays, &query, &mut any).unwrap();
            for (i, ray) in rays.iter().enumerate() {
                let hit = bvh.closest_hit(ray, &query);
                assert_eq!(hit.map(|hit| hit.t), Some(0.0), "{isa}: {t_min}, {t_max}");
                assert_eq!(hits[i], hit, "{isa}: {t_min}, {t_max}");
                assert!(any[i] && bvh.any_hit(ray, &query));
            }
        }
    }
}

/// Tests the triangles of a block with a packet of these rays.
struct TestBlock<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    block: &'a LeafBlock,
}

/// The rays of the packet, the triangles that its frustum does not cull, and the triangle tests.
struct BlockTest {
    taken: Mask,
    met: u32,
    through_a_point: bool,
    triangles: Vec<Judged>,
}

/// The rays that possibly and certainly hit a triangle, and the bounds of `t`.
struct Judged {
    may: Mask,
    sure: Mask,
    least: Lanes,
    most: Lanes,
}

impl Task for TestBlock<'_> {
    type Output = BlockTest;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> BlockTest {
        let Self { tree, rays, block } = self;
        let (mut packet, taken) = gathered(isa, &tree, rays, ALL, WIDE);
        let (frustum, rows) = (packet.frustum, packet.block_rows);
        let met = frustum.intersect_triangles::<I::Leaf>(isa, &rows, block, &mut packet.tests);
        let mut triangles = Vec::new();
        for lane in 0..LANES as u32 {
            let mut judged =
                Judged { may: 0, sure: 0, least: Lanes::splat(0.0), most: Lanes::splat(0.0) };
            let test = packet.tests.splat::<I::Wide>(isa, lane);
            let mut first = 0;
            while first < RAYS {
                let verdict = if frustum.is_divergent() {
                    test.test::<true>(&packet.relative, &packet.t_max, first)
                } else {
                    test.test::<false>(&packet.relative, &packet.t_max, first)
                };
                judged.may |= Mask::from(verdict.possible) << first;
                judged.sure |= Mask::from(verdict.certain) << first;
                judged.least.store(first, verdict.t_lo);
                judged.most.store(first, verdict.t_hi);
                first += I::Wide::LANES;
            }
            triangles.push(judged);
        }
        BlockTest { taken, met, through_a_point: !frustum.is_divergent(), triangles }
    }
}

/// Counts: triangles that some ray hits, that are not culled, and all; hits of rays, all and
/// certain; packets whose rays pass through one point, and all.
#[derive(Default)]
struct Seen {
    hits: usize,
    meets: usize,
    all: usize,
    ray_hits: usize,
    sure_hits: usize,
    through_a_point: usize,
    packets: usize,
}

impl Seen {
    /// Asserts on every instruction set that the frustum keeps each triangle that a ray hits, that
    /// this hit is possible, and that certain hits are hits within their bounds.
    fn check(&mut self, round: usize, bvh: &Bvh, rays: &[Ray; RAYS], block: &LeafBlock) {
        let hits: [_; LANES] = std::array::from_fn(|lane| {
            let corners = || block.corners(lane);
            rays.each_ref().map(|ray| intersect_exact(ray, &corners).map(|hit| hit.t))
        });
        for isa in InstructionSet::available() {
            let tree = bvh.view();
            let look = simd::run(isa, TestBlock { tree: *tree, rays, block });
            if look.taken == 0 {
                continue;
            }
            self.packets += 1;
            self.through_a_point += usize::from(look.through_a_point);
            for (lane, (judged, hits)) in look.triangles.iter().zip(&hits).enumerate() {
                let mut any = false;
                for (i, hit) in hits.iter().enumerate() {
                    let bit = |mask: Mask| mask >> i & 1 != 0;
                    if !bit(look.taken) {
                        continue;
                    }
                    let at = || format!("{isa}: round {round}, {lane}, {:?}", rays[i]);
                    // The frustum has no bounds on `t`.
                    any |= hit.is_some();
                    let hit = hit.filter(|&t| rays[i].t_min <= t && t <= rays[i].t_max);
                    assert!(hit.is_none() || bit(judged.may), "{}", at());
                    if bit(judged.sure) {
                        let t = hit.unwrap_or(f32::NAN);
                        let (least, most) = (judged.least.0[i], judged.most.0[i]);
                        assert!(least <= t && t <= most, "{}: {t}", at());
                    }
                    self.ray_hits += usize::from(hit.is_some());
                    self.sure_hits += usize::from(bit(judged.sure));
                }
                let met = look.met >> lane & 1 != 0;
                assert!(met || !any, "{isa}: round {round}, {lane}");
                self.hits += usize::from(any);
                self.meets += usize::from(met);
                self.all += 1;
            }
        }
    }
}

/// For rays that diverge, converge or neither. Also asserts that enough is culled and certain.
#[test]
fn the_frustum_keeps_the_triangles_that_its_rays_hit() {
    let bvh = tree();
    let mut state = 1u64;
    let mut number = || test_rng::number(&mut state);
    let mut seen = Seen::default();
    let rounds = if cfg!(miri) { 4 } else { 2000 };
    for round in 0..rounds {
        let mut point = |size: f32| size * Vec3::new(number(), number(), number());
        let (eye, aim) = (point(10.0), point(20.0));
        let spread = [0.0, 1e-5, 0.1, 0.6][round % 4];
        let rays: [Ray; RAYS] = std::array::from_fn(|_| {
            let target = aim + point(spread);
            match round / 4 % 4 {
                // From one point, parallel, to one point, and neither.
                0 => Ray::new(eye, target - eye),
                1 => Ray::new(eye + target - aim, aim - eye),
                2 => Ray::new(target, eye - target),
                _ => Ray::new(eye + point(spread), target - eye),
            }
        });
        let size = [0.1, 1.0, 10.0, 1000.0][round / 16 % 4];
        let mut block = LeafBlock::EMPTY;
        for lane in 0..LANES {
            let middle = eye.lerp(aim, 0.15 * lane as f32) + point(0.1 * size);
            let corners = [(); 3].map(|()| (middle + point(size)).to_array());
            block.set_corners(lane, &corners);
        }
        seen.check(round, &bvh, &rays, &block);
    }
    let Seen { hits, meets, all, ray_hits, sure_hits, through_a_point, packets } = seen;
    println!("{hits} hit, {meets} kept, of {all}; {sure_hits} certain, of {ray_hits}");
    println!("{through_a_point} packets through a point, of {packets}");
    assert!(cfg!(miri) || hits > all / 5 && meets < hits * 3 / 2 && meets < all / 2);
    assert!(cfg!(miri) || sure_hits > ray_hits / 100 * 99);
    assert!(cfg!(miri) || (packets / 3..packets / 4 * 3).contains(&through_a_point));
}

/// Rays through the edges of triangles that are large or small compared to the packet, and whose
/// `t_max` is at the hit or next to it. Only the tolerances of Lemmas 42 and 43 keep these right.
#[test]
fn the_triangle_test_is_right_for_rays_through_edges() {
    let bvh = tree();
    let mut state = 7u64;
    let mut number = || test_rng::number(&mut state);
    let mut seen = Seen::default();
    let rounds = if cfg!(miri) { 4 } else { 12_000 };
    for round in 0..rounds {
        let mut point = |size: f32| size * Vec3::new(number(), number(), number());
        let (eye, aim) = (point(10.0), point(20.0));
        let spread = [1e-6, 0.2, 2.0][round % 3];
        let mut rays: [Ray; RAYS] = std::array::from_fn(|_| {
            let target = aim + point(spread);
            match round / 3 % 3 {
                0 => Ray::new(eye, (target - eye).normalize()),
                1 => Ray::new(target, (eye - target).normalize()),
                _ => Ray::new(eye + point(spread), target - eye),
            }
        });
        let size = [1e-3, 0.03, 1.0, 1000.0][round / 9 % 4];
        let mut block = LeafBlock::EMPTY;
        for lane in 0..LANES {
            // On a ray, before its target or behind it, or next to the ray.
            let ray = &rays[lane * 7];
            let along = [0.2, 0.6, 0.98, 0.999, 1.001, 1.3][(round / 36 + lane) % 6];
            let middle = ray.origin + ray.dir * (along * eye.distance(aim) / ray.dir.length());
            // Every fifth round all at one depth, so that only the depth's own error counts.
            let mut extents = Vec3::splat(size);
            if round % 5 == 0 {
                extents[ray.dir.abs().max_position()] = 0.0;
            }
            let (edge, off) = (extents * point(1.0), extents * point(1.0));
            let corners = [middle + edge, middle - edge, middle + off];
            block.set_corners(lane, &corners.map(|corner| corner.to_array()));
        }
        for (i, ray) in rays.iter_mut().enumerate() {
            let t = (0..LANES)
                .filter_map(|lane| Some(intersect_exact(ray, &|| block.corners(lane))?.t));
            if let Some(t) = t.filter(|&t| t > 0.0).reduce(f32::min)
                && round % 2 == 0
            {
                ray.t_max = [t, t.next_down(), t.next_up()][i % 3];
            }
        }
        seen.check(round, &bvh, &rays, &block);
    }
    println!("{} hit, {} kept, of {}", seen.hits, seen.meets, seen.all);
    println!("{} certain, of {}", seen.sure_hits, seen.ray_hits);
    assert!(cfg!(miri) || (seen.all / 4..seen.all).contains(&seen.hits));
    assert!(cfg!(miri) || (seen.ray_hits / 4..seen.ray_hits).contains(&seen.sure_hits));
}

/// The boxes of a node that the frustum does not cull, if the rays go to one point.
struct Boxes<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    node: &'a Node,
}

impl Task for Boxes<'_> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<u32> {
        let (packet, taken) = gathered(isa, &self.tree, self.rays, ALL, WIDE);
        (taken == ALL && packet.frustum.converges).then(|| {
            packet.frustum.intersect_children::<I::Wide>(isa, &packet.block_rows, self.node)
        })
    }
}

/// Whether the line of a ray passes through a box, computed in `f64`.
fn passes(ray: &Ray, min: Vec3, max: Vec3) -> bool {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for k in 0..3 {
        let at = |plane: f32| (f64::from(plane) - f64::from(ray.origin[k])) / f64::from(ray.dir[k]);
        let (a, b) = (at(min[k]), at(max[k]));
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    enter <= leave
}

/// Boxes next to rays that go to one point, also close to the point and behind it.
#[test]
fn the_frustum_keeps_the_boxes_that_its_rays_pass_through() {
    let bvh = tree();
    let mut state = 3u64;
    let mut number = || test_rng::number(&mut state);
    let (mut passed, mut meets, mut all) = (0, 0, 0);
    let rounds = if cfg!(miri) { 4 } else { 2000 };
    for round in 0..rounds {
        let mut point = |size: f32| size * Vec3::new(number(), number(), number());
        let (light, floor) = (point(10.0), point(20.0));
        let spread = [0.1, 1.0, 2.0][round % 3];
        let rays: [Ray; RAYS] = std::array::from_fn(|_| {
            let from = floor + point(spread);
            Ray::new(from, light - from)
        });
        let size = [0.01, 0.3, 2.0][round / 3 % 3];
        let mut node = Node::EMPTY;
        for lane in 0..WIDTH {
            let middle = floor.lerp(light, 0.1 * lane as f32) + point(2.0 * spread + size);
            let (a, b) = (middle + point(size), middle + point(size));
            let (min, max) = (a.min(b).to_array(), a.max(b).to_array());
            for k in 0..3 {
                (node.min[k][lane], node.max[k][lane]) = (min[k], max[k]);
            }
        }
        for isa in InstructionSet::available() {
            let (tree, rays, node) = (bvh.view(), &rays, &node);
            let Some(met) = simd::run(isa, Boxes { tree: *tree, rays, node }) else {
                continue;
            };
            for lane in 0..WIDTH {
                let corner =
                    |planes: &[[f32; WIDTH]; 3]| Vec3::from([0, 1, 2].map(|k| planes[k][lane]));
                let (min, max) = (corner(&node.min), corner(&node.max));
                let any = rays.iter().any(|ray| passes(ray, min, max));
                let met = met >> lane & 1 != 0;
                assert!(met || !any, "{isa}: round {round}, {lane}");
                passed += usize::from(any);
                meets += usize::from(met);
                all += 1;
            }
        }
    }
    println!("{passed} boxes hit, {meets} kept, of {all}");
    assert!(cfg!(miri) || all > 20_000 && meets < all / 2 && meets < passed * 5 / 2);
}
