//! Batches in scenes: packets, streams, or one ray after another.

use std::ops::Range;

use super::collectors::KeepBest;
use super::many::ManyInScene;
use super::packet::WalkScene;
use super::{PlacedInstance, stream};
use crate::bvh::{Facts, Node};
use crate::geometry::Ray;
use crate::simd::{self, InstructionSet, Isa};
use crate::traverse::packet::{Packet, lanes};
use crate::traverse::prefetch::CACHE;
use crate::traverse::schedule::{Batched, PacketRays};

impl<'a, K: KeepBest> Batched<'a> for ManyInScene<'a, K> {
    type Answer = K::Answer;
    type Memory = ();

    const MAX_DIRECTION_DIFFERENCE: f32 = 0.5;

    const MIN_RAYS: u32 = 6;

    #[inline(always)]
    fn rays(&self) -> &'a [Ray] {
        self.rays
    }

    #[inline(always)]
    fn first(&self) -> usize {
        self.first
    }

    #[inline(always)]
    fn part(self, part: Range<usize>) -> Self {
        Self { first: self.first + part.start, rays: &self.rays[part], ..self }
    }

    #[inline(always)]
    fn facts(&self) -> (&'a Facts, f32) {
        (&self.tops.facts.boxes, self.tops.facts.padding)
    }

    fn is_large(&self) -> bool {
        let size = self.tops.levels.iter().map(|view| {
            view.top.nodes.len() * size_of::<Node>()
                + view.top.instances.len() * size_of::<PlacedInstance>()
        });
        size.sum::<usize>() > CACHE
    }

    // SAFETY: asks for what the trait does.
    #[inline(always)]
    unsafe fn trace_packet(
        self,
        isa: InstructionSet,
        packet: &mut Packet,
        rays: &PacketRays<'_>,
        (): &mut (),
        mut prefetch: impl FnMut(&[K::Answer]),
        results: &mut [K::Answer],
    ) -> usize {
        // SAFETY: as the caller says.
        let walk = unsafe { WalkScene::new(&self, packet, rays) };
        let (kept, left_packet) = simd::run_many(isa, walk);
        prefetch(results);
        for lane in lanes(rays.taken) {
            results[rays.rows.index(lane) - self.first] = kept[lane].answer();
        }
        left_packet
    }

    #[inline(always)]
    fn trace_stream<I: Isa>(self, isa: I, indices: Option<&[u32]>, results: &mut [K::Answer]) {
        stream::walk(isa, self, indices, results);
    }

    #[inline(always)]
    fn trace_alone<I: Isa>(&self, isa: I, index: usize) -> K::Answer {
        self.cast_alone(isa, index).answer()
    }
}
