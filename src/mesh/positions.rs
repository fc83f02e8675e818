//! The layouts in which callers keep vertex positions and indices.

use glam::Vec3;

use crate::platform::prefetch_line;

/// Vertex positions in the caller's own layout.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Positions<'a> {
    /// `[x, y, z]` arrays.
    Arrays(&'a [[f32; 3]]),
    /// glam vectors.
    Vec3(&'a [Vec3]),
    /// Three native-endian `f32` at the start of every `stride` bytes, as in an interleaved
    /// vertex buffer. The bytes may have any alignment. To start at an offset, pass the
    /// bytes from there on. The last vertex may be shorter than the stride. With a stride
    /// of less than 12 there are no vertices.
    Strided {
        /// The buffer, from the first position on.
        bytes: &'a [u8],
        /// Bytes from one position to the next, at least 12.
        stride: usize,
    },
}

impl Positions<'_> {
    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        match *self {
            Self::Arrays(positions) => positions.len(),
            Self::Vec3(positions) => positions.len(),
            Self::Strided { bytes, stride } if stride >= 12 && bytes.len() >= 12 => {
                (bytes.len() - 12) / stride + 1
            }
            Self::Strided { .. } => 0,
        }
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position number `index`, or `None` past the end.
    #[must_use]
    #[inline(always)]
    pub fn position(&self, index: usize) -> Option<Vec3> {
        match *self {
            Self::Arrays(positions) => positions.get(index).copied().map(Vec3::from_array),
            Self::Vec3(positions) => positions.get(index).copied(),
            Self::Strided { bytes, stride } => {
                if index >= self.len() {
                    return None;
                }
                let at = |k: usize| {
                    let start = index * stride + 4 * k;
                    let raw = bytes.get(start..start + 4)?;
                    Some(f32::from_ne_bytes(raw.try_into().ok()?))
                };
                Some(Vec3::new(at(0)?, at(1)?, at(2)?))
            }
        }
    }

    /// The largest magnitude of a coordinate; infinite or NaN if one is.
    pub(crate) fn magnitude(&self) -> f32 {
        // Without their signs, numbers are in order as integers too, infinity and NaN above all.
        let most = |most: u32, x: f32| most.max(x.to_bits() & (u32::MAX >> 1));
        let of_arrays = |arrays: &[[f32; 3]]| arrays.as_flattened().iter().copied().fold(0, most);
        f32::from_bits(match *self {
            Self::Arrays(positions) => of_arrays(positions),
            Self::Vec3(positions) => of_arrays(bytemuck::cast_slice(positions)),
            Self::Strided { .. } => {
                let positions = (0..self.len()).filter_map(|index| self.position(index));
                positions.flat_map(|position| position.to_array()).fold(0, most)
            }
        })
    }

    /// Prefetches position number `index`, which need not exist.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        prefetch_line(match *self {
            Self::Arrays(positions) => positions.as_ptr().wrapping_add(index).cast(),
            Self::Vec3(positions) => positions.as_ptr().wrapping_add(index).cast(),
            Self::Strided { bytes, stride } => {
                bytes.as_ptr().wrapping_add(index.wrapping_mul(stride))
            }
        });
    }
}

/// Triangle indices in the caller's own layout, three for each triangle.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Indices<'a> {
    /// No indices: every three positions make a triangle.
    None,
    /// 16-bit indices.
    U16(&'a [u16]),
    /// 32-bit indices.
    U32(&'a [u32]),
}
