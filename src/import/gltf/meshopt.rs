//! `EXT_meshopt_compression`, decompressed with the feature `meshopt`.

use meshopt::{
    decode_filter_exp, decode_index_buffer, decode_index_sequence, decode_vertex_buffer,
};

use super::json::Json;
use super::limits::MAX_EXPANSION;
use crate::import::ImportErrorKind::{Invalid, TooLarge, Unsupported};
use crate::import::error::Result;
use crate::import::text::shown;

/// A compressed view.
pub(super) struct Compressed {
    count: usize,
    stride: usize,
    mode: Mode,
    has_exponents: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

impl Compressed {
    /// The description of `bytes` compressed bytes.
    pub(super) fn of(extension: &Json<'_>, bytes: usize) -> Result<Self> {
        let object = extension.object()?;
        let required = |name: &str| object.get(name).ok_or_else(|| extension.missing(name));
        let (count, stride, mode) =
            (required("count")?.size()?, required("byteStride")?.size()?, required("mode")?);
        let filter = object.get("filter");
        let has_exponents = match filter.as_ref().map(|f| f.string()).transpose()?.as_deref() {
            None | Some("NONE") => false,
            Some("EXPONENTIAL") => true,
            Some(other) => {
                let reason = format_args!("the filter {} is not supported", shown(other));
                return Err(extension.error(Unsupported, reason));
            }
        };
        let mode = match mode.string()?.as_str() {
            "ATTRIBUTES" => Mode::Attributes,
            "TRIANGLES" => Mode::Triangles,
            "INDICES" => Mode::Indices,
            other => return Err(mode.error(Invalid, format_args!("{} is no mode", shown(other)))),
        };
        let fits = match mode {
            Mode::Attributes => stride > 0 && stride <= 256 && stride % 4 == 0,
            Mode::Triangles => (stride == 2 || stride == 4) && count % 3 == 0,
            Mode::Indices => stride == 2 || stride == 4,
        };
        if !fits {
            let reason = format_args!("{count} elements of {stride} bytes do not suit the mode");
            return Err(extension.error(Invalid, reason));
        }
        if count.saturating_mul(stride) > bytes as u64 * MAX_EXPANSION + 4096 {
            let reason = format_args!("{count} elements of {stride} bytes from {bytes} bytes");
            return Err(extension.error(TooLarge, reason));
        }
        let (count, stride) = (count as usize, stride as usize);
        Ok(Self { count, stride, mode, has_exponents })
    }

    /// The bytes from one element to the next, for the accessors that use the view.
    pub(super) fn stride(&self) -> Option<u64> {
        (self.mode == Mode::Attributes).then_some(self.stride as u64)
    }

    pub(super) fn decompress(&self, extension: &Json<'_>, bytes: &[u8]) -> Result<Vec<u8>> {
        let count = self.count;
        let decoded = match (self.mode, self.stride) {
            (Mode::Attributes, stride) => vertices(bytes, count, stride),
            (Mode::Triangles, 2) => decode_index_buffer::<u16>(bytes, count).map(bytes_of),
            (Mode::Triangles, _) => decode_index_buffer::<u32>(bytes, count).map(bytes_of),
            (Mode::Indices, 2) => decode_index_sequence::<u16>(bytes, count).map(bytes_of),
            (Mode::Indices, _) => decode_index_sequence::<u32>(bytes, count).map(bytes_of),
        };
        let mut decoded =
            decoded.map_err(|error| extension.error(Invalid, format_args!("meshopt: {error}")))?;
        if self.has_exponents {
            for four in decoded.as_chunks_mut::<4>().0 {
                let mut word = [[u32::from_le_bytes(*four)]];
                decode_filter_exp(&mut word);
                *four = word[0][0].to_le_bytes();
            }
        }
        Ok(decoded)
    }
}

fn bytes_of<T: bytemuck::NoUninit>(values: Vec<T>) -> Vec<u8> {
    bytemuck::cast_slice(&values).to_vec()
}

/// An element of `N` words.
#[derive(Clone, Copy)]
struct Words<const N: usize>([u32; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

/// Decompresses elements. The library takes their size from a type.
fn vertices(bytes: &[u8], count: usize, stride: usize) -> meshopt::Result<Vec<u8>> {
    macro_rules! by_words {
        ($($n:literal)*) => {
            match stride / 4 {
                $($n => decode_vertex_buffer::<Words<$n>>(bytes, count)
                    .map(|all| all.iter().flat_map(|w| w.0).flat_map(u32::to_ne_bytes).collect()),)*
                _ => Ok(Vec::new()),
            }
        };
    }
    by_words!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61
        62 63 64)
}
