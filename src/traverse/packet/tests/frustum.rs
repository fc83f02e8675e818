//! What packets are told of boxes and triangles, against what is so.

use glam::Vec3;

use super::{ALL, filled, tree};
use crate::bvh::Bvh;
use crate::bvh::{LANES, LeafBlock, Node, TreeView, WIDTH};
use crate::geometry::{Ray, intersect_exact};
use crate::simd::{self, InstructionSet, Isa, Task, Vector};
use crate::test_rng;
use crate::traverse::packet::{Lanes, Mask, RAYS};

/// What a packet's rays are told of the triangles of a block.
struct Looked<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    block: &'a LeafBlock,
}

/// Which rays went together, which triangles their shaft meets, and what is known of each triangle.
struct Look {
    taken: Mask,
    met: u32,
    through_a_point: bool,
    triangles: Vec<Judged>,
}

/// Which rays may hit a triangle, which are sure to, and where.
struct Judged {
    may: Mask,
    sure: Mask,
    least: Lanes,
    most: Lanes,
}

impl Task for Looked<'_> {
    type Output = Look;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Look {
        let Self { tree, rays, block } = self;
        let (mut packet, taken) = filled(isa, &tree, rays, ALL);
        let (shaft, row) = (packet.shaft, packet.row);
        let met = shaft.meet_triangles::<I::Leaf>(isa, &row, block, &mut packet.facets);
        let mut triangles = Vec::new();
        for lane in 0..LANES as u32 {
            let mut judged = Judged { may: 0, sure: 0, least: Lanes::ZERO, most: Lanes::ZERO };
            let facet = packet.facets.facet::<I::Wide>(isa, lane);
            let mut first = 0;
            while first < RAYS {
                let verdict = if shaft.is_apart() {
                    facet.judge::<true>(&packet, first)
                } else {
                    facet.judge::<false>(&packet, first)
                };
                judged.may |= Mask::from(verdict.possible) << first;
                judged.sure |= Mask::from(verdict.certain) << first;
                judged.least.store(first, verdict.t_lo);
                judged.most.store(first, verdict.t_hi);
                first += I::Wide::LANES;
            }
            triangles.push(judged);
        }
        Look { taken, met, through_a_point: !shaft.is_apart(), triangles }
    }
}

/// Of triangles that were shown to packets: those that some ray hits, those that are met, and all; of hits,
/// all and those that were sure; and the packets through one point, and all.
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
    /// On every kernel, the shaft of the rays meets each triangle that one of them hits; that ray may hit it, and
    /// whoever is sure to, does, and there.
    fn look(&mut self, round: usize, bvh: &Bvh, rays: &[Ray; RAYS], block: &LeafBlock) {
        let hits: [_; LANES] = std::array::from_fn(|lane| {
            let corners = || block.corners(lane);
            rays.each_ref().map(|ray| intersect_exact(ray, &corners).map(|hit| hit.t))
        });
        for isa in InstructionSet::available() {
            let tree = bvh.view();
            let look = simd::run(isa, Looked { tree: *tree, rays, block });
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
                    // (Whatever the shaft meets, it meets at any `t`.)
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

/// Whatever the rays have in common, what one hits is met; and not much else.
#[test]
fn a_shaft_meets_the_triangles_that_its_rays_hit() {
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
                // From one point, side by side, to one point, and hither and thither.
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
        seen.look(round, &bvh, &rays, &block);
    }
    let Seen { hits, meets, all, ray_hits, sure_hits, through_a_point, packets } = seen;
    println!("{hits} hit, {meets} met, of {all}; {sure_hits} for sure, of {ray_hits}");
    println!("{through_a_point} packets through a point, of {packets}");
    assert!(cfg!(miri) || hits > all / 5 && meets < hits * 3 / 2 && meets < all / 2);
    assert!(cfg!(miri) || sure_hits > ray_hits / 100 * 99);
    assert!(cfg!(miri) || (packets / 3..packets / 4 * 3).contains(&through_a_point));
}

/// Rays through the edges of triangles, large and small in comparison with what is between the rays, up to where
/// they are hit or next to that: nothing but the slack for what is rounded tells a hit from a miss.
#[test]
fn rays_through_edges_are_never_told_wrong() {
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
            // On a ray, before its aim and behind it, or next to it.
            let ray = &rays[lane * 7];
            let along = [0.2, 0.6, 0.98, 0.999, 1.001, 1.3][(round / 36 + lane) % 6];
            let middle = ray.origin + ray.dir * (along * eye.distance(aim) / ray.dir.length());
            // Every fifth all in one depth, so that nothing is unclear but the depth's own error.
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
        seen.look(round, &bvh, &rays, &block);
    }
    println!("{} hit, {} met, of {}", seen.hits, seen.meets, seen.all);
    println!("{} for sure, of {}", seen.sure_hits, seen.ray_hits);
    assert!(cfg!(miri) || (seen.all / 4..seen.all).contains(&seen.hits));
    assert!(cfg!(miri) || (seen.ray_hits / 4..seen.ray_hits).contains(&seen.sure_hits));
}

/// Which of a node's boxes the shaft of some rays meets, if they go to one point.
struct Boxes<'a> {
    tree: TreeView<'a>,
    rays: &'a [Ray; RAYS],
    node: &'a Node,
}

impl Task for Boxes<'_> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<u32> {
        let (packet, taken) = filled(isa, &self.tree, self.rays, ALL);
        (taken == ALL && packet.shaft.converges)
            .then(|| packet.shaft.meet_children::<I::Wide>(isa, &packet.row, self.node))
    }
}

/// Whether the line of a ray passes through a box, in numbers of twice the length.
fn passes(ray: &Ray, min: Vec3, max: Vec3) -> bool {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for k in 0..3 {
        let at = |plane: f32| (f64::from(plane) - f64::from(ray.origin[k])) / f64::from(ray.dir[k]);
        let (a, b) = (at(min[k]), at(max[k]));
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    enter <= leave
}

/// Boxes next to rays that go to one point, close to it and behind it as well.
#[test]
fn a_shaft_to_a_point_meets_the_boxes_that_its_rays_do() {
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
    println!("{passed} boxes on some ray's way, {meets} met, of {all}");
    assert!(cfg!(miri) || all > 20_000 && meets < all / 2 && meets < passed * 5 / 2);
}
