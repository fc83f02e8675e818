//! Where the rays of a packet come from.

use glam::Vec3;

use super::lanes::{ROW, ROWS};
use crate::geometry::Ray;

/// Rows of a caller's rays, from here and there.
pub(crate) struct Rows<'a>([&'a [Ray; ROW]; ROWS]);

impl<'a> Rows<'a> {
    /// Those that begin at rays of these numbers. (Of too few the first is there several times.)
    #[inline(always)]
    pub(crate) fn new(rays: &'a [Ray], firsts: &[u32]) -> Self {
        const NO_RAY: Ray = Ray { origin: Vec3::ZERO, dir: Vec3::ZERO, t_min: 0.0, t_max: 0.0 };
        Self(std::array::from_fn(|i| {
            let first = firsts.get(i).or(firsts.first()).copied();
            let row = first.and_then(|first| rays.get(first as usize..)?.first_chunk());
            row.unwrap_or(&[NO_RAY; ROW])
        }))
    }

    #[inline(always)]
    pub(crate) fn ray(&self, lane: usize) -> &'a Ray {
        &self.0[lane / ROW % ROWS][lane % ROW]
    }
}
