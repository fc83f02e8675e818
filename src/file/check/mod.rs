//! The check that a tree is sound: invariants I4 and I6 to I18 of the specification.
//!
//! Mesh table and materials come first, then the nodes in one forward pass, after which each node
//! and leaf block is known to have one parent. Leaf blocks follow in pieces, on all threads: each
//! piece is hashed and checked while it is in the cache.

mod blocks;
mod ids;
mod lanes;
mod meshes;
mod nodes;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

pub(super) use self::blocks::PIECE_BLOCKS;
use self::blocks::{Found, Frame, Seen};
use self::nodes::Shape;
use super::checksum::{PIECE, of_pieces};
use super::header::{BLOCKS, Header, SECTIONS, invalid};
use crate::bvh::{Bvh, LeafBlock, MeshRecord, Node, Outline, TreeView};
use crate::error::LoadError;
use crate::platform::parallel;

impl Bvh {
    /// Checks that the tree is sound, as the checked ways in have done: for trees from an
    /// `unchecked` one, and for tests. Any other `Bvh` is sound, short of a bug in this crate.
    ///
    /// Takes O(bytes) at memory speed, on all threads, and an eighth of the tree's memory, or a
    /// fifth with many spatial splits.
    ///
    /// # Errors
    ///
    /// Of kind [`Invalid`](crate::LoadErrorKind::Invalid), for an invariant that does not
    /// hold: which, where, what was expected and what was found.
    pub fn validate(&self) -> Result<(), LoadError> {
        check(self.view(), None)
    }
}

/// Checks a tree in memory; with its file's header, the checksums too. Damage is reported as
/// damage, even where it makes the tree unsound too.
pub(super) fn check(view: &TreeView<'_>, header: Option<&Header>) -> Result<(), LoadError> {
    let checksum = |section: usize| match header {
        Some(header) => header.check_section(section, view.sections()[section]),
        None => Ok(()),
    };
    let mut others = (0..SECTIONS).filter(|&section| section != BLOCKS);
    let (intact, skeleton) = parallel::join(
        view.nodes.len() >= PIECE / size_of::<Node>(),
        || others.try_for_each(checksum),
        || Skeleton::of(view.metadata, view.nodes, view.blocks.len(), view.meshes, view.materials),
    );
    intact?;
    match skeleton {
        Ok(skeleton) => {
            let pieces = view.blocks.chunks(PIECE_BLOCKS);
            let seen = skeleton.look(pieces, Ok, header)?;
            skeleton.finish(seen, view.blocks, header)
        }
        Err(unsound) => checksum(BLOCKS).and(Err(unsound)),
    }
}

/// The error in the first of the pieces that have one, whatever the order in which threads found
/// them.
pub(super) fn first_of(
    errors: impl IntoIterator<Item = (usize, LoadError)>,
) -> Result<(), LoadError> {
    match errors.into_iter().min_by_key(|(piece, _)| *piece) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// All of a tree but its leaf blocks, after their check.
pub(super) struct Skeleton<'a> {
    outline: Outline<'a>,
    nodes: &'a [Node],
    shape: Shape,
    /// The number of leaf blocks.
    blocks: usize,
    /// Triangles of all meshes, dropped ones counted.
    total: u32,
    meshes: usize,
    materials: usize,
}

impl<'a> Skeleton<'a> {
    pub(super) fn of(
        metadata: &'a [u8],
        nodes: &'a [Node],
        blocks: usize,
        meshes: &[MeshRecord],
        materials: &[u32],
    ) -> Result<Self, LoadError> {
        let outline = Outline::read(metadata)?;
        let total = meshes::check_meshes(meshes, materials.len())?;
        let shape = Shape::check(nodes, blocks)?;
        Ok(Self {
            outline,
            nodes,
            shape,
            blocks,
            total,
            meshes: meshes.len(),
            materials: materials.len(),
        })
    }

    /// Checks all leaf blocks, a piece at a time on each thread: `fetch` gives the blocks of a
    /// piece. With a header, their checksum is checked too.
    pub(super) fn look<'b, P: Send>(
        &self,
        pieces: impl ExactSizeIterator<Item = P> + Send,
        fetch: impl Fn(P) -> Result<&'b [LeafBlock], LoadError> + Sync,
        header: Option<&Header>,
    ) -> Result<Seen, LoadError> {
        struct Work {
            seen: Seen,
            hashes: Vec<(usize, u64)>,
            unsound: Vec<(usize, LoadError)>,
            failed: Vec<(usize, LoadError)>,
        }
        let frame = Frame::new(self.nodes, &self.shape, self.total, self.blocks);
        let start = || Work {
            seen: Seen::nothing(&frame),
            hashes: Vec::new(),
            unsound: Vec::new(),
            failed: Vec::new(),
        };
        let works =
            parallel::share(frame.workers(), pieces.enumerate(), start, |work, (number, piece)| {
                let blocks = match fetch(piece) {
                    Ok(blocks) => blocks,
                    Err(error) => {
                        work.failed.push((number, error));
                        return;
                    }
                };
                if header.is_some() {
                    work.hashes.push((number, xxh3_64(bytemuck::cast_slice(blocks))));
                }
                if work.unsound.is_empty()
                    && let Err(error) = work.seen.look(&frame, number * PIECE_BLOCKS, blocks)
                {
                    work.unsound.push((number, error));
                }
            });

        let mut all = start();
        for work in works {
            all.seen = all.seen.merge(work.seen);
            all.hashes.extend(work.hashes);
            all.unsound.extend(work.unsound);
            all.failed.extend(work.failed);
        }
        first_of(all.failed)?;
        if let Some(header) = header {
            header.check_checksum(BLOCKS, of_pieces(all.hashes))?;
        }
        first_of(all.unsound)?;
        Ok(all.seen)
    }

    /// Checks what takes all leaf blocks together, and what the file says of itself.
    pub(super) fn finish(
        &self,
        seen: Seen,
        blocks: &[LeafBlock],
        header: Option<&Header>,
    ) -> Result<(), LoadError> {
        let found = seen.finish(blocks)?;
        self.check_summary(&found)?;
        match header {
            Some(header) => header.check_source_hash(self.outline.source_hash()),
            None => Ok(()),
        }
    }

    fn check_summary(&self, found: &Found) -> Result<(), LoadError> {
        let summary = &self.outline.summary;
        let tree_bytes = size_of_val(self.nodes)
            + self.blocks * size_of::<LeafBlock>()
            + self.meshes * size_of::<MeshRecord>()
            + self.materials * size_of::<u32>();
        let numbers = [
            ("I6", "number of mesh names", self.meshes as u64, self.outline.mesh_names.count),
            ("I7", "triangles_in", self.total.into(), summary.triangles_in),
            ("I7", "triangles_kept", found.triangles, summary.triangles_kept),
            ("I7", "references", found.references, summary.references),
            ("I7", "nodes", self.nodes.len() as u64, summary.nodes),
            ("I7", "leaves", self.blocks as u64, summary.leaves),
            ("I7", "depth", self.shape.depth.into(), summary.depth.into()),
            ("I7", "tree_bytes", tree_bytes as u64, summary.tree_bytes),
        ];
        match numbers.iter().find(|(_, _, expected, found)| expected != found) {
            None => Ok(()),
            Some((invariant, what, expected, found)) => Err(invalid(
                invariant,
                format!("metadata: {what} is {found}, the tree says {expected}"),
            )),
        }
    }
}
