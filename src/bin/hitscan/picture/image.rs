//! Pixels, and the PNG file that holds them.

use std::io;

use super::colour::{BACKGROUND, Rgb, mixed};

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    /// The most pixels of a picture: it takes about a hundred bytes for each while it is drawn.
    pub(crate) const MOST: u64 = 1 << 24;

    /// `None` if there is no pixel, or there are too many.
    pub(crate) fn new(width: u32, height: u32) -> Option<Self> {
        let pixels = u64::from(width) * u64::from(height);
        (1..=Self::MOST).contains(&pixels).then_some(Self { width, height })
    }

    pub(crate) fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }
}

/// Rows of pixels, the upper left one first.
#[derive(Clone)]
pub(crate) struct Image {
    pub(crate) size: Size,
    pub(crate) pixels: Vec<Rgb>,
}

impl Image {
    pub(crate) fn new(size: Size) -> Self {
        Self { size, pixels: vec![BACKGROUND; size.pixels()] }
    }

    /// Mixes a colour into a pixel, as [`mixed`]. Does nothing outside of the picture.
    pub(crate) fn mix(&mut self, x: i64, y: i64, colour: Rgb, part: u32) {
        let (width, height) = (i64::from(self.size.width), i64::from(self.size.height));
        if (0..width).contains(&x) && (0..height).contains(&y) {
            let pixel = &mut self.pixels[(y * width + x) as usize];
            *pixel = mixed(*pixel, colour, part);
        }
    }

    /// Mixes a colour into a rectangle.
    pub(crate) fn fill(&mut self, left: i64, top: i64, size: [i64; 2], colour: Rgb, part: u32) {
        for y in top..top + size[1] {
            for x in left..left + size[0] {
                self.mix(x, y, colour, part);
            }
        }
    }

    /// The bytes of a PNG file. Each text is a keyword and what it says.
    ///
    /// The settings of the compression are fixed, and done by `fdeflate`, which has no other
    /// implementation to be built with. So a version of this program always gives the same bytes.
    pub(crate) fn to_png(&self, texts: &[(&str, String)]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_deflate_compression(png::DeflateCompression::FdeflateUltraFast);
        encoder.set_filter(png::Filter::Paeth);
        for (keyword, text) in texts {
            encoder.add_itxt_chunk((*keyword).to_owned(), text.clone())?;
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_the_pixels_and_the_texts() {
        let size = Size::new(5, 3).unwrap();
        let mut image = Image::new(size);
        image.fill(3, 1, [9, 9], [1, 2, 3], 256);
        image.mix(-1, 0, [0; 3], 256);
        assert_eq!(image.pixels[7], BACKGROUND);
        assert_eq!((image.pixels[8], image.pixels[14]), ([1, 2, 3], [1, 2, 3]));
        let bytes = image.to_png(&[("Comment", "schräg".to_owned())]).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, image.pixels.as_flattened());
        assert_eq!(reader.info().utf8_text[0].get_text().unwrap(), "schräg");
    }

    #[test]
    fn a_size_has_pixels_but_not_too_many() {
        assert!(Size::new(0, 5).is_none() && Size::new(4097, 4096).is_none());
        assert!(Size::new(u32::MAX, u32::MAX).is_none());
        assert_eq!(Size::new(4096, 4096).unwrap().pixels(), 1 << 24);
    }
}
