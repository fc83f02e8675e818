//! Files of rays: records of 32 bytes, as `hitscan help rays` says.

use std::fs;
use std::path::Path;

use hitscan::Ray;

use crate::exit::Failure;

/// Bytes of a ray.
pub(crate) const RECORD: usize = 32;

pub(crate) fn ray(record: &[u8; RECORD]) -> Ray {
    let (numbers, _) = record.as_chunks();
    let f = |i: usize| f32::from_le_bytes(numbers[i]);
    Ray::new([f(0), f(1), f(2)], [f(4), f(5), f(6)]).with_range(f(3), f(7))
}

/// All rays of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Ray>, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::io(path, "reading", &error))?;
    let (records, rest) = bytes.as_chunks();
    if rest.is_empty() {
        return Ok(records.iter().map(ray).collect());
    }
    let at = (bytes.len() - rest.len()) as u64;
    Err(cut_off(path, at, rest))
}

/// The last record, at byte `at`, is too short.
pub(crate) fn cut_off(path: &Path, at: u64, rest: &[u8]) -> Failure {
    let reason = format!("a ray has {RECORD} bytes, the last one {}", rest.len());
    Failure::at(path, &format!("byte {at}"), &reason)
}
