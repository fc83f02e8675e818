//! The first stage: meshes into checked triangles.

use std::mem::MaybeUninit;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::progress::{PIECE_LEN, Pass, ProgressMonitor, STAGE_UNITS, Stage};
use super::report::{SkipReason, Skipped};
use crate::bvh::MeshRecord;
use crate::error::{BakeError, BakeErrorKind};
use crate::geometry::is_finite;
use crate::mesh::{Indices, MeshView, Placement, index_hash};
use crate::platform::{memory, parallel};

/// What to do with triangles that have non-finite coordinates, or indices of vertices that do not
/// exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BadTriangles {
    /// Refuse the bake with an error that names mesh and triangle.
    #[default]
    Error,
    /// Skip them, and count them in the report.
    Skip,
}

/// A triangle that goes into the tree.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct InputTriangle {
    pub(super) corners: [[f32; 3]; 3],
    /// Its number among all triangles of all meshes, skipped ones included.
    pub(super) id: u32,
}

/// All that the later stages need of the meshes.
pub(super) struct Gathered {
    pub(super) triangles: Vec<InputTriangle>,
    pub(super) records: Vec<MeshRecord>,
    pub(super) materials: Vec<u32>,
    pub(super) skipped: Skipped,
}

/// Triangles that one thread reads at a time.
const CHUNK_TRIANGLES: usize = 1 << 12;
/// How many triangles ahead vertices are prefetched.
const PREFETCH_TRIANGLES: usize = 32;
/// The work of hashing the indices.
const INDEX_UNITS: u32 = STAGE_UNITS / 8;
/// The work of reading and checking the triangles.
const TRIANGLE_UNITS: u32 = STAGE_UNITS / 8 * 5;
/// The rest of the stage: the work of hashing the positions.
pub(super) const POSITION_UNITS: u32 = STAGE_UNITS - INDEX_UNITS - TRIANGLE_UNITS;

/// Reads and checks all triangles.
pub(super) fn gather(
    meshes: &[MeshView<'_>],
    bad: BadTriangles,
    monitor: &ProgressMonitor<'_>,
) -> Result<Gathered, BakeError> {
    monitor.begin(Stage::Gather)?;
    let records = mesh_records(meshes, monitor)?;
    let total = records.last();
    let total = total.map_or(0, |last| last.first_triangle + last.triangle_count) as usize;
    let places =
        memory::room(total).map_err(|error| BakeError::out_of_memory("triangles", error))?;
    let read = |places: &mut [MaybeUninit<InputTriangle>]| {
        read_all(meshes, &records, bad, places, monitor)
    };
    // SAFETY: `read_all` returns `Ok` only after `read_chunk` has written every place of every
    // chunk, and the chunks cover all places.
    let (mut triangles, chunks) = unsafe { memory::fill(places, total, read) }?;

    // Each chunk has its kept triangles in front. Close the gaps behind them.
    let mut skipped = Skipped::default();
    let (mut place, mut count) = (0, 0);
    let pass = Pass::new(monitor, 0, total);
    for (len, kept, its_skipped) in chunks {
        if count < place {
            pass.advance(kept);
            monitor.check()?;
            triangles.copy_within(place..place + kept, count);
        }
        place += len;
        count += kept;
        skipped.append(its_skipped);
    }
    triangles.truncate(count);
    Ok(Gathered { triangles, materials: materials(meshes, total, monitor)?, records, skipped })
}

/// Reads all triangles, chunk by chunk on all threads, each chunk into its places. Returns for each
/// its length, how many triangles it keeps, and those that it skips.
fn read_all(
    meshes: &[MeshView<'_>],
    records: &[MeshRecord],
    bad: BadTriangles,
    places: &mut [MaybeUninit<InputTriangle>],
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<(usize, usize, Skipped)>, BakeError> {
    let pass = Pass::new(monitor, TRIANGLE_UNITS, places.len());
    let mut chunks = Vec::new();
    let mut rest = places;
    for (mesh, view) in meshes.iter().enumerate() {
        let count = view.triangle_count();
        for first in (0..count).step_by(CHUNK_TRIANGLES) {
            let (places, behind) = rest.split_at_mut(CHUNK_TRIANGLES.min(count - first));
            chunks.push((mesh, first, places));
            rest = behind;
        }
    }
    let results = parallel::map_each(true, chunks, |(mesh, first, places)| {
        if !pass.advance(places.len()) {
            return None;
        }
        let read = read_chunk(&meshes[mesh], mesh, first, &records[mesh], bad, places);
        Some(read.map(|(kept, skipped)| (places.len(), kept, skipped)))
    });
    monitor.check()?;
    // The first error in the order of the meshes, no matter which thread found one first.
    results.into_iter().flatten().collect()
}

/// An error that names the mesh at fault.
fn refuse(kind: BakeErrorKind, number: usize, mesh: &MeshView<'_>, what: &str) -> BakeError {
    let name = match mesh.name() {
        "" => String::new(),
        name => format!(" `{name}`"),
    };
    BakeError::new(kind, format!("mesh {number}{name}: {what}")).in_mesh(number)
}

/// The mesh table. Refuses meshes whose counts are wrong.
fn mesh_records(
    meshes: &[MeshView<'_>],
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<MeshRecord>, BakeError> {
    let too_large = |what: &str| {
        BakeError::new(
            BakeErrorKind::TooLarge,
            format!("there are more than {} {what}, the most that can be numbered", u32::MAX - 1),
        )
    };
    let count = meshes.iter().map(MeshView::index_count).sum();
    let pass = Pass::new(monitor, INDEX_UNITS, count);
    let hashes =
        parallel::map(meshes, |mesh| index_hash(mesh, &|count: usize| pass.advance(count)));
    monitor.check()?;
    let mut records = Vec::with_capacity(meshes.len());
    let mut first_triangle = 0u32;
    for (number, (mesh, index_hash)) in meshes.iter().zip(hashes).enumerate() {
        let count = mesh.triangle_count();
        let refuse = |kind, what: String| refuse(kind, number, mesh, &what);
        if mesh.index_count() % 3 != 0 {
            let no_indices = matches!(mesh.indices(), Indices::None);
            let what = if no_indices { "positions" } else { "indices" };
            let what = format!("{} {what} do not make whole triangles", mesh.index_count());
            return Err(refuse(BakeErrorKind::IncompleteTriangle, what));
        }
        if let Some(given) = mesh.materials().map(<[u32]>::len)
            && given != count
        {
            let what =
                format!("{given} materials for {count} triangles; give one for each triangle");
            return Err(refuse(BakeErrorKind::MaterialCount, what));
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

/// The materials of all triangles, or nothing if no mesh has any.
fn materials(
    meshes: &[MeshView<'_>],
    total: usize,
    monitor: &ProgressMonitor<'_>,
) -> Result<Vec<u32>, BakeError> {
    if meshes.iter().all(|mesh| mesh.materials().is_none()) {
        return Ok(Vec::new());
    }
    let mut materials =
        memory::room(total).map_err(|error| BakeError::out_of_memory("materials", error))?;
    let pass = Pass::new(monitor, 0, total);
    for mesh in meshes {
        let count = mesh.triangle_count();
        for first in (0..count).step_by(PIECE_LEN) {
            let piece = first..count.min(first + PIECE_LEN);
            if !pass.advance(piece.len()) {
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

/// Reads triangles of a mesh, from number `first` on. Those that are kept come first in their
/// places; the other places are zeroed. Returns how many are kept, and those that are skipped.
fn read_chunk(
    mesh: &MeshView<'_>,
    mesh_number: usize,
    first: usize,
    record: &MeshRecord,
    bad: BadTriangles,
    places: &mut [MaybeUninit<InputTriangle>],
) -> Result<(usize, Skipped), BakeError> {
    let placement = Placement::new(mesh);
    let positions = mesh.positions();
    let (mut kept, mut skipped) = (0, Skipped::default());
    let refuse = |kind, triangle: usize, what: String| {
        let what = format!("triangle {triangle}: {what}; repair the mesh, or skip bad triangles");
        refuse(kind, mesh_number, mesh, &what)
    };
    for number in first..first + places.len() {
        if let Some(ahead) = mesh.triangle_indices(number + PREFETCH_TRIANGLES) {
            for index in ahead {
                positions.prefetch(index as usize);
            }
        }
        let Some(indices) = mesh.triangle_indices(number) else {
            break;
        };
        let Some(triangle) = placement.place(&positions, indices) else {
            if bad == BadTriangles::Skip {
                skipped.add(SkipReason::OutOfRange, mesh_number, number);
                continue;
            }
            let index = indices.into_iter().max().unwrap_or(0);
            let what = format!("vertex {index} does not exist, the mesh has {}", positions.len());
            return Err(refuse(BakeErrorKind::IndexOutOfRange, number, what));
        };
        let corners = triangle.to_arrays();
        if !is_finite(&corners) {
            if bad == BadTriangles::Skip {
                skipped.add(SkipReason::NonFinite, mesh_number, number);
                continue;
            }
            let what =
                format!("a coordinate is NaN, infinite or beyond the range of f32: {corners:?}");
            return Err(refuse(BakeErrorKind::NonFinite, number, what));
        }
        if triangle.is_degenerate() {
            skipped.add(SkipReason::Degenerate, mesh_number, number);
            continue;
        }
        places[kept].write(InputTriangle { corners, id: record.first_triangle + number as u32 });
        kept += 1;
    }
    memory::zeroed(&mut places[kept..]);
    Ok((kept, skipped))
}
