//! A mesh from bytes. JavaScript writes them: see `src/mesh_input.js`.
//!
//! Three numbers for each vertex; the indices; the materials; sixteen numbers of the transform, if
//! it has one; the name. All but the name are words of four bytes, little-endian.

use border::{Fault, Kind};
use hitscan::Mesh;
use hitscan::glam::{Affine3A, Mat4};

/// How many of each there are.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) vertices: u32,
    pub(crate) indices: u32,
    pub(crate) materials: u32,
    /// Which parts there are: bits for indices, materials and transform, for each of the first two
    /// may be there and empty.
    pub(crate) parts: u32,
}

/// Reads a mesh.
pub(crate) fn read(bytes: &[u8], counts: Counts) -> Result<Mesh, Fault> {
    let has = |bit: u32| counts.parts & 1 << bit != 0;
    let (points, bytes) = words(bytes, u64::from(counts.vertices) * 3)?;
    let positions = collect(points.as_chunks::<3>().0.iter().map(|word| word.map(f32::from_bits)))?;
    let (indices, bytes) = words(bytes, u64::from(counts.indices))?;
    let (materials, bytes) = words(bytes, u64::from(counts.materials))?;
    let (transform, name) = words(bytes, if has(2) { 16 } else { 0 })?;
    let mut mesh = match has(0) {
        true => Mesh::new(positions, collect(indices.iter().copied())?),
        false => Mesh::from_soup(positions),
    };
    if has(1) {
        mesh = mesh.with_materials(collect(materials.iter().copied())?);
    }
    if let Ok(matrix) = <&[u32; 16]>::try_from(transform) {
        mesh = mesh.with_transform(affine(&matrix.map(f32::from_bits))?);
    }
    Ok(mesh.with_name(String::from_utf8_lossy(name)))
}

fn affine(numbers: &[f32; 16]) -> Result<Affine3A, Fault> {
    if [3, 7, 11, 15].map(|i| numbers[i]) != [0.0, 0.0, 0.0, 1.0] {
        return Err(Fault::new(Kind::Argument, "the last row of a transform is 0 0 0 1"));
    }
    Ok(Affine3A::from_mat4(Mat4::from_cols_array(numbers)))
}

/// The first words of some bytes, and the rest.
fn words(bytes: &[u8], count: u64) -> Result<(&[u32], &[u8]), Fault> {
    let length = usize::try_from(count * 4).ok();
    let split = length.and_then(|length| bytes.split_at_checked(length));
    let (words, rest) = split.ok_or_else(|| fault("a mesh ends early"))?;
    // They begin on a boundary, as all parts before them are words.
    let words = bytemuck::try_cast_slice(words).map_err(|_| fault("a mesh is out of line"))?;
    Ok((words, rest))
}

fn collect<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Fault> {
    let mut list = Vec::new();
    list.try_reserve_exact(values.len()).map_err(|_| Fault::memory("the mesh"))?;
    list.extend(values);
    Ok(list)
}

fn fault(text: &str) -> Fault {
    Fault::new(Kind::Argument, text)
}
