//! The ways in. Each checks everything, except those called `unchecked`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::check::check;
use super::header::{ALIGNMENT, HEADER_LENGTH, Header, TREE};
use super::read::{failed, folder, load, read_all};
use crate::bvh::{Bvh, Facts, MeshRecord, Node, TreeView};
use crate::error::{LoadError, LoadErrorKind};

/// Puts bytes on a 64-byte boundary, as [`Bvh::from_owner`] needs them.
///
/// With `include_bytes!`, a tree becomes part of the program and is used in place:
///
/// ```
/// use hitscan::Bvh;
/// use hitscan::file::Aligned;
///
/// # const _: &str = r#"
/// static LEVEL: &Aligned<[u8]> = &Aligned(*include_bytes!("level.hbvh"));
/// # "#;
/// # static LEVEL: &Aligned<[u8]> = &Aligned(*b"no tree");
///
/// let level = Bvh::from_owner(LEVEL);
/// # assert!(level.is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Aligned<B: ?Sized>(pub B);

impl<B: AsRef<[u8]> + ?Sized> AsRef<[u8]> for Aligned<B> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl Bvh {
    /// Opens a baked tree's file: reads it into memory of its own and checks everything, on all
    /// threads.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or as [`from_bytes`](Self::from_bytes). The message begins with
    /// the path.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path).map_err(|error| failed("cannot open", error))?;
            match file.metadata() {
                Ok(metadata) if metadata.is_dir() => Err(folder()),
                #[cfg(any(unix, windows))]
                Ok(metadata) if metadata.is_file() => load(&file, metadata.len()),
                // The length of a pipe or a device is not known.
                _ => Self::read_from(file),
            }
        };
        open().map_err(|error| error.in_file(path))
    }

    /// Reads a baked tree up to the reader's end and checks everything.
    ///
    /// It allocates no more than a small multiple of what it has read, whatever the header says.
    /// A `BufReader` gains nothing.
    ///
    /// # Errors
    ///
    /// If reading fails, or as [`from_bytes`](Self::from_bytes). To read a tree out of a longer
    /// stream, [`take`](Read::take) its bytes.
    pub fn read_from(reader: impl Read) -> Result<Self, LoadError> {
        let total = |start: &[u8]| Header::parse(start).map(|header| header.total_length);
        Self::over(read_all(reader, &TREE, HEADER_LENGTH, total)?, checked)
    }

    /// Copies a tree out of a file's bytes, which may lie anywhere, and checks everything, on all
    /// threads.
    ///
    /// # Errors
    ///
    /// Unless the bytes are exactly one sound tree of this format version, written on a
    /// little-endian machine: the [kind](LoadError::kind) names the fault, the message its place.
    /// Never panics, whatever the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        load(bytes, bytes.len() as u64)
    }

    /// Uses a tree in place, in a file's bytes that `owner` holds, and checks everything, on all
    /// threads. The owner is dropped with the last clone of the tree.
    ///
    /// The bytes must start on a 64-byte boundary. Memory-mapped files do; a `static` does inside
    /// [`Aligned`]. [`from_bytes`](Self::from_bytes) takes bytes from anywhere, and copies them.
    ///
    /// `owner` may be anything that holds bytes: a `&'static [u8]`, a buffer of an asset system, a
    /// mapping of another crate. Its `as_ref` is called once.
    ///
    /// # Errors
    ///
    /// Of kind [`Misaligned`](LoadErrorKind::Misaligned) if the bytes start elsewhere, or as
    /// [`from_bytes`](Self::from_bytes).
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, LoadError> {
        Self::over(owner, checked)
    }

    /// As [`from_owner`](Self::from_owner), but trusts the bytes: checks the header and the section
    /// table only, in time that does not depend on the size of the tree.
    /// [`validate`](Self::validate) can check the rest later.
    ///
    /// # Errors
    ///
    /// If the header or the section table is damaged or from another version, if there are
    /// more or fewer bytes than the header says, or if they do not start on a 64-byte
    /// boundary.
    ///
    /// # Safety
    ///
    /// The bytes must be as [`write_to`](Self::write_to), [`to_bytes`](Self::to_bytes)
    /// or [`save`](Self::save) of this version of the crate gave them: queries follow
    /// their numbers unchecked.
    pub unsafe fn from_owner_unchecked(
        owner: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Self, LoadError> {
        Self::over(owner, header_checked)
    }
}

/// A file's tree in place, after all checks.
pub(super) fn checked(bytes: &[u8]) -> Result<TreeView<'_>, LoadError> {
    let (header, view) = locate(bytes)?;
    for padding in header.padding() {
        TREE.check_zero(&bytes[padding.start as usize..padding.end as usize], padding.start)?;
    }
    check(&view, Some(&header))?;
    Ok(view)
}

/// A file's tree in place, of which the header and the section table were checked only.
pub(super) fn header_checked(bytes: &[u8]) -> Result<TreeView<'_>, LoadError> {
    locate(bytes).map(|(_, view)| view)
}

/// Checks that bytes start where they can be used in place.
pub(crate) fn check_aligned(bytes: &[u8]) -> Result<(), LoadError> {
    let is_aligned = bytes.as_ptr().addr().is_multiple_of(ALIGNMENT);
    if is_aligned { Ok(()) } else { Err(misaligned(bytes)) }
}

#[cold]
fn misaligned(bytes: &[u8]) -> LoadError {
    LoadError::new(
        LoadErrorKind::Misaligned,
        format!(
            "the bytes start at address {:p}, expected a multiple of {ALIGNMENT}; see \
             `hitscan::file::Aligned`, or copy them with `from_bytes`",
            bytes.as_ptr()
        ),
    )
}

/// Checks the header and finds the sections in place.
fn locate(bytes: &[u8]) -> Result<(Header, TreeView<'_>), LoadError> {
    let header = Header::parse(bytes)?;
    header.check_length(bytes.len() as u64)?;
    // Some sections need less alignment, and empty slices none; but such bytes are refused always,
    // not sometimes.
    check_aligned(bytes)?;
    let misaligned = || misaligned(bytes);
    let [metadata, nodes, blocks, meshes, materials, user] =
        header.ranges().map(|range| bytes.get(range).unwrap_or(&[]));
    let nodes: &[Node] = bytemuck::try_cast_slice(nodes).map_err(|_| misaligned())?;
    let meshes: &[MeshRecord] = bytemuck::try_cast_slice(meshes).map_err(|_| misaligned())?;
    let view = TreeView {
        nodes,
        blocks: bytemuck::try_cast_slice(blocks).map_err(|_| misaligned())?,
        meshes,
        materials: bytemuck::try_cast_slice(materials).map_err(|_| misaligned())?,
        metadata,
        user,
        content_hash: header.content_hash,
        facts: Facts::new(nodes, meshes),
    };
    Ok((header, view))
}
