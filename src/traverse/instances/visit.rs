//! The instances that may matter to a question about a point, a shape or a volume.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::{PlacedInstance, TopLevelView, TopLevels};
use crate::bvh::{ROOT, TreeView};
use crate::geometry::{Ray, Volume};
use crate::simd::{self, Isa, Task};
use crate::traverse::near::PointSetup;
use crate::traverse::options::Query;
use crate::traverse::overlap::ShapeSetup;
use crate::traverse::ray::setup::set_up_padded;
use crate::traverse::stack::Stack;
use crate::traverse::sweep::SweepNodes;
use crate::traverse::walk::{Bound, NodeTest, VisitLeaf, walk_to_leaves};

/// The test of the boxes of instances.
pub(super) enum Test<'a> {
    Ray(&'a Ray),
    Point(&'a PointSetup),
    Shape(&'a ShapeSetup),
    Sweep(&'a SweepNodes),
}

/// Is told of an instance, and of the volume that stands there, and gives the bound past which
/// nothing matters from then on. `Break` ends the question.
type Visit<'a, 'v> = dyn FnMut(&'a PlacedInstance, Option<&'a Volume>) -> ControlFlow<(), f32> + 'v;

/// As [`for_each_instance`], with the trees that stand there.
pub(super) fn for_each_tree<'a>(
    tops: &'a TopLevels<'a>,
    query: &Query<'_>,
    test: &Test<'_>,
    mut bound: f32,
    mut visit: impl FnMut(&'a PlacedInstance, &'a TreeView<'a>) -> ControlFlow<(), f32>,
) {
    for_each_instance(tops, query, test, bound, &mut |instance, _| {
        if let Some(tree) = tops.tree(instance) {
            bound = visit(instance, tree)?;
        }
        ControlFlow::Continue(bound)
    });
}

/// Calls `visit` for the instances that may matter, the nearest first.
///
/// It is called through a pointer, so that kernels are compiled once and not for each filter.
pub(super) fn for_each_instance<'a>(
    tops: &'a TopLevels<'a>,
    query: &Query<'_>,
    test: &Test<'_>,
    bound: f32,
    visit: &mut Visit<'a, '_>,
) {
    let search = Search { tops, query, bound, visit };
    simd::run(query.isa, Walk { test, search });
}

struct Walk<'a, 'w, 'v> {
    test: &'w Test<'w>,
    search: Search<'a, 'w, 'v>,
}

struct Search<'a, 'w, 'v> {
    tops: &'a TopLevels<'a>,
    query: &'w Query<'w>,
    bound: f32,
    visit: &'w mut Visit<'a, 'v>,
}

impl Task for Walk<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { test, mut search } = self;
        let facts = search.tops.facts;
        let mut ray_setup = MaybeUninit::uninit();
        let is_in_range = match *test {
            Test::Ray(ray) => {
                set_up_padded::<I::Point>(isa, &facts.boxes, ray, facts.padding, &mut ray_setup)
            }
            // These hold for infinite boxes too. A number computed from an infinite plane is
            // infinite on the near side, or NaN, of which `min` and `max` take the other number: so
            // the axis leaves nothing out. (Planes for which it would are not made: see
            // `Plane::new`.)
            _ => true,
        };
        for view in search.tops.levels.iter().filter(|view| !view.top.instances.is_empty()) {
            // One for all walks, because each would have its own.
            let (mut entries, mut height) = (Stack::room(), 0);
            let mut stack = Stack::new(&mut entries, &mut height);
            let flow = if !is_in_range {
                search.visit_all(view)
            } else {
                match *test {
                    Test::Ray(_) => {
                        // SAFETY: it has been written, as the ray is in range.
                        search.walk(isa, view, unsafe { ray_setup.assume_init_ref() }, &mut stack)
                    }
                    Test::Point(test) => search.walk(isa, view, test, &mut stack),
                    Test::Shape(test) => search.walk(isa, view, test, &mut stack),
                    Test::Sweep(test) => search.walk(isa, view, test, &mut stack),
                }
            };
            if flow.is_break() {
                break;
            }
        }
    }
}

impl<'a> Search<'a, '_, '_> {
    #[inline(always)]
    fn walk<I: Isa, N: NodeTest<I>>(
        &mut self,
        isa: I,
        view: &'a TopLevelView<'a>,
        test: &N,
        stack: &mut Stack<'_>,
    ) -> ControlFlow<()> {
        // SAFETY: a tree of instances has a node; what builds it keeps to the depth, and to the
        // numbers of the nodes and instances that there are.
        unsafe {
            let (nodes, tests) = (&view.top.nodes, (test, &Instances(view)));
            walk_to_leaves::<I, _, _, _, false>(isa, nodes, tests, ROOT, stack, self)
        }
    }

    #[inline(always)]
    fn visit_one(&mut self, view: &'a TopLevelView<'a>, index: u32) -> ControlFlow<()> {
        if let Some(instance) = view.get(index, self.query) {
            let volume = view.top.volumes.get(index as usize);
            self.bound = (self.visit)(instance, volume)?;
        }
        ControlFlow::Continue(())
    }

    /// All instances: no box test holds for the ray.
    #[cold]
    #[inline(never)]
    fn visit_all(&mut self, view: &'a TopLevelView<'a>) -> ControlFlow<()> {
        (0..view.top.instances.len() as u32).try_for_each(|index| self.visit_one(view, index))
    }
}

impl Bound for Search<'_, '_, '_> {
    const ORDERED: bool = true;
    const NODES_AHEAD: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.bound
    }
}

struct Instances<'a>(&'a TopLevelView<'a>);

impl<'a, I: Isa> VisitLeaf<I, Search<'a, '_, '_>> for Instances<'a> {
    // SAFETY: asks for nothing: the number of the instance is checked.
    #[inline(always)]
    unsafe fn visit(&self, _: I, index: u32, search: &mut Search<'a, '_, '_>) -> ControlFlow<()> {
        search.visit_one(self.0, index)
    }

    #[inline(always)]
    fn prefetch(&self, index: u32) {
        self.0.prefetch(index);
    }
}
