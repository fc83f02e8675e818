//! Files mapped into memory and used in place.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use super::check::check;
use super::header::{HEADER_LENGTH, Header};
use super::read::{check_padding, failed, locate, view_of};
use crate::bvh::BvhView;
use crate::bvh::Facts;
use crate::error::LoadError;

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
pub struct MappedBvh {
    map: Mmap,
    header: Header,
    facts: Facts,
}

impl fmt::Debug for MappedBvh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().describe("MappedBvh", f)
    }
}

/// How a file is mapped. Hits are the same whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapOptions {
    prefault: Prefault,
    huge_pages: HugePages,
}

/// When a mapped file's pages come into memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prefault {
    /// All at once through the checked doors, which read all of them anyway; one by one, as
    /// rays need them, through the unchecked ones.
    #[default]
    WhenChecked,
    /// All at once, so that no ray waits for the disk.
    Always,
    /// One by one.
    Never,
}

/// Whether the system is asked for huge pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HugePages {
    /// No.
    #[default]
    Never,
    /// Yes: Linux may grant them for files on some file systems (tmpfs, or any with
    /// `CONFIG_READ_ONLY_THP_FOR_FS`). Elsewhere it changes nothing.
    Prefer,
}

impl MapOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// When pages come into memory. Default: [`Prefault::WhenChecked`].
    #[must_use]
    pub fn prefault(self, prefault: Prefault) -> Self {
        Self { prefault, ..self }
    }

    /// Whether huge pages are asked for. Default: [`HugePages::Never`].
    #[must_use]
    pub fn huge_pages(self, huge_pages: HugePages) -> Self {
        Self { huge_pages, ..self }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Check {
    All,
    Header,
}

impl MappedBvh {
    /// Maps a baked tree's file and checks everything: O(bytes), at memory speed, on all threads.
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
        // SAFETY: the caller promises that the file stays as it is.
        unsafe { Self::open_mapped_with(path, MapOptions::new()) }
    }

    /// As [`open_mapped`](Self::open_mapped), with options.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn open_mapped_with(
        path: impl AsRef<Path>,
        options: MapOptions,
    ) -> Result<Self, LoadError> {
        // SAFETY: the caller promises that the file stays as it is.
        unsafe { Self::map(path.as_ref(), options, Check::All) }
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
        // SAFETY: the caller promises that the file stays as it is, and is sound.
        unsafe { Self::open_mapped_unchecked_with(path, MapOptions::new()) }
    }

    /// As [`open_mapped_unchecked`](Self::open_mapped_unchecked), with options.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Safety
    ///
    /// As there.
    pub unsafe fn open_mapped_unchecked_with(
        path: impl AsRef<Path>,
        options: MapOptions,
    ) -> Result<Self, LoadError> {
        // SAFETY: the caller promises that the file stays as it is, and is sound.
        unsafe { Self::map(path.as_ref(), options, Check::Header) }
    }

    /// # Safety
    ///
    /// As the doors above say.
    unsafe fn map(path: &Path, options: MapOptions, checked: Check) -> Result<Self, LoadError> {
        let map = || {
            let file = File::open(path).map_err(|error| failed("cannot open", error))?;
            let length =
                file.metadata().map_err(|error| failed("cannot tell its length", error))?.len();
            // Before all of what may be no tree at all is brought into memory; and of an empty
            // file there would be nothing to map.
            let mut start = Vec::new();
            let read = (&file).take(HEADER_LENGTH as u64).read_to_end(&mut start);
            read.map_err(|error| failed("cannot read", error))?;
            Header::parse(&start)?.check_length(length)?;
            let at_once = match options.prefault {
                Prefault::WhenChecked => checked == Check::All,
                Prefault::Always => true,
                Prefault::Never => false,
            };
            let mut how = MmapOptions::new();
            if at_once && options.huge_pages == HugePages::Never {
                // One call instead of a fault for each page.
                how.populate();
            }
            // SAFETY: the caller promises that nobody changes or cuts the file while it is
            // mapped.
            let map = unsafe { how.map(&file) }.map_err(|error| failed("cannot map", error))?;
            if options.huge_pages == HugePages::Prefer {
                advise_huge_pages(&map, at_once);
            }
            let (header, view) = locate(&map)?;
            if checked == Check::All {
                check_padding(&map, &header)?;
                check(&view, Some(&header))?;
            }
            let facts = view.facts;
            Ok(Self { map, header, facts })
        };
        map().map_err(|error: LoadError| error.in_file(path))
    }

    /// The tree.
    #[must_use]
    pub fn view(&self) -> BvhView<'_> {
        // It was there when the file was opened, and the mapping does not move.
        view_of(&self.map, &self.header, Some(self.facts)).unwrap_or(BvhView {
            nodes: &[],
            blocks: &[],
            meshes: &[],
            materials: &[],
            metadata: &[],
            user: &[],
            content_hash: 0,
            // Not the map's: with theirs, rays would look for a first node.
            facts: Facts::new(&[], &[]),
        })
    }
}

/// Hints, which the system may refuse: nothing depends on them.
#[cfg(target_os = "linux")]
fn advise_huge_pages(map: &Mmap, prefault: bool) {
    let _ = map.advise(memmap2::Advice::HugePage);
    if prefault {
        let _ = map.advise(memmap2::Advice::PopulateRead);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_map: &Mmap, _prefault: bool) {}
