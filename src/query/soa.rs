//! Rays column by column.

use glam::Vec3;

use crate::error::BatchError;
use crate::geometry::Ray;

/// Rays as a structure of arrays: each number of all rays in a slice of its own.
#[derive(Clone, Copy, Debug)]
pub struct RaySoa<'a> {
    origin: [&'a [f32]; 3],
    dir: [&'a [f32]; 3],
    t_min: &'a [f32],
    t_max: &'a [f32],
}

impl<'a> RaySoa<'a> {
    /// Rays from slices of equal length: the x, y and z of the origins and of the directions, and
    /// the bounds of `t` (see [`Ray`]).
    ///
    /// # Errors
    ///
    /// If one of them is not as long as the first.
    pub fn new(
        origin: [&'a [f32]; 3],
        dir: [&'a [f32]; 3],
        t_min: &'a [f32],
        t_max: &'a [f32],
    ) -> Result<Self, BatchError> {
        let rays = origin[0].len();
        let mut columns = origin.iter().chain(&dir).chain([&t_min, &t_max]);
        match columns.find(|column| column.len() != rays) {
            Some(column) => Err(BatchError::columns(rays, column.len())),
            None => Ok(Self { origin, dir, t_min, t_max }),
        }
    }

    /// How many rays there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.t_min.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.t_min.is_empty()
    }

    /// A ray; `None` past the last.
    #[must_use]
    pub fn ray(&self, i: usize) -> Option<Ray> {
        let point = |columns: &[&[f32]; 3]| {
            let [x, y, z] = columns;
            Some(Vec3::new(*x.get(i)?, *y.get(i)?, *z.get(i)?))
        };
        Some(Ray {
            origin: point(&self.origin)?,
            dir: point(&self.dir)?,
            t_min: *self.t_min.get(i)?,
            t_max: *self.t_max.get(i)?,
        })
    }

    /// Fills `rays` with those from `first` on.
    pub(super) fn rays(&self, first: usize, rays: &mut [Ray]) {
        for (i, ray) in rays.iter_mut().enumerate() {
            if let Some(from) = self.ray(first + i) {
                *ray = from;
            }
        }
    }
}
