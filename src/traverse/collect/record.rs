//! A collector that records what the walk tests, in its order.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use super::{CertainHit, Collector, ExactCandidate, Offered};
use crate::bvh::{LeafBlock, Node, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Plainest};
use crate::traverse::ray::f64_fallback::SlabTestF64;
use crate::traverse::ray::setup::{RaySetup, set_up_ray};
use crate::traverse::walk::{Bound, NodeTest};

/// A step of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visit {
    /// A node of this number is tested. For each child where the ray enters its box, if it does
    /// before what was found so far.
    Node(u32, [Option<f32>; WIDTH]),
    /// The leaf block of this number is tested.
    Block(u32),
}

/// Where the walk of a ray is recorded.
pub(crate) struct Record<'a> {
    tree: &'a TreeView<'a>,
    slabs: Slabs,
    visits: RefCell<Vec<Visit>>,
}

/// The box tests of a walk: the same as the walk itself chooses.
pub(in crate::traverse) enum Slabs {
    F32(Box<RaySetup>),
    F64(SlabTestF64),
}

impl<'a> Record<'a> {
    pub(crate) fn new(tree: &'a TreeView<'a>, ray: &Ray) -> Self {
        let mut setup = MaybeUninit::uninit();
        let slabs = match set_up_ray::<<Plainest as Isa>::Point>(Plainest, tree, ray, &mut setup) {
            // SAFETY: the setup has been written.
            true => Slabs::F32(Box::new(unsafe { setup.assume_init() })),
            false => Slabs::F64(SlabTestF64::new(tree, ray)),
        };
        Self { tree, slabs, visits: RefCell::default() }
    }

    /// What was recorded. It is gone from here then.
    pub(crate) fn take_visits(&self) -> Vec<Visit> {
        self.visits.take()
    }
}

impl Slabs {
    /// Where the ray enters the box of each child of a node, if it does at `bound` or before.
    pub(in crate::traverse) fn entries(&self, node: &Node, bound: f32) -> [Option<f32>; WIDTH] {
        let mut entries = [None; WIDTH];
        match self {
            Self::F32(setup) => {
                let limit = NodeTest::<Plainest>::limit(&**setup, bound);
                let loaded = NodeTest::<Plainest>::load(&**setup, Plainest);
                let mut entry = MaybeUninit::uninit();
                let mask =
                    <RaySetup as NodeTest<Plainest>>::intersect(&loaded, node, limit, &mut entry);
                // SAFETY: the test has written all of it.
                let entry = unsafe { entry.assume_init() };
                for lane in (0..WIDTH).filter(|lane| mask >> lane & 1 != 0) {
                    entries[lane] = Some(entry[lane] - setup.shift);
                }
            }
            Self::F64(slabs) => {
                for (lane, to) in entries.iter_mut().enumerate() {
                    *to = slabs.entry(node, lane, bound).map(|enter| enter as f32);
                }
            }
        }
        entries
    }
}

/// A collector whose walk is recorded.
pub(crate) struct Recorded<'a, V> {
    collector: V,
    record: &'a Record<'a>,
}

impl<V: Collector> Bound for Recorded<'_, V> {
    const ORDERED: bool = V::ORDERED;

    /// As for [`Counted`](super::Counted), whose numbers are the same.
    const NODES_AHEAD: bool = false;

    fn bound(&self) -> f32 {
        self.collector.bound()
    }

    fn on_node(&mut self, node: &Node) {
        let entries = self.record.slabs.entries(node, self.bound());
        let number = place_in(self.record.tree.nodes, node);
        self.record.visits.borrow_mut().push(Visit::Node(number, entries));
    }

    fn on_block(&mut self, block: &LeafBlock) {
        let number = place_in(self.record.tree.blocks, block);
        self.record.visits.borrow_mut().push(Visit::Block(number));
    }
}

/// The place of an element of a slice.
pub(in crate::traverse) fn place_in<T>(slice: &[T], element: &T) -> u32 {
    let bytes = std::ptr::from_ref(element).addr() - slice.as_ptr().addr();
    (bytes / size_of::<T>()) as u32
}

impl<'a, V: Collector> Collector for Recorded<'a, V> {
    type Input = (V::Input, &'a Record<'a>);
    type Output = V::Output;

    fn new((input, record): Self::Input, index: usize, t_max: f32) -> Self {
        Self { collector: V::new(input, index, t_max), record }
    }

    fn offer_certain(&mut self, hit: CertainHit) -> Offered {
        self.collector.offer_certain(hit)
    }

    fn resolve(&mut self, ray: &Ray) {
        self.collector.resolve(ray);
    }

    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        self.collector.offer(ray, candidate)
    }

    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> V::Output {
        self.collector.finish(isa, ray)
    }
}
