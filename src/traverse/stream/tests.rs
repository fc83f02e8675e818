//! Streams against single rays with the scalar kernel, on every instruction set, also on those that
//! queries never use streams on. Under Miri: `cargo +nightly miri test --lib traverse::stream`.
//!
//! In tests the stacks of a stream are small, so that some rays need the walk for single rays.

use super::walk;
use crate::bake::{Builder, Quality};
use crate::bvh::{Bvh, TreeView};
use crate::geometry::Ray;
use crate::mesh::Mesh;
use crate::simd::{self, InstructionSet, Isa, Task};
use crate::traverse::collect::batch::{Batch, BatchCollector};
use crate::traverse::collect::{Any, Closest};
use crate::traverse::options::{Facing, Query};

struct TraceStream<'a, C: BatchCollector> {
    tree: &'a TreeView<'a>,
    rays: &'a [Ray],
    input: C::Input,
    results: &'a mut [C::Output],
}

impl<C: BatchCollector> Task for TraceStream<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let batch = Batch { tree: self.tree, first: 0, rays: self.rays, input: self.input };
        // SAFETY: the tests bake their trees, so these are valid.
        unsafe { walk::<I, C>(isa, batch, None, self.results) }
    }
}

/// Random numbers from 0 to 1 (Marsaglia's xorshift, 2003).
struct Random(u32);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    fn point(&mut self) -> [f32; 3] {
        [0; 3].map(|_| self.unit())
    }
}

/// Overlapping triangles of very different sizes.
fn soup(random: &mut Random, count: usize, size: f32) -> Bvh {
    let mut positions = Vec::new();
    for _ in 0..count {
        let (at, size) = (random.point(), size * random.unit().powi(4));
        for _ in 0..3 {
            let by = random.point();
            positions.push([0, 1, 2].map(|k| at[k] + size * (by[k] - 0.5)));
        }
    }
    // Some of them twice, for equal distances.
    positions.extend_from_within(..count / 10 * 3);
    let indices = (0..positions.len() as u32).collect();
    let mut mesh = Mesh::new(positions, indices);
    mesh.mask = 2;
    let builder = Builder::new().quality(Quality::Best);
    builder.bake(&[mesh]).unwrap().0
}

fn rays(random: &mut Random, count: usize) -> Vec<Ray> {
    let ray = |i: usize| {
        let (from, to) = (random.point(), random.point());
        let ray = Ray::between(from, to);
        let part = random.unit();
        match i % 12 {
            0 => ray.with_range(-part, part),
            1 => ray.with_range(part, f32::INFINITY),
            2 => ray.with_range(0.5, 0.4),
            3 => Ray::new(from, [0.0, -0.0, if part < 0.5 { 1.0 } else { -1.0 }]),
            4 => Ray::new(from, [0.0; 3]),
            5 => Ray::new([f32::NAN, 0.0, 0.0], to),
            // Too short for the kernels: the f64 fallback traces it.
            6 => Ray::new(from, to.map(|x| x * 1e-25)),
            7 => Ray::new(from.map(|x| x + 9.0), to),
            _ => Ray::new(from, [0, 1, 2].map(|k| to[k] - from[k])),
        }
    };
    (0..count).map(ray).collect()
}

fn trace<C: BatchCollector<Output: Clone>>(
    tree: &TreeView<'_>,
    rays: &[Ray],
    input: C::Input,
    isa: InstructionSet,
    miss: C::Output,
) -> Vec<C::Output> {
    let mut results = vec![miss; rays.len()];
    let stream = TraceStream::<C> { tree, rays, input, results: &mut results };
    simd::run(isa, stream);
    results
}

/// The number of hits, after comparing each with the hit of the single ray.
fn compare(bvh: &Bvh, rays: &[Ray]) -> usize {
    let tree = bvh.view();
    let mut hits = 0;
    for (facing, mask) in [(Facing::Both, !0), (Facing::Front, !0), (Facing::Both, 1)] {
        let query =
            &Query::new().facing(facing).mask(mask).instruction_set(InstructionSet::scalar());
        let query_filter = &tree.query_filter(query);
        for isa in InstructionSet::available() {
            // Miri does not know all instructions of the other sets.
            if cfg!(miri) && isa != InstructionSet::scalar() {
                continue;
            }
            let closest = trace::<Closest<'_>>(tree, rays, query_filter, isa, None);
            let any = trace::<Any<'_>>(tree, rays, query_filter, isa, false);
            for (i, ray) in rays.iter().enumerate() {
                assert_eq!(closest[i], bvh.closest_hit(ray, query), "{isa} {ray:?}");
                assert_eq!(any[i], closest[i].is_some(), "{isa} {ray:?}");
            }
            hits += closest.iter().flatten().count();
        }
    }
    hits
}

#[test]
fn streams_equal_single_rays() {
    let random = &mut Random(1);
    let (mut hits, mut traced) = (0, 0);
    // Under Miri still enough rays for the queues to wrap around and for stacks to overflow.
    let soups: &[_] = if cfg!(miri) {
        &[(5, 3.0, 24), (60, 3.0, 110)]
    } else {
        &[(5, 3.0, 6000), (2000, 0.5, 6000), (20_000, 0.1, 6000), (3000, 3.0, 6000)]
    };
    for &(triangles, size, count) in soups {
        let bvh = soup(random, triangles, size);
        let rays = rays(random, count);
        hits += compare(&bvh, &rays);
        traced += rays.len();
    }
    assert!(hits > traced / 4, "{hits} hits");
}

#[test]
fn streams_of_any_length_equal_single_rays() {
    let random = &mut Random(2);
    let bvh = soup(random, if cfg!(miri) { 4 } else { 1000 }, 0.5);
    for count in (0..if cfg!(miri) { 2 } else { 140 }).chain([1000]) {
        compare(&bvh, &rays(random, if cfg!(miri) { count % 90 } else { count }));
    }
}

#[test]
fn streams_hit_nothing_in_an_empty_tree() {
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    assert_eq!(compare(&empty, &rays(&mut Random(3), 100)), 0);
}
