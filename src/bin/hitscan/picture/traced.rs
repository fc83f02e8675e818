//! The hits of a picture's rays.

use hitscan::{Face, Hit, Query, Ray};
use rayon::prelude::*;

use super::camera::Camera;
use super::colour::Rgb;
use super::image::Image;
use super::vector::Vector;
use crate::level::Level;

/// Pixels between two reports of progress.
pub(crate) const BAND: usize = 1 << 16;

/// Called with the part that is done, from 0 to 1.
pub(crate) type Progress<'a> = &'a dyn Fn(f64);

/// A level as a camera sees it.
pub(crate) struct Traced<'a> {
    pub(crate) level: Level<'a>,
    pub(crate) camera: &'a Camera,
    pub(crate) query: &'a Query<'a>,
    /// One for each pixel.
    pub(crate) hits: Vec<Option<Hit>>,
}

impl<'a> Traced<'a> {
    pub(crate) fn new(
        level: Level<'a>,
        camera: &'a Camera,
        query: &'a Query<'a>,
        progress: Progress<'_>,
    ) -> Self {
        let mut hits = vec![None; camera.size().pixels()];
        let whole = hits.len();
        for (band, hits) in hits.chunks_mut(BAND).enumerate() {
            progress((band * BAND) as f64 / whole as f64);
            let pixels = band * BAND..band * BAND + hits.len();
            let rays: Vec<Ray> = pixels.into_par_iter().map(|i| camera.ray_of_pixel(i)).collect();
            level.closest_hit_batch(&rays, query, hits).expect("a place for each hit");
        }
        Self { level, camera, query, hits }
    }

    /// The normal of a hit, to the triangle's front.
    pub(crate) fn normal(&self, hit: &Hit) -> Vector {
        self.level.normal(hit).unwrap_or_default().into()
    }

    /// The normal of a hit, to the side that is seen.
    pub(crate) fn seen_normal(&self, hit: &Hit) -> Vector {
        let normal = self.normal(hit);
        match hit.face {
            Face::Front => normal,
            Face::Back => -normal,
        }
    }

    /// The depth of each pixel; infinite where there is nothing.
    pub(crate) fn depths(&self) -> Vec<f32> {
        self.hits.iter().map(|hit| hit.map_or(f32::INFINITY, |hit| hit.t)).collect()
    }

    /// Half of the hits are nearer than this. Zero if there are none.
    pub(crate) fn middle_depth(&self) -> f32 {
        let mut depths: Vec<f32> = self.hits.iter().flatten().map(|hit| hit.t).collect();
        if depths.is_empty() {
            return 0.0;
        }
        let middle = depths.len() / 2;
        *depths.select_nth_unstable_by(middle, f32::total_cmp).1
    }

    /// A picture with the colour of each hit, by its pixel.
    pub(crate) fn paint(&self, colour: impl Fn(usize, &Hit) -> Rgb + Sync) -> Image {
        let mut image = Image::new(self.camera.size());
        let pixels = image.pixels.par_iter_mut().zip(&self.hits).enumerate();
        pixels.for_each(|(i, (pixel, hit))| {
            if let Some(hit) = hit {
                *pixel = colour(i, hit);
            }
        });
        image
    }
}
