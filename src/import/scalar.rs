//! The number types that binary formats store.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// The number of bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The number at the start of little-endian bytes; zero if there are too few bytes. Integers
    /// of eight bytes beyond 2^53 are rounded.
    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a, ..]) => (a as i8).into(),
            (Self::U8, &[a, ..]) => a.into(),
            (Self::I16, &[a, b, ..]) => i16::from_le_bytes([a, b]).into(),
            (Self::U16, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
            (Self::I32, &[a, b, c, d, ..]) => i32::from_le_bytes([a, b, c, d]).into(),
            (Self::U32, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]).into(),
            (Self::F32, &[a, b, c, d, ..]) => f32::from_le_bytes([a, b, c, d]).into(),
            (_, &[a, b, c, d, e, f, g, h, ..]) => {
                let eight = [a, b, c, d, e, f, g, h];
                match self {
                    Self::I64 => i64::from_le_bytes(eight) as f64,
                    Self::U64 => u64::from_le_bytes(eight) as f64,
                    _ => f64::from_le_bytes(eight),
                }
            }
            _ => 0.0,
        }
    }

    /// Appends a number as little-endian bytes, cut to the type's range.
    #[cfg(feature = "draco")]
    pub(super) fn write(self, value: f32, bytes: &mut Vec<u8>) {
        match self {
            Self::I8 => bytes.extend((value as i8).to_le_bytes()),
            Self::U8 => bytes.extend((value as u8).to_le_bytes()),
            Self::I16 => bytes.extend((value as i16).to_le_bytes()),
            Self::U16 => bytes.extend((value as u16).to_le_bytes()),
            Self::I32 => bytes.extend((value as i32).to_le_bytes()),
            Self::U32 => bytes.extend((value as u32).to_le_bytes()),
            Self::I64 => bytes.extend((value as i64).to_le_bytes()),
            Self::U64 => bytes.extend((value as u64).to_le_bytes()),
            Self::F32 => bytes.extend(value.to_le_bytes()),
            Self::F64 => bytes.extend(f64::from(value).to_le_bytes()),
        }
    }

    /// The same as `f32`; an `f32` keeps its bits, even if it is a NaN.
    pub(super) fn read_f32(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::F32, &[a, b, c, d, ..]) => f32::from_le_bytes([a, b, c, d]),
            _ => self.read(bytes) as f32,
        }
    }
}
