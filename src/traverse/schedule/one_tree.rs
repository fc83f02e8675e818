//! Batches of rays through one tree.

use std::ops::Range;

use super::batched::{Batched, PacketRays};
use crate::bvh::Facts;
use crate::geometry::Ray;
use crate::simd::{self, InstructionSet, Isa};
use crate::traverse::collect::Collector;
use crate::traverse::collect::batch::Batch;
use crate::traverse::packet::{Packet, PacketCollector, WalkPacket};
use crate::traverse::prefetch::is_large;
use crate::traverse::ray::Cast;
use crate::traverse::stream;

/// What the collectors of a packet are made of.
pub(crate) type Input<C> = <<C as PacketCollector>::Single as Collector>::Input;

/// Rays through a tree.
pub(super) struct OneTree<'a, C: PacketCollector>(pub(super) Batch<'a, Input<C>>);

impl<C: PacketCollector> Clone for OneTree<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: PacketCollector> Copy for OneTree<'_, C> {}

impl<'a, C: PacketCollector> Batched<'a> for OneTree<'a, C> {
    type Answer = <C::Single as Collector>::Output;
    /// The last occluder.
    type Memory = Option<u32>;

    const MAX_DIRECTION_DIFFERENCE: f32 = C::MAX_DIRECTION_DIFFERENCE;

    const MIN_RAYS: u32 = C::MIN_RAYS;

    #[inline(always)]
    fn rays(&self) -> &'a [Ray] {
        self.0.rays
    }

    #[inline(always)]
    fn first(&self) -> usize {
        self.0.first
    }

    #[inline(always)]
    fn part(self, part: Range<usize>) -> Self {
        let Batch { first, rays, .. } = self.0;
        Self(Batch { first: first + part.start, rays: &rays[part], ..self.0 })
    }

    #[inline(always)]
    fn facts(&self) -> (&'a Facts, f32) {
        (&self.0.tree.facts, 0.0)
    }

    #[inline(always)]
    fn is_large(&self) -> bool {
        is_large(self.0.tree)
    }

    // SAFETY: asks for what the trait does.
    #[inline(always)]
    unsafe fn trace_packet(
        self,
        isa: InstructionSet,
        packet: &mut Packet,
        rays: &PacketRays<'_>,
        occluder: &mut Option<u32>,
        mut prefetch: impl FnMut(&[Self::Answer]),
        results: &mut [Self::Answer],
    ) -> usize {
        let Batch { tree, rays: all_rays, input, .. } = self.0;
        let &PacketRays { rows, starts, taken } = rays;
        let mut collector = C::new(input);
        // SAFETY: the view is of a valid tree, the packet is of these rays, and the occluder is a
        // block of the tree that an earlier packet has found.
        let walk =
            unsafe { WalkPacket::new(tree, rows, (&mut *packet, taken), occluder, &mut collector) };
        let left_packet = simd::run_many(isa, walk);
        prefetch(results);
        collector.finish(isa, packet, all_rays, starts, taken, results);
        left_packet
    }

    #[inline(always)]
    fn trace_stream<I: Isa>(self, isa: I, indices: Option<&[u32]>, results: &mut [Self::Answer]) {
        // SAFETY: a view is always of a valid tree.
        unsafe { stream::walk::<I, C::Single>(isa, self.0, indices, results) };
    }

    #[inline(always)]
    fn trace_alone<I: Isa>(&self, isa: I, index: usize) -> Self::Answer {
        let Batch { tree, first, rays, input } = self.0;
        let (ray, number) = (&rays[index], first + index);
        isa.call_outlined(Cast::<C::Single> { tree, ray, index: number, input })
    }
}
