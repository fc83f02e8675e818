//! The kinds of files, and the first bytes, which tell them from others.

use std::fmt;

use crate::error::{LoadError, LoadErrorKind};

/// A kind of file, and what messages say of it.
pub(crate) struct FileKind {
    /// As PNG does it: no text begins with the first byte, a changed line end breaks the
    /// middle, and printing the file on an old console stops at the end.
    pub(crate) magic: [u8; 8],
    pub(crate) name: &'static str,
    /// With "a" before it.
    pub(crate) long_name: &'static str,
    pub(crate) version: u32,
}

/// The bytes 01 02 03 04 as a little-endian host reads them.
pub(crate) const ENDIANNESS: u32 = 0x0403_0201;

/// Beginnings of files that people do mix up with a baked tree, and what to say then.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"\x89HBVH\r\n\x1a", "this is a baked tree, not a scene; open it with `Bvh::open`"),
    (b"\x89HSCN\r\n\x1a", "this is a scene, not a baked tree; open it with `Scene::open`"),
    (b"\x89HRAY\r\n\x1a", "this is a recording of questions; `hitscan replay` asks them again"),
    (b"HIERARCHY", "this is motion capture (BioVision .bvh), not a baked tree (.hbvh)"),
    (b"\x89PNG", "this is a PNG picture"),
    (b"\xff\xd8\xff", "this is a JPEG picture"),
    (b"glTF", "this is a GLB model; bake it first with `hitscan bake`"),
    (b"ply\n", "this is a PLY model; bake it first with `hitscan bake`"),
    (b"ply\r", "this is a PLY model; bake it first with `hitscan bake`"),
    (b"solid", "this is an STL model; bake it first with `hitscan bake`"),
    (b"{", "this is JSON (a glTF model? bake it first with `hitscan bake`)"),
    (b"PK\x03\x04", "this is a zip archive; unpack it first"),
    (b"\x1f\x8b", "this is gzip-compressed; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "this is zstd-compressed; unpack it first"),
    (
        b"version https://git-lfs",
        "this is a Git LFS pointer, not the file itself; run `git lfs pull`",
    ),
    (b"<", "this is HTML or XML (a download that failed?)"),
];

impl FileKind {
    /// What comes first in each kind of file: the magic, then two words, which say whether numbers
    /// can be read, and which version of the format applies.
    pub(crate) fn check_start(&self, bytes: &[u8]) -> Result<(), LoadError> {
        check_host()?;
        self.check_magic(bytes)?;
        let endianness = word(bytes, 8, "endianness word")?;
        if endianness == ENDIANNESS.swap_bytes() {
            let Self { name, .. } = self;
            let message = format!(
                "this {name} was written on a big-endian machine; bake it again on a \
                 little-endian one"
            );
            return Err(LoadError::new(LoadErrorKind::Endianness, message));
        }
        if endianness != ENDIANNESS {
            let message =
                format!("endianness word is {endianness:#010x}, expected {ENDIANNESS:#010x}");
            return Err(self.invalid("I1", message));
        }
        let version = word(bytes, 12, "format version")?;
        if version != self.version {
            return Err(self.other_version("format version", version, self.version));
        }
        Ok(())
    }

    /// Whether these bytes are meant to be such a file at all.
    fn check_magic(&self, bytes: &[u8]) -> Result<(), LoadError> {
        let Self { magic, long_name, .. } = self;
        if bytes.starts_with(magic) {
            return Ok(());
        }
        if bytes.is_empty() {
            let message = format!("the file is empty (0 bytes), not a {long_name}");
            return Err(LoadError::new(LoadErrorKind::Truncated, message));
        }
        if magic.starts_with(bytes) {
            return Err(too_short(bytes.len(), "magic"));
        }
        let foreign = FOREIGN.iter().find(|(start, _)| bytes.starts_with(start));
        let message = match foreign {
            Some((_, message)) => (*message).to_owned(),
            None => self.of_damaged_magic(bytes),
        };
        Err(LoadError::new(LoadErrorKind::NotHitscan, message))
    }

    fn of_damaged_magic(&self, bytes: &[u8]) -> String {
        let Self { magic, long_name, .. } = self;
        let letters = &magic[1..5];
        let after = bytes.get(5..).unwrap_or_default();
        if bytes.get(1..5) == Some(letters)
            && [&b"\n\x1a"[..], b"\r\r\n"].iter().any(|ends| after.starts_with(ends))
        {
            return format!(
                "this was a {long_name}, but something changed its line ends (text-mode transfer?)"
            );
        }
        if bytes.strip_prefix(b"\xef\xbf\xbd").is_some_and(|rest| rest.starts_with(letters)) {
            return format!(
                "this was a {long_name}, but something read it as text and replaced its bytes"
            );
        }
        let hex = |bytes: &[u8]| {
            let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            bytes.join(" ")
        };
        let begins = &bytes[..bytes.len().min(magic.len())];
        format!(
            "this is not a {long_name}: it begins with the bytes {} (hexadecimal), expected {}",
            hex(begins),
            hex(magic)
        )
    }

    #[cold]
    pub(crate) fn other_version(&self, what: &str, found: u32, expected: u32) -> LoadError {
        let Self { name, .. } = self;
        let hint = if found > expected {
            "it may come from a newer hitscan; rebake it with this one, or update"
        } else {
            "rebake it with `hitscan bake`"
        };
        LoadError::new(
            LoadErrorKind::Version,
            format!("the {name} has {what} {found}, but this build reads {expected} only; {hint}"),
        )
    }

    /// Checks that a file is as long as its header says.
    pub(crate) fn check_length(&self, found: u64, expected: u64) -> Result<(), LoadError> {
        if found < expected {
            return Err(truncated(found, expected));
        }
        if found > expected {
            let message = format!(
                "{} bytes follow the {}: the header says {expected} bytes, found {found}",
                found - expected,
                self.name
            );
            return Err(LoadError::new(LoadErrorKind::TrailingBytes, message));
        }
        Ok(())
    }

    /// Checks a checksum. `what` is what it is of, with its verb: "the nodes are".
    pub(crate) fn check_checksum(
        &self,
        what: &str,
        found: u64,
        expected: u64,
    ) -> Result<(), LoadError> {
        if found == expected {
            return Ok(());
        }
        let message = format!(
            "{what} damaged: the checksum is {found:#018x}, expected {expected:#018x}; \
             fetch or bake the file again"
        );
        Err(LoadError::new(LoadErrorKind::Checksum, message))
    }

    /// Checks that padding, which lies at `offset`, is zero.
    pub(crate) fn check_zero(&self, padding: &[u8], offset: u64) -> Result<(), LoadError> {
        match padding.iter().zip(offset..).find(|(byte, _)| **byte != 0) {
            None => Ok(()),
            Some((byte, at)) => {
                let message =
                    format!("the padding byte at offset {at} is {byte:#04x}, expected zero");
                Err(self.invalid("I5", message))
            }
        }
    }

    /// An error that names a numbered invariant of the specification.
    pub(crate) fn invalid(&self, invariant: &str, message: impl fmt::Display) -> LoadError {
        LoadError::unsound(self.name, invariant, message)
    }
}

/// Files and memory are the same bytes, which holds on little-endian hosts only.
pub(crate) fn check_host() -> Result<(), LoadError> {
    if cfg!(target_endian = "big") {
        return Err(LoadError::new(
            LoadErrorKind::Endianness,
            "baked files are little-endian and used in place, but this machine is big-endian",
        ));
    }
    Ok(())
}

#[cold]
pub(crate) fn truncated(found: u64, expected: u64) -> LoadError {
    LoadError::new(
        LoadErrorKind::Truncated,
        format!("the file is cut off: expected {expected} bytes, found {found}"),
    )
}

#[cold]
pub(crate) fn too_short(found: usize, what: &str) -> LoadError {
    LoadError::new(
        LoadErrorKind::Truncated,
        format!("the file is cut off: {found} bytes end within the {what}"),
    )
}

fn word(bytes: &[u8], offset: usize, what: &str) -> Result<u32, LoadError> {
    match bytes.get(offset..).and_then(<[u8]>::first_chunk) {
        Some(&word) => Ok(u32::from_le_bytes(word)),
        None => Err(too_short(bytes.len(), what)),
    }
}
