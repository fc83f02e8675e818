//! Where the rays of a packet come from.

use glam::Vec3;

use super::lanes::{ROW, ROWS};
use crate::geometry::Ray;

/// Rows of a caller's rays, from here and there.
pub(crate) struct Rows<'a> {
    rows: [&'a [Ray; ROW]; ROWS],
    /// Which rays of `rays` each row begins with.
    firsts: &'a [u32],
    /// The index of the first of `rays` in the batch.
    first: usize,
}

impl<'a> Rows<'a> {
    /// Those that begin at rays of these numbers. (Of too few the first is there several times.)
    #[inline(always)]
    pub(crate) fn new(first: usize, rays: &'a [Ray], firsts: &'a [u32]) -> Self {
        const NO_RAY: Ray = Ray { origin: Vec3::ZERO, dir: Vec3::ZERO, t_min: 0.0, t_max: 0.0 };
        let rows = std::array::from_fn(|i| {
            let begin = firsts.get(i).or(firsts.first()).copied();
            let row = begin.and_then(|begin| rays.get(begin as usize..)?.first_chunk());
            row.unwrap_or(&[NO_RAY; ROW])
        });
        Self { rows, firsts, first }
    }

    #[inline(always)]
    pub(crate) fn ray(&self, lane: usize) -> &'a Ray {
        &self.rows[lane / ROW % ROWS][lane % ROW]
    }

    /// The index of a ray in the batch.
    #[inline(always)]
    pub(crate) fn index(&self, lane: usize) -> usize {
        self.first + self.firsts.get(lane / ROW).map_or(0, |&row| row as usize) + lane % ROW
    }
}
