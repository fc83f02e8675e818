//! Which triangles a moving shape touches first.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::contact::{Contact, sort_contacts};
use super::nodes::{Around, SweepNodes};
use super::round::RoundSweep;
use super::setup::{Cut, Touches, limit};
use crate::array::Each;
use crate::bvh::{LeafBlock, ROOT, TreeView};
use crate::geometry::{FirstTouch, Rank, Sweep, TriangleContact, dot};
use crate::simd::{self, Isa, Task, opaque};
use crate::traverse::collect::QueryFilter;
use crate::traverse::descent::least_of;
use crate::traverse::found::Found;
use crate::traverse::options::StartContacts;
use crate::traverse::place::{InWorld, Place};
use crate::traverse::walk::{Bound, LeafTest, walk};

/// A question about a moving shape: which triangles it touches.
#[derive(Clone, Copy)]
pub(crate) struct SweepQuery<'a> {
    pub(crate) filter: &'a QueryFilter<'a>,
    pub(crate) sweep: &'a Sweep,
}

/// A triangle that the shape touches.
#[derive(Clone, Copy)]
pub(crate) struct Touched<'a> {
    first: FirstTouch<'a>,
    found: Found,
    /// Computed only where it is needed.
    rank: Option<Rank>,
}

impl Touched<'_> {
    fn rank(&mut self, sweep: &Sweep) -> Rank {
        let corners = &self.found.corners;
        *self.rank.get_or_insert_with(|| sweep.rank(corners, &self.first))
    }

    fn depth(&mut self, sweep: &Sweep) -> f32 {
        self.first.depth().unwrap_or_else(|| self.rank(sweep).depth)
    }

    /// Of the triangles that are touched at the same time, those with higher numbers than this
    /// cannot come first; `u32::MAX` if no such number is known.
    fn last(&self) -> u32 {
        match self.rank {
            Some(Rank { t, is_beside: false, .. }) if t > 0.0 => self.found.id,
            _ => u32::MAX,
        }
    }

    /// Whether it comes before another contact.
    fn is_before(&mut self, other: &mut Self, sweep: &Sweep) -> bool {
        if self.first.t != other.first.t {
            return self.first.t < other.first.t;
        }
        if self.first.t == 0.0 {
            let (depth, other_depth) = (self.depth(sweep), other.depth(sweep));
            if depth != other_depth {
                return depth > other_depth;
            }
        } else if self.found.id > other.found.id && !other.rank(sweep).is_beside {
            // All depths are zero. The other's rank is kept, so this saves computing this one's.
            return false;
        }
        let order = self.rank(sweep).cmp(&other.rank(sweep));
        order.then(self.found.id.cmp(&other.found.id)) == Ordering::Less
    }
}

impl SweepQuery<'_> {
    /// The first contact.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<Contact> {
        let nodes = &SweepNodes::new(&self.filter.tree.facts, self.sweep);
        self.first_with(nodes, nodes, &mut { Cut::NONE })
    }

    /// As [`first`](Self::first), with these tests of leaf blocks and nodes. Looks only for
    /// contacts that matter to `cut`, and lowers it with each.
    #[inline(always)]
    pub(crate) fn first_with(
        &self,
        blocks: &SweepNodes,
        nodes: &SweepNodes,
        cut: &mut Cut,
    ) -> Option<Contact> {
        let mut first: Option<Touched<'_>> = None;
        // The numbers of triangles in another instance's tree say nothing about this one.
        let before = Cut { last: u32::MAX, first: u32::MAX, ..*cut };
        let has_depth = self.sweep.has_depth_of_boxes();
        self.run(blocks, nodes, before, &mut |mut touched| {
            let is_first = first.as_mut().is_none_or(|first| touched.is_before(first, self.sweep));
            if is_first && self.accepts(&touched) {
                first = Some(touched);
            }
            let Some(first) = &mut first else { return before };
            let t = first.first.t;
            let depth = if has_depth && t == 0.0 { first.depth(self.sweep) } else { 0.0 };
            *cut = Cut {
                t,
                depth: depth.max(before.depth),
                last: first.last(),
                first: first.found.id,
                ahead: first.first.ahead(),
            };
            *cut
        });
        self.report(&first?)
    }

    /// All contacts, the first one first.
    #[inline(always)]
    pub(crate) fn all(&self, contacts: &mut Vec<Contact>) {
        let nodes = &SweepNodes::new(&self.filter.tree.facts, self.sweep);
        self.all_with(nodes, nodes, |contact| contacts.push(contact));
        sort_contacts(contacts);
    }

    /// Calls `found` with all contacts, with these tests of leaf blocks and nodes. One that a
    /// spatial split cut may come several times.
    #[inline(always)]
    pub(crate) fn all_with(
        &self,
        blocks: &SweepNodes,
        nodes: &SweepNodes,
        mut found: impl FnMut(Contact),
    ) {
        self.run(blocks, nodes, Cut::NONE, &mut |touched| {
            if self.accepts(&touched)
                && let Some(contact) = self.report(&touched)
            {
                found(contact);
            }
            Cut::NONE
        });
    }

    /// `visit` is told of contacts, and says which others matter. It is called through a pointer,
    /// so that one kernel serves the first contact and all contacts.
    fn run<'s>(
        &'s self,
        blocks: &SweepNodes,
        nodes: &SweepNodes,
        cut: Cut,
        visit: &mut dyn FnMut(Touched<'s>) -> Cut,
    ) {
        let (tree, place, sweep) = (self.filter.tree, self.filter.place, self.sweep);
        if !tree.nodes.is_empty() {
            let search = Search { tree, place, blocks, nodes, sweep, cut, visit };
            simd::run(self.filter.query.isa, search);
        }
    }

    fn accepts(&self, touched: &Touched<'_>) -> bool {
        if self.is_left(touched) {
            return false;
        }
        let found = touched.found;
        let is_in_front = || found.is_in_front(self.sweep.center().to_array());
        let report = || Some(self.report(touched)?.hit);
        self.filter.accepts_hit(0, found.id, is_in_front, report)
    }

    /// Whether it is left out because the motion leaves it, or slides along it.
    fn is_left(&self, touched: &Touched<'_>) -> bool {
        let Touched { first, found, .. } = touched;
        if self.filter.query.start == StartContacts::All || first.t != 0.0 {
            return false;
        }
        let normal = self.sweep.contact(&found.corners, first).normal.to_array();
        dot(normal.each(f64::from), self.sweep.motion().each(f64::from)) >= 0.0
    }

    /// The contact in the user's numbers.
    fn report(&self, touched: &Touched<'_>) -> Option<Contact> {
        let TriangleContact { t, point, normal, face_normal, feature, depth, u, v, .. } =
            self.sweep.contact(&touched.found.corners, &touched.first);
        let (center, on_triangle) = (self.sweep.center().to_array(), (t, [u, v], feature));
        let (hit, feature) = touched.found.report(self.filter, center, on_triangle)?;
        Some(Contact { t, point, normal, face_normal, feature, depth, hit })
    }
}

/// A walk, as a task for an instruction set.
struct Search<'a, 's> {
    tree: &'a TreeView<'a>,
    place: Option<&'a Place<'a>>,
    blocks: &'a SweepNodes,
    nodes: &'a SweepNodes,
    sweep: &'s Sweep,
    cut: Cut,
    visit: &'a mut dyn FnMut(Touched<'s>) -> Cut,
}

impl Task for Search<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let Self { tree, place, nodes, .. } = self;
        // SAFETY: a view is of a valid tree, and this one has a node.
        let _ = unsafe {
            let tests = (nodes, &InWorld(place, SweepLeafTest));
            walk::<I, _, _, _, false>(isa, tree, tests, ROOT, &mut self)
        };
    }
}

impl Bound for Search<'_, '_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.cut.t
    }
}

/// Visits the triangles of a leaf block that the shape touches.
struct SweepLeafTest;

impl<I: Isa> LeafTest<I, Search<'_, '_>> for SweepLeafTest {
    #[inline(always)]
    fn test(
        &self,
        isa: I,
        block: &LeafBlock,
        index: u32,
        search: &mut Search<'_, '_>,
    ) -> ControlFlow<()> {
        let mut touches = opaque(&search.blocks.setup).touches(isa, block, search.cut);
        match opaque(&search.blocks.around) {
            Around::Round(round) => search.offer_by_bound(isa, round, block, index, &touches),
            Around::Box(moving) if touches.mask != 0 => {
                moving.narrow(isa, block, &mut touches, search.cut.t);
                search.offer_by_time(block, index, &touches);
            }
            Around::Box(_) => {}
        }
        ControlFlow::Continue(())
    }
}

impl Search<'_, '_> {
    /// Offers triangles that a round shape may touch. The sooner one is found, the more of the
    /// others are too late.
    #[inline(always)]
    fn offer_by_bound<I: Isa>(
        &mut self,
        isa: I,
        round: &RoundSweep,
        block: &LeafBlock,
        index: u32,
        touches: &Touches,
    ) {
        let mut left = touches.mask;
        while left != 0 {
            let bound = self.cut.t;
            left &= !round.apart(isa, block, bound);
            while left != 0 && self.cut.t == bound {
                let lane = least_of(&touches.enters, left);
                left &= !(1 << lane);
                self.offer(block, index, lane);
            }
        }
    }

    /// The same of other shapes, whose times are nearly right.
    #[inline(always)]
    fn offer_by_time(&mut self, block: &LeafBlock, index: u32, touches: &Touches) {
        let mut left = touches.mask;
        while left != 0 {
            let lane = least_of(&touches.enters, left);
            if touches.enters[lane] > limit(self.cut.t) {
                break;
            }
            left &= !(1 << lane);
            self.offer(block, index, lane);
        }
    }

    /// Not inlined: it is the same for all instruction sets.
    #[inline(never)]
    fn offer(&mut self, block: &LeafBlock, index: u32, lane: usize) {
        let found = Found::new(block, index, lane);
        // A triangle that a spatial split cut is in several leaves.
        if found.id == self.cut.first {
            return;
        }
        let wanted = self.cut.wanted_of(found.id);
        if let Some(first) = self.sweep.wanted_touch(&found.corners, &wanted) {
            self.cut = (self.visit)(Touched { first, found, rank: None });
        }
    }
}
