//! The nearest hit.

use super::batch_report::{SOME, Unlike, report_rows};
use super::collector::{Glimpse, Many, Met, Sure, Visitor, corners};
use super::report::{NOWHERE, kept_at, report};
use super::{Filter, Sieve};
use crate::bvh::TreeView;
use crate::geometry::{Ray, intersect_exact};
use crate::simd::{Isa, Vector};
use crate::traverse::hit::Hit;
use crate::traverse::packet::{Group, Lanes, Mask, Packet, RAYS};
use crate::traverse::ray::exact_hit::locate;
use crate::traverse::ray::leaf_test::Verdict;

/// Keeps the nearest hit; of equally near ones that of the lowest (mesh, triangle).
///
/// On the way it is enough to know where the tree keeps the triangle and about where it is: what
/// the caller is told is worked out once, at the end.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    /// The best so far is at this `t`, or farther if it is not settled.
    least: f32,
    slot: u32,
    /// Its number among all triangles, if it is settled.
    id: Option<u32>,
}

impl<F> Closest<'_, F> {
    /// Whether the triangle kept at `slot` is the best so far.
    fn is_best(&self, slot: u32) -> bool {
        let id = |slot: u32| {
            let (block, lane) = kept_at(self.sieve.tree, slot)?;
            Some(block.id[lane])
        };
        self.slot != NOWHERE && id(slot) == id(self.slot)
    }
}

impl<'a, F: Filter> Visitor for Closest<'a, F> {
    type Input = &'a Sieve<'a, F>;
    type Output = Option<Hit>;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>, t_max: f32) -> Self {
        Self { sieve, t_max, least: f32::INFINITY, slot: NOWHERE, id: None }
    }

    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn glimpse(&mut self, sure: Sure) -> Glimpse {
        if !self.sieve.is_open() {
            return Glimpse::Unclear;
        }
        // Only if it is nearer beyond doubt need nobody know what the best so far was; unless it is
        // that, in another of the leaves that a spatial split put it into.
        if sure.most >= self.least {
            return if self.is_best(sure.slot) { Glimpse::Taken } else { Glimpse::Unclear };
        }
        self.slot = sure.slot;
        self.id = None;
        self.least = sure.least;
        if sure.most < self.t_max {
            self.t_max = sure.most;
        }
        Glimpse::Taken
    }

    fn settle(&mut self, ray: &Ray) {
        if self.slot != NOWHERE && self.id.is_none() {
            meet_at(self.sieve.tree, ray, self.slot, |met| Some(self.visit(ray, met)));
        }
    }

    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        // Hits past `t_max` do not get here, so this one is nearer or as near.
        let worse = met.hit.t == self.least && self.id.is_some_and(|id| met.id >= id);
        if !worse && self.sieve.sees(ray, met) {
            self.t_max = met.hit.t;
            self.least = met.hit.t;
            self.slot = met.slot;
            self.id = Some(met.id);
        }
        true
    }

    #[inline(always)]
    unsafe fn finish<I: Isa>(self, ray: &Ray) -> Option<Hit> {
        if self.slot == NOWHERE {
            return None;
        }
        let tree = self.sieve.tree;
        let (block, lane) = kept_at(tree, self.slot)?;
        // SAFETY: the caller vouches for the CPU.
        let located = unsafe { locate::<I::Quad>(ray, &|| corners(block, lane))? };
        report(tree, block.id[lane], self.slot, &located)
    }
}

impl<'a, F: Filter + Copy> Many for Closest<'a, F> {
    type Answers = Unlike;
    const NO_ANSWERS: Unlike = Unlike::NONE;
    const MOST: usize = SOME;

    // SAFETY: nothing here needs what the caller vouches for.
    #[inline(always)]
    unsafe fn answer<'b, I: Isa>(
        visitors: impl Iterator<Item = (usize, &'b Self)>,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
        answers: &mut Unlike,
    ) where
        Self: 'b,
    {
        let found = visitors.map(|(number, visitor)| (number, visitor.slot));
        answers.take::<I>(tree, found, rays, results);
    }

    // SAFETY: nothing here needs what the caller vouches for.
    #[inline(always)]
    unsafe fn write<I: Isa>(
        answers: &mut Unlike,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) {
        answers.write(tree, rays, results);
    }
}

/// The reference's word on the triangle kept at `slot`, and what is made of it.
#[inline(always)]
fn meet_at<R>(
    tree: &TreeView<'_>,
    ray: &Ray,
    slot: u32,
    then: impl FnOnce(Met<'_>) -> Option<R>,
) -> Option<R> {
    let (block, lane) = kept_at(tree, slot)?;
    let hit = &intersect_exact(ray, &|| corners(block, lane))?;
    then(Met { hit, block, id: block.id[lane], slot })
}

/// [`Closest`], side by side.
pub(crate) struct ClosestGroup<'a, F> {
    sieve: &'a Sieve<'a, F>,
    least: Lanes,
    /// Bits, kept as what vectors choose from; nobody reckons with them.
    slot: Lanes,
    /// A bit for each that is settled.
    settled: Mask,
    /// The numbers of those.
    id: [u32; RAYS],
}

impl<'a, F: Filter + Copy> Group for ClosestGroup<'a, F> {
    type One = Closest<'a, F>;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>) -> Self {
        Self {
            sieve,
            least: Lanes::all(f32::INFINITY),
            slot: Lanes::all(f32::from_bits(NOWHERE)),
            settled: 0,
            id: [0; RAYS],
        }
    }

    #[inline(always)]
    fn one(&self, lane: usize, t_max: f32) -> Self::One {
        Closest {
            sieve: self.sieve,
            t_max,
            least: self.least.0[lane],
            slot: self.slot.0[lane].to_bits(),
            id: (self.settled >> lane & 1 != 0).then_some(self.id[lane]),
        }
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, one: &Self::One) {
        self.least.0[lane] = one.least;
        self.slot.0[lane] = f32::from_bits(one.slot);
        self.settled &= !(1 << lane);
        if let Some(id) = one.id {
            self.settled |= 1 << lane;
            self.id[lane] = id;
        }
    }

    #[inline(always)]
    unsafe fn glimpse<V: Vector>(
        &mut self,
        t_max: &mut Lanes,
        first: usize,
        slot: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask) {
        if !self.sieve.is_open() {
            return (0, 0);
        }
        // SAFETY: the caller vouches for the CPU and for `first`.
        unsafe {
            // As in `Closest::glimpse`.
            let least: V = self.least.load(first);
            let mut no_better = verdict.sure & least.le(verdict.most);
            let better = verdict.sure & !no_better;
            self.least.store(first, least.choose(verdict.least, better));
            let slots: V = self.slot.load(first);
            let slot_bits = V::splat(f32::from_bits(slot));
            self.slot.store(first, slots.choose(slot_bits, better));
            let far: V = t_max.load(first);
            t_max.store(first, far.choose(verdict.most.min(far), better));
            self.settled &= !(Mask::from(better) << first);
            let mut taken = Mask::from(better) << first;
            while no_better != 0 {
                let lane = first + no_better.trailing_zeros() as usize;
                no_better &= no_better - 1;
                taken |= Mask::from(self.one(lane, 0.0).is_best(slot)) << lane;
            }
            (taken, 0)
        }
    }

    // SAFETY: nothing here needs what the caller vouches for.
    #[inline(always)]
    unsafe fn finish<I: Isa>(
        self,
        packet: &Packet,
        rays: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [Option<Hit>],
    ) {
        let tree = self.sieve.tree;
        // SAFETY: the caller vouches for the CPU.
        unsafe { report_rows::<I>(tree, packet, rows, taken, &self.slot, rays, results) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::Builder;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Task};
    use crate::traverse::collect::Every;
    use crate::traverse::options::Query;

    const LANE: usize = 3;

    /// A ray that knows exactly what it hits at 5 is shown others.
    struct Shown<'a>(&'a TreeView<'a>);

    impl Task for Shown<'_> {
        type Output = ();

        #[inline(always)]
        unsafe fn run<I: Isa>(self) {
            let query = &Query::new();
            let sieve = &self.0.sieve(query, Every);
            let mut group = ClosestGroup::new(sieve);
            let mut t_max = Lanes::all(9.0);
            t_max.0[LANE] = 5.0;
            let settled = Closest { sieve, t_max: 5.0, least: 5.0, slot: 0, id: Some(0) };
            group.put(LANE, &settled);
            let mut show = |slot: u32, least: f32, most: f32| {
                // SAFETY: the caller vouches for the instruction set.
                let (taken, done) = unsafe {
                    let verdict = Verdict {
                        may: 1 << LANE,
                        sure: 1 << LANE,
                        vague: 0,
                        least: I::Node::splat(least),
                        most: I::Node::splat(most),
                    };
                    group.glimpse(&mut t_max, 0, slot, &verdict)
                };
                assert_eq!(done, 0);
                for lane in (0..8).filter(|&lane| lane != LANE) {
                    assert_eq!((t_max.0[lane], group.one(lane, 9.0).slot), (9.0, NOWHERE));
                }
                let one = group.one(LANE, t_max.0[LANE]);
                (taken, one.slot, one.id, one.least, one.t_max)
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
            simd::run(isa, Shown(&bvh.view()));
        }
    }
}
