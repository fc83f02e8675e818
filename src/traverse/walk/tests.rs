use super::*;
use crate::bake::Builder;
use crate::bvh::{Bvh, LANES, MAX_DEPTH, MeshRecord, ROOT, Sections, UNUSED_ID};
use crate::geometry::{Aabb, Ray};
use crate::mesh::Mesh;
use crate::simd::{self, InstructionSet, Task};
use crate::test_rng;
use crate::traverse::options::Query;

/// As many levels as there may be; Miri would take hours.
const LEVELS: u32 = if cfg!(miri) { 3 } else { MAX_DEPTH };

/// A tree of all levels, of which a ray enters every box, three nodes at once on each level:
/// one has three more nodes, the others leaf blocks alone.
fn deepest() -> Bvh {
    let (mut nodes, mut blocks) = (Vec::new(), Vec::new());
    let mut leaf = || {
        let mut block = LeafBlock::EMPTY;
        block.set_corners(0, &[[0.7, -9.0, -9.0], [0.7, 9.0, -9.0], [0.7, 0.0, 9.0]]);
        block.id[0] = blocks.len() as u32;
        blocks.push(block);
        (LEAF | block.id[0], 0.5)
    };
    let mut add = |children: &[(u32, f32)]| {
        let mut node = Node::EMPTY;
        for (lane, &(child, from)) in children.iter().enumerate() {
            node.child[lane] = child;
            for k in 0..3 {
                node.min[k][lane] = if k == 0 { from } else { -9.0 };
                node.max[k][lane] = 9.0;
            }
        }
        nodes.push(node);
    };
    for level in 1..=LEVELS {
        let below = if level == LEVELS { 0 } else { NODES_AT_ONCE };
        // The cheapest and the nearest last. Nodes with leaf blocks alone have lower numbers
        // than the one with nodes.
        let next = level * 3 - 2;
        for _ in 0..if level == 1 { 0 } else { 2 } {
            add(&[(); WIDTH].map(|()| leaf()));
        }
        let mut children: Vec<_> = (below..WIDTH).map(|_| leaf()).collect();
        let inner = (0..below as u32).map(|i| (next + i, 0.3 - 0.1 * i as f32));
        children.extend(inner);
        add(&children);
    }
    let count = blocks.len() as u32;
    let mesh = MeshRecord {
        first_triangle: 0,
        triangle_count: count,
        vertex_count: 3 * count,
        mask: u32::MAX,
        user_id: 0,
        index_hash: 0,
        flags: 0,
        reserved: 0,
    };
    Bvh::new(Sections { nodes, blocks, meshes: vec![mesh], ..Sections::default() })
}

#[test]
fn the_stack_holds_the_deepest_tree() {
    let bvh = deepest();
    let count = bvh.view().blocks.len();
    assert_eq!(bvh.view().nodes.len(), 1 + 3 * (LEVELS as usize - 1));
    assert_eq!(count, (13 + 32) * (LEVELS as usize - 1) + 16);
    let ray = Ray::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    // Before each query a ray elsewhere: one that follows the last ray tests a node at a time.
    let away = Ray::new([0.0, 0.0, 20.0], [0.0, 1.0, 0.0]);
    for isa in InstructionSet::available() {
        println!("{isa}");
        let query = Query::new().instruction_set(isa);
        let apart = || assert!(!bvh.any_hit(&away, &query));
        let mut hits = Vec::new();
        apart();
        bvh.all_hits(&ray, &query, &mut hits);
        let found: Vec<_> = hits.iter().map(|hit| hit.triangle as usize).collect();
        assert!(found.iter().copied().eq(0..count), "{isa}");
        apart();
        let nearest = bvh.closest_hit(&ray, &query).map(|hit| hit.triangle);
        assert_eq!(nearest, Some(0), "{isa}");
        apart();
        assert!(bvh.any_hit(&ray, &query), "{isa}");
        apart();
        assert!(!bvh.any_hit(&ray.with_range(0.0, 1.69), &query), "{isa}");
    }
}

/// The corners of the triangles in use, with their numbers.
fn corners(block: &LeafBlock) -> impl Iterator<Item = (u32, [[f32; 3]; 3])> {
    let used = (0..LANES).filter(|&lane| block.id[lane] != UNUSED_ID);
    used.map(|lane| (block.id[lane], block.corners(lane)))
}

fn overlap(min: [f32; 3], max: [f32; 3], other: &Aabb) -> bool {
    (0..3).all(|k| min[k] <= other.max[k] && other.min[k] <= max[k])
}

fn bounds(corners: &[[f32; 3]; 3]) -> [[f32; 3]; 2] {
    let of = |pick: fn(f32, f32) -> f32| {
        [0, 1, 2].map(|k| pick(pick(corners[0][k], corners[1][k]), corners[2][k]))
    };
    [of(f32::min), of(f32::max)]
}

/// Question one: the triangles whose boxes overlap a box. In no order, without a bound.
struct Overlap(Aabb);

// SAFETY: every entry is written; an unused lane has infinite planes the wrong way round.
unsafe impl<I: Isa> NodeTest<I> for Overlap {
    type Loaded<'a> = &'a Aabb;

    fn load(&self, _: I) -> &Aabb {
        &self.0
    }

    fn limit(&self, bound: f32) -> f32 {
        bound
    }

    fn intersect(other: &&Aabb, node: &Node, _: f32, entry: &mut MaybeUninit<[f32; WIDTH]>) -> u32 {
        entry.write([0.0; WIDTH]);
        let plane = |rows: &[[f32; WIDTH]; 3], lane: usize| rows.map(|row| row[lane]);
        (0..WIDTH).fold(0, |mask, lane| {
            let inside = overlap(plane(&node.min, lane), plane(&node.max, lane), other);
            mask | u32::from(inside) << lane
        })
    }
}

impl<I: Isa> LeafTest<I, Vec<u32>> for Overlap {
    fn test(&self, _: I, block: &LeafBlock, _: u32, all: &mut Vec<u32>) -> ControlFlow<()> {
        let bounds = corners(block).map(|(id, corners)| (id, bounds(&corners)));
        all.extend(bounds.filter(|(_, [min, max])| overlap(*min, *max, &self.0)).map(|of| of.0));
        ControlFlow::Continue(())
    }
}

impl Bound for Vec<u32> {
    const ORDERED: bool = false;

    fn bound(&self) -> f32 {
        f32::INFINITY
    }
}

/// Question two: the corner nearest to a point. Ordered, the bound is the squared distance.
struct NearestCorner([f32; 3]);

impl NearestCorner {
    /// To the nearest point of a box, which may be a point. The roundings are monotone: no
    /// corner in a box is nearer than the box.
    fn distance(&self, min: [f32; 3], max: [f32; 3]) -> f32 {
        let off = [0, 1, 2].map(|k| (min[k] - self.0[k]).max(self.0[k] - max[k]).max(0.0));
        off[0] * off[0] + off[1] * off[1] + off[2] * off[2]
    }
}

// SAFETY: every entry is written; an unused lane is infinitely far, which is no bit.
unsafe impl<I: Isa> NodeTest<I> for NearestCorner {
    type Loaded<'a> = &'a Self;

    fn load(&self, _: I) -> &Self {
        self
    }

    fn limit(&self, bound: f32) -> f32 {
        bound
    }

    fn intersect(
        point: &&Self,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        let plane = |rows: &[[f32; WIDTH]; 3], lane: usize| rows.map(|row| row[lane]);
        let distance = |lane: usize| point.distance(plane(&node.min, lane), plane(&node.max, lane));
        let entry = entry.write(std::array::from_fn(distance));
        let near = |lane: &usize| entry[*lane] <= limit && entry[*lane] < f32::INFINITY;
        (0..WIDTH).filter(near).fold(0, |mask, lane| mask | 1 << lane)
    }
}

impl<I: Isa> LeafTest<I, f32> for NearestCorner {
    fn test(&self, _: I, block: &LeafBlock, _: u32, nearest: &mut f32) -> ControlFlow<()> {
        for corner in corners(block).flat_map(|(_, corners)| corners) {
            *nearest = nearest.min(self.distance(corner, corner));
        }
        ControlFlow::Continue(())
    }
}

impl Bound for f32 {
    const ORDERED: bool = true;

    fn bound(&self) -> f32 {
        *self
    }
}

struct AskOverlap<'a>(&'a Bvh, &'a Overlap);

impl Task for AskOverlap<'_> {
    type Output = Vec<u32>;

    fn run<I: Isa>(self, isa: I) -> Vec<u32> {
        let (mut all, tests) = (Vec::new(), (self.1, self.1));
        // SAFETY: a baked tree is valid, and this one has a node.
        let _ = unsafe { walk::<I, _, _, _, false>(isa, self.0.view(), tests, ROOT, &mut all) };
        all
    }
}

struct AskNearest<'a>(&'a Bvh, &'a NearestCorner);

impl Task for AskNearest<'_> {
    type Output = f32;

    fn run<I: Isa>(self, isa: I) -> f32 {
        let (mut nearest, tests) = (f32::INFINITY, (self.1, self.1));
        // SAFETY: the baked tree is valid; it has triangles, and so a node.
        let _ = unsafe { walk::<I, _, _, _, false>(isa, self.0.view(), tests, ROOT, &mut nearest) };
        nearest
    }
}

#[test]
fn other_questions_have_the_answers_of_brute_force() {
    let mut state = 3;
    let mut point = |size: f32| [0; 3].map(|_| size * test_rng::number(&mut state));
    let near = |at: [f32; 3], off: [f32; 3]| [at[0] + off[0], at[1] + off[1], at[2] + off[2]];
    let count = if cfg!(miri) { 60 } else { 2000 };
    let soup: Vec<[[f32; 3]; 3]> = (0..count)
        .map(|_| {
            let at = point(10.0);
            [at, near(at, point(1.0)), near(at, point(1.0))]
        })
        .collect();
    let mesh = Mesh::from_soup(soup.as_flattened().to_vec());
    // Without spatial splits: a leaf of a split triangle has a part of its box.
    let (bvh, _) = Builder::new().spatial_budget(0.0).bake(&[mesh]).unwrap();
    let mut overlaps = 0;
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        let at = point(12.0);
        let overlap_query = Overlap(Aabb::from_min_max(at, near(at, [1.0, 2.0, 0.5])));
        let nearest_query = NearestCorner(at);
        let expected: Vec<u32> = (0..)
            .zip(&soup)
            .filter(|(_, corners)| {
                let [min, max] = bounds(corners);
                overlap(min, max, &overlap_query.0)
            })
            .map(|(id, _)| id)
            .collect();
        overlaps += expected.len();
        let corners = soup.as_flattened().iter();
        let nearest = corners.map(|&corner| nearest_query.distance(corner, corner));
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        for isa in InstructionSet::available() {
            let mut found = simd::run(isa, AskOverlap(&bvh, &overlap_query));
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, expected, "{isa}");
            let found = simd::run(isa, AskNearest(&bvh, &nearest_query));
            assert_eq!(found, nearest, "{isa}");
        }
    }
    assert!(overlaps > 0);
}
