//! What tells the files of scenes from others.

use crate::file::FileKind;

/// The version of the format of scene files.
pub const FORMAT_VERSION: u32 = 2;

/// Whether bytes begin as a scene's file does. Eight bytes are enough to tell.
#[must_use]
pub fn is_scene(bytes: &[u8]) -> bool {
    bytes.starts_with(&SCENE.magic)
}

pub(super) const SCENE: FileKind = FileKind {
    magic: *b"\x89HSCN\r\n\x1a",
    name: "scene",
    long_name: "scene",
    version: FORMAT_VERSION,
};
