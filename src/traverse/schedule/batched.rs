//! What a schedule needs to know of a batch: rays through one tree, or through a scene.

use std::ops::Range;

use crate::bvh::Facts;
use crate::geometry::Ray;
use crate::simd::{InstructionSet, Isa};
use crate::traverse::packet::{Mask, Packet, RayRows};
use crate::traverse::stream::MIN_STREAM;

/// The rays of a packet: the rays of a tile whose bits are set.
pub(crate) struct PacketRays<'p> {
    pub(crate) rows: &'p RayRows<'p>,
    /// The indices of the rows' first rays.
    pub(crate) starts: &'p [u32],
    pub(crate) taken: Mask,
}

/// Consecutive rays of the caller's batch, and what they are asked.
pub(crate) trait Batched<'a>: Copy {
    type Answer;
    /// What a packet hands on to the next.
    type Memory: Default;

    /// How far the directions of a packet's rays may differ, in units of their largest components.
    const MAX_DIRECTION_DIFFERENCE: f32;

    /// A packet of fewer rays than this is no faster than the rays in a stream.
    const MIN_RAYS: u32;

    fn rays(&self) -> &'a [Ray];

    /// The index of the first ray in the caller's batch.
    fn first(&self) -> usize;

    /// Some of the rays.
    fn part(self, part: Range<usize>) -> Self;

    /// The facts of all boxes, and how many units of Lemma 21 they must be larger.
    fn facts(&self) -> (&'a Facts, f32);

    /// Whether what rays go through is larger than a cache.
    fn is_large(&self) -> bool;

    /// Traces a packet, and writes the answers of its rays. Returns how many times a ray left it,
    /// if that may show that the packet is too wide. `prefetch` is called between.
    ///
    /// # Safety
    /// The packet has been gathered of these rays, for these facts.
    unsafe fn trace_packet(
        self,
        isa: InstructionSet,
        packet: &mut Packet,
        rays: &PacketRays<'_>,
        memory: &mut Self::Memory,
        prefetch: impl FnMut(&[Self::Answer]),
        results: &mut [Self::Answer],
    ) -> usize;

    /// Traces rays in a stream, those with these indices or all.
    fn trace_stream<I: Isa>(self, isa: I, indices: Option<&[u32]>, results: &mut [Self::Answer]);

    /// The answer of the ray with this index, by itself.
    fn trace_alone<I: Isa>(&self, isa: I, index: usize) -> Self::Answer;

    /// Traces incoherent rays, those with these indices or all.
    #[inline(always)]
    fn trace_incoherent<I: Isa>(
        self,
        isa: I,
        indices: Option<&[u32]>,
        results: &mut [Self::Answer],
    ) {
        let count = indices.map_or(self.rays().len(), <[u32]>::len);
        if I::BRANCH_FREE && count >= MIN_STREAM {
            return self.trace_stream(isa, indices, results);
        }
        for i in 0..count {
            let index = indices.map_or(i, |indices| indices[i] as usize);
            results[index] = self.trace_alone(isa, index);
        }
    }
}
