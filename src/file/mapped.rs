//! Files mapped into memory and used in place.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use super::header::{HEADER_LENGTH, Header};
use super::open::{checked, header_checked};
use super::read::{failed, folder};
use crate::bvh::Bvh;
use crate::error::LoadError;

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
    /// All at once by [`Bvh::open_mapped`], which reads all of them anyway; one by one, as
    /// rays need them, by [`Bvh::open_mapped_unchecked`].
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

impl Bvh {
    /// Maps a baked tree's file into memory and uses it in place: nothing is copied, and several
    /// processes share it. Checks everything: O(bytes), at memory speed, on all threads.
    ///
    /// ```no_run
    /// use hitscan::Bvh;
    /// use hitscan::file::MapOptions;
    ///
    /// // SAFETY: the game's own data file, which is not written to while the game runs.
    /// let level = unsafe { Bvh::open_mapped("level.hbvh", &MapOptions::new()) }?;
    /// # Ok::<(), hitscan::LoadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped, or as [`from_bytes`](Self::from_bytes). The message begins
    /// with the path.
    ///
    /// # Safety
    ///
    /// No program may change or cut the file while it is mapped, which is as long as there is a
    /// clone of the tree: what was checked would no longer hold, and a page that is no longer
    /// there ends the process. [Saving](Self::save) a tree over it is safe, as that puts a new file
    /// in place and leaves the mapped one alone. [`open`](Self::open) has no such condition.
    pub unsafe fn open_mapped(
        path: impl AsRef<Path>,
        options: &MapOptions,
    ) -> Result<Self, LoadError> {
        // SAFETY: the caller promises that the file stays as it is.
        let map = unsafe { map(path.as_ref(), options, Check::All) }?;
        Self::over(map, checked).map_err(|error| error.in_file(path.as_ref()))
    }

    /// As [`open_mapped`](Self::open_mapped), but trusts the file: checks the header and the
    /// section table only, in time that does not depend on the file's size. Pages are read when a
    /// ray first needs them.
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped, or as [`from_owner_unchecked`](Self::from_owner_unchecked).
    /// The message begins with the path.
    ///
    /// # Safety
    ///
    /// As for [`open_mapped`](Self::open_mapped); and the file must be as this version of
    /// the crate wrote it: queries follow its numbers unchecked.
    pub unsafe fn open_mapped_unchecked(
        path: impl AsRef<Path>,
        options: &MapOptions,
    ) -> Result<Self, LoadError> {
        // SAFETY: the caller promises that the file stays as it is, and that it is sound.
        let map = unsafe { map(path.as_ref(), options, Check::Header) }?;
        Self::over(map, header_checked).map_err(|error| error.in_file(path.as_ref()))
    }
}

/// # Safety
///
/// The file must stay as it is while it is mapped.
unsafe fn map(path: &Path, options: &MapOptions, check: Check) -> Result<Mmap, LoadError> {
    let map = || {
        let file = File::open(path).map_err(|error| failed("cannot open", error))?;
        let metadata = file.metadata().map_err(|error| failed("cannot tell its length", error))?;
        if metadata.is_dir() {
            return Err(folder());
        }
        let length = metadata.len();
        // Before all of what may be no tree is brought into memory. An empty file cannot be
        // mapped at all.
        let mut start = Vec::new();
        let read = (&file).take(HEADER_LENGTH as u64).read_to_end(&mut start);
        read.map_err(|error| failed("cannot read", error))?;
        Header::parse(&start)?.check_length(length)?;
        let at_once = match options.prefault {
            Prefault::WhenChecked => check == Check::All,
            Prefault::Always => true,
            Prefault::Never => false,
        };
        let mut how = MmapOptions::new();
        if at_once && options.huge_pages == HugePages::Never {
            // One call instead of a fault for each page.
            how.populate();
        }
        // SAFETY: this function's caller promises the same.
        let map = unsafe { how.map(&file) }.map_err(|error| failed("cannot map", error))?;
        if options.huge_pages == HugePages::Prefer {
            advise_huge_pages(&map, at_once);
        }
        Ok(map)
    };
    map().map_err(|error: LoadError| error.in_file(path))
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
