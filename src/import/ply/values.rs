//! Numbers of a PLY file, one after another, in whatever way they are written.

use std::fmt;

use super::header::{Header, Kind, Scalar};
use crate::import::error::{Fault, ImportErrorKind};
use crate::import::text::{self, Words};

/// A cursor over the data. `place` tells in a fault which value was wanted.
pub(super) trait Values {
    /// Bytes left.
    fn left(&self) -> usize;
    /// The fewest bytes that a property can take.
    fn least(&self, kind: Kind) -> usize;
    fn float(&mut self, scalar: Scalar, place: fmt::Arguments<'_>) -> Result<f32, Fault>;
    fn whole(&mut self, scalar: Scalar, place: fmt::Arguments<'_>) -> Result<i64, Fault>;
    fn skip(&mut self, scalar: Scalar, place: fmt::Arguments<'_>) -> Result<(), Fault>;
    /// A fault at the place that was read last.
    fn fault(&self, kind: ImportErrorKind, reason: fmt::Arguments<'_>) -> Fault;
}

/// Words between white space; lines mean nothing.
pub(super) struct Text<'a>(Words<'a>);

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self(Words::new(bytes, header.end, header.end_line))
    }
}

impl Values for Text<'_> {
    fn left(&self) -> usize {
        self.0.left()
    }

    fn least(&self, _: Kind) -> usize {
        2
    }

    fn float(&mut self, _: Scalar, place: fmt::Arguments<'_>) -> Result<f32, Fault> {
        self.0.expect_float(place)
    }

    fn whole(&mut self, _: Scalar, place: fmt::Arguments<'_>) -> Result<i64, Fault> {
        let word = self.0.expect(place)?;
        text::whole(word).ok_or_else(|| {
            let word = text::shown(word);
            self.0.fault(
                ImportErrorKind::Syntax,
                format_args!("'{word}' is no whole number (for {place})"),
            )
        })
    }

    fn skip(&mut self, _: Scalar, place: fmt::Arguments<'_>) -> Result<(), Fault> {
        self.0.expect(place).map(|_| ())
    }

    fn fault(&self, kind: ImportErrorKind, reason: fmt::Arguments<'_>) -> Fault {
        self.0.fault(kind, reason)
    }
}

/// Binary values, in little-endian order or in big-endian.
pub(super) struct Binary<'a, const LITTLE: bool> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a, const LITTLE: bool> Binary<'a, LITTLE> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, at: header.end }
    }

    fn take<const N: usize>(&mut self, place: fmt::Arguments<'_>) -> Result<[u8; N], Fault> {
        let Some((raw, _)) = self.bytes[self.at..].split_first_chunk::<N>() else {
            return Err(self.fault(
                ImportErrorKind::Truncated,
                format_args!("the file ends where {place} should follow"),
            ));
        };
        self.at += N;
        let mut raw = *raw;
        if !LITTLE {
            raw.reverse();
        }
        Ok(raw)
    }
}

impl<const LITTLE: bool> Values for Binary<'_, LITTLE> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn least(&self, kind: Kind) -> usize {
        match kind {
            Kind::Scalar(scalar) | Kind::List { count: scalar, .. } => scalar.size(),
        }
    }

    fn float(&mut self, scalar: Scalar, place: fmt::Arguments<'_>) -> Result<f32, Fault> {
        Ok(match scalar {
            Scalar::F32 => f32::from_le_bytes(self.take(place)?),
            Scalar::F64 => f64::from_le_bytes(self.take(place)?) as f32,
            _ => self.whole(scalar, place)? as f32,
        })
    }

    fn whole(&mut self, scalar: Scalar, place: fmt::Arguments<'_>) -> Result<i64, Fault> {
        let float = match scalar {
            Scalar::I8 => return Ok(i8::from_le_bytes(self.take(place)?).into()),
            Scalar::U8 => return Ok(u8::from_le_bytes(self.take(place)?).into()),
            Scalar::I16 => return Ok(i16::from_le_bytes(self.take(place)?).into()),
            Scalar::U16 => return Ok(u16::from_le_bytes(self.take(place)?).into()),
            Scalar::I32 => return Ok(i32::from_le_bytes(self.take(place)?).into()),
            Scalar::U32 => return Ok(u32::from_le_bytes(self.take(place)?).into()),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take(place)?)),
            Scalar::F64 => f64::from_le_bytes(self.take(place)?),
        };
        text::whole_of(float).ok_or_else(|| {
            self.fault(
                ImportErrorKind::Syntax,
                format_args!("{float} is no whole number (for {place})"),
            )
        })
    }

    fn skip(&mut self, scalar: Scalar, place: fmt::Arguments<'_>) -> Result<(), Fault> {
        match scalar.size() {
            1 => self.take::<1>(place).map(|_| ()),
            2 => self.take::<2>(place).map(|_| ()),
            4 => self.take::<4>(place).map(|_| ()),
            _ => self.take::<8>(place).map(|_| ()),
        }
    }

    fn fault(&self, kind: ImportErrorKind, reason: fmt::Arguments<'_>) -> Fault {
        Fault::new(kind, format_args!("byte {}", self.at), reason)
    }
}
