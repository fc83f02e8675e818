//! Lines in space, drawn over a picture. What lies behind a surface is dimmed.

use hitscan::{Aabb, Hit, Ray};

use super::camera::{Camera, Seen, half_size};
use super::colour::Rgb;
use super::image::Image;
use super::legend::{Entry, Key};
use super::traced::Traced;
use super::vector::Vector;

/// How much of a line's colour shows, in 256ths: before all surfaces, and behind one.
const VISIBLE: u32 = 256;
const HIDDEN: u32 = 80;
/// A line that lies on a surface is not hidden: it may be deeper by this part.
const TOLERANCE: f64 = 1.0 / 512.0;
/// The radius of a dot, in pixels.
const DOT: i64 = 3;

/// The colours of rays.
const HIT: Rgb = [255, 140, 0];
const MISS: Rgb = [40, 90, 255];

/// What the colours of rays mean, and how many there are of each.
pub(crate) fn key_of_rays(hits: usize, misses: usize) -> Key {
    let entry = |colour, name: &str, count| Entry { colour, name: name.to_owned(), count };
    let entries = vec![entry(HIT, "hit, with a dot", hits), entry(MISS, "miss", misses)];
    Key { title: "rays, dim behind surfaces", entries }
}

/// A picture that lines are drawn on.
pub(crate) struct Canvas<'a> {
    pub(crate) image: &'a mut Image,
    camera: &'a Camera,
    depths: Vec<f32>,
    bounds: Aabb,
    scale: f64,
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(image: &'a mut Image, traced: &'a Traced<'_>) -> Self {
        let bounds = traced.level.bounds();
        let scale = half_size(&bounds).length();
        Self { image, camera: traced.camera, depths: traced.depths(), bounds, scale }
    }

    /// Draws a line from one point to another, two pixels wide.
    pub(crate) fn line(&mut self, from: Vector, to: Vector, colour: Rgb) {
        let Some(ends) = self.camera.see(from, to, self.scale) else { return };
        let Some([first, last]) = self.within(ends) else { return };
        let [a, b] = ends;
        // Each column that the line crosses has one point of it, or each row if those are more: so
        // no pixel is mixed twice.
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let is_flat = dx.abs() >= dy.abs();
        let size = self.image.size;
        let (start, way, end) =
            if is_flat { (a.x, dx, size.width) } else { (a.y, dy, size.height) };
        // Of a very long line even rounding errors would be many pixels.
        let [one, other] =
            [first, last].map(|part| (start + part * way).clamp(0.0, f64::from(end)));
        for pixel in one.min(other).floor() as i64..=one.max(other).floor() as i64 {
            let part = if way == 0.0 { first } else { (pixel as f64 + 0.5 - start) / way };
            let part = part.clamp(first, last);
            let depth = self.camera.depth_between(ends, part);
            let across = if is_flat { a.y + part * dy } else { a.x + part * dx }.floor() as i64;
            for across in [across, across - 1] {
                let (x, y) = if is_flat { (pixel, across) } else { (across, pixel) };
                let visible = self.part(x, y, depth);
                self.image.mix(x, y, colour, visible);
            }
        }
    }

    /// The parts of the way between two ends where the line enters and leaves the picture, if it
    /// meets the picture at all.
    fn within(&self, [a, b]: [Seen; 2]) -> Option<[f64; 2]> {
        let size = self.image.size;
        let (mut first, mut last) = (0.0f64, 1.0f64);
        for (from, to, end) in [(a.x, b.x, size.width), (a.y, b.y, size.height)] {
            let way = to - from;
            let [enter, leave] = [0.0, f64::from(end)].map(|bound| (bound - from) / way);
            if way == 0.0 {
                if !(0.0..f64::from(end)).contains(&from) {
                    return None;
                }
            } else {
                first = first.max(enter.min(leave));
                last = last.min(enter.max(leave));
            }
        }
        // Not for ends that are no numbers.
        (first <= last && [a.x, a.y, b.x, b.y].iter().all(|x| x.is_finite()))
            .then_some([first, last])
    }

    /// How much is seen of something at this depth.
    fn part(&self, x: i64, y: i64, depth: f64) -> u32 {
        let (width, height) = (i64::from(self.image.size.width), i64::from(self.image.size.height));
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return 0;
        }
        let surface = f64::from(self.depths[(y * width + x) as usize]);
        if depth <= surface * (1.0 + TOLERANCE) { VISIBLE } else { HIDDEN }
    }

    /// Draws a dot.
    fn dot(&mut self, at: Vector, colour: Rgb) {
        let Some([seen, _]) = self.camera.see(at, at, self.scale) else { return };
        let (x, y) = (seen.x.floor() as i64, seen.y.floor() as i64);
        // All of it is as visible as its middle.
        let part = self.part(x, y, seen.depth);
        for dy in -DOT..=DOT {
            for dx in -DOT..=DOT {
                if dx * dx + dy * dy <= DOT * DOT + 1 {
                    self.image.mix(x.saturating_add(dx), y.saturating_add(dy), colour, part);
                }
            }
        }
    }

    /// Draws a ray up to its hit, with a dot there, or up to where it ends. `false` if it is no
    /// ray: it has a number that is not finite, or no direction.
    pub(crate) fn ray(&mut self, ray: &Ray, hit: Option<&Hit>) -> bool {
        let (origin, dir) = (Vector::from(ray.origin), Vector::from(ray.dir));
        let at = |t: f64| origin + dir * t;
        let length = dir.length();
        if !(ray.origin.is_finite() && length.is_finite() && length > 0.0 && ray.t_min <= ray.t_max)
        {
            return false;
        }
        // As far as there may be something to see.
        let to_level = (Vector::from(self.bounds.center()) - origin).length();
        let reach = (to_level + 2.0 * self.scale) / length;
        let start = f64::from(ray.t_min).max(-reach);
        if let Some(hit) = hit {
            self.line(at(start), at(hit.t.into()), HIT);
            self.dot(at(hit.t.into()), HIT);
        } else {
            self.line(at(start), at(f64::from(ray.t_max).min(reach)), MISS);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use hitscan::glam::Vec3;
    use hitscan::{Builder, Mesh, Query};

    use super::*;
    use crate::level::Level;
    use crate::picture::colour::BACKGROUND;
    use crate::picture::image::Size;

    #[test]
    fn lines_are_dimmed_behind_surfaces_and_cut_at_the_camera() {
        // A wall that fills the left half of the picture.
        let wall = vec![[-9.0, -9.0, -5.0], [0.0, -9.0, -5.0], [0.0, 30.0, -5.0]];
        let wall = [wall, vec![[-9.0, -9.0, -5.0], [0.0, 30.0, -5.0], [-9.0, 30.0, -5.0]]].concat();
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(wall)]).unwrap();
        let size = Size::new(100, 100).unwrap();
        let camera = Camera::looking_at(Vec3::ZERO, Vec3::NEG_Z, 60.0, size);
        let query = Query::new();
        let traced = Traced::new(Level::Tree(&bvh), &camera, &query, &|_| ());
        let mut image = traced.paint(|_, _| [100; 3]);
        let mut canvas = Canvas::new(&mut image, &traced);
        let from = Vector::new(-9.0, 0.0, -8.0);
        canvas.line(from, Vector::new(9.0, 0.0, -8.0), [0, 0, 0]);
        let row = &canvas.image.pixels[50 * 100..51 * 100];
        assert!(row[..50].iter().all(|&pixel| pixel == [69; 3]), "{row:?}");
        assert!(row[50..].iter().all(|&pixel| pixel == [0; 3]), "{row:?}");
        // From behind the camera, and in a direction that is not seen at all.
        assert!(canvas.ray(&Ray::between([1.0, 1.0, 9.0], [1.0, 1.0, -4.0]), None));
        assert!(canvas.image.pixels.contains(&MISS));
        assert!(canvas.ray(&Ray::new([0.0, 0.0, 9.0], [0.0, 0.0, 1.0]), None));
        let hit = bvh.closest_hit(&Ray::new([-1.0, 1.0, 0.0], [0.0, 0.0, -1.0]), &query);
        assert!(canvas.ray(&Ray::new([-1.0, 1.0, 0.0], [0.0, 0.0, -1.0]), hit.as_ref()));
        assert!(canvas.image.pixels.iter().filter(|&&pixel| pixel == HIT).count() > 25);
        for bad in [f32::NAN, f32::INFINITY, 0.0] {
            assert!(!canvas.ray(&Ray::new([0.0, 0.0, 1.0], [bad, 0.0, 0.0]), None));
        }
        // The largest numbers there are.
        let huge = Ray::between([f32::MAX, 1.0, -f32::MAX], [-f32::MAX, 1.0, f32::MIN]);
        canvas.ray(&huge.with_range(f32::NEG_INFINITY, f32::INFINITY), None);
        assert!(canvas.image.pixels.contains(&BACKGROUND));
    }
}
