//! Cameras: which ray belongs to a pixel, and where a point appears.

use hitscan::glam::Vec3;
use hitscan::{Aabb, Ray};

use super::image::Size;
use super::tangent::tangent;
use super::vector::Vector;

/// Room around a level, as a part of the picture's size.
const MARGIN: f64 = 1.03;
/// The nearest depth at which a line is drawn, as a part of the level's size.
const NEAR: f64 = 1e-6;

/// An eye, the way it looks, and the size of the picture. `y` is up in the world.
pub(crate) struct Camera {
    eye: Vector,
    right: Vector,
    up: Vector,
    forward: Vector,
    lens: Lens,
    size: Size,
}

/// Half of the picture's height: at a depth of one, or at any.
#[derive(Clone, Copy)]
enum Lens {
    Perspective(f64),
    Orthographic(f64),
}

/// A point as a camera sees it: `x` and `y` in pixels from the upper left corner, and the depth
/// along the direction in which the camera looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) depth: f64,
}

impl Camera {
    /// From an eye to a target that is somewhere else; the field of view belongs to the
    /// picture's height, and is between 0 and 180 degrees.
    pub(crate) fn looking_at(eye: Vec3, target: Vec3, fov: f64, size: Size) -> Self {
        let eye = Vector::from(eye);
        let forward = (Vector::from(target) - eye).normalized();
        Self::new(eye, forward, Lens::Perspective(tangent(0.5 * fov)), size)
    }

    /// From above, without perspective: `x` to the right and `z` down. Triangles above `cut`
    /// are left out.
    pub(crate) fn plan(bounds: &Aabb, cut: Option<f32>, size: Size) -> Self {
        let half = half_size(bounds);
        let needed = half.z.max(half.x * f64::from(size.height) / f64::from(size.width));
        let (center, top) = (Vector::from(bounds.center()), f64::from(bounds.max.y));
        // A little above the top, which is seen too.
        let y = cut.map_or(top + half.length(), f64::from);
        let eye = Vector::new(center.x, y, center.z);
        Self::new(eye, Vector::new(0.0, -1.0, 0.0), Lens::Orthographic(MARGIN * needed), size)
    }

    fn new(eye: Vector, forward: Vector, lens: Lens, size: Size) -> Self {
        let right = forward.cross(Vector::new(0.0, 1.0, 0.0));
        // Straight up or down: `x` is to the right.
        let right = match right.length() > 1e-9 {
            true => right.normalized(),
            false => Vector::new(1.0, 0.0, 0.0),
        };
        Self { eye, right, up: right.cross(forward), forward, lens, size }
    }

    /// Where to look at a box from, in this direction, so that it fills the picture.
    pub(crate) fn around(bounds: &Aabb, forward: Vector, fov: f64, size: Size) -> Vec3 {
        let center = Vector::from(bounds.center());
        let forward = forward.normalized();
        let camera = Self::new(center, forward, Lens::Perspective(tangent(0.5 * fov)), size);
        let [wide, high] = camera.half_sizes(1.0);
        let back = bounds.corners().map(|corner| {
            let [x, y, z] = camera.relative(corner.into());
            (x.abs() / wide).max(y.abs() / high) * MARGIN - z
        });
        (center - forward * back.into_iter().fold(0.0, f64::max)).rounded()
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn forward(&self) -> Vector {
        self.forward
    }

    /// To the upper left, where a lamp belongs.
    pub(crate) fn side_light(&self) -> Vector {
        self.up * 0.7 - self.right * 0.35
    }

    /// Half of the width and of the height of the part of a plane at a depth that is seen.
    fn half_sizes(&self, depth: f64) -> [f64; 2] {
        let half = match self.lens {
            Lens::Perspective(half) => half * depth,
            Lens::Orthographic(half) => half,
        };
        [half * f64::from(self.size.width) / f64::from(self.size.height), half]
    }

    /// The height of the part of a plane at a depth that is seen.
    pub(crate) fn height_at(&self, depth: f64) -> f64 {
        2.0 * self.half_sizes(depth)[1]
    }

    /// How far a ray from a point at this depth stays in the part that is drawn: a plan leaves out
    /// all above its camera.
    pub(crate) fn room(&self, depth: f64, dir: Vector) -> f64 {
        let back = -self.forward.dot(dir);
        match self.lens {
            Lens::Orthographic(_) if back > 0.0 => depth / back,
            _ => f64::INFINITY,
        }
    }

    /// The ray through a place in the picture, in pixels; the middle of the first one is at 0.5.
    /// `t` is the depth, but for the rounding of the direction.
    pub(crate) fn ray(&self, x: f64, y: f64) -> Ray {
        let [wide, high] = self.half_sizes(1.0);
        let x = (2.0 * x / f64::from(self.size.width) - 1.0) * wide;
        let y = (1.0 - 2.0 * y / f64::from(self.size.height)) * high;
        let aside = self.right * x + self.up * y;
        match self.lens {
            Lens::Perspective(_) => Ray::new(self.eye.rounded(), (self.forward + aside).rounded()),
            Lens::Orthographic(_) => Ray::new((self.eye + aside).rounded(), self.forward.rounded()),
        }
    }

    /// The ray through the middle of a pixel, counted row by row.
    pub(crate) fn ray_of_pixel(&self, pixel: usize) -> Ray {
        let width = self.size.width as usize;
        self.ray((pixel % width) as f64 + 0.5, (pixel / width) as f64 + 0.5)
    }

    /// To the right, up, and forward.
    fn relative(&self, point: Vector) -> [f64; 3] {
        let from_eye = point - self.eye;
        [from_eye.dot(self.right), from_eye.dot(self.up), from_eye.dot(self.forward)]
    }

    /// Where the part of a line appears that is before the camera, if there is one. `scale` is the
    /// level's size.
    pub(crate) fn see(&self, from: Vector, to: Vector, scale: f64) -> Option<[Seen; 2]> {
        let near = NEAR * scale;
        let (mut a, mut b) = (self.relative(from), self.relative(to));
        if a[2] < near && b[2] < near {
            return None;
        }
        let cut = |inside: [f64; 3], outside: [f64; 3]| {
            let part = (inside[2] - near) / (inside[2] - outside[2]);
            let at = |k: usize| inside[k] + part * (outside[k] - inside[k]);
            [at(0), at(1), near]
        };
        if a[2] < near {
            a = cut(b, a);
        } else if b[2] < near {
            b = cut(a, b);
        }
        Some([self.seen(a), self.seen(b)])
    }

    fn seen(&self, [x, y, depth]: [f64; 3]) -> Seen {
        let [wide, high] = self.half_sizes(depth);
        Seen {
            x: 0.5 * (1.0 + x / wide) * f64::from(self.size.width),
            y: 0.5 * (1.0 - y / high) * f64::from(self.size.height),
            depth,
        }
    }

    /// The depth between two points of a line that are seen, at this part of the way between them
    /// in the picture.
    pub(crate) fn depth_between(&self, [a, b]: [Seen; 2], part: f64) -> f64 {
        match self.lens {
            Lens::Perspective(_) => {
                let (near, far) = (1.0 / a.depth, 1.0 / b.depth);
                1.0 / (near + part * (far - near))
            }
            Lens::Orthographic(_) => a.depth + part * (b.depth - a.depth),
        }
    }
}

/// In `f64`, where it does not overflow.
pub(crate) fn half_size(bounds: &Aabb) -> Vector {
    (Vector::from(bounds.max) - Vector::from(bounds.min)) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> Size {
        Size::new(160, 90).unwrap()
    }

    #[test]
    fn a_point_appears_where_the_ray_through_it_starts() {
        let bounds = Aabb::from_min_max([-3.0, 0.0, -2.0], [9.0, 4.0, 7.0]);
        let cameras = [
            Camera::looking_at(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 1.0, 0.5), 70.0, size()),
            Camera::looking_at(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, -9.0, 3.0), 30.0, size()),
            Camera::plan(&bounds, None, size()),
            Camera::plan(&bounds, Some(1.5), size()),
        ];
        for camera in cameras {
            for (x, y) in [(0.5, 0.5), (80.0, 45.0), (159.5, 3.25), (20.0, 89.5)] {
                let ray = camera.ray(x, y);
                let [near, far] = [2.0, 5.0].map(|t| Vector::from(ray.at(t)));
                let seen = camera.see(near, far, 10.0).unwrap();
                for (seen, depth) in seen.into_iter().zip([2.0, 5.0]) {
                    assert!((seen.x - x).abs() < 1e-3 && (seen.y - y).abs() < 1e-3, "{seen:?}");
                    assert!((seen.depth - depth).abs() < 1e-5, "{seen:?}");
                }
                // A line from behind the camera is cut, one that lies there is not seen.
                let behind = Vector::from(ray.at(-4.0));
                assert!(camera.see(behind, far, 10.0).unwrap()[0].depth > 0.0);
                assert!(camera.see(behind, behind, 10.0).is_none());
            }
        }
    }

    #[test]
    fn a_box_fills_the_picture() {
        let bounds = Aabb::from_min_max([-30.0, 0.0, -2.0], [9.0, 4.0, 7.0]);
        let forward = Vector::new(0.3, -0.4, -0.8);
        let eye = Camera::around(&bounds, forward, 50.0, size());
        let target = eye + forward.rounded();
        let camera = Camera::looking_at(eye, target, 50.0, size());
        let corners = bounds.corners().map(|c| camera.see(c.into(), c.into(), 10.0).unwrap()[0]);
        assert!(corners.iter().all(|c| c.x > 0.0 && c.x < 160.0 && c.y > 0.0 && c.y < 90.0));
        assert!(corners.iter().any(|c| c.x < 5.0 || c.x > 155.0 || c.y < 5.0 || c.y > 85.0));
    }

    #[test]
    fn a_plan_looks_down_with_z_towards_its_lower_edge() {
        let bounds = Aabb::from_min_max([0.0, 0.0, 0.0], [16.0, 4.0, 9.0]);
        let camera = Camera::plan(&bounds, Some(2.0), size());
        let [first, last] = [0, 160 * 90 - 1].map(|pixel| camera.ray_of_pixel(pixel));
        assert_eq!((first.dir, first.origin.y), (Vec3::NEG_Y, 2.0));
        assert!(first.origin.x < 0.0 && first.origin.z < 0.0);
        assert!(last.origin.x > 16.0 && last.origin.z > 9.0);
    }
}
