//! The ray that `hitscan render` casts for a pixel.

use clap::Args;
use hitscan::glam::Vec3;
use hitscan::{Query, Ray};

use crate::level::Level;
use crate::picture::auto_view::{self, View};
use crate::picture::camera::Camera;
use crate::picture::image::Size;
use crate::render::{field_of_view, size};
use crate::terminal::args;
use crate::terminal::failure::Failure;

/// A pixel of a picture, and the camera.
#[derive(Args)]
pub(super) struct Pixel {
    /// Show the walk of the ray that `hitscan render` casts for this pixel; 0,0 is the upper left
    #[arg(long, value_name = "X,Y", value_parser = pixel,
        conflicts_with_all = ["from", "dir", "to"])]
    pixel: Option<[u32; 2]>,
    /// Where the camera is; without it, the view that `render` finds by itself
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point,
        requires_all = ["target", "pixel"])]
    eye: Option<Vec3>,
    /// The point that it looks at
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point,
        requires = "eye")]
    target: Option<Vec3>,
    /// Field of view from the lower to the upper edge [default: 60]
    #[arg(long, value_name = "DEGREES", value_parser = field_of_view, requires = "pixel")]
    fov: Option<f64>,
    /// The picture's size in pixels [default: 1280x720]
    #[arg(long, value_name = "WxH", value_parser = size, requires = "pixel")]
    size: Option<Size>,
}

const FOV: f64 = 60.0;
const SIZE: [u32; 2] = [1280, 720];

impl Pixel {
    pub(super) fn is_given(&self) -> bool {
        self.pixel.is_some()
    }

    /// What can be told from the command line alone.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let Some([x, y]) = self.pixel else { return Ok(()) };
        let (eye, size) = (self.eye, self.size());
        if eye.is_some() && eye == self.target {
            return Err(Failure::Usage("--eye and --target are the same point".to_owned()));
        }
        if x >= size.width || y >= size.height {
            let of = format!("{}x{}", size.width, size.height);
            let message = format!("--pixel {x},{y} is outside of a picture of {of}");
            return Err(Failure::Usage(message));
        }
        Ok(())
    }

    /// The ray, if a pixel is given.
    pub(super) fn ray(&self, level: Level<'_>, query: &Query<'_>) -> Option<Ray> {
        let [x, y] = self.pixel?;
        let (fov, size) = (self.fov.unwrap_or(FOV), self.size());
        let View { eye, target } = match self.eye.zip(self.target) {
            Some((eye, target)) => View { eye, target },
            None => auto_view::best(level, query, fov, size),
        };
        let camera = Camera::looking_at(eye, target, fov, size);
        Some(camera.ray_of_pixel(y as usize * size.width as usize + x as usize))
    }

    fn size(&self) -> Size {
        let [width, height] = SIZE;
        self.size.or(Size::new(width, height)).expect("the default is a size")
    }
}

fn pixel(text: &str) -> Result<[u32; 2], String> {
    let parts = text.split_once(',');
    let numbers = parts.and_then(|(x, y)| Some([x.trim().parse().ok()?, y.trim().parse().ok()?]));
    numbers.ok_or_else(|| "expected a column and a row such as 640,360".to_owned())
}
