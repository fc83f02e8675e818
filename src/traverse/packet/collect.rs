//! What a query does with the triangles that the rays of a packet meet.

use super::results::report_rows;
use super::{Lanes, Mask, Packet, RAYS, ROW, WHOLE_ROW};
use crate::geometry::Ray;
use crate::simd::{Isa, Vector};
use crate::traverse::collect::batch::BatchCollector;
use crate::traverse::collect::collector::Collector;
use crate::traverse::collect::report::NO_SLOT;
use crate::traverse::collect::{Any, Closest, Filter, QueryFilter, RayIndex};
use crate::traverse::hit::Hit;
use crate::traverse::ray::leaf_test::Verdict;

/// The visitors of a packet's rays, side by side; but the greatest `t` of interest, which is the
/// packet's to keep.
pub(crate) trait Group: Sized {
    /// One of them.
    type One: BatchCollector;

    fn new(input: <Self::One as Collector>::Input) -> Self;

    /// The collector of one ray, whose index in the batch this is.
    fn one(&self, lane: usize, index: usize, t_max: f32) -> Self::One;

    /// What has become of it.
    fn put(&mut self, lane: usize, one: &Self::One);

    /// As [`Collector::offer_certain`], of all rays from `first` on that are sure to hit the triangle kept at
    /// `slot`. A bit for each that has taken note of it, and for each that has seen all it wants.
    fn offer_certain<V: Vector>(
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
        results: &mut [<Self::One as Collector>::Output],
    );
}

/// [`Closest`], side by side.
pub(crate) struct ClosestGroup<'a, F> {
    query_filter: &'a QueryFilter<'a, F>,
    t_lo: Lanes,
    /// Bits, kept as what vectors choose from; nobody reckons with them.
    slot: Lanes,
    /// A bit for each that is settled.
    resolved: Mask,
    /// The numbers of those.
    id: [u32; RAYS],
}

impl<'a, F: Filter + Copy> Group for ClosestGroup<'a, F> {
    type One = Closest<'a, F>;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a, F>) -> Self {
        Self {
            query_filter,
            t_lo: Lanes::all(f32::INFINITY),
            slot: Lanes::all(f32::from_bits(NO_SLOT)),
            resolved: 0,
            id: [0; RAYS],
        }
    }

    #[inline(always)]
    fn one(&self, lane: usize, index: usize, t_max: f32) -> Self::One {
        Closest {
            query_filter: self.query_filter,
            index: F::Index::new(index),
            t_max,
            t_lo: self.t_lo.0[lane],
            slot: self.slot.0[lane].to_bits(),
            id: (self.resolved >> lane & 1 != 0).then_some(self.id[lane]),
        }
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, one: &Self::One) {
        self.t_lo.0[lane] = one.t_lo;
        self.slot.0[lane] = f32::from_bits(one.slot);
        self.resolved &= !(1 << lane);
        if let Some(id) = one.id {
            self.resolved |= 1 << lane;
            self.id[lane] = id;
        }
    }

    #[inline(always)]
    fn offer_certain<V: Vector>(
        &mut self,
        t_max: &mut Lanes,
        first: usize,
        slot: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask) {
        if !self.query_filter.accepts_all() {
            return (0, 0);
        }
        // As in `Closest::offer_certain`.
        let isa = verdict.t_lo.isa();
        let t_lo: V = self.t_lo.load(isa, first);
        let mut no_better = verdict.certain & t_lo.le(verdict.t_hi);
        let better = verdict.certain & !no_better;
        self.t_lo.store(first, t_lo.choose(verdict.t_lo, better));
        let slots: V = self.slot.load(isa, first);
        let slot_bits = V::splat(isa, f32::from_bits(slot));
        self.slot.store(first, slots.choose(slot_bits, better));
        let far: V = t_max.load(isa, first);
        t_max.store(first, far.choose(verdict.t_hi.min(far), better));
        self.resolved &= !(Mask::from(better) << first);
        let mut taken = Mask::from(better) << first;
        while no_better != 0 {
            let lane = first + no_better.trailing_zeros() as usize;
            no_better &= no_better - 1;
            taken |= Mask::from(self.one(lane, 0, 0.0).is_best(slot)) << lane;
        }
        (taken, 0)
    }

    #[inline(always)]
    fn finish<I: Isa>(
        self,
        isa: I,
        packet: &Packet,
        rays: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [Option<Hit>],
    ) {
        let tree = self.query_filter.tree;
        report_rows(isa, tree, packet, (rows, taken), &self.slot, rays, results);
    }
}

/// [`Any`], side by side.
pub(crate) struct AnyGroup<'a, F> {
    query_filter: &'a QueryFilter<'a, F>,
    /// A bit for each that found something.
    found: Mask,
}

impl<'a, F: Filter + Copy> Group for AnyGroup<'a, F> {
    type One = Any<'a, F>;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a, F>) -> Self {
        Self { query_filter, found: 0 }
    }

    // (Nobody asks again who has found something.)
    #[inline(always)]
    fn one(&self, _lane: usize, index: usize, t_max: f32) -> Self::One {
        Any::new(self.query_filter, F::Index::new(index), t_max)
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, one: &Self::One) {
        self.found |= Mask::from(one.found.is_some()) << lane;
    }

    #[inline(always)]
    fn offer_certain<V: Vector>(
        &mut self,
        _: &mut Lanes,
        first: usize,
        _: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask) {
        if !self.query_filter.accepts_all() {
            return (0, 0);
        }
        let certain = Mask::from(verdict.certain) << first;
        self.found |= certain;
        (0, certain)
    }

    #[inline(always)]
    fn finish<I: Isa>(
        self,
        _: I,
        _: &Packet,
        _: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [bool],
    ) {
        for (i, &row) in rows.iter().enumerate() {
            let results = &mut results[row as usize..][..ROW];
            let (taken, found) = (taken >> (i * ROW), self.found >> (i * ROW));
            let all = taken & WHOLE_ROW == WHOLE_ROW;
            for (lane, result) in results.iter_mut().enumerate() {
                if all || taken >> lane & 1 != 0 {
                    *result = found >> lane & 1 != 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::Builder;
    use crate::bvh::TreeView;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Task};
    use crate::traverse::collect::AcceptAll;
    use crate::traverse::options::Query;

    const LANE: usize = 3;

    /// A ray that knows exactly what it hits at 5 is shown others.
    struct Shown<'a>(&'a TreeView<'a>);

    impl Task for Shown<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            let query = &Query::new();
            let query_filter = &self.0.query_filter(query, AcceptAll);
            let mut group = ClosestGroup::new(query_filter);
            let mut t_max = Lanes::all(9.0);
            t_max.0[LANE] = 5.0;
            let resolved =
                Closest { query_filter, index: (), t_max: 5.0, t_lo: 5.0, slot: 0, id: Some(0) };
            group.put(LANE, &resolved);
            let mut show = |slot: u32, t_lo: f32, t_hi: f32| {
                let (taken, done) = {
                    let verdict = Verdict {
                        possible: 1 << LANE,
                        certain: 1 << LANE,
                        unbounded: 0,
                        t_lo: I::Wide::splat(isa, t_lo),
                        t_hi: I::Wide::splat(isa, t_hi),
                    };
                    group.offer_certain(&mut t_max, 0, slot, &verdict)
                };
                assert_eq!(done, 0);
                for lane in (0..8).filter(|&lane| lane != LANE) {
                    assert_eq!((t_max.0[lane], group.one(lane, 0, 9.0).slot), (9.0, NO_SLOT));
                }
                let one = group.one(LANE, 0, t_max.0[LANE]);
                (taken, one.slot, one.id, one.t_lo, one.t_max)
            };
            // A nearer one, of which no more is known than about where it is.
            assert_eq!(show(1, 1.0, 2.0), (1 << LANE, 1, None, 1.0, 2.0));
            // One that may be nearer than that is for others to tell.
            assert_eq!(show(2, 0.5, 1.5), (0, 1, None, 1.0, 2.0));
            // The same again is no news.
            assert_eq!(show(1, 0.5, 1.5), (1 << LANE, 1, None, 1.0, 2.0));
        }
    }

    #[test]
    fn rays_side_by_side_take_what_is_nearer_beyond_doubt() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let positions = (0..3).flat_map(|i| corners.map(|[x, y, _]| [x, y, i as f32]));
        let mesh = Mesh::new(positions.collect(), (0..9).collect());
        let (bvh, _) = Builder::new().bake(&[mesh]).unwrap();
        for isa in InstructionSet::available() {
            simd::run(isa, Shown(bvh.view()));
        }
    }
}
