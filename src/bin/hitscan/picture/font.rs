//! Text in pictures.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use super::colour::WHITE;
use super::image::Image;

const WEIGHT: FontWeight = FontWeight::Regular;
const HEIGHT: RasterHeight = RasterHeight::Size16;

/// The height of a line of text, in pixels.
pub(super) const LINE: i64 = 16;

/// The width of a text, in pixels.
pub(super) fn width(text: &str) -> i64 {
    (text.chars().count() * get_raster_width(WEIGHT, HEIGHT)) as i64
}

/// Writes a text in white, with its upper left corner here. Characters that are not in ASCII
/// become `?`.
pub(super) fn write(image: &mut Image, left: i64, top: i64, text: &str) {
    let advance = get_raster_width(WEIGHT, HEIGHT) as i64;
    for (x, c) in (left..).step_by(advance as usize).zip(text.chars()) {
        let glyph = get_raster(c, WEIGHT, HEIGHT).or_else(|| get_raster('?', WEIGHT, HEIGHT));
        let Some(glyph) = glyph else { continue };
        for (y, row) in (top..).zip(glyph.rows()) {
            for (x, &ink) in (x..).zip(row) {
                // 255 is all ink.
                image.mix(x, y, WHITE, u32::from(ink) * 256 / 255);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::image::Size;

    #[test]
    fn letters_are_drawn_within_their_boxes() {
        let empty = Image::new(Size::new(80, 30).unwrap());
        let mut image = empty.clone();
        write(&mut image, 10, 5, "Hi ß");
        let changed = |x: usize, y: usize| image.pixels[80 * y + x] != empty.pixels[80 * y + x];
        let inked =
            (0..30).flat_map(|y| (0..80).map(move |x| (x, y))).filter(|&(x, y)| changed(x, y));
        let inked: Vec<_> = inked.collect();
        assert!(inked.len() > 30);
        let end = 10 + width("Hi ß") as usize;
        assert!(inked.iter().all(|&(x, y)| (10..end).contains(&x) && (5..21).contains(&y)));
        // What has no glyph is a question mark.
        let mut other = empty.clone();
        write(&mut other, 10, 5, "Hi ?");
        assert!(other.pixels == image.pixels);
        // Text that leaves the picture is cut.
        write(&mut image, -3, 25, &"wide ".repeat(30));
    }
}
