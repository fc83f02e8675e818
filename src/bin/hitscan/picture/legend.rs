//! What the colours of a picture mean, written into a corner of it.

use super::colour::{Rgb, WHITE};
use super::distribution::Distribution;
use super::font::{self, LINE};
use super::image::Image;
use super::palette::viridis;

/// Empty pixels around the text.
const PAD: i64 = 8;
/// The least width of a bar of colours.
const BAR_WIDTH: i64 = 256;
const BAR_HEIGHT: i64 = 12;
const HISTOGRAM_HEIGHT: i64 = 40;
/// Values that share a column of the histogram.
const COLUMN: i64 = 4;
/// Lines of a key. A level may have thousands of meshes.
const KEY_LINES: usize = 12;
/// The panel that it is written on, and how much of it covers the picture.
const PANEL: (Rgb, u32) = ([16, 18, 24], 216);

pub(crate) enum Legend {
    Key(Key),
    Scale(Scale),
}

/// A name for each of some colours.
pub(crate) struct Key {
    pub(crate) title: &'static str,
    /// In the order in which they are written.
    pub(crate) entries: Vec<Entry>,
}

pub(crate) struct Entry {
    pub(crate) colour: Rgb,
    pub(crate) name: String,
    /// Pixels of this colour, or rays.
    pub(crate) count: usize,
}

/// Values from `low` to `high` as colours of the palette.
pub(crate) struct Scale {
    pub(crate) title: String,
    pub(crate) values: Distribution,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// What else there is to know.
    pub(crate) note: &'static str,
    /// Whether the bright end of the palette is at `low`.
    pub(crate) is_reversed: bool,
}

/// Writes legends into the lower left corner, each above the one before.
pub(crate) fn draw_all(legends: &[Legend], image: &mut Image) {
    let mut bottom = i64::from(image.size.height);
    for legend in legends {
        bottom = legend.draw(image, bottom);
    }
}

impl Legend {
    /// Writes it on the left, above `bottom`, and gives its upper edge. Nothing where there is no
    /// room for all of it.
    fn draw(&self, image: &mut Image, bottom: i64) -> i64 {
        let lines = self.lines();
        // The room between the title and the text, and before the text.
        let (above, indent, least) = match self {
            Self::Key(_) => (0, LINE, 0),
            Self::Scale(_) => (HISTOGRAM_HEIGHT + BAR_HEIGHT, 0, BAR_WIDTH),
        };
        let widest = lines.iter().map(|line| font::width(line) + indent).max().unwrap_or(0);
        let (width, height) = (widest.max(least), above + LINE * lines.len() as i64);
        if width + 2 * PAD > i64::from(image.size.width) || height + 2 * PAD > bottom {
            return bottom;
        }
        let (left, top) = (PAD, bottom - PAD - height);
        let panel = [width + 2 * PAD, height + 2 * PAD];
        image.fill(left - PAD, top - PAD, panel, PANEL.0, PANEL.1);
        font::write(image, left, top, &lines[0]);
        let below_title = top + LINE;
        match self {
            Self::Key(key) => key.draw_swatches(image, left, below_title),
            Self::Scale(scale) => scale.draw_bar(image, left, below_title, width),
        }
        for (y, line) in (below_title + above..).step_by(LINE as usize).zip(&lines[1..]) {
            font::write(image, left + indent, y, line);
        }
        top - PAD
    }

    /// The text, from the title on.
    fn lines(&self) -> Vec<String> {
        match self {
            Self::Key(key) => key.lines(),
            Self::Scale(scale) => scale.lines(),
        }
    }
}

impl Key {
    /// A square of each colour, in the lines that name them.
    fn draw_swatches(&self, image: &mut Image, left: i64, top: i64) {
        let entries = self.entries.iter().take(KEY_LINES);
        for (y, entry) in (top..).step_by(LINE as usize).zip(entries) {
            image.fill(left, y + 3, [10, 10], entry.colour, 256);
        }
    }

    fn lines(&self) -> Vec<String> {
        let whole: usize = self.entries.iter().map(|entry| entry.count).sum();
        let percent =
            |count: usize| format!("{:6.2} %", 100.0 * count as f64 / whole.max(1) as f64);
        let mut lines = vec![self.title.to_owned()];
        for entry in self.entries.iter().take(KEY_LINES) {
            lines.push(format!("{} {}", percent(entry.count), shortened(&entry.name)));
        }
        if let Some(rest) = self.entries.get(KEY_LINES..).filter(|rest| !rest.is_empty()) {
            let count = rest.iter().map(|entry| entry.count).sum();
            lines.push(format!("{} {} more", percent(count), rest.len()));
        }
        lines
    }
}

impl Scale {
    /// The part of the way from `low` to `high`.
    pub(crate) fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The numbers, as they are in the legend: name and value.
    pub(crate) fn numbers(&self) -> [(&'static str, f64); 6] {
        let values = &self.values;
        [
            ("least", values.least()),
            ("mean", values.mean),
            ("p50", values.percentile(50)),
            ("p95", values.percentile(95)),
            ("p99", values.percentile(99)),
            ("most", values.most()),
        ]
    }

    fn lines(&self) -> Vec<String> {
        let ends = [self.low, self.high].map(number);
        let beyond = if self.values.most() > self.high { "+" } else { "" };
        let high = format!("{}{beyond}", ends[1]);
        let columns = BAR_WIDTH / font::width("0");
        let gap = columns as usize - ends[0].len();
        let mut lines = vec![self.title.clone(), format!("{}{high:>gap$}", ends[0])];
        for row in self.numbers().chunks(3) {
            let row = row.iter().map(|(name, value)| format!("{name:>5} {:<6}", number(*value)));
            lines.push(row.collect());
        }
        if !self.note.is_empty() {
            lines.push(self.note.to_owned());
        }
        lines
    }

    /// The colours from left to right, and above them how many values have each.
    fn draw_bar(&self, image: &mut Image, left: i64, top: i64, width: i64) {
        let columns = self.values.histogram(self.low, self.high, (width / COLUMN) as usize);
        let highest = columns.iter().copied().max().unwrap_or(0).max(1);
        for (x, &count) in (left..).step_by(COLUMN as usize).zip(&columns) {
            // Whatever is there shows.
            let height = (count as i64 * HISTOGRAM_HEIGHT).div_euclid(highest as i64);
            let height = height.max(i64::from(count > 0));
            image.fill(x, top + HISTOGRAM_HEIGHT - height, [COLUMN, height], WHITE, 200);
        }
        for x in 0..width {
            let part = x as f64 / (width - 1) as f64;
            let colour = viridis(if self.is_reversed { 1.0 - part } else { part });
            image.fill(left + x, top + HISTOGRAM_HEIGHT, [1, BAR_HEIGHT], colour, 256);
        }
    }
}

/// With about four digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(0.01..1e6).contains(&size) => format!("{value:.1e}"),
        size if size < 10.0 && value.fract() != 0.0 => format!("{value:.2}"),
        size if size < 1000.0 && value.fract() != 0.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A name of at most 32 characters.
fn shortened(name: &str) -> String {
    const MOST: usize = 32;
    match name.char_indices().nth(MOST) {
        Some(_) => name.chars().take(MOST - 2).chain("..".chars()).collect(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::image::Size;

    fn scale() -> Scale {
        let values = Distribution::new((0..200).map(f64::from).collect());
        Scale {
            title: "nodes".to_owned(),
            values,
            low: 0.0,
            high: 150.0,
            note: "a note",
            is_reversed: false,
        }
    }

    #[test]
    fn a_scale_names_its_ends_and_its_numbers() {
        let lines = scale().lines();
        assert!(lines[1].starts_with('0') && lines[1].ends_with(" 150+"), "{lines:?}");
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>(),
            ["least", "0", "mean", "99.5", "p50", "99"]
        );
        assert_eq!(
            lines[3].split_whitespace().collect::<Vec<_>>(),
            ["p95", "189", "p99", "197", "most", "199"]
        );
        assert_eq!((lines[4].as_str(), lines.len()), ("a note", 5));
        let numbers = [0.0, 1e-5, 0.25, 31.04, 512.0, 1234.5, 2e7, -3.5].map(number);
        assert_eq!(numbers, ["0", "1.0e-5", "0.25", "31.0", "512", "1234", "2.0e7", "-3.50"]);
    }

    #[test]
    fn a_long_key_is_cut() {
        let entry = |i| Entry { colour: [i; 3], name: format!("mesh {i}"), count: 10 };
        let key = Key { title: "meshes", entries: (0..20).map(entry).collect() };
        let lines = key.lines();
        assert_eq!(lines.len(), 14);
        assert_eq!((&*lines[1], &*lines[13]), ("  5.00 % mesh 0", " 40.00 % 8 more"));
        assert_eq!(shortened(&"long".repeat(20)).len(), 32);
    }

    #[test]
    fn a_legend_is_drawn_where_there_is_room_for_all_of_it() {
        let legends = [Legend::Scale(scale())];
        let empty = Image::new(Size::new(400, 300).unwrap());
        let mut image = empty.clone();
        draw_all(&legends, &mut image);
        let changed = image.pixels.iter().zip(&empty.pixels).filter(|(a, b)| a != b).count();
        assert!(changed > 20_000 && changed < 60_000, "{changed}");
        for colour in [viridis(0.0), viridis(1.0)] {
            assert!(image.pixels.contains(&colour));
        }
        let mut small = Image::new(Size::new(160, 90).unwrap());
        draw_all(&legends, &mut small);
        assert!(small.pixels.iter().all(|pixel| *pixel == empty.pixels[0]));
    }

    #[test]
    fn legends_stand_above_each_other() {
        let key = |colour| {
            let entries = vec![Entry { colour, name: "rays".to_owned(), count: 1 }];
            Legend::Key(Key { title: "key", entries })
        };
        let (red, green) = ([255, 0, 0], [0, 255, 0]);
        let mut image = Image::new(Size::new(400, 100).unwrap());
        draw_all(&[key(red), Legend::Scale(scale()), key(green)], &mut image);
        let rows = |colour: Rgb| -> Vec<usize> {
            let pixels = image.pixels.iter().enumerate();
            let of_colour = pixels.filter(|(_, pixel)| **pixel == colour);
            of_colour.map(|(i, _)| i / image.size.width as usize).collect()
        };
        // There is no room for the scale between them.
        assert_eq!((rows(red).len(), rows(green).len()), (100, 100));
        let panel = 2 * PAD + 2 * LINE;
        assert_eq!(rows(red)[0], rows(green)[0] + panel as usize);
    }
}
