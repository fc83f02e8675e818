//! The walk through the tree, written once for every query and instruction set.

use std::hint::black_box;
use std::mem::MaybeUninit;

use super::leaf::{self, Glance};
use super::prepare::{Prepared, prepare};
use super::wide_range;
use crate::bvh::{BvhView, LANES, LEAF, LeafBlock, MAX_DEPTH, Node, WIDTH};
use crate::geometry::{Corners, Meeting, Ray, meet};
use crate::simd::{Isa, Task, Vector};

/// What a query does with the triangles that its ray meets.
pub(crate) trait Visitor {
    /// What it is made of.
    type Input;
    /// What it has to say in the end.
    type Output;

    fn new(input: Self::Input, t_max: f32) -> Self;

    /// Whether near children come first. A query that stops at the first hit is better off
    /// without.
    const ORDERED: bool;

    /// Hits past this are of no interest. Never rises.
    fn t_max(&self) -> f32;

    /// Takes note of a triangle that is certain to be met at `t_min <= t <= t_max`, if that is
    /// enough to go on. Triangles that it has taken note of are not shown again.
    fn glimpse(&mut self, sure: Sure) -> Glimpse;

    /// Asks the reference about a triangle that it has only taken note of.
    fn settle(&mut self, ray: &Ray);

    /// Takes a triangle met at `t_min <= t <= t_max`. `false` ends the walk.
    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool;

    /// The walk is over.
    fn finish(self, ray: &Ray) -> Self::Output;
}

/// A triangle that a ray meets.
#[derive(Clone, Copy)]
pub(crate) struct Met<'a> {
    pub(crate) meeting: &'a Meeting,
    /// Where its vertices are kept.
    pub(crate) block: &'a LeafBlock,
    /// Its number among all triangles.
    pub(crate) id: u32,
    /// Where the tree keeps it.
    pub(crate) slot: u32,
}

/// A triangle that a ray is certain to meet.
#[derive(Clone, Copy)]
pub(crate) struct Sure {
    /// Where the tree keeps it.
    pub(crate) slot: u32,
    /// Bounds on its `t`.
    pub(crate) least: f32,
    pub(crate) most: f32,
}

/// What a visitor makes of a triangle that is certain to be met.
pub(crate) enum Glimpse {
    /// It has taken note of it.
    Taken,
    /// It wants to know exactly.
    Unclear,
    /// It has seen all it wants.
    Enough,
}

/// A ray asked of a tree, as a task for an instruction set.
///
/// The visitor is made on the spot: a few pointers travel there faster than what it becomes.
pub(crate) struct Cast<'a, V: Visitor> {
    pub(crate) tree: &'a BvhView<'a>,
    pub(crate) ray: &'a Ray,
    pub(crate) input: V::Input,
}

impl<V: Visitor> Task for Cast<'_, V> {
    type Output = V::Output;

    #[inline(always)]
    unsafe fn run<I: Isa>(self) -> V::Output {
        let Self { tree, ray, input } = self;
        let mut visitor = V::new(input, ray.t_max);
        match prepare(tree, ray) {
            // SAFETY: the caller vouches for the instruction set.
            Some(prepared) => unsafe { walk::<I, V>(tree, ray, &prepared, &mut visitor) },
            None => wide_range::walk(tree, ray, &mut visitor),
        }
        visitor.finish(ray)
    }
}

/// A subtree to come back to, and where the ray enters it.
#[derive(Clone, Copy)]
struct Entry {
    t: f32,
    child: u32,
}

/// Enough for every tree that passes validation: each level leaves at most all of a node's
/// children but one.
const STACK: usize = MAX_DEPTH as usize * (WIDTH - 1) + 1;

/// # Safety
/// The CPU has the instruction set `I`, switched on. The tree is valid: every child names a
/// node or a leaf block that is there, and no leaf lies deeper than `MAX_DEPTH` nodes.
#[inline(always)]
unsafe fn walk<I: Isa, V: Visitor>(
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

/// Asks the reference about one triangle; `false` ends the walk.
#[inline(always)]
pub(crate) fn decide<V: Visitor>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    lane: u32,
    visitor: &mut V,
) -> bool {
    let lane = lane as usize % LANES;
    match meet(ray, &|| corners(block, lane)) {
        Some(meeting) if ray.t_min <= meeting.t && meeting.t <= visitor.t_max() => {
            let slot = index * LANES as u32 + lane as u32;
            visitor.visit(
                ray,
                Met {
                    meeting: &meeting,
                    block,
                    id: block.id[lane],
                    slot,
                },
            )
        }
        _ => true,
    }
}

/// The three vertices in a lane of a block, each coordinate loaded by itself: a compiler that
/// sees AVX-512 makes a gather of them, which takes several times as long.
#[inline(always)]
pub(crate) fn corners(block: &LeafBlock, lane: usize) -> Corners {
    [0, 1, 2].map(|which| {
        [0, 1, 2].map(|k| {
            // SAFETY: a reference is readable.
            unsafe { std::ptr::read_volatile(&block.vertex[which][k][lane]) }
        })
    })
}
