//! Which triangles a moving shape touches first.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::contact::Contact;
use super::found::Found;
use super::sweep_axes::SweepAxes;
use super::sweep_nodes::SweepNodes;
use super::sweep_setup::{Cut, SweepSetup};
use crate::bvh::{LeafBlock, ROOT, TreeView};
use crate::geometry::{FirstTouch, Sweep, TriangleContact};
use crate::simd::{self, Isa, Task, opaque};
use crate::traverse::collect::{Filter, QueryFilter, RayIndex};
use crate::traverse::descent::least_of;
use crate::traverse::walk::{Bound, LeafTest, walk};

/// What is asked about a moving shape.
#[derive(Clone, Copy)]
pub(crate) struct SweepQuery<'a, F> {
    pub(crate) filter: &'a QueryFilter<'a, F>,
    pub(crate) sweep: &'a Sweep,
}

/// A triangle that the shape touches.
#[derive(Clone, Copy)]
pub(crate) struct Touched<'a> {
    first: FirstTouch<'a>,
    found: Found,
    /// Computed only where it is needed.
    contact: Option<TriangleContact>,
}

impl Touched<'_> {
    fn contact(&mut self, sweep: &Sweep) -> TriangleContact {
        let corners = &self.found.corners;
        *self.contact.get_or_insert_with(|| sweep.contact(corners, &self.first))
    }

    /// Whether it comes before another contact.
    fn is_before(&mut self, other: &mut Self, sweep: &Sweep) -> bool {
        if self.first.t != other.first.t {
            return self.first.t < other.first.t;
        }
        // Later there are no depths.
        if self.first.t > 0.0 && self.found.id > other.found.id && !other.contact(sweep).is_beside()
        {
            return false;
        }
        let order = self.contact(sweep).cmp(&other.contact(sweep));
        order.then(self.found.id.cmp(&other.found.id)) == Ordering::Less
    }
}

impl<F: Filter> SweepQuery<'_, F> {
    /// The first contact.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<Contact> {
        let mut first: Option<Touched<'_>> = None;
        let has_depth = self.sweep.has_depth_of_boxes();
        self.run::<true>(&mut |mut touched| {
            let is_first = first.as_mut().is_none_or(|first| touched.is_before(first, self.sweep));
            if is_first && self.accepts(&mut touched) {
                first = Some(touched);
            }
            let Some(first) = &mut first else { return ALL };
            let t = first.first.t;
            let depth = if has_depth && t == 0.0 { first.contact(self.sweep).depth } else { 0.0 };
            Cut { t, depth }
        });
        self.report(&mut first?)
    }

    /// All contacts, the first one first.
    #[inline(always)]
    pub(crate) fn all(&self, contacts: &mut Vec<Contact>) {
        self.run::<false>(&mut |mut touched| {
            if self.accepts(&mut touched) {
                contacts.extend(self.report(&mut touched));
            }
            ALL
        });
        contacts.sort_unstable_by(Contact::cmp);
        // A triangle that a spatial split cut is in several leaves.
        contacts.dedup_by_key(|contact| (contact.hit.mesh, contact.hit.triangle));
    }

    /// `visit` is told of contacts, and says which others matter. It is called through a
    /// pointer, so that kernels are compiled once and not for each filter.
    fn run<'s, const ORDERED: bool>(&'s self, visit: &mut dyn FnMut(Touched<'s>) -> Cut) {
        let tree = self.filter.tree;
        if !tree.nodes.is_empty() {
            let setup = &SweepSetup::new(tree, self.sweep);
            let axes = &SweepAxes::new(setup.scale(), self.sweep);
            let (sweep, cut) = (self.sweep, ALL);
            let search = Search::<ORDERED> { tree, setup, axes, sweep, cut, visit };
            simd::run(self.filter.query.isa, search);
        }
    }

    fn accepts(&self, touched: &mut Touched<'_>) -> bool {
        let found = touched.found;
        let is_in_front = || found.is_in_front(self.sweep.center().to_array());
        let report = || Some(self.report(touched)?.hit);
        self.filter.accepts_hit(F::Index::new(0), found.id, is_in_front, report)
    }

    /// The contact in the user's numbers.
    fn report(&self, touched: &mut Touched<'_>) -> Option<Contact> {
        let TriangleContact { t, point, normal, face_normal, feature, depth, u, v, .. } =
            touched.contact(self.sweep);
        let (center, on_triangle) = (self.sweep.center().to_array(), (t, [u, v], feature));
        let (hit, feature) = touched.found.report(self.filter.tree, center, on_triangle)?;
        Some(Contact { t, point, normal, face_normal, feature, depth, hit })
    }
}

/// A walk, as a task for an instruction set.
struct Search<'a, 's, const ORDERED: bool> {
    tree: &'a TreeView<'a>,
    setup: &'a SweepSetup,
    axes: &'a SweepAxes,
    sweep: &'s Sweep,
    cut: Cut,
    visit: &'a mut dyn FnMut(Touched<'s>) -> Cut,
}

const ALL: Cut = Cut { t: 1.0, depth: 0.0 };

impl<const ORDERED: bool> Task for Search<'_, '_, ORDERED> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let Self { tree, setup, axes, .. } = self;
        let nodes = SweepNodes { setup, axes };
        // SAFETY: a view is of a valid tree, and this one has a node.
        let _ = unsafe {
            walk::<I, _, _, _, false>(isa, tree, (&nodes, &SweepLeafTest), ROOT, &mut self)
        };
    }
}

impl<const ORDERED: bool> Bound for Search<'_, '_, ORDERED> {
    const ORDERED: bool = ORDERED;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.cut.t
    }
}

/// Visits the triangles of a leaf block that the shape touches.
struct SweepLeafTest;

impl<I: Isa, const ORDERED: bool> LeafTest<I, Search<'_, '_, ORDERED>> for SweepLeafTest {
    #[inline(always)]
    fn test(
        &self,
        isa: I,
        block: &LeafBlock,
        index: u32,
        search: &mut Search<'_, '_, ORDERED>,
    ) -> ControlFlow<()> {
        let (mut left, times) = opaque(search.setup).touches(isa, block, search.cut);
        // The sooner one is found, the more of the others are too late.
        while left != 0 {
            let bound = search.cut.t;
            left &= !opaque(search.axes).apart(isa, block, bound);
            while left != 0 && search.cut.t == bound {
                let lane = least_of(&times, left);
                left &= !(1 << lane);
                search.offer(block, index, lane);
            }
        }
        ControlFlow::Continue(())
    }
}

impl<const ORDERED: bool> Search<'_, '_, ORDERED> {
    /// Not inlined: it is the same for all instruction sets.
    #[inline(never)]
    fn offer(&mut self, block: &LeafBlock, index: u32, lane: usize) {
        let found = Found::new(block, index, lane);
        if let Some(first) = self.sweep.first_touch(&found.corners, self.cut.t) {
            self.cut = (self.visit)(Touched { first, found, contact: None });
        }
    }
}
