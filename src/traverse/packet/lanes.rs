//! A number of each ray of a packet.

use crate::simd::Vector;
use crate::traverse::ray::setup::{larger, lesser};

/// The most rays in a packet.
pub(crate) const RAYS: usize = 64;

/// Rays of a row: neighbours in the caller's slice. A packet is of rows from here and there.
pub(crate) const ROW: usize = 8;

/// The most rows in a packet.
pub(crate) const ROWS: usize = RAYS / ROW;

/// A bit for each of its rays.
pub(crate) type Mask = u64;

/// The bits of the first row.
pub(crate) const WHOLE_ROW: Mask = (1 << ROW) - 1;

/// A number of each ray.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [f32; RAYS]);

impl Lanes {
    pub(crate) const ZERO: Self = Self::all(0.0);

    pub(crate) const fn all(number: f32) -> Self {
        Self([number; RAYS])
    }

    /// The numbers of a row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &[f32; ROW] {
        &self.0.as_chunks().0[row % ROWS]
    }

    #[inline(always)]
    pub(crate) fn load<V: Vector>(&self, isa: V::Isa, first: usize) -> V {
        V::load_at(isa, &self.0, first)
    }

    #[inline(always)]
    pub(crate) fn store<V: Vector>(&mut self, first: usize, numbers: V) {
        numbers.replace_at(&mut self.0, first)
    }

    /// Puts a number where bits are set.
    #[inline(always)]
    pub(crate) fn set<V: Vector>(&mut self, isa: V::Isa, lanes: Mask, number: f32) {
        let mut first = 0;
        while first < RAYS {
            let numbers: V = self.load(isa, first);
            let some = (lanes >> first) as u32;
            self.store(first, numbers.choose(V::splat(isa, number), some));

            first += V::LANES;
        }
    }
}

#[inline(always)]
pub(crate) fn load<V: Vector>(isa: V::Isa, lanes: &[Lanes; 3], first: usize) -> [V; 3] {
    [lanes[0].load(isa, first), lanes[1].load(isa, first), lanes[2].load(isa, first)]
}

#[inline(always)]
pub(crate) fn load_two<V: Vector>(isa: V::Isa, lanes: &[Lanes; 2], first: usize) -> [V; 2] {
    [lanes[0].load(isa, first), lanes[1].load(isa, first)]
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) least: f32,
    pub(crate) greatest: f32,
}

impl Span {
    /// The greatest size of them.
    #[inline(always)]
    pub(crate) fn size(self) -> f32 {
        larger(self.least.abs(), self.greatest.abs())
    }

    /// The middle, and how far off the ends are at most.
    #[inline(always)]
    pub(crate) fn middle(self) -> (f32, f32) {
        let middle = 0.5 * self.least + 0.5 * self.greatest;
        (middle, larger(self.greatest - middle, middle - self.least))
    }

    #[inline(always)]
    pub(crate) fn of<V: Vector>(isa: V::Isa, lanes: &Lanes) -> Self {
        let (least, greatest) = ends::<V>(isa, lanes);
        Self { least: fold(least, lesser), greatest: fold(greatest, larger) }
    }

    /// Of four at once: their last steps are taken together.
    #[inline(always)]
    pub(crate) fn of_four<V: Vector>(isa: V::Isa, [a, b, c, d]: [&Lanes; 4]) -> [Self; 4] {
        let [a, b, c, d] = [ends::<V>(isa, a), ends(isa, b), ends(isa, c), ends(isa, d)];
        let [w, x, y, z] = V::transpose_fours([a.0, b.0, c.0, d.0]);
        let least = fold_to_four(w.min(x).min(y.min(z)), lesser);
        let [w, x, y, z] = V::transpose_fours([a.1, b.1, c.1, d.1]);
        let greatest = fold_to_four(w.max(x).max(y.max(z)), larger);
        [0, 1, 2, 3].map(|i| Self { least: least[i], greatest: greatest[i] })
    }
}

/// The least and the greatest, each of every so many numbers.
#[inline(always)]
fn ends<V: Vector>(isa: V::Isa, lanes: &Lanes) -> (V, V) {
    let mut least: V = lanes.load(isa, 0);
    let mut greatest = least;
    let mut first = V::LANES;
    while first < RAYS {
        let numbers: V = lanes.load(isa, first);
        least = least.min(numbers);
        greatest = greatest.max(numbers);
        first += V::LANES;
    }
    (least, greatest)
}

/// What is picked of each fourth number.
#[inline(always)]
fn fold_to_four<V: Vector>(numbers: V, pick: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    let mut lanes = [0f32; RAYS];
    numbers.replace_at(&mut lanes, 0);
    let mut four = [lanes[0], lanes[1], lanes[2], lanes[3]];
    for first in (4..V::LANES).step_by(4) {
        for (i, picked) in four.iter_mut().enumerate() {
            *picked = pick(*picked, lanes[first + i]);
        }
    }
    four
}

/// What is picked of them all.
#[inline(always)]
fn fold<V: Vector>(numbers: V, pick: impl Fn(f32, f32) -> f32) -> f32 {
    let [a, b, c, d] = fold_to_four(numbers, &pick);
    pick(pick(a, b), pick(c, d))
}

/// The greatest of them.
#[inline(always)]
pub(crate) fn greatest<V: Vector>(numbers: V) -> f32 {
    fold(numbers, larger)
}
