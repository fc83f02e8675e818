//! Which neighbours of a batch go through the tree together.

use std::mem::MaybeUninit;

use super::cast::Cast;
use super::packet::{self, Packet, RAYS};
use super::visitor::Visitor;
use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::simd::{Isa, Task};

/// Fewer neighbours than this are as soon done one by one.
const LEAST: usize = 6;

/// A run of rays, each asked the same question, as a task for an instruction set.
pub(crate) struct Bundle<'a, V: Visitor> {
    pub(crate) tree: &'a BvhView<'a>,
    pub(crate) rays: &'a [Ray],
    pub(crate) input: V::Input,
    pub(crate) results: &'a mut [V::Output],
}

impl<V: Visitor + Copy> Task for Bundle<'_, V>
where
    V::Input: Copy,
{
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let Self {
            tree,
            rays,
            input,
            results,
        } = self;
        let mut packet = Packet::ROOM;
        let mut visitors = [const { MaybeUninit::<V>::uninit() }; RAYS];
        let mut first = 0;
        while first < rays.len() {
            let rest = &rays[first..];
            // SAFETY: the caller vouches for the instruction set.
            unsafe {
                let run = match rest.get(LEAST - 1) {
                    Some(ray) if alike(&rest[0], ray) => {
                        packet.fill::<I::Point, I::Node>(tree, rest)
                    }
                    _ => 0,
                };
                let rays = &rest[..run.max(1)];
                let results = &mut results[first..first + rays.len()];
                if run >= LEAST {
                    for (visitor, ray) in visitors.iter_mut().zip(rays) {
                        visitor.write(V::new(input, ray.t_max));
                    }
                    let made = &mut *(&raw mut visitors[..run] as *mut [V]);
                    packet::walk::<I, V>(tree, rays, &mut packet, made);
                    V::finish_all::<I>(made, rays, results);
                } else {
                    for (ray, result) in rays.iter().zip(results) {
                        *result = Cast::<V> { tree, ray, input }.run::<I>();
                    }
                }
                first += rays.len();
            }
        }
    }
}

/// Whether two rays may run much the same way: not much is lost if they do not.
#[inline(always)]
fn alike(a: &Ray, b: &Ray) -> bool {
    let (a, b) = (a.dir, b.dir);
    let signs = (a.x.to_bits() ^ b.x.to_bits())
        | (a.y.to_bits() ^ b.y.to_bits())
        | (a.z.to_bits() ^ b.z.to_bits());
    // The square of the sine of the angle between them.
    signs >> 31 == 0 && a.cross(b).length_squared() <= 0.1 * a.length_squared() * b.length_squared()
}
