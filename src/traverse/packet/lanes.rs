//! One value for each ray of a packet, the rows that its rays come from, and intervals of values.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::array::Each;
use crate::geometry::Ray;
use crate::simd::Vector;
use crate::traverse::ray::setup::{larger, lesser};

/// The most rays in a packet.
pub(crate) const RAYS: usize = 64;

/// Rays in a row: consecutive rays of the caller's slice. A packet's rows can lie anywhere.
pub(crate) const ROW: usize = 8;

/// The most rows in a packet.
pub(crate) const ROWS: usize = RAYS / ROW;

/// One bit per ray of a packet.
pub(crate) type Mask = u64;

/// The rays whose bits are set, one after another.
#[inline(always)]
pub(crate) fn lanes(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then_some(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(lane)
    })
}

/// The bits of the first row.
pub(crate) const WHOLE_ROW: Mask = (1 << ROW) - 1;

/// Rows of the caller's rays.
pub(crate) struct RayRows<'a> {
    rows: [&'a [Ray; ROW]; ROWS],
    /// The indices of the rows' first rays.
    starts: &'a [u32],
    /// The index in the batch of the ray whose index here is zero.
    first: usize,
}

impl<'a> RayRows<'a> {
    /// The rows that begin at these indices. If there are fewer than [`ROWS`], the first is
    /// repeated.
    #[inline(always)]
    pub(crate) fn new((first, rays): (usize, &'a [Ray]), starts: &'a [u32]) -> Self {
        const NO_RAY: Ray = Ray { origin: Vec3::ZERO, dir: Vec3::ZERO, t_min: 0.0, t_max: 0.0 };
        let rows = [0, 1, 2, 3, 4, 5, 6, 7].each(|i: usize| {
            let start = starts.get(i).or(starts.first()).copied();
            let row = start.and_then(|start| rays.get(start as usize..)?.first_chunk());
            row.unwrap_or(&[NO_RAY; ROW])
        });
        Self { rows, starts, first }
    }

    /// The index of a ray in the batch.
    #[inline(always)]
    pub(crate) fn index(&self, lane: usize) -> usize {
        self.first + self.starts.get(lane / ROW).map_or(0, |&row| row as usize) + lane % ROW
    }

    #[inline(always)]
    pub(crate) fn ray(&self, lane: usize) -> &'a Ray {
        &self.rows[lane / ROW % ROWS][lane % ROW]
    }
}

/// One value per ray.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [f32; RAYS]);

impl Lanes {
    pub(crate) const fn splat(value: f32) -> Self {
        Self([value; RAYS])
    }

    /// The values of a row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &[f32; ROW] {
        &self.0.as_chunks().0[row % ROWS]
    }

    #[inline(always)]
    pub(crate) fn load<V: Vector>(&self, isa: V::Isa, first: usize) -> V {
        V::load_at(isa, &self.0, first)
    }

    #[inline(always)]
    pub(crate) fn store<V: Vector>(&mut self, first: usize, values: V) {
        values.replace_at(&mut self.0, first)
    }

    /// Writes a value to the lanes whose bits are set, of the first `width`.
    #[inline(always)]
    pub(crate) fn set<V: Vector>(
        &mut self,
        (isa, width): (V::Isa, usize),
        lanes: Mask,
        value: f32,
    ) {
        let mut first = 0;
        while first < RAYS && first < width {
            let values: V = self.load(isa, first);
            let here = (lanes >> first) as u32;
            self.store(first, values.choose(V::splat(isa, value), here));
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

/// The smallest and the largest of some values.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct Interval {
    pub(crate) min: f32,
    pub(crate) max: f32,
}

impl Interval {
    /// The largest magnitude in it.
    #[inline(always)]
    pub(crate) fn max_abs(self) -> f32 {
        larger(self.min.abs(), self.max.abs())
    }

    /// Its center, and the largest distance of a value from there.
    #[inline(always)]
    pub(crate) fn center_radius(self) -> (f32, f32) {
        let center = 0.5 * self.min + 0.5 * self.max;
        (center, larger(self.max - center, center - self.min))
    }

    #[inline(always)]
    pub(crate) fn of<V: Vector>((isa, width): (V::Isa, usize), lanes: &Lanes) -> Self {
        let (min, max) = min_max::<V>((isa, width), lanes);
        Self { min: fold(min, lesser), max: fold(max, larger) }
    }

    /// Four intervals at once: the last steps of the reductions share their vectors.
    #[inline(always)]
    pub(crate) fn of_four<V: Vector>(
        (isa, width): (V::Isa, usize),
        [a, b, c, d]: [&Lanes; 4],
    ) -> [Self; 4] {
        let across = (isa, width);
        let [a, b, c, d] =
            [min_max::<V>(across, a), min_max(across, b), min_max(across, c), min_max(across, d)];
        let [w, x, y, z] = V::transpose_fours([a.0, b.0, c.0, d.0]);
        let min = fold_to_four(w.min(x).min(y.min(z)), lesser);
        let [w, x, y, z] = V::transpose_fours([a.1, b.1, c.1, d.1]);
        let max = fold_to_four(w.max(x).max(y.max(z)), larger);
        [0, 1, 2, 3].each(|i| Self { min: min[i], max: max[i] })
    }
}

/// The minimum and the maximum over the vectors of the first `width` lanes, lane by lane.
#[inline(always)]
fn min_max<V: Vector>((isa, width): (V::Isa, usize), lanes: &Lanes) -> (V, V) {
    let mut min: V = lanes.load(isa, 0);
    let mut max = min;
    let mut first = V::LANES;
    while first < RAYS && first < width {
        let values: V = lanes.load(isa, first);
        min = min.min(values);
        max = max.max(values);
        first += V::LANES;
    }
    (min, max)
}

/// Reduces every fourth lane, from each of the first four on.
#[inline(always)]
fn fold_to_four<V: Vector>(values: V, pick: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    let mut lanes = [0f32; RAYS];
    values.replace_at(&mut lanes, 0);
    let mut four = [lanes[0], lanes[1], lanes[2], lanes[3]];
    for first in (4..V::LANES).step_by(4) {
        for (i, picked) in four.iter_mut().enumerate() {
            *picked = pick(*picked, lanes[first + i]);
        }
    }
    four
}

#[inline(always)]
fn fold<V: Vector>(values: V, pick: impl Fn(f32, f32) -> f32) -> f32 {
    let [a, b, c, d] = fold_to_four(values, &pick);
    pick(pick(a, b), pick(c, d))
}

/// The largest lane.
#[inline(always)]
pub(crate) fn max_lane<V: Vector>(values: V) -> f32 {
    fold(values, larger)
}
