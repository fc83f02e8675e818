//! Meshes into checked triangles and their boxes.

use super::monitor::Monitor;
use super::{BadTriangles, Stage, no_memory};
use crate::bvh::MeshRecord;
use crate::geometry::is_finite;
use crate::mesh::{Placement, index_hash};
use crate::{BakeError, BakeErrorKind, Indices, MeshView, memory, parallel};

/// A triangle that goes into the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    pub(crate) corners: [[f32; 3]; 3],
    /// Its number among all triangles of all meshes, dropped ones counted.
    pub(crate) id: u32,
}

/// All that the later stages need of the meshes.
pub(crate) struct Gathered {
    pub(crate) kept: Vec<Kept>,
    pub(crate) records: Vec<MeshRecord>,
    pub(crate) materials: Vec<u32>,
    pub(crate) skipped: Skipped,
}

/// How many triangles were left out, by reason.
#[derive(Clone, Copy, Default)]
pub(crate) struct Skipped {
    pub(crate) degenerate: u64,
    pub(crate) non_finite: u64,
    pub(crate) out_of_range: u64,
}

/// Triangles that one thread takes at a time.
const CHUNK: usize = 1 << 14;

struct Chunk {
    mesh: usize,
    first: usize,
    end: usize,
}

#[derive(Default)]
struct Part {
    kept: Vec<Kept>,
    skipped: Skipped,
}

pub(crate) fn gather(
    meshes: &[MeshView<'_>],
    bad: BadTriangles,
    monitor: &Monitor<'_>,
) -> Result<Gathered, BakeError> {
    let records = records(meshes)?;
    let mut chunks = Vec::new();
    for (mesh, view) in meshes.iter().enumerate() {
        let count = view.triangle_count();
        for first in (0..count).step_by(CHUNK) {
            chunks.push(Chunk {
                mesh,
                first,
                end: count.min(first + CHUNK),
            });
        }
    }
    let total = records
        .last()
        .map_or(0, |last| last.first_triangle + last.triangle_count);
    monitor.begin(Stage::Gather, total as usize)?;
    let parts = parallel::map(&chunks, |chunk| {
        if monitor.is_cancelled() {
            return Ok(Part::default());
        }
        let part = read(&meshes[chunk.mesh], &records[chunk.mesh], chunk, bad);
        monitor.advance(Stage::Gather, chunk.end - chunk.first);
        part
    });
    monitor.check()?;

    // The first error in the order of the meshes, whichever thread found one first.
    let parts = parts.into_iter().collect::<Result<Vec<Part>, _>>()?;
    let count = parts.iter().map(|part| part.kept.len()).sum();
    let mut kept = memory::room(count).map_err(|error| no_memory("triangles", error))?;
    let mut skipped = Skipped::default();
    for part in parts {
        kept.extend_from_slice(&part.kept);
        skipped.degenerate += part.skipped.degenerate;
        skipped.non_finite += part.skipped.non_finite;
        skipped.out_of_range += part.skipped.out_of_range;
    }
    let materials = materials(meshes, total as usize);
    Ok(Gathered {
        kept,
        records,
        materials,
        skipped,
    })
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
fn records(meshes: &[MeshView<'_>]) -> Result<Vec<MeshRecord>, BakeError> {
    let too_large = |what: &str| {
        BakeError::new(
            BakeErrorKind::TooLarge,
            format!("more than {} {what} cannot be numbered", u32::MAX - 1),
        )
    };
    let hashes = parallel::map(meshes, index_hash);
    let mut records = Vec::with_capacity(meshes.len());
    let mut first_triangle = 0u32;
    for (number, (mesh, index_hash)) in meshes.iter().zip(hashes).enumerate() {
        let count = mesh.triangle_count();
        if mesh.index_count() % 3 != 0 {
            let what = if matches!(mesh.indices(), Indices::None) {
                "positions"
            } else {
                "indices"
            };
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
        let has_materials = if mesh.materials().is_some() {
            MeshRecord::MATERIALS
        } else {
            0
        };
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
fn materials(meshes: &[MeshView<'_>], total: usize) -> Vec<u32> {
    if meshes.iter().all(|mesh| mesh.materials().is_none()) {
        return Vec::new();
    }
    let mut materials = Vec::with_capacity(total);
    for mesh in meshes {
        match mesh.materials() {
            Some(given) => materials.extend_from_slice(given),
            None => materials.resize(materials.len() + mesh.triangle_count(), 0),
        }
    }
    materials
}

/// Reads and checks some triangles of a mesh.
fn read(
    mesh: &MeshView<'_>,
    record: &MeshRecord,
    chunk: &Chunk,
    bad: BadTriangles,
) -> Result<Part, BakeError> {
    let placement = Placement::new(mesh);
    let positions = mesh.positions();
    let mut part = Part::default();
    part.kept.reserve_exact(chunk.end - chunk.first);
    for number in chunk.first..chunk.end {
        let Some(indices) = mesh.triangle_indices(number) else {
            break;
        };
        let corners = indices.map(|i| positions.position(i as usize));
        let Some(triangle) = placement.place(corners) else {
            if bad == BadTriangles::Skip {
                part.skipped.out_of_range += 1;
                continue;
            }
            let index = indices.into_iter().max().unwrap_or(0);
            let message = format!(
                "{}: triangle {number}: vertex {index} is not there, the mesh has {}; mend the \
                 mesh, or bake with bad triangles skipped",
                name(chunk.mesh, mesh),
                positions.len()
            );
            return Err(BakeError::new(BakeErrorKind::IndexOutOfRange, message).in_mesh(chunk.mesh));
        };
        let corners = triangle.to_arrays();
        if !is_finite(&corners) {
            if bad == BadTriangles::Skip {
                part.skipped.non_finite += 1;
                continue;
            }
            let message = format!(
                "{}: triangle {number}: a coordinate is NaN or infinite: {corners:?}; mend the \
                 mesh, or bake with bad triangles skipped",
                name(chunk.mesh, mesh),
            );
            return Err(BakeError::new(BakeErrorKind::NonFinite, message).in_mesh(chunk.mesh));
        }
        if triangle.is_degenerate() {
            part.skipped.degenerate += 1;
            continue;
        }
        part.kept.push(Kept {
            corners,
            id: record.first_triangle + number as u32,
        });
    }
    Ok(part)
}
