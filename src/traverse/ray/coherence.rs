//! What a thread remembers of its last ray, for each of the trees it asked last.
//!
//! Consecutive rays are often similar: the lines of a picture, shadows to a light, a line of sight
//! from frame to frame. Such a ray likely visits the same nodes as the one before (see
//! [`predict_child`](super::predict_child)), and the triangle that blocked that one likely blocks
//! it too. So an any-hit query tests the last occluder first, and often needs no
//! walk at all (Haines and Greenberg 1986, "The Light Buffer").
//!
//! A tree is known here by the address of its nodes. Another tree may lie there later, or the block
//! may be gone: no answer depends on the remembered numbers, and an occluder is only read if the
//! tree has a block of that number.

use std::cell::Cell;

use super::setup::RaySetup;
use crate::bvh::TreeView;
use crate::simd::F32x4;

/// Similar rays have slopes that differ by at most this, and origins that
/// differ by at most this times half the tree's size.
const MAX_STEP: f32 = 1.0 / 16.0;

/// How many trees a thread remembers a ray of.
const TREES: usize = 8;

/// No leaf block.
const NO_BLOCK: u32 = u32::MAX;

/// The last ray of a tree.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct LastRay {
    /// As in [`RaySetup`].
    origin: [f32; 4],
    shear: [f32; 4],
    /// The address of the tree's nodes.
    tree: usize,
    /// The leaf block in which the last any-hit ray found a triangle, or [`NO_BLOCK`].
    occluder: u32,
}

impl LastRay {
    const NONE: Self = Self { origin: [0.0; 4], shear: [0.0; 4], tree: 0, occluder: NO_BLOCK };
}

thread_local! {
    /// The trees that this thread asked last, the last one first.
    static LAST_RAYS: Cell<[LastRay; TREES]> = const { Cell::new([LastRay::NONE; TREES]) };
}

/// A tree's memory on this thread, until another tree is looked up.
#[derive(Clone, Copy)]
pub(crate) struct Coherence(*mut LastRay);

impl Coherence {
    /// Looks a tree up.
    #[inline(always)]
    pub(crate) fn of(tree: &TreeView<'_>) -> Self {
        // A closure here might be compiled without the caller's instruction set.
        let all = LAST_RAYS.with(Cell::as_ptr);
        let first = all.cast::<LastRay>();
        let address = tree.nodes.as_ptr().addr();
        // SAFETY: `first` points to this thread's own memory, to which no reference exists here.
        unsafe {
            if (*first).tree != address {
                look_up(&mut *all, address);
            }
        }
        Self(first)
    }

    /// Whether a ray is similar to the last ray. Remembers it as the last one.
    #[inline(always)]
    pub(crate) fn follows<P: F32x4>(
        self,
        isa: P::Isa,
        tree: &TreeView<'_>,
        ray: &RaySetup,
    ) -> bool {
        // SAFETY: a handle points to memory of the thread that it stays on, and this is the only
        // reference to it: nothing below looks anything up.
        let last = unsafe { &mut *self.0 };
        let (origin, shear) = (P::load(isa, &ray.origin), P::load(isa, &ray.shear));
        let origin_step = origin.sub(P::load(isa, &last.origin)).abs();
        let shear_step = shear.sub(P::load(isa, &last.shear)).abs();
        origin.replace_at(&mut last.origin, 0);
        shear.replace_at(&mut last.shear, 0);
        let near = origin_step.le(P::splat(isa, MAX_STEP * tree.facts.reach));
        let alike = shear_step.le(P::splat(isa, MAX_STEP));
        // Two components are enough: there are only two slopes, and of the origin the third is
        // nearly always near where the other two are.
        near & alike & 3 == 3
    }

    /// The last occluder, if the tree has such a block.
    #[inline(always)]
    pub(crate) fn occluder(self, tree: &TreeView<'_>) -> Option<u32> {
        // SAFETY: the memory outlives this thread's handles; the number is copied out.
        let index = unsafe { (*self.0).occluder };
        ((index as usize) < tree.blocks.len()).then_some(index)
    }

    /// Remembers the leaf block in which an any-hit ray found a triangle, if it found one.
    #[inline(always)]
    pub(crate) fn set_occluder(self, index: Option<u32>) {
        // SAFETY: the memory outlives this thread's handles, and a number is written.
        unsafe { (*self.0).occluder = index.unwrap_or(NO_BLOCK) }
    }

    /// Runs the user's code, which may make queries of its own. The memory that was looked up last
    /// is then as it was, and its handle valid.
    pub(crate) fn kept_during<R>(run: impl FnOnce() -> R) -> R {
        let all = LAST_RAYS.with(Cell::as_ptr);
        let first = all.cast::<LastRay>();
        // SAFETY: `first` points to this thread's own memory, to which no reference exists here.
        let saved = unsafe { *first };
        let result = run();
        // SAFETY: as above.
        unsafe {
            if (*first).tree != saved.tree {
                look_up(&mut *all, saved.tree);
            }
            *first = saved;
        }
        result
    }
}

/// Moves a tree's memory to the front, or makes a new one in place of the oldest.
#[cold]
#[inline(never)]
fn look_up(all: &mut [LastRay; TREES], tree: usize) {
    let at = all.iter().position(|last| last.tree == tree);
    all[..=at.unwrap_or(TREES - 1)].rotate_right(1);
    if at.is_none() {
        all[0] = LastRay { tree, ..LastRay::NONE };
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;
    use crate::bake::Builder;
    use crate::bvh::Bvh;
    use crate::geometry::Ray;
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;
    use crate::traverse::collect::{Any, Counted};
    use crate::traverse::hit::Hit;
    use crate::traverse::options::Query;
    use crate::traverse::ray::Cast;
    use crate::traverse::ray::setup::set_up_ray;

    const WIDE: usize = 64;
    const LINES: usize = if cfg!(miri) { 2 } else { WIDE };

    fn set_occluder(tree: &Bvh, index: Option<u32>) {
        Coherence::of(tree.view()).set_occluder(index);
    }

    fn tree() -> Bvh {
        let mut state = 1;
        let mut number = || test_rng::number(&mut state);
        let corners: Vec<[f32; 3]> =
            (0..60 * LINES).map(|i| [0; 3].map(|_| 10.0 * number() + 0.01 * i as f32)).collect();
        Builder::new().bake(&[Mesh::from_soup(corners)]).unwrap().0
    }

    /// A picture's rays, line by line.
    fn picture() -> Vec<Ray> {
        let part = |i: usize| i as f32 / WIDE as f32 - 0.5;
        (0..WIDE * LINES)
            .map(|i| Ray::new([5.0, 5.0, -20.0], [part(i % WIDE), part(i / WIDE), 1.0]))
            .collect()
    }

    /// How many of some rays follow the one before, and a look-up each.
    struct Followers<'a>(&'a Bvh, &'a [Ray]);

    impl Task for Followers<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            let tree = &self.0.view();
            let follows = |ray: &&Ray| {
                let mut setup = MaybeUninit::uninit();
                set_up_ray::<I::Point>(isa, tree, ray, &mut setup) && {
                    // SAFETY: `set_up_ray` says that it has written the setup.
                    let setup = unsafe { setup.assume_init_ref() };
                    Coherence::of(tree).follows::<I::Point>(isa, tree, setup)
                }
            };
            self.1.iter().filter(follows).count()
        }
    }

    #[test]
    fn neighbours_in_a_picture_follow_and_rays_from_elsewhere_do_not() {
        let tree = tree();
        let picture = picture();
        let away = Ray::new([5.0, 9.0, -20.0], [0.0, 0.0, 1.0]);
        let back = Ray::new([5.0, 5.0, -20.0], [0.4, -0.4, 1.0]);
        for isa in InstructionSet::available() {
            let count = |rays: &[Ray]| simd::run(isa, Followers(&tree, rays));
            // All but those that begin a line.
            let followers = count(&picture);
            assert!(followers >= LINES * (WIDE - 1), "{isa}: {followers}");
            assert_eq!(count(&[back, away, back, away]), 0, "{isa}");
            let turned = Ray::new(back.origin, [-0.4, 0.4, 1.0]);
            assert_eq!(count(&[turned, back, turned]), 0, "{isa}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes many minutes there")]
    fn hits_do_not_depend_on_the_ray_before() {
        let tree = tree();
        let picture = picture();
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            // One question at a time: the second about a ray would follow the first.
            let closest = |i: usize| tree.closest_hit(&picture[i], &query);
            let any = |i: usize| tree.any_hit(&picture[i], &query);
            let in_order: Vec<_> = (0..picture.len()).map(closest).collect();
            assert!(in_order.iter().any(Option::is_some));
            // In an order in which hardly any follows.
            let shuffled = || (0..picture.len()).map(|i| i * 1013 % picture.len());
            for i in shuffled() {
                assert_eq!(closest(i), in_order[i], "{isa}");
            }
            for i in (0..picture.len()).chain(shuffled()) {
                assert_eq!(any(i), in_order[i].is_some(), "{isa}");
            }
        }
    }

    #[test]
    fn the_last_occluder_is_tested_first() {
        let bvh = tree();
        let (tree, query) = (bvh.view(), &Query::new());
        let query_filter = &tree.query_filter(query);
        let picture = picture();
        for isa in InstructionSet::available() {
            let ask = |ray: &Ray| {
                let input = query_filter;
                simd::run(isa, Cast::<Counted<Any<'_>, true>> { tree, ray, index: 0, input })
            };
            let mut in_the_way = 0;
            for pair in picture[..WIDE * LINES.min(8)].chunks_exact(2) {
                let (found, first) = ask(&pair[0]);
                assert_eq!(Coherence::of(tree).occluder(tree).is_some(), found);
                // The same again: no node, one block, the same answer.
                let (again, then) = ask(&pair[0]);
                assert_eq!(again, found);
                if found {
                    assert_eq!((then.nodes, then.blocks), (0, 1), "{isa}");
                    in_the_way += usize::from(first.nodes > 0);
                }
                // A neighbour's answer is its own.
                let answer = ask(&pair[1]).0;
                set_occluder(&bvh, None);
                assert_eq!(ask(&pair[1]).0, answer, "{isa}");
            }
            assert!(in_the_way > 0, "{isa}");
        }
    }

    #[test]
    fn a_wrong_or_missing_occluder_changes_nothing() {
        let bvh = tree();
        let corner = [[4.0, 4.0, 0.0], [6.0, 4.0, 0.0], [4.0, 6.0, 0.0]];
        let (small, _) = Builder::new().bake(&[Mesh::from_soup(corner.to_vec())]).unwrap();
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            for tree in [&bvh, &small] {
                let mut found = 0;
                for (ray, number) in picture().iter().step_by(3).zip(0..) {
                    set_occluder(tree, None);
                    let alone = tree.any_hit(ray, &query);
                    found += u32::from(alone);
                    // As if another tree had been at the same address.
                    for index in [0, number, 1 << 20, NO_BLOCK - 1] {
                        set_occluder(tree, Some(index));
                        assert_eq!(tree.any_hit(ray, &query), alone, "{isa}: {ray:?}");
                    }
                }
                assert!(cfg!(miri) || found > 0, "{isa}");
            }
        }
    }

    #[test]
    fn trees_asked_in_turn_keep_their_last_rays_and_occluders() {
        let trees = [0; TREES].map(|_| tree());
        let picture = &picture()[..2 * WIDE];
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let (mut followers, mut occluders) = (0, 0);
            for ray in picture {
                for tree in &trees {
                    followers += simd::run(isa, Followers(tree, std::slice::from_ref(ray)));
                }
                let found = trees.each_ref().map(|tree| tree.any_hit(ray, &query));
                for (tree, found) in trees.iter().zip(found) {
                    let memory = Coherence::of(tree.view());
                    assert_eq!(memory.occluder(tree.view()).is_some(), found, "{isa}");
                    occluders += u32::from(found);
                }
            }
            assert!(followers >= TREES * (picture.len() - 4), "{isa}: {followers}");
            assert!(occluders > 0, "{isa}");
        }
    }

    #[test]
    fn queries_inside_a_filter_leave_what_the_outer_one_remembers() {
        let (bvh, others) = (tree(), [0; TREES].map(|_| tree()));
        let away = Ray::new([5.0, 9.0, -20.0], [0.0, 0.0, 1.0]);
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let mut filtered = 0;
            for ray in &picture()[..WIDE] {
                let memory = || {
                    // SAFETY: it is copied out of this thread's own memory.
                    unsafe { *Coherence::of(bvh.view()).0 }
                };
                assert_eq!(bvh.any_hit(ray, &query), bvh.closest_hit(ray, &query).is_some());
                let expected = memory();
                let called = AtomicBool::new(false);
                let accepts = |_: &Hit| {
                    called.store(true, Relaxed);
                    let inner = Query::new().instruction_set(isa);
                    let _ = bvh.any_hit(&away, &inner);
                    let _ = others.each_ref().map(|tree| tree.closest_hit(&away, &inner));
                    true
                };
                let nested = query.filter(&accepts);
                let found = bvh.any_hit(ray, &nested);
                let key = |last: LastRay| (last.origin, last.shear, last.tree, last.occluder);
                assert_eq!(key(memory()), key(expected), "{isa}");
                let hit = bvh.closest_hit(ray, &nested);
                assert_eq!(key(memory()), key(expected), "{isa}");
                assert_eq!(hit.is_some(), found);
                filtered += u32::from(called.into_inner());
            }
            assert!(filtered > 0, "{isa}");
        }
    }
}
