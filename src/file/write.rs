//! The ways out: bytes, a writer, a file.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::header::{ALIGNMENT, Header, aligned};
use super::kind::check_host;
use crate::bvh::{Bvh, Outline, source_hash};
use crate::platform::process_number;

impl Bvh {
    /// The header of its file. Reads the whole tree for its checksums.
    pub(crate) fn file_header(&self) -> Header {
        // Metadata that does not decode can only have come through an unchecked door; a checked
        // door refuses the file that is written from it.
        let sources = Outline::read(self.view().metadata)
            .map_or_else(|_| source_hash(&[]), |outline| outline.source_hash());
        Header::of(self.view(), sources)
    }

    /// Writes the tree's file, of which this is the header.
    pub(crate) fn write_with(&self, header: &Header, writer: &mut impl Write) -> io::Result<()> {
        let header = bytemuck::bytes_of(header);
        write_padded(writer, std::iter::once(header).chain(self.view().sections()))
    }

    /// Writes the tree as a file's bytes. The same tree gives the same bytes.
    ///
    /// It writes few, large pieces, so that a `BufWriter` gains nothing, and does not
    /// flush. It reads the tree twice: once for the checksums, once to write.
    ///
    /// # Errors
    ///
    /// Only the errors of `writer`; and on a big-endian host, always, of kind
    /// [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        check_host().map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
        self.write_with(&self.file_header(), &mut writer)
    }

    /// The tree as a file's bytes. The same tree gives the same bytes.
    ///
    /// On a big-endian host the endianness word is wrong, and every reader refuses the bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = self.file_header();
        let mut bytes = Vec::with_capacity(header.total_length as usize);
        // Writing to a vector cannot fail.
        let _ = self.write_with(&header, &mut bytes);
        bytes
    }

    /// Saves the tree as a file: the old file or the whole new one is there, whatever
    /// happens in between.
    ///
    /// It writes a temporary file (`.hitscan-*.tmp`) in the same directory, flushes it to
    /// the disk, and renames it over the old one. A failure leaves the old file as it was
    /// and removes the temporary one; only a killed process leaves that behind. The file
    /// that a symbolic link names is replaced, not the link. Permissions are kept where the
    /// platform allows. A target that is not a file, such as a pipe or `/dev/stdout`, is written
    /// directly.
    ///
    /// # Errors
    ///
    /// The errors of the file system, with the path in the message; and on a big-endian host, or
    /// where there are no files, always, of kind [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        save_with(path, |file| self.write_to(file)).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: cannot save: {error}", path.display()))
        })
    }
}

/// Writes parts of a file, each with zeros behind it up to the next boundary.
pub(crate) fn write_padded<'a>(
    writer: &mut impl Write,
    parts: impl IntoIterator<Item = &'a [u8]>,
) -> io::Result<()> {
    let mut written = 0;
    for bytes in parts {
        writer.write_all(bytes)?;
        written += bytes.len() as u64;
        let padding = (aligned(written) - written) as usize;
        writer.write_all(&[0; ALIGNMENT][..padding])?;
        written += padding as u64;
    }
    Ok(())
}

/// Puts what `write` writes in place of `path` at once or not at all.
pub(crate) fn save_with(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| old.is_dir()) {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file"));
    }
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut device = OpenOptions::new().write(true).open(path)?;
        write(&mut device)?;
        return device.flush();
    }
    let target = match old {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let (file, temporary) = create_temporary(directory)?;
    let written = fill(file, old.map(|old| old.permissions()), write);
    if let Err(error) = written.and_then(|()| fs::rename(&temporary, &target)) {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    // The new file is in place and whole either way; this makes the rename last through a
    // power cut where directories can be flushed.
    if cfg!(unix) {
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}

/// Writes all of a new file to the disk, and closes it: Windows does not rename an open one.
fn fill(
    mut file: File,
    permissions: Option<Permissions>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    write(&mut file)?;
    file.flush()?;
    if let Some(permissions) = permissions {
        // Where the platform allows it.
        let _ = file.set_permissions(permissions);
    }
    file.sync_all()
}

/// A new file with a name of its own. It is short, so that a target's name of full length works.
fn create_temporary(directory: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const ATTEMPTS: u32 = 1000;
    let process = process_number();
    let mut attempt = 0;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name: OsString = format!(".hitscan-{process:x}-{number:x}.tmp").into();
        let path = directory.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            // Left by a killed process that had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
