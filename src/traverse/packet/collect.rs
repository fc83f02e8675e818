//! Collectors of packets: the collectors of all rays of a packet, side by side, and their results.

use bytemuck::Zeroable;

use super::lanes::{Lanes, Mask, RAYS, ROW, WHOLE_ROW};
use super::rays::Packet;
use crate::array::Each;
use crate::bvh::{LANES, LeafBlock, TreeView};
use crate::geometry::Ray;
use crate::simd::{self, InstructionSet, Isa, Task, Vector, opaque};
use crate::traverse::collect::Collector;
use crate::traverse::collect::batch::{BatchCollector, ExactHitBatch};
use crate::traverse::collect::report::{HitMesh, NO_SLOT};
use crate::traverse::collect::{Any, Closest, QueryFilter};
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::{RAYS_AT_ONCE, X8, exact_hit_x8};
use crate::traverse::ray::leaf_test::Verdict;

/// The collectors of a packet's rays. Their `t_max` is in the packet.
pub(crate) trait PacketCollector: Sized {
    /// The collector of one ray.
    type Single: BatchCollector;

    /// How far the directions of a packet's rays may differ, in units of their largest components.
    const MAX_DIRECTION_DIFFERENCE: f32;

    /// If at most this many rays hit a child, they leave the packet for its subtree, as a group.
    /// The second number is for rays that go to one point, whose packets cull better.
    const MAX_LEAVING: [u32; 2];

    /// A packet of fewer rays than this is no faster than the rays in a stream.
    const MIN_RAYS: u32;

    fn new(input: <Self::Single as Collector>::Input) -> Self;

    /// The collector of a ray, whose index in the batch is given.
    fn single(&self, lane: usize, ray_index: usize, t_max: f32) -> Self::Single;

    /// Takes back the collector of a ray.
    fn update(&mut self, lane: usize, single: &Self::Single);

    /// As [`Collector::offer_certain`], for all rays from `first` on that certainly hit the
    /// triangle at `slot`. Returns a bit for each ray that has recorded it, and for each that is
    /// done.
    fn offer_certain<V: Vector>(
        &mut self,
        t_max: &mut Lanes,
        first: usize,
        slot: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask);

    /// Whether a ray is done as soon as it certainly hits something, whatever that is.
    fn takes_any(&self) -> bool {
        false
    }

    /// Records that these rays certainly hit something, if that is all they need to know.
    fn occlude(&mut self, _rays: Mask) {}

    /// Writes the results of the `taken` rays, which come from the rows that begin at `rows`.
    fn finish(
        self,
        isa: InstructionSet,
        packet: &Packet,
        rays: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [<Self::Single as Collector>::Output],
    );
}

/// [`Closest`] for each ray of a packet.
pub(crate) struct ClosestPacket<'a> {
    query_filter: &'a QueryFilter<'a>,
    t_lo: Lanes,
    /// Slots as the bits of floats, so that vectors can select them. No arithmetic is done on them.
    slot: Lanes,
    /// A bit for each ray whose exact hit is known.
    resolved: Mask,
    /// The triangles of those hits.
    id: [u32; RAYS],
}

impl<'a> PacketCollector for ClosestPacket<'a> {
    type Single = Closest<'a>;

    const MAX_DIRECTION_DIFFERENCE: f32 = 0.5;

    const MAX_LEAVING: [u32; 2] = [5, 5];

    const MIN_RAYS: u32 = 6;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a>) -> Self {
        Self {
            query_filter,
            t_lo: Lanes::splat(f32::INFINITY),
            slot: Lanes::splat(f32::from_bits(NO_SLOT)),
            resolved: 0,
            id: [0; RAYS],
        }
    }

    #[inline(always)]
    fn single(&self, lane: usize, ray_index: usize, t_max: f32) -> Self::Single {
        Closest {
            query_filter: self.query_filter,
            index: ray_index,
            t_max,
            t_lo: self.t_lo.0[lane],
            slot: self.slot.0[lane].to_bits(),
            id: (self.resolved >> lane & 1 != 0).then_some(self.id[lane]),
        }
    }

    #[inline(always)]
    fn update(&mut self, lane: usize, single: &Self::Single) {
        self.t_lo.0[lane] = single.t_lo;
        self.slot.0[lane] = f32::from_bits(single.slot);
        self.resolved &= !(1 << lane);
        if let Some(id) = single.id {
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
        if !self.query_filter.accepts_all {
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
            taken |= Mask::from(self.single(lane, 0, 0.0).is_best(slot)) << lane;
        }
        (taken, 0)
    }

    #[inline(always)]
    fn finish(
        self,
        isa: InstructionSet,
        packet: &Packet,
        rays: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [Option<Hit>],
    ) {
        let write = WriteHits {
            slot: &self.slot,
            tree: self.query_filter.tree,
            packet,
            rays,
            rows,
            taken,
            results,
        };
        simd::run_many(isa, write);
    }
}

/// Writes the closest hits of a packet's rays, as a task for an instruction set: one function for
/// the packets of trees and of scenes.
struct WriteHits<'a> {
    tree: &'a TreeView<'a>,
    slot: &'a Lanes,
    packet: &'a Packet,
    rays: &'a [Ray],
    rows: &'a [u32],
    taken: Mask,
    results: &'a mut [Option<Hit>],
}

impl Task for WriteHits<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, slot, packet, rays, rows, taken, results } = self;
        let mut mesh = HitMesh::zeroed();
        for (i, &first) in rows.iter().enumerate() {
            let (slots, first) = (slot.row(i).each(f32::to_bits), first as usize);
            if taken >> (i * ROW) & WHOLE_ROW == WHOLE_ROW
                && let Some(results) = results[first..].first_chunk_mut()
            {
                if slots == [NO_SLOT; ROW] {
                    *results = [None; ROW];
                    continue;
                }
                if let Some(triangles) = RowTriangles::gather(isa, tree, &slots)
                    && triangles.report(isa, tree, packet.row(i), &slots, &mut mesh, results)
                {
                    continue;
                }
            }
            let found = (0..ROW).filter(|lane| taken >> (i * ROW + lane) & 1 != 0);
            let found = found.map(|lane| (first + lane, slots[lane]));
            let mut batch = ExactHitBatch::zeroed();
            batch.compute(isa, tree, found, rays, results);
            batch.write(tree, rays, results);
        }
    }
}

/// [`Any`] for each ray of a packet.
pub(crate) struct AnyPacket<'a> {
    query_filter: &'a QueryFilter<'a>,
    /// A bit for each ray that has a hit.
    found: Mask,
}

impl<'a> PacketCollector for AnyPacket<'a> {
    type Single = Any<'a>;

    const MAX_DIRECTION_DIFFERENCE: f32 = 1.0;

    const MAX_LEAVING: [u32; 2] = [24, 12];

    const MIN_RAYS: u32 = 12;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a>) -> Self {
        Self { query_filter, found: 0 }
    }

    // A ray that has a hit is retired, so its collector is not needed again.
    #[inline(always)]
    fn single(&self, _lane: usize, ray_index: usize, t_max: f32) -> Self::Single {
        Any::new(self.query_filter, ray_index, t_max)
    }

    #[inline(always)]
    fn update(&mut self, lane: usize, single: &Self::Single) {
        self.found |= Mask::from(single.found.is_some()) << lane;
    }

    #[inline(always)]
    fn offer_certain<V: Vector>(
        &mut self,
        _: &mut Lanes,
        first: usize,
        _: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask) {
        if !self.query_filter.accepts_all {
            return (0, 0);
        }
        let certain = Mask::from(verdict.certain) << first;
        self.found |= certain;
        (0, certain)
    }

    #[inline(always)]
    fn takes_any(&self) -> bool {
        self.query_filter.accepts_all
    }

    #[inline(always)]
    fn occlude(&mut self, rays: Mask) {
        self.found |= rays;
    }

    #[inline(always)]
    fn finish(
        self,
        _: InstructionSet,
        _: &Packet,
        _: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [bool],
    ) {
        for (i, &row) in rows.iter().enumerate() {
            let Some(results) = results[row as usize..].first_chunk_mut::<ROW>() else { continue };
            let (taken, found) = (bytes(taken >> (i * ROW)), bytes(self.found >> (i * ROW)));
            // Without a branch for each ray, which would often be mispredicted.
            let kept = u64::from_le_bytes(results.each(u8::from)) & !taken;
            *results = (kept | found & taken).to_le_bytes().each(|byte| byte != 0);
        }
    }
}

/// The bits of a row, each as a byte of ones or of zeros.
#[inline(always)]
fn bytes(row: Mask) -> u64 {
    const { assert!(ROW == size_of::<u64>()) };
    const ONES: u64 = u64::MAX / 0xff;
    // Each byte gets a bit of its own, which carries into its last one.
    let bits = (row & WHOLE_ROW).wrapping_mul(ONES) & 0x8040_2010_0804_0201;
    ((bits + 0x7f * ONES) >> 7 & ONES) * 0xff
}

const _: () = assert!(ROW == RAYS_AT_ONCE && ROW == LANES);

/// Rows of a leaf block: the vertices' coordinates, then the triangles' ids.
const BLOCK_ROWS: usize = size_of::<LeafBlock>() / size_of::<X8<u32>>();

/// One triangle for each ray of a row: columns of their leaf blocks.
#[repr(align(64))]
struct RowTriangles([X8<u32>; BLOCK_ROWS]);

impl RowTriangles {
    /// The triangles at some slots, if there is one at each.
    #[inline(always)]
    fn gather<I: Isa>(isa: I, tree: &TreeView<'_>, slots: &X8<u32>) -> Option<Self> {
        let mut columns = [[0; ROW]; BLOCK_ROWS];
        let mut left = (1u32 << ROW) - 1;
        while left != 0 {
            // Neighbors often hit the same triangle, or triangles of the same block.
            let index = slots[left.trailing_zeros() as usize % ROW] / LANES as u32;
            let block = tree.blocks.get(index as usize)?;
            left &= !isa.select_columns(index, bytemuck::cast_ref(block), slots, &mut columns);
        }
        Some(Self(columns))
    }

    /// Writes the results of a row in the common case: no ray needs the integer test, and all
    /// triangles are of one mesh, which it keeps in `mesh`. Otherwise returns `false`.
    #[inline(always)]
    fn report<I: Isa>(
        &self,
        isa: I,
        tree: &TreeView<'_>,
        rays: [[&X8<f32>; 3]; 2],
        slots: &X8<u32>,
        mesh: &mut HitMesh,
        results: &mut [Option<Hit>; ROW],
    ) -> bool {
        // Opaque, or a compiler would assemble a vector of the first id and the rest.
        let ids = opaque(&self.0[BLOCK_ROWS - 1]);
        if !mesh.has(ids[0]) {
            *mesh = HitMesh::of(tree, ids[0]).unwrap_or(HitMesh::zeroed());
        }
        let row = |row: usize| bytemuck::cast_ref::<X8<u32>, X8<f32>>(&self.0[row]);
        let corners = [0, 3, 6].each(|first| [row(first), row(first + 1), row(first + 2)]);
        let hit_point = exact_hit_x8(isa, rays, corners);
        let mut is_common = hit_point.exact == (1 << ROW) - 1;
        for i in 0..ROW {
            is_common &= mesh.has(ids[i]);
        }
        if !is_common {
            return false;
        }
        mesh.report_x8::<I::Point>(isa, ids, slots, &hit_point, results);
        for (result, &id) in results.iter_mut().zip(ids) {
            mesh.report_material(tree, id, result);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::Builder;
    use crate::bvh::TreeView;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Task};
    use crate::traverse::options::Query;

    const LANE: usize = 3;

    /// Offers triangles to a ray that knows its exact hit at 5.
    struct Offers<'a>(&'a TreeView<'a>);

    impl Task for Offers<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            let query = &Query::new();
            let query_filter = &self.0.query_filter(query);
            let mut collector = ClosestPacket::new(query_filter);
            let mut t_max = Lanes::splat(9.0);
            t_max.0[LANE] = 5.0;
            let resolved =
                Closest { query_filter, index: 0, t_max: 5.0, t_lo: 5.0, slot: 0, id: Some(0) };
            collector.update(LANE, &resolved);
            let mut offer = |slot: u32, t_lo: f32, t_hi: f32| {
                let (taken, done) = {
                    let verdict = Verdict {
                        possible: 1 << LANE,
                        certain: 1 << LANE,
                        unbounded: 0,
                        t_lo: I::Wide::splat(isa, t_lo),
                        t_hi: I::Wide::splat(isa, t_hi),
                    };
                    collector.offer_certain(&mut t_max, 0, slot, &verdict)
                };
                assert_eq!(done, 0);
                for lane in (0..8).filter(|&lane| lane != LANE) {
                    assert_eq!(
                        (t_max.0[lane], collector.single(lane, 0, 9.0).slot),
                        (9.0, NO_SLOT)
                    );
                }
                let single = collector.single(LANE, 0, t_max.0[LANE]);
                (taken, single.slot, single.id, single.t_lo, single.t_max)
            };
            // A nearer triangle with bounds only is recorded.
            assert_eq!(offer(1, 1.0, 2.0), (1 << LANE, 1, None, 1.0, 2.0));
            // One that is not certainly nearer is left to the exact test.
            assert_eq!(offer(2, 0.5, 1.5), (0, 1, None, 1.0, 2.0));
            // The recorded one is recorded again.
            assert_eq!(offer(1, 0.5, 1.5), (1 << LANE, 1, None, 1.0, 2.0));
        }
    }

    #[test]
    fn bits_of_a_row_become_bytes() {
        for row in 0..=WHOLE_ROW {
            let expected = std::array::from_fn(|i| if row >> i & 1 != 0 { 0xff } else { 0 });
            assert_eq!(bytes(row).to_le_bytes(), expected);
            assert_eq!(bytes(row | row << ROW | 1 << 63), bytes(row));
        }
    }

    /// A ray that has left a packet with its exact hit known comes back with a nearer triangle
    /// whose exact hit is not.
    #[test]
    fn a_ray_comes_back_as_it_is() {
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(corners)]).unwrap();
        let query = &Query::new();
        let query_filter = &bvh.view().query_filter(query);
        let mut collector = ClosestPacket::new(query_filter);
        let with = |slot: u32, id| {
            let t = slot as f32;
            Closest { query_filter, index: 0, t_max: t, t_lo: t, slot, id }
        };
        let states = [(5, Some(0)), (4, None), (3, None), (2, Some(7)), (1, Some(8)), (0, None)];
        for (slot, id) in states {
            for lane in [LANE, RAYS - 1] {
                collector.update(lane, &with(slot, id));
                let back = collector.single(lane, 0, 9.0);
                assert_eq!((back.slot, back.t_lo, back.id), (slot, slot as f32, id));
            }
            assert_eq!(collector.single(0, 0, 9.0).id, None);
        }
    }

    #[test]
    fn a_packet_records_triangles_that_are_certainly_nearer() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let positions = (0..3).flat_map(|i| corners.map(|[x, y, _]| [x, y, i as f32]));
        let mesh = Mesh::new(positions.collect(), (0..9).collect());
        let (bvh, _) = Builder::new().bake(&[mesh]).unwrap();
        for isa in InstructionSet::available() {
            simd::run(isa, Offers(bvh.view()));
        }
    }
}
