//! Which triangles a moving shape touches first.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::contact::Contact;
use super::found::Found;
use super::sweep_axes::SweepAxes;
use super::sweep_setup::{Cut, SweepSetup};
use crate::bvh::{LANES, LeafBlock, ROOT, TreeView};
use crate::geometry::{Sweep, TriangleContact};
use crate::simd::{self, Isa, Task, opaque};
use crate::traverse::collect::{Filter, QueryFilter, RayIndex};
use crate::traverse::walk::{Bound, LeafTest, walk};

/// What is asked about a moving shape.
#[derive(Clone, Copy)]
pub(crate) struct SweepQuery<'a, F> {
    pub(crate) filter: &'a QueryFilter<'a, F>,
    pub(crate) sweep: &'a Sweep,
}

/// A triangle that the shape touches.
#[derive(Clone, Copy)]
pub(crate) struct Touched {
    contact: TriangleContact,
    found: Found,
}

impl Touched {
    /// Which of two contacts comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.contact.cmp(&other.contact).then(self.found.id.cmp(&other.found.id))
    }
}

impl<F: Filter> SweepQuery<'_, F> {
    /// The first contact.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<Contact> {
        let mut first: Option<Touched> = None;
        let has_depth = self.sweep.has_depth_of_boxes();
        self.run::<true>(&mut |touched| {
            let is_first = first.is_none_or(|first| touched.cmp(&first) == Ordering::Less);
            if is_first && self.accepts(touched) {
                first = Some(*touched);
            }
            let Some(TriangleContact { t, depth, .. }) = first.map(|first| first.contact) else {
                return ALL;
            };
            Cut { t, depth: if has_depth && t == 0.0 { depth } else { 0.0 } }
        });
        self.report(&first?)
    }

    /// All contacts, the first one first.
    #[inline(always)]
    pub(crate) fn all(&self, contacts: &mut Vec<Contact>) {
        self.run::<false>(&mut |touched| {
            if self.accepts(touched) {
                contacts.extend(self.report(touched));
            }
            ALL
        });
        contacts.sort_unstable_by(Contact::cmp);
        // A triangle that a spatial split cut is in several leaves.
        contacts.dedup_by_key(|contact| (contact.hit.mesh, contact.hit.triangle));
    }

    /// `visit` is told of contacts, and says which others matter. It is called through a
    /// pointer, so that kernels are compiled once and not for each filter.
    fn run<const ORDERED: bool>(&self, visit: &mut dyn FnMut(&Touched) -> Cut) {
        let tree = self.filter.tree;
        if !tree.nodes.is_empty() {
            let setup = &SweepSetup::new(tree, self.sweep);
            let axes = &SweepAxes::new(setup.scale(), self.sweep);
            let (sweep, cut) = (self.sweep, ALL);
            let search = Search::<ORDERED> { tree, setup, axes, sweep, cut, visit };
            simd::run(self.filter.query.isa, search);
        }
    }

    fn accepts(&self, touched: &Touched) -> bool {
        let is_in_front = || touched.found.is_in_front(self.sweep.center().to_array());
        let report = || Some(self.report(touched)?.hit);
        self.filter.accepts_hit(F::Index::new(0), touched.found.id, is_in_front, report)
    }

    /// The contact in the user's numbers.
    fn report(&self, touched: &Touched) -> Option<Contact> {
        let TriangleContact { t, point, normal, face_normal, feature, depth, u, v, .. } =
            touched.contact;
        let (center, on_triangle) = (self.sweep.center().to_array(), (t, [u, v], feature));
        let (hit, feature) = touched.found.report(self.filter.tree, center, on_triangle)?;
        Some(Contact { t, point, normal, face_normal, feature, depth, hit })
    }
}

/// A walk, as a task for an instruction set.
struct Search<'a, const ORDERED: bool> {
    tree: &'a TreeView<'a>,
    setup: &'a SweepSetup,
    axes: &'a SweepAxes,
    sweep: &'a Sweep,
    cut: Cut,
    visit: &'a mut dyn FnMut(&Touched) -> Cut,
}

const ALL: Cut = Cut { t: 1.0, depth: 0.0 };

impl<const ORDERED: bool> Task for Search<'_, ORDERED> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let Self { tree, setup, .. } = self;
        // SAFETY: a view is of a valid tree, and this one has a node.
        let _ = unsafe {
            walk::<I, _, _, _, false>(isa, tree, (setup, &SweepLeafTest), ROOT, &mut self)
        };
    }
}

impl<const ORDERED: bool> Bound for Search<'_, ORDERED> {
    const ORDERED: bool = ORDERED;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.cut.t
    }
}

/// Visits the triangles of a leaf block that the shape touches.
struct SweepLeafTest;

impl<I: Isa, const ORDERED: bool> LeafTest<I, Search<'_, ORDERED>> for SweepLeafTest {
    #[inline(always)]
    fn test(
        &self,
        isa: I,
        block: &LeafBlock,
        index: u32,
        search: &mut Search<'_, ORDERED>,
    ) -> ControlFlow<()> {
        let mut mask = opaque(search.setup).touches(isa, block, search.cut);
        if mask != 0 {
            mask &= !opaque(search.axes).apart(isa, block, search.cut.t);
        }
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % LANES;
            mask &= mask - 1;
            search.offer(block, index, lane);
        }
        ControlFlow::Continue(())
    }
}

impl<const ORDERED: bool> Search<'_, ORDERED> {
    /// Not inlined: it is the same for all instruction sets.
    #[inline(never)]
    fn offer(&mut self, block: &LeafBlock, index: u32, lane: usize) {
        let found = Found::new(block, index, lane);
        if let Some(contact) = self.sweep.contact(&found.corners, self.cut.t) {
            self.cut = (self.visit)(&Touched { contact, found });
        }
    }
}
