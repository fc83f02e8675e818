//! How much memory a bake takes, before it begins.

use super::buffers::Afterwards;
use super::bvh2::Bvh2Node;
use super::collapse::AtomicChoice;
use super::emit::LeafTriangles;
use super::prim_ref::PrimRef;
use super::triangles::InputTriangle;
use super::{BakeOptions, Leaves};
use crate::bvh::{LeafBlock, Node};
use crate::error::{BakeError, BakeErrorKind};
use crate::mesh::MeshView;

/// Bytes that a bake of some meshes takes at its peak, besides the meshes.
pub(super) fn estimate(
    options: &BakeOptions,
    afterwards: Afterwards,
    meshes: &[MeshView<'_>],
) -> u64 {
    let triangles: f64 = meshes.iter().map(|mesh| mesh.triangle_count() as f64).sum();
    let references = triangles * (1.0 + options.spatial_budget);
    // Leaves are about half full, but for scattered triangles, which are more at ease in a few each
    // and are hardly cut; a node has about eight children.
    let most = f64::from(options.leaf_triangles);
    let scattered = match options.leaves {
        Leaves::Cheapest => triangles / (most / 3.0).max(1.0),
        Leaves::FirstFit => 0.0,
    };
    let leaves = scattered.max(references / (most / 2.0).max(1.0));
    let bytes = |size: usize, count: f64| size as f64 * count;

    let kept = bytes(size_of::<InputTriangle>(), triangles);
    let binary = bytes(size_of::<PrimRef>() + size_of::<Bvh2Node>(), references);
    // While triangles are cut, and when there is nothing left but to write.
    let cut =
        if options.spatial_budget > 0.0 { bytes(size_of::<PrimRef>(), triangles) } else { 0.0 };
    let chosen = bytes(size_of::<AtomicChoice>(), references);
    let wide = bytes(size_of::<LeafTriangles>(), leaves) + bytes(size_of::<Node>(), leaves / 7.0);
    let blocks = bytes(size_of::<LeafBlock>(), leaves);
    let peak = match afterwards {
        Afterwards::Free => (binary + cut).max(binary + chosen + wide).max(wide + blocks),
        Afterwards::Keep => binary + chosen + wide + cut.max(blocks),
    };

    let materials = if meshes.iter().any(|mesh| mesh.materials().is_some()) {
        bytes(size_of::<u32>(), triangles)
    } else {
        0.0
    };
    (kept + peak + materials).ceil() as u64
}

/// An error if a bake is expected to take more than there is.
pub(super) fn check(
    options: &BakeOptions,
    afterwards: Afterwards,
    meshes: &[MeshView<'_>],
    limit: Option<u64>,
) -> Result<(), BakeError> {
    let needed = estimate(options, afterwards, meshes);
    match limit {
        Some(limit) if needed > limit => {
            let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
            let or_else = if options.spatial_budget > 0.0 {
                ", or with a smaller budget for spatial splits"
            } else {
                ""
            };
            let message = format!(
                "the bake would take about {} MB of memory, and no more than {} MB are allowed; bake \
                 fewer triangles at a time{or_else}",
                megabytes(needed),
                megabytes(limit)
            );
            Err(BakeError::new(BakeErrorKind::TooLarge, message))
        }
        _ => Ok(()),
    }
}
