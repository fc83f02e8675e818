//! Files of rays: records of 32 bytes, each a [`Ray`] as it lies in memory.

use std::io::{Read, Write};

use crate::error::{RayFileError, RayFileErrorKind};
use crate::geometry::Ray;

/// Bytes of a record.
const RECORD: usize = size_of::<Ray>();

/// Reads rays up to the reader's end, as [`write_rays`] wrote them.
///
/// Nothing else is in the bytes, so to read a part of them, [`take`](Read::take) a multiple of 32.
/// Any numbers are read: a ray that can hit nothing is a ray too (see [`Ray`]). Takes memory in
/// proportion to the bytes that come.
///
/// # Errors
///
/// If reading fails, or if the bytes end within a ray.
pub fn read_rays(mut reader: impl Read) -> Result<Vec<Ray>, RayFileError> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| RayFileError::io("reading", error))?;
    let (records, rest) = bytes.as_chunks::<RECORD>();
    if !rest.is_empty() {
        let offset = records.len() * RECORD;
        let left = rest.len();
        let message = format!("byte {offset}: a ray has {RECORD} bytes, the last one {left}");
        return Err(RayFileError::new(RayFileErrorKind::Truncated, message).at(offset as u64));
    }
    let numbers = |record: &[u8; RECORD]| {
        let words: [[u8; 4]; RECORD / 4] = bytemuck::cast(*record);
        bytemuck::cast(words.map(f32::from_le_bytes))
    };
    Ok(records.iter().map(numbers).collect())
}

/// Writes rays, as [`read_rays`] and `hitscan rays` read them: for each 32 bytes, which are the
/// fields of [`Ray`] in their order as little-endian `f32`. Does not flush.
///
/// ```
/// use hitscan::Ray;
/// use hitscan::file::{read_rays, write_rays};
///
/// let rays = vec![Ray::new([1.0, 2.0, 3.0], [0.0, -1.0, 0.0]); 10];
/// let mut bytes = Vec::new(); // or a file
/// write_rays(&mut bytes, &rays)?;
/// assert_eq!(bytes.len(), 320);
/// assert_eq!(read_rays(&bytes[..])?, rays);
/// # Ok::<(), hitscan::RayFileError>(())
/// ```
///
/// # Errors
///
/// If writing fails.
pub fn write_rays(mut writer: impl Write, rays: &[Ray]) -> Result<(), RayFileError> {
    /// Rays that are converted at a time.
    const PIECE: usize = 1 << 11;
    let mut bytes = Vec::with_capacity(RECORD * PIECE.min(rays.len()));
    for piece in rays.chunks(PIECE) {
        bytes.clear();
        for ray in piece {
            let words: [f32; RECORD / 4] = bytemuck::cast(*ray);
            bytes.extend_from_slice(words.map(f32::to_le_bytes).as_flattened());
        }
        writer.write_all(&bytes).map_err(|error| RayFileError::io("writing", error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn rays() -> Vec<Ray> {
        let ray = |i: usize| {
            let from = [i as f32, -0.0, 0.25];
            Ray::new(from, [1.0, i as f32, -2.0]).with_range(-3.0, f32::INFINITY)
        };
        (0..5000).map(ray).collect()
    }

    #[test]
    fn rays_come_back_as_they_were_in_memory_order() {
        let rays = rays();
        let mut bytes = Vec::new();
        write_rays(&mut bytes, &rays).unwrap();
        assert_eq!(read_rays(&bytes[..]).unwrap(), rays);
        let numbers = [7.0, -0.0, 0.25, 1.0, 7.0, -2.0, -3.0, f32::INFINITY];
        assert_eq!(bytes[7 * 32..8 * 32], *numbers.map(f32::to_le_bytes).as_flattened());
        #[cfg(target_endian = "little")]
        assert_eq!(bytes, bytemuck::cast_slice::<Ray, u8>(&rays));
        // Numbers of any kind, bit for bit.
        let odd = [0x7f81_2345, 0xffff_ffff, 1, 0x8000_0000, 0, 0x7f80_0000, 2, 3u32];
        let bytes = odd.map(u32::to_le_bytes);
        let mut again = Vec::new();
        write_rays(&mut again, &read_rays(bytes.as_flattened()).unwrap()).unwrap();
        assert_eq!(again, bytes.as_flattened());
    }

    #[test]
    fn a_ray_that_is_cut_off_is_told_by_its_place() {
        let mut bytes = Vec::new();
        write_rays(&mut bytes, &rays()).unwrap();
        for left in 1..32 {
            let error = read_rays(&bytes[..3 * 32 + left]).unwrap_err();
            assert_eq!(error.kind(), RayFileErrorKind::Truncated);
            assert_eq!(error.offset(), Some(96));
            let expected = format!("byte 96: a ray has 32 bytes, the last one {left}");
            assert_eq!(error.to_string(), expected);
        }
        assert_eq!(read_rays(&[][..]).unwrap(), []);
    }

    #[test]
    fn a_failure_of_the_reader_or_writer_is_passed_on() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk"))
            }
        }
        let error = read_rays(Broken).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (RayFileErrorKind::Io, None));
        assert_eq!(error.to_string(), "reading rays: disk");
        let error = write_rays(&mut [0; 40][..], &rays()).unwrap_err();
        assert_eq!(error.kind(), RayFileErrorKind::Io);
        assert!(std::error::Error::source(&error).is_some());
    }
}
