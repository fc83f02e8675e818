//! A run of rays: which neighbours go through the tree together, and which each on a way of its own.

use smallvec::SmallVec;

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
const STRAYS: usize = 2;

/// So many rays after such a packet are not put together.
const APART: usize = 8 * RAYS;

/// Fewer unlike rays than this are as soon done one by one as in a wave.
const A_WAVE: usize = 16;

/// So many in a row are a wave of their own.
const LONG: usize = 8 * A_WAVE;

/// Of shorter rows so many are made one.
const ODD: usize = 3 * LONG;

/// Asks each ray the same question.
pub(crate) fn ask<G: Group<One: Copy>>(
    tree: &BvhView<'_>,
    rays: &[Ray],
    input: <G::One as Visitor>::Input,
    level: Level,
    results: &mut [<G::One as Visitor>::Output],
) {
    let packet = &mut Packet::ROOM.clone();
    // Rays from here and there that nobody goes with, by their numbers.
    let mut odd = SmallVec::<[u32; ODD + LONG]>::new();
    let mut next = 0;
    while next < rays.len() {
        let mut alone = unlike(&rays[next..]);
        if alone == 0 {
            let together = Together::<G> {
                tree,
                rays: &rays[next..],
                input,
                results: &mut results[next..],
                packet,
            };
            let (done, strays) = simd::run(level, together);
            next += done;
            // If they do not go together after all, the next are not likely to.
            alone = match done {
                0 => A_WAVE,
                _ if strays > STRAYS * done => APART,
                _ => 0,
            };
        }
        let stretch = next..rays.len().min(next + alone);
        next = stretch.end;
        if stretch.len() >= LONG {
            let alone = Alone::<G::One> {
                tree,
                rays: &rays[stretch.clone()],
                numbers: None,
                input,
                results: &mut results[stretch],
            };
            simd::run(level, alone);
        } else {
            odd.extend(stretch.map(|number| number as u32));
        }
        if odd.len() >= ODD || (next == rays.len() && !odd.is_empty()) {
            let alone = Alone::<G::One> {
                tree,
                rays,
                numbers: Some(&odd),
                input,
                results,
            };
            simd::run(level, alone);
            odd.clear();
        }
    }
}

/// How many of the first rays have no neighbours to go with.
fn unlike(rays: &[Ray]) -> usize {
    let alone = rays
        .windows(LEAST)
        .step_by(STRIDE)
        .take_while(|some| !some[1..].iter().rev().all(|ray| alike(&some[0], ray)))
        .count()
        * STRIDE;
    if alone + LEAST > rays.len() {
        // The last few have nobody to go with.
        return rays.len();
    }
    alone
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
    /// Which of them, if not all.
    numbers: Option<&'a [u32]>,
    input: V::Input,
    results: &'a mut [V::Output],
}

impl<V: Visitor<Input: Copy> + Copy> Task for Alone<'_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let Self {
            tree,
            rays,
            numbers,
            input,
            results,
        } = self;
        let count = numbers.map_or(rays.len(), <[u32]>::len);
        if I::Wave::PAYS && count >= A_WAVE {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { wave::walk::<I, V>(tree, rays, numbers, input, results) };
            return;
        }
        for i in 0..count {
            let number = numbers.map_or(i, |numbers| numbers[i] as usize);
            let ray = &rays[number];
            // SAFETY: the caller vouches for the instruction set.
            results[number] = unsafe { Cast::<V> { tree, ray, input }.run::<I>() };
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
