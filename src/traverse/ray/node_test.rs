//! Where rays enter and leave boxes (Kay and Kajiya 1986).
//!
//! One test, asked two ways: of one ray and the sixteen boxes of a node, and of several rays and one
//! box.

use super::setup::Prepared;
use crate::bvh::{Node, WIDTH};
use crate::simd::{Vector, opaque};

/// What the test needs of a ray: of the same in every lane, or of another in each. (See
/// [`Prepared`].)
pub(crate) struct Terms<V> {
    pub(crate) inv: [V; 3],
    pub(crate) near_add: [V; 3],
    pub(crate) far_add: [V; 3],
    pub(crate) t_min: V,
}

impl<V: Vector> Terms<V> {
    /// Where each lane's ray enters its box, and a bit for each that meets it at
    /// `t_min <= t <= t_max`, all `t` shifted.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(crate) unsafe fn meet(&self, near: [V; 3], far: [V; 3], t_max: V) -> (V, u32) {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let near = |k: usize| near[k].mul_add(self.inv[k], self.near_add[k]);
            let far = |k: usize| far[k].mul_add(self.inv[k], self.far_add[k]);
            let enter = near(0).later(near(1)).later(near(2).later(self.t_min));
            let leave = far(0).sooner(far(1)).sooner(far(2).sooner(t_max));
            (enter, enter.no_later(leave))
        }
    }
}

/// A ray's constants for the boxes of nodes.
pub(crate) struct Slabs<'a, V> {
    ray: &'a Prepared,
    terms: Terms<V>,
}

impl<'a, V: Vector> Slabs<'a, V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(crate) unsafe fn new(ray: &'a Prepared) -> Self {
        // SAFETY: the caller vouches for the CPU.
        let splat = |x: f32| unsafe { V::splat(x) };
        let splats = |x: &[f32; 4]| [splat(x[0]), splat(x[1]), splat(x[2])];
        Self {
            ray,
            terms: Terms {
                inv: splats(&ray.inv),
                near_add: splats(&ray.near_add),
                far_add: splats(&ray.far_add),
                t_min: splat(ray.t_min),
            },
        }
    }

    /// A bit for each child whose box the ray meets at `t_min <= t <= t_max`, and where it enters,
    /// all `t` shifted: as many numbers as there are lanes are written.
    ///
    /// # Safety
    /// As for [`Vector`]; the ray was from [`prepare`](super::setup::prepare), and there is room.
    #[inline(always)]
    pub(crate) unsafe fn meet(&self, node: &Node, t_max: f32, enter: *mut [f32; WIDTH]) -> u32 {
        let planes = node.planes().as_flattened().as_ptr();
        // (A compiler would copy all rows beforehand, for lack of registers.)
        let ray = opaque(self.ray);
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            // SAFETY: the caller vouches for the CPU and the room; each row has `WIDTH` numbers, a whole
            // number of vectors, and a prepared ray's rows are in the node.
            unsafe {
                let plane = |row: u32| V::load(planes.add(row as usize + first));
                let near = [plane(ray.near[0]), plane(ray.near[1]), plane(ray.near[2])];
                let far = [plane(ray.far[0]), plane(ray.far[1]), plane(ray.far[2])];
                let (near, met) = self.terms.meet(near, far, V::splat(t_max));
                near.store(enter.cast::<f32>().add(first));
                mask |= met << first;
            }
            first += V::LANES;
        }
        mask
    }
}
