//! Trees read into memory of their own from where bytes lie that can be read at any place, by
//! several threads at once: files, and bytes in memory.

#[cfg(any(unix, windows))]
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;

use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

use super::check::{PIECE_BLOCKS, Skeleton, first_of};
use super::checksum::{PIECE, of_pieces};
use super::header::{
    ALIGNMENT, BLOCKS, HEADER_LENGTH, Header, MATERIALS, MESHES, METADATA, NODES, USER, truncated,
};
use super::read::{check_zero, fill, no_memory};
use crate::bvh::Bvh;
use crate::bvh::LeafBlock;
use crate::error::LoadError;
use crate::platform::memory;
use crate::platform::parallel;

/// Bytes that can be read at any place.
pub(super) trait ReadAt: Sync {
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

/// Loads a tree that is all of `length` bytes, and checks everything. Each piece of it is read,
/// hashed and checked by one thread, while it is in that thread's cache.
pub(super) fn load(bytes: &(impl ReadAt + ?Sized), length: u64) -> Result<Bvh, LoadError> {
    let mut start = [0; HEADER_LENGTH];
    let filled = fill(&mut start, 0, |rest, at| bytes.read_at(rest, at))?;
    let header = Header::parse(&start[..filled])?;
    // Before any memory is taken: there are bytes for all that the header asks for.
    header.check_length(length)?;
    let reader = Reader { bytes, header };
    for range in header.padding() {
        let mut padding = [0; ALIGNMENT];
        let padding = &mut padding[..(range.end - range.start) as usize];
        reader.exactly(padding, range.start)?;
        check_zero(padding, range.start)?;
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
    let mut tree = Bvh::new(nodes, blocks, meshes, materials, metadata);
    tree.user = user;
    tree.content_hash = header.content_hash;
    Ok(tree)
}

/// Reads the sections of a file whose header is known.
struct Reader<'a, B: ?Sized> {
    bytes: &'a B,
    header: Header,
}

impl<B: ReadAt + ?Sized> Reader<'_, B> {
    /// Fills a buffer, or says that the file is cut off.
    fn exactly(&self, buffer: &mut [u8], offset: u64) -> Result<(), LoadError> {
        let filled = fill(buffer, offset, |rest, at| self.bytes.read_at(rest, at))?;
        if filled < buffer.len() {
            return Err(truncated(offset + filled as u64, self.header.total_length));
        }
        Ok(())
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
