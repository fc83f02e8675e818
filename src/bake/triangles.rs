//! Meshes into checked triangles and their boxes.

use std::mem::{self, MaybeUninit};

use bytemuck::{Pod, Zeroable};

use super::buffers::Buffers;
use super::pass::{PIECE_LEN, Pass};
use super::progress::{ProgressMonitor, STAGE_UNITS};
use super::skipped::{SkipReason, Skipped};
use super::{BadTriangles, Stage, no_memory};
use crate::bvh::MeshRecord;
use crate::error::{BakeError, BakeErrorKind};
use crate::geometry::is_finite;
use crate::mesh::{Indices, MeshView};
use crate::mesh::{Placement, index_hash};
use crate::platform::{memory, parallel};

/// A triangle that goes into the tree.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct InputTriangle {
    pub(crate) corners: [[f32; 3]; 3],
    /// Its number among all triangles of all meshes, dropped ones counted.
    pub(crate) id: u32,
}

/// All that the later stages need of the meshes.
pub(crate) struct Gathered {
    pub(crate) kept: Vec<InputTriangle>,
    pub(crate) records: Vec<MeshRecord>,
    pub(crate) materials: Vec<u32>,
    pub(crate) skipped: Skipped,
}

/// Triangles that one thread takes at a time.
const CHUNK_TRIANGLES: usize = 1 << 12;
/// Triangles from the one that is read to the one whose vertices are asked for.
const PREFETCH_DISTANCE: usize = 32;
/// The work of hashing the indices, a part of the whole.
const INDEX_UNITS: u32 = STAGE_UNITS / 8;
/// The work of reading and checking the triangles.
const TRIANGLE_UNITS: u32 = STAGE_UNITS / 8 * 5;
/// What is left: for hashing the positions.
pub(super) const POSITION_UNITS: u32 = STAGE_UNITS - INDEX_UNITS - TRIANGLE_UNITS;

struct Chunk {
    mesh: usize,
    first: usize,
    end: usize,
}

/// What became of a chunk.
struct Part {
    /// How many are kept.
    kept: usize,
    skipped: Skipped,
}

pub(crate) fn gather(
    meshes: &[MeshView<'_>],
    bad: BadTriangles,
    buffers: &mut Buffers,
    monitor: &ProgressMonitor<'_>,
) -> Result<Gathered, BakeError> {
    monitor.begin(Stage::Gather)?;
    let records = records(meshes, monitor)?;
    let total = records.last();
    let total = total.map_or(0, |last| last.first_triangle + last.triangle_count) as usize;
    let places = memory::room_in(mem::take(&mut buffers.kept), total);
    let places = places.map_err(|error| no_memory("triangles", error))?;
    let read =
        |places: &mut [MaybeUninit<InputTriangle>]| read(meshes, &records, bad, places, monitor);
    // SAFETY: all are read, or there is an error.
    let (mut kept, parts) = unsafe { memory::fill(places, total, read) }?;

    // Those that are kept, one behind the other.
    let mut skipped = Skipped::default();
    let (mut place, mut count) = (0, 0);
    let pass = Pass::new(monitor, 0, total);
    for (chunk, part) in parts {
        if count < place {
            pass.advance_over(part.kept);
            monitor.check()?;
            kept.copy_within(place..place + part.kept, count);
        }
        place += chunk.end - chunk.first;
        count += part.kept;
        skipped.append(part.skipped);
    }
    kept.truncate(count);
    Ok(Gathered { kept, materials: materials(meshes, total, monitor)?, records, skipped })
}

/// Reads and checks all triangles, each into its place. The first of a chunk's places are those of
/// the triangles that are kept.
fn read(
    meshes: &[MeshView<'_>],
    records: &[MeshRecord],
    bad: BadTriangles,
    places: &mut [MaybeUninit<InputTriangle>],
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<(Chunk, Part)>, BakeError> {
    let pass = Pass::new(monitor, TRIANGLE_UNITS, places.len());
    let mut chunks = Vec::new();
    let mut rest = places;
    for (mesh, view) in meshes.iter().enumerate() {
        let count = view.triangle_count();
        for first in (0..count).step_by(CHUNK_TRIANGLES) {
            let end = count.min(first + CHUNK_TRIANGLES);
            let (places, behind) = rest.split_at_mut(end - first);
            chunks.push((Chunk { mesh, first, end }, places));
            rest = behind;
        }
    }
    let parts = parallel::map_each(true, chunks, |(chunk, places)| {
        if !pass.advance_over(places.len()) {
            return None;
        }
        let part = read_chunk(&meshes[chunk.mesh], &records[chunk.mesh], &chunk, bad, places);
        Some(part.map(|part| (chunk, part)))
    });
    monitor.check()?;
    // The first error in the order of the meshes, whichever thread found one first.
    parts.into_iter().flatten().collect()
}

/// What to call a mesh in an error.
fn name(mesh: usize, view: &MeshView<'_>) -> String {
    if view.name().is_empty() {
        format!("mesh {mesh}")
    } else {
        format!("mesh {mesh} `{}`", view.name())
    }
}

/// The mesh table, and everything about a mesh that can be wrong as a whole.
fn records(
    meshes: &[MeshView<'_>],
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<MeshRecord>, BakeError> {
    let too_large = |what: &str| {
        BakeError::new(
            BakeErrorKind::TooLarge,
            format!("more than {} {what} cannot be numbered", u32::MAX - 1),
        )
    };
    let count = meshes.iter().map(MeshView::index_count).sum();
    let pass = Pass::new(monitor, INDEX_UNITS, count);
    let keep_going = |count: usize| pass.advance_over(count);
    let hashes = parallel::map(meshes, |mesh| index_hash(mesh, &keep_going));
    monitor.check()?;
    let mut records = Vec::with_capacity(meshes.len());
    let mut first_triangle = 0u32;
    for (number, (mesh, index_hash)) in meshes.iter().zip(hashes).enumerate() {
        let count = mesh.triangle_count();
        if mesh.index_count() % 3 != 0 {
            let what =
                if matches!(mesh.indices(), Indices::None) { "positions" } else { "indices" };
            let message = format!(
                "{}: {} {what} are no whole number of triangles",
                name(number, mesh),
                mesh.index_count()
            );
            return Err(BakeError::new(BakeErrorKind::IncompleteTriangle, message).in_mesh(number));
        }
        if let Some(materials) = mesh.materials()
            && materials.len() != count
        {
            let message = format!(
                "{}: {} materials for {count} triangles; give one a triangle",
                name(number, mesh),
                materials.len()
            );
            return Err(BakeError::new(BakeErrorKind::MaterialCount, message).in_mesh(number));
        }
        let mirrored = Placement::new(mesh).mirrored();
        let triangle_count = u32::try_from(count).map_err(|_| too_large("triangles"))?;
        let has_materials = if mesh.materials().is_some() { MeshRecord::MATERIALS } else { 0 };
        records.push(MeshRecord {
            first_triangle,
            triangle_count,
            vertex_count: u32::try_from(mesh.positions().len())
                .map_err(|_| too_large("vertices"))?,
            mask: mesh.mask(),
            user_id: mesh.user_id(),
            index_hash,
            flags: if mirrored { MeshRecord::SWAPPED } else { 0 } | has_materials,
            reserved: 0,
        });
        first_triangle = first_triangle
            .checked_add(triangle_count)
            .filter(|&next| next < u32::MAX)
            .ok_or_else(|| too_large("triangles"))?;
    }
    if meshes.len() >= u32::MAX as usize {
        return Err(too_large("meshes"));
    }
    Ok(records)
}

/// Materials of all triangles, or nothing where no mesh has any.
fn materials(
    meshes: &[MeshView<'_>],
    total: usize,
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<u32>, BakeError> {
    if meshes.iter().all(|mesh| mesh.materials().is_none()) {
        return Ok(Vec::new());
    }
    let mut materials = memory::room(total).map_err(|error| no_memory("materials", error))?;
    let pass = Pass::new(monitor, 0, total);
    for mesh in meshes {
        let count = mesh.triangle_count();
        for first in (0..count).step_by(PIECE_LEN) {
            let piece = first..count.min(first + PIECE_LEN);
            if !pass.advance_over(piece.len()) {
                break;
            }
            match mesh.materials() {
                Some(given) => materials.extend_from_slice(&given[piece]),
                None => materials.resize(materials.len() + piece.len(), 0),
            }
        }
    }
    monitor.check()?;
    Ok(materials)
}

/// Reads and checks some triangles of a mesh.
fn read_chunk(
    mesh: &MeshView<'_>,
    record: &MeshRecord,
    chunk: &Chunk,
    bad: BadTriangles,
    places: &mut [MaybeUninit<InputTriangle>],
) -> Result<Part, BakeError> {
    let placement = Placement::new(mesh);
    let positions = mesh.positions();
    let (mut kept, mut skipped) = (0, Skipped::default());
    for number in chunk.first..chunk.end {
        if let Some(ahead) = mesh.triangle_indices(number + PREFETCH_DISTANCE) {
            for index in ahead {
                positions.prefetch(index as usize);
            }
        }
        let Some(indices) = mesh.triangle_indices(number) else {
            break;
        };
        let Some(triangle) = placement.place(&positions, indices) else {
            if bad == BadTriangles::Skip {
                skipped.add(SkipReason::OutOfRange, chunk.mesh, number);
                continue;
            }
            let index = indices.into_iter().max().unwrap_or(0);
            let message = format!(
                "{}: triangle {number}: vertex {index} is not there, the mesh has {}; mend the \
                 mesh, or leave bad triangles out (`BadTriangles::Skip`, `--skip-bad`)",
                name(chunk.mesh, mesh),
                positions.len()
            );
            return Err(BakeError::new(BakeErrorKind::IndexOutOfRange, message).in_mesh(chunk.mesh));
        };
        let corners = triangle.to_arrays();
        if !is_finite(&corners) {
            if bad == BadTriangles::Skip {
                skipped.add(SkipReason::NonFinite, chunk.mesh, number);
                continue;
            }
            let message = format!(
                "{}: triangle {number}: a coordinate is NaN or infinite: {corners:?}; mend the \
                 mesh, or leave bad triangles out (`BadTriangles::Skip`, `--skip-bad`)",
                name(chunk.mesh, mesh),
            );
            return Err(BakeError::new(BakeErrorKind::NonFinite, message).in_mesh(chunk.mesh));
        }
        if triangle.is_degenerate() {
            skipped.add(SkipReason::Degenerate, chunk.mesh, number);
            continue;
        }
        places[kept].write(InputTriangle { corners, id: record.first_triangle + number as u32 });
        kept += 1;
    }
    // The others are spare.
    memory::zeroed(&mut places[kept..]);
    Ok(Part { kept, skipped })
}
