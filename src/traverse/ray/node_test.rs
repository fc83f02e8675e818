//! The slab test: where rays enter and leave boxes (Kay and Kajiya 1986).
//!
//! One formula for one ray and the sixteen boxes of a node, and for several rays and one box.

use std::mem::MaybeUninit;

use super::setup::RaySetup;
use crate::bvh::{Node, WIDTH};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::walk::NodeTest;

/// What the test needs of a ray, from [`RaySetup`]: of one ray in all lanes, or of one in each.
pub(crate) struct SlabTerms<V> {
    pub(crate) inv: [V; 3],
    pub(crate) near_add: [V; 3],
    pub(crate) far_add: [V; 3],
    pub(crate) t_min: V,
}

impl<V: Vector> SlabTerms<V> {
    /// Where each lane's ray enters its box, and a bit for each that hits it at
    /// `t_min <= t <= t_max`. All `t` are shifted.
    #[inline(always)]
    pub(crate) fn intersect(&self, near: [V; 3], far: [V; 3], t_max: V) -> (V, u32) {
        let near = |k: usize| near[k].mul_add(self.inv[k], self.near_add[k]);
        let far = |k: usize| far[k].mul_add(self.inv[k], self.far_add[k]);
        let enter = near(0).max_nonneg(near(1)).max_nonneg(near(2).max_nonneg(self.t_min));
        let leave = far(0).min_nonneg(far(1)).min_nonneg(far(2).min_nonneg(t_max));
        (enter, enter.le_nonneg(leave))
    }
}

/// The test of a node's boxes, with a ray's constants in registers.
pub(crate) struct SlabTest<'a, V> {
    ray: &'a RaySetup,
    terms: SlabTerms<V>,
}

impl<'a, V: Vector> SlabTest<'a, V> {
    #[inline(always)]
    pub(crate) fn new(isa: V::Isa, ray: &'a RaySetup) -> Self {
        let splat = |x: f32| V::splat(isa, x);
        let splats = |x: &[f32; 4]| [splat(x[0]), splat(x[1]), splat(x[2])];
        Self {
            ray,
            terms: SlabTerms {
                inv: splats(&ray.inv),
                near_add: splats(&ray.near_add),
                far_add: splats(&ray.far_add),
                t_min: splat(ray.t_min),
            },
        }
    }

    /// A bit for each child whose box the ray hits at `t_min <= t <= t_max`, and where it enters
    /// each. All `t` are shifted, and all numbers of `enter` are written.
    #[inline(always)]
    pub(crate) fn intersect_node(
        &self,
        node: &Node,
        t_max: f32,
        enter: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        let isa = self.terms.t_min.isa();
        // `opaque`, or a compiler would copy all row numbers first, for lack of registers.
        let ray = opaque(self.ray);
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let near = |k: usize| V::load_at(isa, ray.near.of(node, k), first);
            let far = |k: usize| V::load_at(isa, ray.far.of(node, k), first);
            let (near, far) = ([near(0), near(1), near(2)], [far(0), far(1), far(2)]);
            let (near, hit) = self.terms.intersect(near, far, V::splat(isa, t_max));
            near.store_at(enter, first);
            mask |= hit << first;

            first += V::LANES;
        }
        mask
    }
}

// SAFETY: all rows of the node are tested and written, `LANES` numbers at a time. An unused lane
// has infinite planes the wrong way round; the ray's constants are finite and `inv` is not zero, so
// they stay so, and its bit is not set.
unsafe impl<I: Isa> NodeTest<I> for RaySetup {
    type Loaded<'a> = SlabTest<'a, I::Node>;

    #[inline(always)]
    fn load(&self, isa: I) -> SlabTest<'_, I::Node> {
        SlabTest::new(isa, opaque(self))
    }

    #[inline(always)]
    fn limit(&self, bound: f32) -> f32 {
        bound + self.shift
    }

    #[inline(always)]
    fn intersect(
        loaded: &SlabTest<'_, I::Node>,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        loaded.intersect_node(node, limit, entry)
    }
}
