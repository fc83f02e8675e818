//! A run of rays: which neighbours go through the tree together, and which each on a way of its own.

use super::cast::Cast;
use super::packet::{self, Group, Packet, RAYS};
use super::visitor::Visitor;
use super::wave;
use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::simd::{self, Isa, Level, Task, Wave as _};

/// Fewer neighbours than this are as soon done alone.
const LEAST: usize = 6;

/// Neighbours are looked for at every third ray.
const STRIDE: usize = 3;

/// Rays of a packet that had to go on by themselves so often, each, have little in common: the level is
/// finer than they are close.
const STRAYS: usize = 3;

/// So many rays after such a packet are not put together.
const APART: usize = 8 * RAYS;

/// Fewer unlike rays than this are as soon done one by one as in a wave.
const A_WAVE: usize = 16;

/// Asks each ray the same question.
pub(crate) fn ask<G: Group<One: Copy>>(
    tree: &BvhView<'_>,
    mut rays: &[Ray],
    input: <G::One as Visitor>::Input,
    level: Level,
    mut results: &mut [<G::One as Visitor>::Output],
) {
    let packet = &mut Packet::ROOM.clone();
    while !rays.is_empty() {
        let mut alone = rays
            .windows(LEAST)
            .step_by(STRIDE)
            .take_while(|some| !some[1..].iter().rev().all(|ray| alike(&some[0], ray)))
            .count()
            * STRIDE;
        let mut done = 0;
        if alone + LEAST > rays.len() {
            // The last few have nobody to go with.
            alone = rays.len();
        } else if alone == 0 {
            let results = &mut *results;
            let together = Together::<G> {
                tree,
                rays,
                input,
                results,
                packet,
            };
            let strays;
            (done, strays) = simd::run(level, together);
            // If they do not go together after all, the next are not likely to.
            let next = match done {
                0 => A_WAVE,
                _ if strays > STRAYS * done => APART,
                _ => 0,
            };
            alone = next.min(rays.len() - done);
        }
        if alone > 0 {
            let next = done..done + alone;
            let alone = Alone::<G::One> {
                tree,
                rays: &rays[next.clone()],
                input,
                results: &mut results[next.clone()],
            };
            simd::run(level, alone);
            done = next.end;
        }
        rays = &rays[done..];
        results = &mut results[done..];
    }
}

/// Whether two rays may run much the same way: not much is lost if they do not.
#[inline(always)]
fn alike(a: &Ray, b: &Ray) -> bool {
    let (a, b) = (a.dir, b.dir);
    let signs = (a.x.to_bits() ^ b.x.to_bits())
        | (a.y.to_bits() ^ b.y.to_bits())
        | (a.z.to_bits() ^ b.z.to_bits());
    // The square of the cosine of the angle between them. (Of two conditions, so that there is one
    // branch, which unlike rays rarely take.)
    let cosine = a.dot(b);
    (signs >> 31 == 0) & (cosine * cosine >= 0.8 * a.length_squared() * b.length_squared())
}

/// Unlike rays, many in flight at a time or one by one, as a task for an instruction set.
struct Alone<'a, V: Visitor> {
    tree: &'a BvhView<'a>,
    rays: &'a [Ray],
    input: V::Input,
    results: &'a mut [V::Output],
}

impl<V: Visitor<Input: Copy> + Copy> Task for Alone<'_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let Self { tree, input, .. } = self;
        if I::Wave::PAYS && self.rays.len() >= A_WAVE {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { wave::walk::<I, V>(tree, self.rays, input, self.results) };
            return;
        }
        for (ray, result) in self.rays.iter().zip(self.results) {
            // SAFETY: the caller vouches for the instruction set.
            *result = unsafe { Cast::<V> { tree, ray, input }.run::<I>() };
        }
    }
}

/// As many of the first rays as go together, as a task for an instruction set. Says how many were
/// done (none, if they are too few) and how often one of them had to go on by itself.
struct Together<'a, G: Group> {
    tree: &'a BvhView<'a>,
    rays: &'a [Ray],
    input: <G::One as Visitor>::Input,
    results: &'a mut [<G::One as Visitor>::Output],
    packet: &'a mut Packet,
}

impl<G: Group> Task for Together<'_, G> {
    type Output = (usize, usize);

    #[inline(always)]
    unsafe fn run<I: Isa>(self) -> (usize, usize) {
        let Self { tree, packet, .. } = self;
        // SAFETY: the caller vouches for the instruction set.
        let count = unsafe { packet.fill::<I::Node>(tree, self.rays) };
        if count < LEAST {
            return (0, 0);
        }
        let rays = &self.rays[..count];
        let mut group = G::new(self.input);
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            let strays = packet::walk::<I, G>(tree, rays, packet, &mut group);
            group.finish::<I>(packet, rays, &mut self.results[..count]);
            (count, strays)
        }
    }
}
