//! The walk through the tree, written once for every query and instruction set.

use std::hint::black_box;
use std::mem::MaybeUninit;

use super::leaf::{self, Glance};
use super::prepare::Prepared;
use super::visitor::{Glimpse, Sure, Visitor, decide};
use crate::bvh::{BvhView, LANES, LEAF, LeafBlock, MAX_DEPTH, Node, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Vector};

/// A subtree to come back to, and where the ray enters it.
#[derive(Clone, Copy)]
struct Entry {
    t: f32,
    child: u32,
}

/// Enough for every tree that passes validation: each level leaves at most all of a node's
/// children but one.
const STACK: usize = MAX_DEPTH as usize * (WIDTH - 1) + 1;

/// Shows a visitor the triangles that a ray may meet.
///
/// # Safety
/// The CPU has the instruction set `I`, switched on. `prepared` is what
/// [`prepare`](super::prepare::prepare) made of the ray for this tree. The tree is valid: every
/// child names a node or a leaf block that is there, and no leaf lies deeper than `MAX_DEPTH`
/// nodes. (A used lane, that is: an unused one is never entered, because a ray's constants are
/// finite and its `inv` is not zero, so that infinite planes stay infinite.)
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Visitor>(
    tree: &BvhView<'_>,
    ray: &Ray,
    prepared: &Prepared,
    visitor: &mut V,
) {
    let mut entries = [const { MaybeUninit::uninit() }; STACK];
    let mut top = 0;
    // The height apart from the entries, or it would live in memory as they do.
    let mut stack = Stack {
        entries: &mut entries,
        top: &mut top,
    };
    let mut child = 0u32;
    loop {
        if child & LEAF == 0 {
            // The constants stay in registers from node to node, and are loaded anew after a leaf.
            // SAFETY: the caller vouches for the instruction set.
            let slabs = unsafe { Slabs::<I::Node>::new(black_box(prepared)) };
            loop {
                // SAFETY: the tree is valid, and the caller vouches for the instruction set.
                let node = unsafe { tree.nodes.get_unchecked(child as usize) };
                let t_max = visitor.t_max() + prepared.shift;
                let mut enter = [0f32; WIDTH];
                // SAFETY: as above.
                let mask = unsafe { slabs.meet(node, t_max, &mut enter) };
                // SAFETY: as above.
                let next = unsafe {
                    if mask == 0 {
                        stack.pop(t_max)
                    } else {
                        Some(stack.take(node, mask, &enter, V::ORDERED))
                    }
                };
                match next {
                    Some(next) => child = next,
                    None => return,
                }
                if child & LEAF != 0 {
                    break;
                }
            }
        }
        let index = child & !LEAF;
        // SAFETY: the tree is valid.
        let block = unsafe { tree.blocks.get_unchecked(index as usize) };
        // SAFETY: the caller vouches for the instruction set.
        let glance =
            unsafe { leaf::glance::<I::Leaf>(black_box(prepared), block, visitor.t_max()) };
        if glance.may != 0 && !look(ray, block, index, &glance, visitor) {
            return;
        }
        // SAFETY: the stack is that of a valid tree's walk.
        match unsafe { stack.pop(visitor.t_max() + prepared.shift) } {
            Some(next) => child = next,
            None => return,
        }
    }
}

/// The subtrees to come back to, the nearest of each node's last.
struct Stack<'a> {
    entries: &'a mut [MaybeUninit<Entry>; STACK],
    top: &'a mut usize,
}

impl Stack<'_> {
    /// Takes the children of a node whose bits are set, one at least: returns the nearest and keeps
    /// the rest; or, unordered, the first.
    ///
    /// # Safety
    /// The walk is that of a valid tree.
    #[inline(always)]
    unsafe fn take(
        &mut self,
        node: &Node,
        mut mask: u32,
        enter: &[f32; WIDTH],
        ordered: bool,
    ) -> u32 {
        let first = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        let mut nearest = Entry {
            t: enter[first],
            child: node.child[first],
        };
        if mask == 0 {
            return nearest.child;
        }
        let floor = *self.top;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let mut entry = Entry {
                t: enter[lane],
                child: node.child[lane],
            };
            if ordered && entry.t < nearest.t {
                std::mem::swap(&mut entry, &mut nearest);
            }
            let mut at = *self.top;
            // SAFETY: a valid tree's walk holds at most `STACK` entries, and those below `top` are
            // written.
            unsafe {
                while ordered && at > floor {
                    let below = self.entries.get_unchecked(at - 1).assume_init();
                    if below.t >= entry.t {
                        break;
                    }
                    self.entries.get_unchecked_mut(at).write(below);
                    at -= 1;
                }
                self.entries.get_unchecked_mut(at).write(entry);
            }
            *self.top += 1;
        }
        nearest.child
    }

    /// The last subtree that the ray enters at `t_max` at the latest.
    ///
    /// # Safety
    /// The walk is that of a valid tree.
    #[inline(always)]
    unsafe fn pop(&mut self, t_max: f32) -> Option<u32> {
        while *self.top > 0 {
            *self.top -= 1;
            // SAFETY: entries below the old `top` are written.
            let entry = unsafe { self.entries.get_unchecked(*self.top).assume_init() };
            if entry.t <= t_max {
                return Some(entry.child);
            }
        }
        None
    }
}

/// The ray's constants for the boxes of nodes.
struct Slabs<V> {
    near: [usize; 3],
    far: [usize; 3],
    inv: [V; 3],
    near_add: [V; 3],
    far_add: [V; 3],
    t_min: V,
}

impl<V: Vector> Slabs<V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    unsafe fn new(ray: &Prepared) -> Self {
        let rows = |rows: &[u32; 4]| [0, 1, 2].map(|k| rows[k] as usize);
        // SAFETY: the caller vouches for the CPU.
        let splat = |x: f32| unsafe { V::splat(x) };
        let splats = |x: &[f32; 4]| [splat(x[0]), splat(x[1]), splat(x[2])];
        Self {
            near: rows(&ray.near),
            far: rows(&ray.far),
            inv: splats(&ray.inv),
            near_add: splats(&ray.near_add),
            far_add: splats(&ray.far_add),
            t_min: splat(ray.t_min),
        }
    }

    /// A bit for each child whose box the ray meets at `t_min <= t <= t_max`, and where it enters,
    /// all `t` shifted.
    ///
    /// # Safety
    /// As for [`Vector`]; the ray was from [`prepare`](super::prepare::prepare).
    #[inline(always)]
    unsafe fn meet(&self, node: &Node, t_max: f32, enter: &mut [f32; WIDTH]) -> u32 {
        let planes = node.planes().as_flattened().as_ptr();
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            // SAFETY: the caller vouches for the CPU; each row has `WIDTH` numbers, a whole number
            // of vectors, and a prepared ray's rows are in the node.
            unsafe {
                let plane = |row: usize, k: usize, add: V| {
                    V::load(planes.add(row + first)).mul_add(self.inv[k], add)
                };
                let near = plane(self.near[0], 0, self.near_add[0])
                    .later(plane(self.near[1], 1, self.near_add[1]))
                    .later(plane(self.near[2], 2, self.near_add[2]).later(self.t_min));
                let far = plane(self.far[0], 0, self.far_add[0])
                    .sooner(plane(self.far[1], 1, self.far_add[1]))
                    .sooner(plane(self.far[2], 2, self.far_add[2]).sooner(V::splat(t_max)));
                near.store(enter.as_mut_ptr().add(first));
                mask |= near.no_later(far) << first;
            }
            first += V::LANES;
        }
        mask
    }
}

/// Takes a block's triangles that the ray may hit; `false` ends the walk.
#[inline(always)]
fn look<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    glance: &Glance,
    visitor: &mut V,
) -> bool {
    let lane = glance.sure.trailing_zeros() as usize % LANES;
    let one = glance.may & (glance.may - 1) == 0;
    if glance.sure != 0 && (one || !V::ORDERED) {
        let sure = Sure {
            slot: index * LANES as u32 + lane as u32,
            least: glance.least[lane],
            most: glance.most[lane],
        };
        match visitor.glimpse(sure) {
            Glimpse::Enough => return false,
            Glimpse::Taken if one => return true,
            Glimpse::Taken | Glimpse::Unclear => {}
        }
    }
    look_closely(ray, block, index, glance.may, visitor)
}

/// Asks the reference about each of some triangles. Rarely needed, so kept out of the walk.
#[inline(never)]
fn look_closely<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    mut mask: u32,
    visitor: &mut V,
) -> bool {
    visitor.settle(ray);
    while mask != 0 {
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        if !decide(ray, block, index, lane, visitor) {
            return false;
        }
    }
    true
}
