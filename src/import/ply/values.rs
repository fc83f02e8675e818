//! The numbers of a PLY file, one after another, in text or binary.

use std::fmt::Arguments;

use super::header::{Encoding, Header, Kind};
use crate::import::ImportErrorKind::{self, Syntax, Truncated};
use crate::import::error::{ImportError, Result};
use crate::import::scalar::Scalar;
use crate::import::text::{Words, whole_of};

/// A cursor over the data. `place` says in an error which value was read.
pub(super) struct Values<'a> {
    words: Words<'a>,
    encoding: Encoding,
}

impl<'a> Values<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let words = Words::new(bytes, header.end, header.end_line);
        Self { words, encoding: header.encoding }
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
            Encoding::Text => self.words.expect_float(place),
            _ => self.binary(scalar, place, |raw| scalar.read_f32(raw)),
        }
    }

    pub(super) fn whole(&mut self, scalar: Scalar, place: Arguments<'_>) -> Result<i64> {
        if self.encoding == Encoding::Text {
            return self.words.expect_whole(place);
        }
        let value = self.binary(scalar, place, |raw| scalar.read(raw))?;
        whole_of(value).ok_or_else(|| {
            self.error(Syntax, format_args!("{value} is not a whole number (for {place})"))
        })
    }

    pub(super) fn skip(&mut self, scalar: Scalar, place: Arguments<'_>) -> Result<()> {
        match self.encoding {
            Encoding::Text => self.words.expect(place).map(|_| ()),
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
