//! The numbers of a PLY file, one after another, in text or binary.

use std::fmt::Arguments;

use super::header::{Encoding, Header, Kind};
use crate::import::ImportErrorKind::{self, Syntax, Truncated};
use crate::import::error::{ImportError, Result, Warnings};
use crate::import::scalar::Scalar;
use crate::import::text::{Words, whole_of};

/// How the rows of a text file lie in its lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each row has a line of its own. Further values in the line are skipped.
    RowPerLine,
    /// Rows end and begin anywhere in a line.
    Free,
}

/// The first row with too many values, and the number of such rows.
#[derive(Clone)]
pub(super) struct LongRow {
    pub(super) place: String,
    pub(super) reason: String,
    pub(super) count: usize,
}

/// A cursor over the data. `place` says in an error which value was read.
#[derive(Clone)]
pub(super) struct Values<'a> {
    words: Words<'a>,
    encoding: Encoding,
    layout: Layout,
    /// The number of values of this row that were read.
    in_row: usize,
    /// Where a row had too many values.
    pub(super) long_row: Option<LongRow>,
    /// Whether a row ended too early.
    pub(super) has_short_row: bool,
}

impl<'a> Values<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header, layout: Layout) -> Self {
        let words = Words::new(bytes, header.end, header.end_line);
        let encoding = header.encoding;
        Self { words, encoding, layout, in_row: 0, long_row: None, has_short_row: false }
    }

    pub(super) fn begin_row(&mut self) {
        self.in_row = 0;
    }

    /// Skips what the line has beyond the row, and remembers that.
    pub(super) fn end_row(&mut self) {
        if self.encoding != Encoding::Text || self.layout == Layout::Free {
            return;
        }
        let rest = self.words.rest_of_line();
        if rest.is_empty() {
            return;
        }
        let (words, declared) = (&self.words, self.in_row);
        let long_row = self.long_row.get_or_insert_with(|| {
            let found = declared + Words::new(rest, 0, 0).count();
            let reason = format!("a row of {found} values, where {declared} are declared");
            LongRow { place: words.place(), reason, count: 0 }
        });
        long_row.count += 1;
    }

    /// Before a value of a text: a row must not end before it.
    fn advance(&mut self, place: Arguments<'_>) -> Result<()> {
        if self.layout == Layout::RowPerLine && self.in_row > 0 && self.words.at_line_end() {
            self.has_short_row = true;
            let found = self.in_row;
            let reason = format_args!("the row ends after {found} values, before {place}");
            return Err(self.words.error(Syntax, reason));
        }
        self.in_row += 1;
        Ok(())
    }

    /// Whether anything but white space is left.
    pub(super) fn has_rest(&self) -> bool {
        self.words.clone().next().is_some()
    }

    /// Warns of data after the last element.
    pub(super) fn warn_of_rest(self, warnings: &mut Warnings) {
        let left = self.left();
        if self.encoding == Encoding::Text {
            self.words.warn_of_rest(warnings);
        } else if left > 0 {
            let place = format_args!("byte {}", self.words.at);
            warnings.add(place, format_args!("{left} bytes after the last element"));
        }
    }

    /// The number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.words.left()
    }

    /// The fewest bytes that a property can take.
    pub(super) fn least(&self, kind: Kind) -> usize {
        match kind {
            _ if self.encoding == Encoding::Text => 2,
            Kind::Scalar(scalar) | Kind::List { count: scalar, .. } => scalar.size(),
        }
    }

    /// An error at the current line or byte.
    pub(super) fn error(&self, kind: ImportErrorKind, reason: Arguments<'_>) -> ImportError {
        match self.encoding {
            Encoding::Text => self.words.error(kind, reason),
            _ => ImportError::at(kind, format_args!("byte {}", self.words.at), reason),
        }
    }

    pub(super) fn float(&mut self, scalar: Scalar, place: Arguments<'_>) -> Result<f32> {
        match self.encoding {
            Encoding::Text => {
                self.advance(place)?;
                self.words.expect_float(place)
            }
            _ => self.binary(scalar, place, |raw| scalar.read_f32(raw)),
        }
    }

    pub(super) fn whole(&mut self, scalar: Scalar, place: Arguments<'_>) -> Result<i64> {
        if self.encoding == Encoding::Text {
            self.advance(place)?;
            return self.words.expect_whole(place);
        }
        let value = self.binary(scalar, place, |raw| scalar.read(raw))?;
        whole_of(value).ok_or_else(|| {
            self.error(
                Syntax,
                format_args!("{value} is not a whole number up to 2^53 (for {place})"),
            )
        })
    }

    pub(super) fn skip(&mut self, scalar: Scalar, place: Arguments<'_>) -> Result<()> {
        match self.encoding {
            Encoding::Text => {
                self.advance(place)?;
                self.words.expect(place).map(|_| ())
            }
            _ => self.binary(scalar, place, |_| ()),
        }
    }

    /// Reads a binary value. `read` gets its bytes in little-endian order.
    fn binary<T>(
        &mut self,
        scalar: Scalar,
        place: Arguments<'_>,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<T> {
        let Some(raw) = self.words.take_bytes(scalar.size()) else {
            let reason = format_args!("the file ends where {place} should follow");
            return Err(self.error(Truncated, reason));
        };
        if self.encoding == Encoding::LittleEndian {
            return Ok(read(raw));
        }
        let mut reversed = [0; 8];
        reversed.iter_mut().zip(raw.iter().rev()).for_each(|(to, from)| *to = *from);
        Ok(read(&reversed))
    }
}
