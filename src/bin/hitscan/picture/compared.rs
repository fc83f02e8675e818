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
        pixels: pixels[kind as usize],
    });
    let key = Key { title: "what has changed", entries: entries.into() };
    Picture { image, legend: Some(Legend::Key(key)) }
}
