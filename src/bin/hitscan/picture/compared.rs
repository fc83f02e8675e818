//! Two levels in one picture: the one after in grey, and in colours all that only one of them has.

use hitscan::{Aabb, Hit};

use super::colour::{Rgb, lit, mixed};
use super::legend::{Entry, Key, Legend};
use super::lines::Canvas;
use super::surface::{Picture, light, tinted};
use super::traced::{Progress, Traced};
use super::vector::Vector;

/// What a triangle is that is in one level only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Added,
    /// As it is after.
    Changed,
    /// Removed, or as it was before it changed.
    Gone,
}

impl Kind {
    /// Their colours, which the colour-blind can tell apart.
    const ALL: [(Self, Rgb, &'static str); 3] = [
        (Self::Added, [40, 110, 240], "added"),
        (Self::Changed, [245, 140, 10], "moved or changed"),
        (Self::Gone, [205, 0, 125], "gone, or as it was before"),
    ];

    fn colour(self) -> Rgb {
        Self::ALL[self as usize].1
    }
}

/// A level as a camera sees it, and what its triangles are.
pub(crate) struct Compared<'a> {
    pub(crate) traced: &'a Traced<'a>,
    pub(crate) kind: &'a (dyn Fn(&Hit) -> Option<Kind> + Sync),
}

/// How much a triangle that is gone covers the picture, in 256ths: the level shows through.
const GHOST: u32 = 150;

impl Compared<'_> {
    fn kind_at(&self, pixel: usize) -> Option<Kind> {
        self.traced.hits[pixel].as_ref().and_then(self.kind)
    }
}

/// The difference that a pixel shows.
fn shown(before: &Compared<'_>, after: &Compared<'_>, pixel: usize) -> Option<Kind> {
    gone(before, after, pixel).or_else(|| after.kind_at(pixel))
}

/// What was there before, if nothing is before it now.
fn gone(before: &Compared<'_>, after: &Compared<'_>, pixel: usize) -> Option<Kind> {
    let kind = before.kind_at(pixel)?;
    let depth = |level: &Compared<'_>| level.traced.hits[pixel].map_or(f32::INFINITY, |hit| hit.t);
    (depth(before) < depth(after)).then_some(kind)
}

/// How many pixels show a difference.
pub(crate) fn pixels_shown(before: &Compared<'_>, after: &Compared<'_>) -> usize {
    (0..after.traced.hits.len()).filter(|&pixel| shown(before, after, pixel).is_some()).count()
}

/// The level after, with all that was added or has changed; over it all that is gone, as far as
/// nothing is before it now. Around each difference is a box.
pub(crate) fn compared(
    before: &Compared<'_>,
    after: &Compared<'_>,
    boxes: &[(Kind, Aabb)],
    progress: Progress<'_>,
) -> Picture {
    let colour = |hit: &Hit| (after.kind)(hit).map(Kind::colour);
    let mut image = tinted(after.traced, colour, progress);
    for pixel in 0..image.pixels.len() {
        if let (Some(kind), Some(hit)) = (gone(before, after, pixel), &before.traced.hits[pixel]) {
            let over = lit(kind.colour(), light(before.traced, hit));
            image.pixels[pixel] = mixed(image.pixels[pixel], over, GHOST);
        }
    }
    let mut canvas = Canvas::new(&mut image, after.traced);
    for (kind, bounds) in boxes {
        let corners = bounds.corners().map(Vector::from);
        // Corners are numbered by a bit for each axis.
        for from in 0..8 {
            for to in [1, 2, 4].map(|axis| from | axis).into_iter().filter(|&to| to > from) {
                canvas.line(corners[from], corners[to], kind.colour());
            }
        }
    }
    let mut pixels = [0; 3];
    for pixel in 0..image.pixels.len() {
        if let Some(kind) = shown(before, after, pixel) {
            pixels[kind as usize] += 1;
        }
    }
    let entries = Kind::ALL.map(|(kind, colour, name)| Entry {
        colour,
        name: name.to_owned(),
        count: pixels[kind as usize],
    });
    let key = Key { title: "what has changed", entries: entries.into() };
    Picture { image, legend: Some(Legend::Key(key)) }
}

#[cfg(test)]
mod tests {
    use hitscan::glam::Vec3;
    use hitscan::{Builder, Bvh, Mesh, Query};

    use super::*;
    use crate::level::Level;
    use crate::picture::camera::Camera;
    use crate::picture::image::Size;

    /// Walls across the view of a camera that looks along -z, from the left to this `x`.
    fn walls(walls: &[(f32, f32)]) -> Bvh {
        let walls = walls.iter().map(|&(x, z)| {
            let [a, b, c, d] = [[-99.0, -99.0, z], [x, -99.0, z], [x, 99.0, z], [-99.0, 99.0, z]];
            Mesh::from_soup(vec![a, b, c, a, c, d])
        });
        Builder::new().bake(&walls.collect::<Vec<_>>()).unwrap().0
    }

    #[test]
    fn what_is_gone_shows_where_nothing_is_before_it() {
        // A wall far away is in both. One was in front of its left half, and now another one is in
        // front of a part of that.
        let before = walls(&[(99.0, -9.0), (0.0, -5.0)]);
        let after = walls(&[(99.0, -9.0), (-1.0, -4.0)]);
        let camera =
            Camera::looking_at(Vec3::ZERO, Vec3::NEG_Z, 60.0, Size::new(200, 100).unwrap());
        let query = Query::new();
        let [one, other] =
            [&before, &after].map(|bvh| Traced::new(Level::Tree(bvh), &camera, &query, &|_| ()));
        let gone = |hit: &Hit| (hit.mesh == 1).then_some(Kind::Gone);
        let added = |hit: &Hit| (hit.mesh == 1).then_some(Kind::Added);
        let before = Compared { traced: &one, kind: &gone };
        let after = Compared { traced: &other, kind: &added };
        let row = |x: usize| shown(&before, &after, 50 * 200 + x);
        // The new wall ends at x = -1 at a depth of 4, which is 21.7 pixels left of the middle.
        let kinds = [0, 77, 79, 99, 100, 199].map(row);
        let [new, old] = [Some(Kind::Added), Some(Kind::Gone)];
        assert_eq!(kinds, [new, new, old, old, None, None]);
        assert_eq!(pixels_shown(&before, &after), 100 * 100);
        let Picture { image, legend } = compared(&before, &after, &[], &|_| ());
        let [blue, magenta, grey] = [40, 90, 160].map(|x| image.pixels[50 * 200 + x]);
        assert!(blue[2] > 2 * blue[0] && blue[2] > blue[1], "{blue:?}");
        assert!(magenta[0] > magenta[1] && magenta[2] > magenta[1], "{magenta:?}");
        assert!(grey[0] == grey[1] && grey[1] == grey[2], "{grey:?}");
        let Some(Legend::Key(key)) = legend else { panic!("no key") };
        let pixels: Vec<usize> = key.entries.iter().map(|entry| entry.count).collect();
        assert_eq!((pixels[0] + pixels[2], pixels[1]), (100 * 100, 0));
    }
}
