//! The first bytes, which tell a baked tree from other files.

use crate::error::{LoadError, LoadErrorKind};

/// As PNG does it: no text begins with the first byte, a changed line end breaks the
/// middle, and printing the file on an old console stops at the end.
pub(crate) const MAGIC: [u8; 8] = *b"\x89HBVH\r\n\x1a";

/// Beginnings of files that people do mix up with a baked tree, and what to say then.
const FOREIGN: &[(&[u8], &str)] = &[
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
    (
        b"\xef\xbf\xbdHBVH",
        "this was a baked tree, but something read it as text and replaced its bytes",
    ),
    (
        b"\x89HBVH\n\x1a",
        "this was a baked tree, but something changed its line ends (text-mode transfer?)",
    ),
    (
        b"\x89HBVH\r\r\n",
        "this was a baked tree, but something changed its line ends (text-mode transfer?)",
    ),
];

/// Whether these bytes are meant to be a baked tree at all.
pub(crate) fn check_magic(bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.starts_with(&MAGIC) {
        return Ok(());
    }
    if bytes.is_empty() {
        return Err(LoadError::new(
            LoadErrorKind::Truncated,
            "the file is empty (0 bytes), not a baked tree",
        ));
    }
    if MAGIC.starts_with(bytes) {
        return Err(too_short(bytes.len(), "magic"));
    }
    let begins = &bytes[..bytes.len().min(MAGIC.len())];
    let message = match FOREIGN.iter().find(|(start, _)| bytes.starts_with(start)) {
        Some((_, message)) => (*message).to_owned(),
        None => {
            let hex = |bytes: &[u8]| {
                let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                bytes.join(" ")
            };
            format!(
                "this is not a baked tree: it begins with the bytes {} (hexadecimal), expected {}",
                hex(begins),
                hex(&MAGIC)
            )
        }
    };
    Err(LoadError::new(LoadErrorKind::NotHitscan, message))
}

#[cold]
pub(super) fn too_short(found: usize, what: &str) -> LoadError {
    LoadError::new(
        LoadErrorKind::Truncated,
        format!("the tree is cut off: {found} bytes end within the {what}"),
    )
}
