//! One ray asked of one tree: works the ray out, picks the walk, and brings back the answer.

use std::mem::MaybeUninit;

use super::collect::collector::Collector;
use super::ray::setup::set_up_ray;
use super::ray::{coherence, f64_fallback};
use super::walk;
use crate::bvh::{ROOT, TreeView};
use crate::geometry::Ray;
use crate::simd::{Isa, Task};

/// A ray asked of a tree, as a task for an instruction set.
///
/// The visitor is made on the spot: a few pointers travel there faster than what it becomes. The
/// same goes for what it is made of, which is best a pointer: two written one by one and read at
/// once would have to be in the cache first, and everything before them done.
pub(crate) struct Cast<'a, V: Collector> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) ray: &'a Ray,
    /// The ray's index, if a filter asks for it.
    pub(crate) index: V::Index,
    pub(crate) input: V::Input,
}

impl<V: Collector> Task for Cast<'_, V> {
    type Output = V::Output;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> V::Output {
        let Self { tree, ray, index, input } = self;
        let mut collector = V::new(input, index, ray.t_max);
        let mut setup = MaybeUninit::uninit();
        // SAFETY: a view is of a valid tree; the ray is prepared for it and written when `set_up_ray`
        // says so, which it never does for a tree without a node; occluders are checked by number.
        unsafe {
            if set_up_ray::<I::Point>(isa, tree, ray, &mut setup) {
                let setup = setup.assume_init_ref();
                let follows = coherence::follows::<I::Point>(isa, tree, setup);
                // (Without a closure, which a compiler leaves out of line.)
                let mut again = false;
                if V::ANY
                    && follows
                    && let Some(index) = coherence::occluder(tree)
                {
                    again = !walk::intersect_block::<I, V>(
                        isa,
                        tree,
                        ray,
                        setup,
                        index,
                        &mut collector,
                    );
                }
                if !again {
                    if follows {
                        walk::walk::<I, V, true>(isa, tree, ray, setup, ROOT, &mut collector);
                    } else {
                        walk::walk::<I, V, false>(isa, tree, ray, setup, ROOT, &mut collector);
                    }
                    if V::ANY {
                        coherence::set_occluder(collector.hit_block());
                    }
                }
            } else {
                f64_fallback::walk(tree, ray, &mut collector);
            }
        }
        collector.finish(isa, ray)
    }
}
