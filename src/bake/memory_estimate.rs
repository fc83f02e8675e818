//! How much memory a bake takes, estimated before it begins.

use super::bvh2::Bvh2Node;
use super::collapse::StoredChoice;
use super::emit::LeafTriangles;
use super::preset::{Leaves, Preset};
use super::prim_ref::PrimRef;
use super::triangles::InputTriangle;
use crate::bvh::{LANES, LeafBlock, Node};
use crate::error::{BakeError, BakeErrorKind};
use crate::mesh::MeshView;

/// The bytes that a bake takes at its peak, besides the meshes.
pub(super) fn estimate(preset: &Preset, meshes: &[MeshView<'_>]) -> u64 {
    let triangles: f64 = meshes.iter().map(|mesh| mesh.triangle_count() as f64).sum();
    let references = triangles * (1.0 + preset.spatial_budget);
    // Leaves are about half full, and a node has about eight children. Scattered triangles make
    // leaves of two or three, and are hardly ever cut.
    let scattered = match preset.leaves {
        Leaves::Cheapest => triangles / (LANES as f64 / 3.0),
        Leaves::FirstFit => 0.0,
    };
    let leaves = scattered.max(references / (LANES as f64 / 2.0));
    let bytes = |size: usize, count: f64| size as f64 * count;

    let input = bytes(size_of::<InputTriangle>(), triangles);
    let binary = bytes(size_of::<PrimRef>() + size_of::<Bvh2Node>(), references);
    let choices = bytes(size_of::<StoredChoice>(), references);
    let wide = bytes(size_of::<LeafTriangles>(), leaves) + bytes(size_of::<Node>(), leaves / 7.0);
    let blocks = bytes(size_of::<LeafBlock>(), leaves);
    // The peak is in one of three stages: split, with the references that a plane cuts; layout of
    // the nodes; layout of the leaf blocks.
    let cut =
        if preset.spatial_budget > 0.0 { bytes(size_of::<PrimRef>(), triangles) } else { 0.0 };
    let peak = (binary + cut).max(binary + choices + wide).max(wide + blocks);

    let has_materials = meshes.iter().any(|mesh| mesh.materials().is_some());
    let materials = if has_materials { bytes(size_of::<u32>(), triangles) } else { 0.0 };
    (input + peak + materials).ceil() as u64
}

/// An error if a bake is expected to take more bytes than the limit.
pub(super) fn check(
    preset: &Preset,
    meshes: &[MeshView<'_>],
    limit: Option<u64>,
) -> Result<(), BakeError> {
    let needed = estimate(preset, meshes);
    let Some(limit) = limit.filter(|&limit| needed > limit) else {
        return Ok(());
    };
    let [needed, limit] = [needed, limit].map(|bytes| bytes.div_ceil(1_000_000));
    let or_else = if preset.spatial_budget > 0.0 {
        ", or with a smaller budget for spatial splits"
    } else {
        ""
    };
    let message = format!(
        "the bake would take about {needed} MB of memory, and no more than {limit} MB are allowed; \
         bake fewer triangles at a time{or_else}"
    );
    Err(BakeError::new(BakeErrorKind::TooLarge, message))
}
