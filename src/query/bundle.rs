//! A run of rays: which neighbours go through the tree together, and which each on a way of its own.

use std::ops::Range;

use smallvec::SmallVec;

use super::cast::Cast;
use super::lines::{Lines, ROW, TILE};
use super::packet::{self, Group, Mask, Packet, RAYS};
use super::visitor::Visitor;
use super::wave;
use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::simd::{self, Isa, Level, Task, Wave as _};

/// Fewer neighbours than this are as soon done alone.
const LEAST: u32 = 6;

/// Rays of a packet that had to go on by themselves so often, each, have little in common: the level is
/// finer than they are close.
const STRAYS: usize = 2;

/// So many tiles after such a packet are not put together.
const APART: usize = 4;

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
    let mut bundle = Bundle::<G> {
        tree,
        rays,
        input,
        level,
        results,
        odd: SmallVec::new(),
    };
    let mut lines = Lines::new(tree);
    // Since when rays have been unlike.
    let mut since = 0;
    for (block, some) in rays.chunks(RAYS).enumerate() {
        let first = block * RAYS;
        let rows = some.chunks_exact(ROW);
        let mut alike = 0u32;
        for (i, row) in rows.clone().enumerate() {
            alike |= u32::from(are_alike(row)) << i;
        }
        if alike.count_ones() * 2 < rows.len().max(1) as u32 {
            continue;
        }
        bundle.leave(since..first);
        since = first + some.len();
        for (i, row) in rows.enumerate() {
            let first = first + i * ROW;
            if lines.is_full() {
                bundle.together(lines.tiles());
            }
            lines.take(first, &row[0]);
        }
        bundle.leave(since - some.len() % ROW..since);
    }
    bundle.together(lines.tiles());
    bundle.leave(since..rays.len());
    bundle.odd_ones();
}

/// Whether the rays of a row may run much the same way.
#[inline(always)]
fn are_alike(row: &[Ray]) -> bool {
    alike(&row[0], &row[ROW - 1])
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

/// Rays that are asked the same, and who among them is still to be.
struct Bundle<'a, G: Group> {
    tree: &'a BvhView<'a>,
    rays: &'a [Ray],
    input: <G::One as Visitor>::Input,
    level: Level,
    results: &'a mut [<G::One as Visitor>::Output],
    /// Rays from here and there that nobody goes with, by their numbers.
    odd: SmallVec<[u32; 512]>,
}

impl<G: Group<One: Copy>> Bundle<'_, G> {
    /// These have nobody to go with.
    fn leave(&mut self, stretch: Range<usize>) {
        if stretch.len() < LONG {
            self.odd.extend(stretch.map(|number| number as u32));
            if self.odd.len() >= ODD {
                self.odd_ones();
            }
            return;
        }
        let alone = Alone::<G::One> {
            tree: self.tree,
            rays: &self.rays[stretch.clone()],
            numbers: None,
            input: self.input,
            results: &mut self.results[stretch],
        };
        simd::run(self.level, alone);
    }

    /// Asks those of whom nobody has been asked yet.
    fn odd_ones(&mut self) {
        if self.odd.is_empty() {
            return;
        }
        let alone = Alone::<G::One> {
            tree: self.tree,
            rays: self.rays,
            numbers: Some(&self.odd),
            input: self.input,
            results: self.results,
        };
        simd::run(self.level, alone);
        self.odd.clear();
    }

    /// These may go together, tile by tile.
    fn together(&mut self, mut rows: &[u32]) {
        while !rows.is_empty() {
            let together = Together::<G> {
                tree: self.tree,
                rays: self.rays,
                input: self.input,
                results: self.results,
                rows,
                odd: &mut self.odd,
            };
            let done = simd::run(self.level, together);
            rows = &rows[done..];
            if self.odd.len() >= ODD {
                self.odd_ones();
            }
        }
    }
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

/// Tiles that may go together, as a task for an instruction set. Says how many rows were done: not
/// all, if many rays do not, after all.
struct Together<'a, G: Group> {
    tree: &'a BvhView<'a>,
    rays: &'a [Ray],
    input: <G::One as Visitor>::Input,
    results: &'a mut [<G::One as Visitor>::Output],
    rows: &'a [u32],
    /// Those that do not.
    odd: &'a mut SmallVec<[u32; 512]>,
}

impl<G: Group> Task for Together<'_, G> {
    type Output = usize;

    #[inline(always)]
    unsafe fn run<I: Isa>(self) -> usize {
        let Self {
            tree,
            rays,
            input,
            results,
            rows,
            odd,
        } = self;
        let mut packet = Packet::ROOM;
        let mut room = [rays[0]; RAYS];
        let mut apart = 0;
        let mut done = 0;
        while done < rows.len() && odd.len() < ODD {
            let tile = &rows[done..rows.len().min(done + TILE)];
            for (room, row) in room.chunks_exact_mut(ROW).zip(tile) {
                room.copy_from_slice(&rays[*row as usize..][..ROW]);
            }
            // Lines of tiles are far apart, so that nobody else asks for them in time.
            for row in tile {
                prefetch::<I, _>(&results[*row as usize..][..ROW]);
            }
            for row in rows.iter().skip(done + TILE).take(TILE) {
                prefetch::<I, _>(&rays[*row as usize..][..ROW]);
            }
            done += tile.len();
            let mut left = Mask::MAX >> (RAYS - tile.len() * ROW);
            let mut alone = 0;
            let mut fails = 0;
            while left != 0 && apart == 0 && fails < 2 {
                // SAFETY: the caller vouches for the instruction set.
                let taken = unsafe { packet.fill::<I::Node>(tree, &room, left) };
                if taken.count_ones() < LEAST {
                    fails += 1;
                    alone |= left & left.wrapping_neg();
                    left &= left - 1;
                    continue;
                }
                let mut group = G::new(input);
                // SAFETY: the caller vouches for the instruction set.
                unsafe {
                    let strays = packet::walk::<I, G>(tree, &room, &mut packet, &mut group);
                    group.finish::<I>(&packet, rays, tile, taken, results);
                    if strays > STRAYS * taken.count_ones() as usize {
                        apart = APART;
                    }
                }
                left &= !taken;
            }
            apart = usize::saturating_sub(apart, 1);
            left |= alone;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                odd.push((tile[lane / ROW] as usize + lane % ROW) as u32);
            }
        }
        done
    }
}

/// Asks for memory that is soon read or written.
#[inline(always)]
fn prefetch<I: Isa, T>(some: &[T]) {
    let bytes = some.as_ptr_range();
    let mut at = bytes.start.cast::<u8>();
    while at < bytes.end.cast() {
        I::Wave::prefetch(at);
        at = at.wrapping_add(64);
    }
}
