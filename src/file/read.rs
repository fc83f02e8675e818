//! Ways in: everything is checked, except through the doors called `unchecked`.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use bytemuck::Pod;
use xxhash_rust::xxh3::xxh3_64;

use super::header::{
    ALIGNMENT, HEADER_LENGTH, Header, SECTION_NAMES, SECTIONS, invalid, truncated,
};
use super::metadata::Outline;
use crate::bvh::{Facts, MeshRecord, Node};
use crate::{Bvh, BvhView, LoadError, LoadErrorKind};

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
        check_contents(&header, &view)?;
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
            // Of a pipe or a device no length is known.
            let length = match file.metadata() {
                Ok(metadata) if metadata.is_file() => metadata.len(),
                _ => 0,
            };
            Source::new(file, length).tree()
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
        Source::new(reader, 0).tree()
    }

    /// Copies a tree out of a file's bytes, which may lie anywhere, and checks everything.
    ///
    /// # Errors
    ///
    /// As [`BvhView::from_bytes`], alignment aside.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let header = Header::parse(bytes)?;
        header.check_length(bytes.len() as u64)?;
        check_padding(bytes, &header)?;
        let [metadata, nodes, blocks, meshes, materials] =
            header.ranges().map(|range| &bytes[range]);
        let tree = Self::new(
            copied(nodes)?,
            copied(blocks)?,
            copied(meshes)?,
            copied(materials)?,
            copied(metadata)?,
        );
        check_contents(&header, &tree.view())?;
        Ok(tree)
    }
}

/// Checks the header and finds the sections in place.
pub(super) fn locate(bytes: &[u8]) -> Result<(Header, BvhView<'_>), LoadError> {
    let header = Header::parse(bytes)?;
    header.check_length(bytes.len() as u64)?;
    let view = view_of(bytes, &header.ranges(), None)?;
    Ok((header, view))
}

/// The sections as slices of what they hold. The facts are those found before, if any.
pub(super) fn view_of<'a>(
    bytes: &'a [u8],
    ranges: &[Range<usize>; SECTIONS],
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
    let [metadata, nodes, blocks, meshes, materials] =
        ranges.clone().map(|range| bytes.get(range).unwrap_or(&[]));
    let nodes: &[Node] = bytemuck::try_cast_slice(nodes).map_err(|_| misaligned())?;
    let meshes: &[MeshRecord] = bytemuck::try_cast_slice(meshes).map_err(|_| misaligned())?;
    Ok(BvhView {
        nodes,
        blocks: bytemuck::try_cast_slice(blocks).map_err(|_| misaligned())?,
        meshes,
        materials: bytemuck::try_cast_slice(materials).map_err(|_| misaligned())?,
        metadata,
        facts: facts.unwrap_or_else(|| Facts::new(nodes, meshes)),
    })
}

/// Checks all that lies between the sections (I5). The length is known to be right.
pub(super) fn check_padding(bytes: &[u8], header: &Header) -> Result<(), LoadError> {
    header.padding().into_iter().try_for_each(|range| {
        check_zero(
            &bytes[range.start as usize..range.end as usize],
            range.start,
        )
    })
}

fn check_zero(padding: &[u8], offset: u64) -> Result<(), LoadError> {
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

/// Checks the sections' checksums and then what they say.
pub(super) fn check_contents(header: &Header, view: &BvhView<'_>) -> Result<(), LoadError> {
    // The validator trusts nothing, so it need not wait for the checksums; but damage is
    // reported as damage.
    let (intact, sound) = join(
        view.section_bytes().map(<[u8]>::len).iter().sum(),
        || check_checksums(header, view),
        || view.validate(),
    );
    intact.and(sound)?;
    let source_hash = Outline::read(view.metadata)?.source_hash();
    if source_hash != header.source_hash {
        return Err(invalid(
            "I6",
            format!(
                "the header's source hash is {:#018x}, the metadata's sources give \
                 {source_hash:#018x}",
                header.source_hash
            ),
        ));
    }
    Ok(())
}

fn check_checksums(header: &Header, view: &BvhView<'_>) -> Result<(), LoadError> {
    for (index, bytes) in view.section_bytes().into_iter().enumerate() {
        let expected = header.sections[index].checksum;
        let found = xxh3_64(bytes);
        if found != expected {
            return Err(LoadError::new(
                LoadErrorKind::Checksum,
                format!(
                    "the {} are damaged: their checksum is {found:#018x}, expected \
                     {expected:#018x}; fetch or bake the file again",
                    SECTION_NAMES[index]
                ),
            ));
        }
    }
    Ok(())
}

/// Does both, at the same time where threads are and it is worth waking one.
fn join<A: Send, B: Send>(
    bytes: usize,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if bytes > 1 << 20 {
        return rayon::join(first, second);
    }
    let _ = bytes;
    (first(), second())
}

fn copied<T: Pod>(bytes: &[u8]) -> Result<Vec<T>, LoadError> {
    let mut elements = Vec::new();
    reserve(&mut elements, bytes.len() / size_of::<T>())?;
    let whole = bytes.chunks_exact(size_of::<T>());
    elements.extend(whole.map(bytemuck::pod_read_unaligned::<T>));
    Ok(elements)
}

/// Makes room, or says that there is no memory for it.
fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<(), LoadError> {
    elements.try_reserve_exact(more).map_err(|error| {
        LoadError::new(
            LoadErrorKind::TooLarge,
            format!(
                "no memory for {more} more elements of {} bytes",
                size_of::<T>()
            ),
        )
        .with_source(error)
    })
}

fn failed(what: &str, error: io::Error) -> LoadError {
    LoadError::new(LoadErrorKind::Io, format!("{what}: {error}")).with_source(error)
}

/// A reader, and how much has come out of it.
struct Source<R> {
    reader: R,
    /// Bytes read.
    read: u64,
    /// Bytes that are known to be there, so that memory for them may be taken at once.
    known: u64,
}

impl<R: Read> Source<R> {
    fn new(reader: R, known: u64) -> Self {
        Self {
            reader,
            read: 0,
            known,
        }
    }

    fn tree(mut self) -> Result<Bvh, LoadError> {
        let mut bytes = [0; HEADER_LENGTH];
        let length = self.fill(&mut bytes)?;
        let header = Header::parse(&bytes[..length])?;
        if self.known != 0 {
            // Before anything is allocated; the end is looked for again below.
            header.check_length(self.known)?;
        }
        let mut padding = header.padding().into_iter();
        let mut skip = |source: &mut Self| match padding.next() {
            Some(range) => source.padding(&range, &header),
            None => Ok(()),
        };

        skip(&mut self)?;
        let metadata = self.section(&header, 0)?;
        skip(&mut self)?;
        let nodes = self.section(&header, 1)?;
        skip(&mut self)?;
        let blocks = self.section(&header, 2)?;
        skip(&mut self)?;
        let meshes = self.section(&header, 3)?;
        skip(&mut self)?;
        let materials = self.section(&header, 4)?;
        skip(&mut self)?;

        let rest = self.fill(&mut [0; 64])?;
        header.check_length(header.total_length + rest as u64)?;
        let tree = Bvh::new(nodes, blocks, meshes, materials, metadata);
        check_contents(&header, &tree.view())?;
        Ok(tree)
    }

    /// Reads until `buffer` is full or nothing more comes; returns how much did.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, LoadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                // A reader that claims more than it was asked for lies.
                Ok(length) => filled = buffer.len().min(filled.saturating_add(length)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let at = self.read + filled as u64;
                    return Err(failed(&format!("cannot read on at byte {at}"), error));
                }
            }
        }
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
                // that the file does not back.
                let backed = self.read.max(self.known.saturating_sub(self.read));
                let more = usize::try_from(backed).unwrap_or(usize::MAX);
                reserve(
                    &mut elements,
                    (more / size_of::<T>()).max(1).min(count - start),
                )?;
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
