//! Hashes of the contents of meshes, the same for every memory layout.

use std::array;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{Indices, MeshView, Positions};
use crate::platform::parallel;

/// Numbers that are hashed between two calls of `keep_going`.
const RUN: usize = 1 << 15;
/// Numbers that are converted at a time.
const PIECE: usize = 1 << 9;

/// A hash of the indices, the same for every width. `keep_going` is called on the way with how
/// many numbers come next. If it returns `false`, the hash is not to be used.
pub(crate) fn index_hash(mesh: &MeshView<'_>, keep_going: &(impl Fn(usize) -> bool + Sync)) -> u64 {
    match mesh.indices() {
        Indices::None => numbers_hash(&[], keep_going),
        Indices::U16(indices) => {
            let mut hash = Xxh3::new();
            for run in watched(indices, keep_going) {
                for piece in run.chunks(PIECE) {
                    let mut numbers = [0; PIECE];
                    for (number, &index) in numbers.iter_mut().zip(piece) {
                        *number = u32::from(index);
                    }
                    update(&mut hash, &numbers[..piece.len()]);
                }
            }
            hash.digest()
        }
        Indices::U32(indices) => numbers_hash(indices, keep_going),
    }
}

/// A hash of the positions, the same for every layout; `keep_going` as for the indices.
pub(crate) fn positions_hash(
    positions: &Positions<'_>,
    keep_going: &(impl Fn(usize) -> bool + Sync),
) -> u64 {
    let runs: Vec<usize> = (0..positions.len()).step_by(RUN).collect();
    let hashes = parallel::map(&runs, |&first| {
        let end = positions.len().min(first + RUN);
        if !keep_going(end - first) {
            return [0; 8];
        }
        let mut hash = Xxh3::new();
        if let Positions::Arrays(arrays) = positions {
            update(&mut hash, bytemuck::cast_slice(&arrays[first..end]));
        } else {
            for first in (first..end).step_by(PIECE) {
                let arrays: [[f32; 3]; PIECE] = array::from_fn(|i| {
                    let position = positions.position(first + i);
                    position.map_or([0.0; 3], |position| position.to_array())
                });
                let there = PIECE.min(end - first);
                update(&mut hash, bytemuck::cast_slice(&arrays[..there]));
            }
        }
        hash.digest().to_le_bytes()
    });
    xxh3_64(hashes.as_flattened())
}

/// A hash of the materials; `keep_going` as for the indices.
pub(crate) fn materials_hash(
    materials: &[u32],
    keep_going: &(impl Fn(usize) -> bool + Sync),
) -> u64 {
    numbers_hash(materials, keep_going)
}

/// A hash of consecutive numbers.
fn numbers_hash(numbers: &[u32], keep_going: &impl Fn(usize) -> bool) -> u64 {
    let mut hash = Xxh3::new();
    watched(numbers, keep_going).for_each(|run| update(&mut hash, run));
    hash.digest()
}

fn watched<'a, T>(
    numbers: &'a [T],
    keep_going: &'a impl Fn(usize) -> bool,
) -> impl Iterator<Item = &'a [T]> {
    let runs = numbers.chunks(RUN);
    runs.take_while(|run| keep_going(run.len()))
}

/// Hashes numbers as little-endian bytes.
fn update(hash: &mut Xxh3, numbers: &[u32]) {
    if cfg!(target_endian = "little") {
        hash.update(bytemuck::cast_slice(numbers));
    } else {
        for number in numbers {
            hash.update(&number.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// The promised hash: of the numbers as little-endian bytes, run by run.
    fn expected(positions: &[[f32; 3]]) -> u64 {
        let run = |run: &[[f32; 3]]| {
            let bytes = run.as_flattened().iter().flat_map(|x| x.to_le_bytes());
            xxh3_64(&bytes.collect::<Vec<_>>()).to_le_bytes()
        };
        let hashes: Vec<_> = positions.chunks(RUN).map(run).collect();
        xxh3_64(hashes.as_flattened())
    }

    #[test]
    fn position_hash_is_the_same_for_all_layouts() {
        let all: Vec<[f32; 3]> = (0..RUN + 2 * PIECE + 3)
            .map(|i| [i as f32, -0.5 * i as f32, 1.0 / (i + 1) as f32])
            .collect();
        for count in [0, 1, PIECE - 1, PIECE, PIECE + 1, RUN, all.len()] {
            let arrays = &all[..count];
            let vectors: Vec<Vec3> = arrays.iter().map(|&p| Vec3::from_array(p)).collect();
            let mut bytes = Vec::new();
            for position in arrays {
                bytes.extend(position.iter().flat_map(|x| x.to_ne_bytes()));
                bytes.extend([7; 5]);
            }
            let strided = Positions::Strided { bytes: &bytes, stride: 17 };
            for positions in [Positions::Arrays(arrays), Positions::Vec3(&vectors), strided] {
                let hash = positions_hash(&positions, &|_| true);
                assert_eq!(hash, expected(arrays), "{count}");
            }
        }
    }

    #[test]
    fn index_hash_is_the_same_for_all_widths() {
        let wide: Vec<u32> = (0..RUN as u32 + 700).map(|i| i * 7 % 60_000).collect();
        for count in [0, 1, PIECE, PIECE + 1, RUN, wide.len()] {
            let wide = &wide[..count];
            let narrow: Vec<u16> = wide.iter().map(|&i| i as u16).collect();
            let bytes: Vec<u8> = wide.iter().flat_map(|i| i.to_le_bytes()).collect();
            for indices in [Indices::U16(&narrow), Indices::U32(wide)] {
                let mesh = MeshView::new(Positions::Arrays(&[]), indices);
                assert_eq!(index_hash(&mesh, &|_| true), xxh3_64(&bytes), "{count}");
            }
            assert_eq!(materials_hash(wide, &|_| true), xxh3_64(&bytes));
        }
    }
}
