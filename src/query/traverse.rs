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
/// The CPU has the instruction set `I`, switched on. The tree is valid: every child names a
/// node or a leaf block that is there, and no leaf lies deeper than `MAX_DEPTH` nodes. (A used
/// lane, that is: an unused one is never entered, because a ray's constants are finite and its
/// `inv` is not zero, so that infinite planes stay infinite.)
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Visitor>(
    tree: &BvhView<'_>,
    ray: &Ray,
    prepared: &Prepared,
    visitor: &mut V,
) {
    let mut stack = [const { MaybeUninit::<Entry>::uninit() }; STACK];
    let mut top = 0;
    let mut child = 0u32;
    loop {
        if child & LEAF == 0 {
            // SAFETY: the tree is valid, and the caller vouches for the instruction set.
            let node = unsafe { tree.nodes.get_unchecked(child as usize) };
            let mut enter = [0f32; WIDTH];
            // SAFETY: as above.
            let mut mask = unsafe {
                boxes::<I::Node>(
                    black_box(prepared),
                    node,
                    visitor.t_max() + prepared.shift,
                    &mut enter,
                )
            };
            if mask != 0 {
                let first = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                child = node.child[first];
                if mask == 0 {
                    continue;
                }
                // The rest goes onto the stack, farthest lowest, and the nearest is entered.
                let mut nearest = Entry {
                    t: enter[first],
                    child,
                };
                let floor = top;
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    let mut entry = Entry {
                        t: enter[lane],
                        child: node.child[lane],
                    };
                    if V::ORDERED && entry.t < nearest.t {
                        std::mem::swap(&mut entry, &mut nearest);
                    }
                    let mut at = top;
                    // SAFETY: a valid tree's walk holds at most `STACK` entries, and those
                    // below `top` are written.
                    unsafe {
                        while V::ORDERED && at > floor {
                            let below = stack.get_unchecked(at - 1).assume_init();
                            if below.t >= entry.t {
                                break;
                            }
                            stack.get_unchecked_mut(at).write(below);
                            at -= 1;
                        }
                        stack.get_unchecked_mut(at).write(entry);
                    }
                    top += 1;
                }
                child = nearest.child;
                continue;
            }
        } else {
            let index = child & !LEAF;
            // SAFETY: the tree is valid.
            let block = unsafe { tree.blocks.get_unchecked(index as usize) };
            // SAFETY: the caller vouches for the instruction set.
            let glance =
                unsafe { leaf::glance::<I::Leaf>(black_box(prepared), block, visitor.t_max()) };
            if glance.may != 0 && !look(ray, block, index, &glance, visitor) {
                return;
            }
        }
        loop {
            if top == 0 {
                return;
            }
            top -= 1;
            // SAFETY: entries below the old `top` are written.
            let entry = unsafe { stack.get_unchecked(top).assume_init() };
            if entry.t <= visitor.t_max() + prepared.shift {
                child = entry.child;
                break;
            }
        }
    }
}

/// A bit for each child whose box the ray meets at `t_min <= t <= t_max`, and where it enters, all
/// `t` shifted.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn boxes<V: Vector>(
    ray: &Prepared,
    node: &Node,
    t_max: f32,
    enter: &mut [f32; WIDTH],
) -> u32 {
    let planes: &[[f32; WIDTH]; 6] = node.planes();
    let mut mask = 0;
    let mut first = 0;
    while first < WIDTH {
        // SAFETY: the caller vouches for the CPU; rows are 0 to 5, and each has `WIDTH`
        // numbers, a whole number of vectors.
        unsafe {
            let plane = |row: u32, k: usize, add: f32| {
                V::load(planes.get_unchecked(row as usize).as_ptr().add(first))
                    .mul_add(V::splat(ray.inv[k]), V::splat(add))
            };
            let near = plane(ray.near[0], 0, ray.near_add[0])
                .later(plane(ray.near[1], 1, ray.near_add[1]))
                .later(plane(ray.near[2], 2, ray.near_add[2]).later(V::splat(ray.t_min)));
            let far = plane(ray.far[0], 0, ray.far_add[0])
                .sooner(plane(ray.far[1], 1, ray.far_add[1]))
                .sooner(plane(ray.far[2], 2, ray.far_add[2]).sooner(V::splat(t_max)));
            near.store(enter.as_mut_ptr().add(first));
            mask |= near.no_later(far) << first;
        }
        first += V::LANES;
    }
    mask
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
