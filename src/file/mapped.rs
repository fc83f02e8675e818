//! Files mapped into memory and used in place.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use super::header::{Header, SECTIONS};
use super::read::{check_contents, check_padding, locate, view_of};
use crate::bvh::Facts;
use crate::{BvhView, LoadError, LoadErrorKind};

/// A baked tree in a file that is mapped into memory and used in place: nothing is copied,
/// and several processes share it.
///
/// ```no_run
/// use hitscan::file::MappedBvh;
///
/// // SAFETY: the game's own data file, which nobody writes to while the game runs.
/// let level = unsafe { MappedBvh::open_mapped("level.hbvh") }?;
/// let level = level.view();
/// # Ok::<(), hitscan::LoadError>(())
/// ```
#[derive(Debug)]
pub struct MappedBvh {
    map: Mmap,
    ranges: [Range<usize>; SECTIONS],
    facts: Facts,
}

impl MappedBvh {
    /// Maps a baked tree's file and checks everything: O(bytes), at memory speed.
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped, or as [`BvhView::from_bytes`]. The message begins with
    /// the path.
    ///
    /// # Safety
    ///
    /// Nobody, in this process or another, may change or cut the file while it is mapped:
    /// what was checked would no longer hold, and a page that is no longer there ends the
    /// process. Saving with [`BvhView::save`] is safe, as it puts a new file in place and
    /// leaves the mapped one alone. [`Bvh::open`](crate::Bvh::open) has no such condition.
    pub unsafe fn open_mapped(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        // SAFETY: the caller promises that the file stays as it is.
        unsafe { Self::map(path, true) }.map_err(|error| error.in_file(path))
    }

    /// Maps a baked tree's file that somebody vouches for. Checks the header and the section
    /// table only: O(1), whatever the file's size; pages are read when a ray first needs
    /// them.
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped, or as [`BvhView::from_bytes_unchecked`]. The message
    /// begins with the path.
    ///
    /// # Safety
    ///
    /// As for [`open_mapped`](Self::open_mapped); and the file must be as this version of
    /// the crate wrote it: queries follow its numbers unchecked.
    pub unsafe fn open_mapped_unchecked(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        // SAFETY: the caller promises that the file stays as it is, and is sound.
        unsafe { Self::map(path, false) }.map_err(|error| error.in_file(path))
    }

    /// # Safety
    ///
    /// As the two doors above say.
    unsafe fn map(path: &Path, check: bool) -> Result<Self, LoadError> {
        let failed = |what: &str, error: std::io::Error| {
            LoadError::new(LoadErrorKind::Io, format!("{what}: {error}")).with_source(error)
        };
        let file = File::open(path).map_err(|error| failed("cannot open", error))?;
        let length = file
            .metadata()
            .map_err(|error| failed("cannot tell its length", error))?
            .len();
        if length == 0 {
            // There is nothing to map; the header's check has the words for it.
            Header::parse(&[])?;
        }
        let mut options = MmapOptions::new();
        if check {
            // Every page is about to be read: one call instead of a fault for each.
            options.populate();
        }
        // SAFETY: the caller promises that nobody changes or cuts the file while it is
        // mapped.
        let map = unsafe { options.map(&file) }.map_err(|error| failed("cannot map", error))?;
        let (header, view) = locate(&map)?;
        if check {
            check_padding(&map, &header)?;
            check_contents(&header, &view)?;
        }
        let (ranges, facts) = (header.ranges(), view.facts);
        Ok(Self { map, ranges, facts })
    }

    /// The tree.
    #[must_use]
    pub fn view(&self) -> BvhView<'_> {
        // It was there when the file was opened, and the mapping does not move.
        view_of(&self.map, &self.ranges, Some(self.facts)).unwrap_or(BvhView {
            nodes: &[],
            blocks: &[],
            meshes: &[],
            materials: &[],
            metadata: &[],
            facts: self.facts,
        })
    }
}
