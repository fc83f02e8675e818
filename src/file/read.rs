//! Ways in: everything is checked, except through the doors called `unchecked`.

use std::collections::TryReserveError;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use bytemuck::Pod;

use super::check::check;
use super::header::{
    ALIGNMENT, BLOCKS, HEADER_LENGTH, Header, MATERIALS, MESHES, METADATA, NODES, USER, invalid,
    truncated,
};
use super::load::load;
use crate::bvh::{Bvh, BvhView};
use crate::bvh::{Facts, MeshRecord, Node};
use crate::error::{LoadError, LoadErrorKind};

/// Puts bytes on a 64-byte boundary, as [`BvhView::from_bytes`] needs them.
///
/// With `include_bytes!`, a tree becomes part of the program and is used where it lies:
///
/// ```
/// use hitscan::BvhView;
/// use hitscan::file::Aligned;
///
/// # const _: &str = r#"
/// static LEVEL: &Aligned<[u8]> = &Aligned(*include_bytes!("level.hbvh"));
/// # "#;
/// # static LEVEL: &Aligned<[u8]> = &Aligned(*b"no tree");
///
/// let level = BvhView::from_bytes(&LEVEL.0);
/// # assert!(level.is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Aligned<B: ?Sized>(pub B);

impl<'a> BvhView<'a> {
    /// A tree over a file's bytes, used where they lie. Checks everything: O(bytes), at
    /// memory speed.
    ///
    /// `bytes` must start on a 64-byte boundary, as memory-mapped files do, and arrays
    /// inside an [`Aligned`](crate::file::Aligned). [`Bvh::from_bytes`] takes bytes from
    /// anywhere.
    ///
    /// # Errors
    ///
    /// Unless the bytes are exactly one sound tree of this format version, written on a
    /// little-endian machine, and aligned. Never panics, whatever the bytes.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let (header, view) = locate(bytes)?;
        check_padding(bytes, &header)?;
        check(&view, Some(&header))?;
        Ok(view)
    }

    /// A tree over a file's bytes that somebody vouches for. Checks the header and the
    /// section table only: O(1).
    ///
    /// # Errors
    ///
    /// If the header or the section table is damaged or from another version, if there are
    /// more or fewer bytes than the header says, or if they do not start on a 64-byte
    /// boundary.
    ///
    /// # Safety
    ///
    /// The bytes must be as [`write_to`](BvhView::write_to), [`to_bytes`](BvhView::to_bytes)
    /// or [`save`](BvhView::save) of this version of the crate gave them: queries follow
    /// their numbers unchecked.
    pub unsafe fn from_bytes_unchecked(bytes: &'a [u8]) -> Result<Self, LoadError> {
        locate(bytes).map(|(_, view)| view)
    }
}

impl Bvh {
    /// Opens a baked tree's file: reads it into memory of its own and checks everything.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or as [`BvhView::from_bytes`]. The message begins with
    /// the path.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path).map_err(|error| failed("cannot open", error))?;
            match file.metadata() {
                #[cfg(any(unix, windows))]
                Ok(metadata) if metadata.is_file() => load(&file, metadata.len()),
                // Of a pipe or a device no length is known.
                _ => Stream::new(file).tree(),
            }
        };
        open().map_err(|error| error.in_file(path))
    }

    /// Reads a baked tree up to the reader's end and checks everything. It allocates no
    /// more than a small multiple of what it has read, whatever the header says. No
    /// `BufReader` is needed.
    ///
    /// # Errors
    ///
    /// If reading fails, or as [`BvhView::from_bytes`]. To read a tree out of a longer
    /// stream, [`take`](Read::take) its bytes.
    pub fn read_from(reader: impl Read) -> Result<Self, LoadError> {
        Stream::new(reader).tree()
    }

    /// Copies a tree out of a file's bytes, which may lie anywhere, and checks everything.
    ///
    /// # Errors
    ///
    /// As [`BvhView::from_bytes`], alignment aside.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        load(bytes, bytes.len() as u64)
    }
}

/// Checks the header and finds the sections in place.
pub(super) fn locate(bytes: &[u8]) -> Result<(Header, BvhView<'_>), LoadError> {
    let header = Header::parse(bytes)?;
    header.check_length(bytes.len() as u64)?;
    let view = view_of(bytes, &header, None)?;
    Ok((header, view))
}

/// The sections as slices of what they hold. The facts are those found before, if any.
pub(super) fn view_of<'a>(
    bytes: &'a [u8],
    header: &Header,
    facts: Option<Facts>,
) -> Result<BvhView<'a>, LoadError> {
    let misaligned = || {
        LoadError::new(
            LoadErrorKind::Misaligned,
            format!(
                "the bytes start at address {:p}, expected a multiple of {ALIGNMENT}; see \
                 `hitscan::file::Aligned`, or copy them with `Bvh::from_bytes`",
                bytes.as_ptr()
            ),
        )
    };
    // The sections' elements ask for less alignment here and there, and empty slices for
    // none; the promise is to refuse such bytes always, not sometimes.
    if !bytes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return Err(misaligned());
    }
    let [metadata, nodes, blocks, meshes, materials, user] =
        header.ranges().map(|range| bytes.get(range).unwrap_or(&[]));
    let nodes: &[Node] = bytemuck::try_cast_slice(nodes).map_err(|_| misaligned())?;
    let meshes: &[MeshRecord] = bytemuck::try_cast_slice(meshes).map_err(|_| misaligned())?;
    Ok(BvhView {
        nodes,
        blocks: bytemuck::try_cast_slice(blocks).map_err(|_| misaligned())?,
        meshes,
        materials: bytemuck::try_cast_slice(materials).map_err(|_| misaligned())?,
        metadata,
        user,
        content_hash: header.content_hash,
        facts: facts.unwrap_or_else(|| Facts::new(nodes, meshes)),
    })
}

/// Checks all that lies between the sections (I5). The length is known to be right.
pub(super) fn check_padding(bytes: &[u8], header: &Header) -> Result<(), LoadError> {
    header.padding().into_iter().try_for_each(|range| {
        check_zero(&bytes[range.start as usize..range.end as usize], range.start)
    })
}

pub(super) fn check_zero(padding: &[u8], offset: u64) -> Result<(), LoadError> {
    match padding.iter().position(|&byte| byte != 0) {
        None => Ok(()),
        Some(at) => Err(invalid(
            "I5",
            format!(
                "the padding byte at offset {} is {:#04x}, expected zero",
                offset + at as u64,
                padding[at]
            ),
        )),
    }
}

/// There is no memory for so many elements.
pub(super) fn no_memory<T>(count: usize, error: TryReserveError) -> LoadError {
    let size = size_of::<T>();
    let message = format!("no memory for {count} more elements of {size} bytes");
    LoadError::new(LoadErrorKind::TooLarge, message).with_source(error)
}

pub(super) fn failed(what: &str, error: io::Error) -> LoadError {
    LoadError::new(LoadErrorKind::Io, format!("{what}: {error}")).with_source(error)
}

/// Reads until `buffer`, which begins at `offset`, is full or nothing more comes; returns how much
/// did. `read` is told where the rest begins.
pub(super) fn fill(
    buffer: &mut [u8],
    offset: u64,
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> Result<usize, LoadError> {
    let mut filled = 0;
    while filled < buffer.len() {
        let at = offset + filled as u64;
        match read(&mut buffer[filled..], at) {
            Ok(0) => break,
            // A reader that claims more than it was asked for lies.
            Ok(length) => filled = buffer.len().min(filled.saturating_add(length)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&format!("cannot read on at byte {at}"), error)),
        }
    }
    Ok(filled)
}

/// A reader from which bytes come once and in order, and how many have come.
struct Stream<R> {
    reader: R,
    read: u64,
}

impl<R: Read> Stream<R> {
    fn new(reader: R) -> Self {
        Self { reader, read: 0 }
    }

    fn tree(mut self) -> Result<Bvh, LoadError> {
        let mut bytes = [0; HEADER_LENGTH];
        let length = self.fill(&mut bytes)?;
        let header = Header::parse(&bytes[..length])?;
        let mut padding = header.padding().into_iter();
        let mut skip = |stream: &mut Self| match padding.next() {
            Some(range) => stream.padding(&range, &header),
            None => Ok(()),
        };

        skip(&mut self)?;
        let metadata = self.section(&header, METADATA)?;
        skip(&mut self)?;
        let nodes = self.section(&header, NODES)?;
        skip(&mut self)?;
        let blocks = self.section(&header, BLOCKS)?;
        skip(&mut self)?;
        let meshes = self.section(&header, MESHES)?;
        skip(&mut self)?;
        let materials = self.section(&header, MATERIALS)?;
        skip(&mut self)?;
        let user = self.section(&header, USER)?;
        skip(&mut self)?;

        let rest = self.fill(&mut [0; 64])?;
        header.check_length(header.total_length + rest as u64)?;
        let mut tree = Bvh::new(nodes, blocks, meshes, materials, metadata);
        tree.user = user;
        tree.content_hash = header.content_hash;
        check(&tree.view(), Some(&header))?;
        Ok(tree)
    }

    /// Reads until `buffer` is full or nothing more comes; returns how much did.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, LoadError> {
        let filled = fill(buffer, self.read, |rest, _| self.reader.read(rest))?;
        self.read += filled as u64;
        Ok(filled)
    }

    fn padding(&mut self, range: &Range<u64>, header: &Header) -> Result<(), LoadError> {
        let mut buffer = [0; ALIGNMENT];
        let length = (range.end - range.start) as usize;
        if self.fill(&mut buffer[..length])? < length {
            return Err(truncated(self.read, header.total_length));
        }
        check_zero(&buffer[..length], range.start)
    }

    fn section<T: Pod>(&mut self, header: &Header, index: usize) -> Result<Vec<T>, LoadError> {
        // Vectors are zeroed before they are read into, piece by piece within the cache.
        const PIECE: usize = 1 << 18;
        let count = header.count(index)?;
        let mut elements: Vec<T> = Vec::new();
        while elements.len() < count {
            let start = elements.len();
            if start == elements.capacity() {
                // As much again as has really come, so that a header cannot ask for memory
                // that the stream does not back.
                let more = usize::try_from(self.read).unwrap_or(usize::MAX) / size_of::<T>();
                let more = more.max(1).min(count - start);
                let room = elements.try_reserve_exact(more);
                room.map_err(|error| no_memory::<T>(more, error))?;
            }
            let end = elements.capacity().min(count);
            let end = end.min(start + PIECE / size_of::<T>());
            elements.resize(end, T::zeroed());
            let bytes = bytemuck::cast_slice_mut(&mut elements[start..]);
            let length = bytes.len();
            if self.fill(bytes)? < length {
                return Err(truncated(self.read, header.total_length));
            }
        }
        Ok(elements)
    }
}
