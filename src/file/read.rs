//! Trees read into memory of their own: from a stream in order, or from files and bytes in memory
//! by several threads at once.

use std::collections::TryReserveError;
#[cfg(any(unix, windows))]
use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::check::{PIECE_BLOCKS, Skeleton, first_of};
use super::checksum::{PIECE, of_pieces};
use super::header::{
    ALIGNMENT, BLOCKS, HEADER_LENGTH, Header, MATERIALS, MESHES, METADATA, NODES, TREE, USER,
};
use super::kind::{FileKind, truncated};
use crate::bvh::{Bvh, LeafBlock, Sections};
use crate::error::{LoadError, LoadErrorKind};
use crate::platform::memory;
use crate::platform::parallel;

/// Bytes that can be read at any place.
pub(crate) trait ReadAt: Sync {
    /// Reads some bytes from an offset on, and says how many; zero means the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.get(at..));
        let rest = rest.unwrap_or(&[]);
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}

#[cfg(unix)]
impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }
}

#[cfg(windows)]
impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }
}

/// Loads a tree that is all of `length` bytes, and checks everything.
pub(super) fn load(bytes: &(impl ReadAt + ?Sized), length: u64) -> Result<Bvh, LoadError> {
    load_if(bytes, length, |_| Ok(()))
}

/// The same, if `accept` likes its header. Each piece of it is read, hashed and checked by one
/// thread, while it is in that thread's cache.
pub(crate) fn load_if(
    bytes: &(impl ReadAt + ?Sized),
    length: u64,
    accept: impl FnOnce(&Header) -> Result<(), LoadError>,
) -> Result<Bvh, LoadError> {
    let mut start = [0; HEADER_LENGTH];
    let filled = fill(&mut start, 0, |rest, at| bytes.read_at(rest, at))?;
    let header = Header::parse(&start[..filled])?;
    accept(&header)?;
    // Before any memory is taken: there are bytes for all that the header asks for.
    header.check_length(length)?;
    let reader = Reader { bytes, header };
    for range in header.padding() {
        let mut padding = [0; ALIGNMENT];
        let padding = &mut padding[..(range.end - range.start) as usize];
        reader.exactly(padding, range.start)?;
        TREE.check_zero(padding, range.start)?;
    }
    let beyond = fill(&mut [0; 64], header.total_length, |rest, at| bytes.read_at(rest, at))?;
    header.check_length(header.total_length + beyond as u64)?;

    let metadata = reader.section(METADATA)?;
    let nodes = reader.section(NODES)?;
    let meshes = reader.section(MESHES)?;
    let materials = reader.section(MATERIALS)?;
    let user = reader.section(USER)?;
    let count = header.count(BLOCKS)?;
    let skeleton = match Skeleton::of(&metadata, &nodes, count, &meshes, &materials) {
        Ok(skeleton) => skeleton,
        // Damage is reported as damage.
        Err(unsound) => {
            reader.section::<LeafBlock>(BLOCKS)?;
            return Err(unsound);
        }
    };
    let room = memory::room(count).map_err(|error| no_memory::<LeafBlock>(count, error))?;
    let look = |blocks: &mut [MaybeUninit<LeafBlock>]| {
        let pieces = blocks.chunks_mut(PIECE_BLOCKS).enumerate();
        let fetch = |(number, piece)| reader.piece(BLOCKS, number, piece);
        skeleton.look(pieces, fetch, Some(&header))
    };
    // SAFETY: `look` returns `Ok` when all pieces have been fetched, and so been zeroed.
    let (blocks, seen) = unsafe { memory::fill(room, count, look) }?;
    skeleton.finish(seen, &blocks, Some(&header))?;
    let content_hash = header.content_hash;
    Ok(Bvh::new(Sections { nodes, blocks, meshes, materials, metadata, user, content_hash }))
}

/// Fills a buffer from a file of `total` bytes, or says that the file is cut off.
pub(crate) fn read_exactly(
    bytes: &(impl ReadAt + ?Sized),
    buffer: &mut [u8],
    offset: u64,
    total: u64,
) -> Result<(), LoadError> {
    let filled = fill(buffer, offset, |rest, at| bytes.read_at(rest, at))?;
    if filled < buffer.len() {
        return Err(truncated(offset + filled as u64, total));
    }
    Ok(())
}

/// Reads the sections of a file whose header is known.
struct Reader<'a, B: ?Sized> {
    bytes: &'a B,
    header: Header,
}

impl<B: ReadAt + ?Sized> Reader<'_, B> {
    /// Fills a buffer, or says that the file is cut off.
    fn exactly(&self, buffer: &mut [u8], offset: u64) -> Result<(), LoadError> {
        read_exactly(self.bytes, buffer, offset, self.header.total_length)
    }

    /// Reads a piece of a section.
    fn piece<'b, T: Pod>(
        &self,
        section: usize,
        number: usize,
        piece: &'b mut [MaybeUninit<T>],
    ) -> Result<&'b [T], LoadError> {
        let piece = memory::zeroed(piece);
        let offset = self.header.sections[section].offset + (number * PIECE) as u64;
        self.exactly(bytemuck::cast_slice_mut(piece), offset)?;
        Ok(piece)
    }

    /// Reads a section on all threads and checks its checksum.
    fn section<T: Pod + Send>(&self, section: usize) -> Result<Vec<T>, LoadError> {
        const { assert!(PIECE.is_multiple_of(size_of::<T>()), "a piece holds whole elements") };
        let count = self.header.count(section)?;
        let room = memory::room(count).map_err(|error| no_memory::<T>(count, error))?;
        let read = |elements: &mut [MaybeUninit<T>]| {
            let pieces = elements.chunks_mut(PIECE / size_of::<T>()).enumerate();
            let works = parallel::share(
                usize::MAX,
                pieces,
                || (Vec::new(), Vec::new()),
                |(hashes, failed), (number, piece)| match self.piece(section, number, piece) {
                    Ok(piece) => hashes.push((number, xxh3_64(bytemuck::cast_slice(piece)))),
                    Err(error) => failed.push((number, error)),
                },
            );
            let (hashes, failed): (Vec<_>, Vec<_>) = works.into_iter().unzip();
            first_of(failed.into_iter().flatten())?;
            self.header.check_checksum(section, of_pieces(hashes.concat()))
        };
        // SAFETY: without a failure every piece has been read, and so been zeroed.
        unsafe { memory::fill(room, count, read) }.map(|(elements, ())| elements)
    }
}

/// Memory on 64-byte boundaries.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// The bytes of a whole file, aligned.
pub(crate) struct Lines(Vec<Line>);

impl AsRef<[u8]> for Lines {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// Reads as many bytes as the header says, which must be all that come. `total_length` gets the
/// first `header_length` bytes, or all there are, and checks them.
pub(crate) fn read_all(
    mut reader: impl Read,
    kind: &FileKind,
    header_length: usize,
    total_length: impl FnOnce(&[u8]) -> Result<u64, LoadError>,
) -> Result<Lines, LoadError> {
    // Memory is zeroed before it is read into, in pieces that fit the cache.
    const PIECE_LINES: usize = (1 << 18) / size_of::<Line>();
    let mut lines = vec![Line::zeroed(); header_length.div_ceil(ALIGNMENT)];
    let start = &mut bytemuck::cast_slice_mut(&mut lines)[..header_length];
    let mut filled = fill(start, 0, |rest, _| reader.read(rest))?;
    let total = total_length(&start[..filled])?;
    // The total length is a multiple of 64.
    let count = usize::try_from(total / ALIGNMENT as u64).unwrap_or(usize::MAX);
    loop {
        let rest = &mut bytemuck::cast_slice_mut(&mut lines)[filled..];
        let expected = filled + rest.len();
        filled += fill(rest, filled as u64, |rest, _| reader.read(rest))?;
        if filled < expected {
            return Err(truncated(filled as u64, total));
        }
        if lines.len() == count {
            break;
        }
        if lines.len() == lines.capacity() {
            // As much again as has come, so that a header cannot ask for memory that the stream
            // does not fill.
            let more = lines.len().min(count - lines.len());
            lines.try_reserve_exact(more).map_err(|error| no_memory::<Line>(more, error))?;
        }
        let end = lines.capacity().min(count).min(lines.len() + PIECE_LINES);
        lines.resize(end, Line::zeroed());
    }
    let beyond = fill(&mut [0; 64], total, |rest, _| reader.read(rest))?;
    kind.check_length(total + beyond as u64, total)?;
    Ok(Lines(lines))
}

/// Reads until `buffer`, which begins at `offset`, is full or nothing more comes; returns how much
/// did. `read` is told where the rest begins.
pub(crate) fn fill(
    buffer: &mut [u8],
    offset: u64,
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> Result<usize, LoadError> {
    let mut filled = 0;
    while filled < buffer.len() {
        let at = offset + filled as u64;
        match read(&mut buffer[filled..], at) {
            Ok(0) => break,
            // A faulty reader may claim more than it was given room for.
            Ok(length) => filled = buffer.len().min(filled.saturating_add(length)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&format!("cannot read on at byte {at}"), error)),
        }
    }
    Ok(filled)
}

pub(crate) fn no_memory<T>(count: usize, error: TryReserveError) -> LoadError {
    let size = size_of::<T>();
    let message = format!("no memory for {count} more elements of {size} bytes");
    LoadError::new(LoadErrorKind::TooLarge, message).with_source(error)
}

/// A folder in place of a file.
pub(crate) fn folder() -> LoadError {
    LoadError::new(LoadErrorKind::Io, "it is a folder, not a file")
}

pub(crate) fn failed(what: &str, error: io::Error) -> LoadError {
    LoadError::new(LoadErrorKind::Io, format!("{what}: {error}")).with_source(error)
}
