//! What a query does with the triangles that the rays of a packet meet.

use super::{Lanes, Mask, Packet};
use crate::geometry::Ray;
use crate::simd::{Isa, Vector};
use crate::traverse::collect::collector::{Many, Visitor};
use crate::traverse::ray::leaf_test::Verdict;

/// The visitors of a packet's rays, side by side; but the greatest `t` of interest, which is the
/// packet's to keep.
pub(crate) trait Group: Sized {
    /// One of them.
    type One: Many;

    fn new(input: <Self::One as Visitor>::Input) -> Self;

    /// A ray's visitor by itself.
    fn one(&self, lane: usize, t_max: f32) -> Self::One;

    /// What has become of it.
    fn put(&mut self, lane: usize, one: &Self::One);

    /// As [`Visitor::glimpse`], of all rays from `first` on that are sure to hit the triangle kept at
    /// `slot`. A bit for each that has taken note of it, and for each that has seen all it wants.
    fn glimpse<V: Vector>(
        &mut self,
        t_max: &mut Lanes,
        first: usize,
        slot: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask);

    /// The walk is over. The rays that took it, by their bits, are those of these rows.
    fn finish<I: Isa>(
        self,
        isa: I,
        packet: &Packet,
        rays: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [<Self::One as Visitor>::Output],
    );
}
