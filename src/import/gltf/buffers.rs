//! The bytes behind a glTF file: its own binary chunk, data URIs, files beside it.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::json::{Items, Json};
use crate::import::error::{Fault, ImportErrorKind};
use crate::import::text::shown;

/// A part of a buffer; always within its bytes.
#[derive(Clone)]
pub(super) struct Bytes<'a>(Data<'a>, usize, usize);

#[derive(Clone)]
enum Data<'a> {
    Chunk(&'a [u8]),
    Owned(Rc<Vec<u8>>),
}

impl<'a> Bytes<'a> {
    fn whole(data: Data<'a>) -> Self {
        let length = match &data {
            Data::Chunk(bytes) => bytes.len(),
            Data::Owned(bytes) => bytes.len(),
        };
        Self(data, 0, length)
    }

    /// `length` bytes from `offset` on, if there are that many.
    pub(super) fn part(&self, offset: u64, length: u64) -> Option<Self> {
        let start = usize::try_from(offset).ok()?.checked_add(self.1)?;
        let end = usize::try_from(length).ok()?.checked_add(start)?;
        (end <= self.2).then(|| Self(self.0.clone(), start, end))
    }

    pub(super) fn len(&self) -> usize {
        self.2 - self.1
    }
}

impl std::ops::Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let bytes = match &self.0 {
            Data::Chunk(bytes) => bytes,
            Data::Owned(bytes) => bytes.as_slice(),
        };
        bytes.get(self.1..self.2).unwrap_or_default()
    }
}

/// Loads each buffer when it is first asked for: those that only hold images or
/// animations need not even exist.
pub(super) struct Buffers<'a> {
    buffers: Items<'a>,
    views: Items<'a>,
    chunk: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    loaded: HashMap<usize, Bytes<'a>>,
    /// By canonical path: a file is read once, however many buffers name it.
    files: HashMap<PathBuf, Bytes<'a>>,
    loaded_from_files: u64,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        buffers: Items<'a>,
        views: Items<'a>,
        chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        Self {
            buffers,
            views,
            chunk,
            folder,
            loaded: HashMap::new(),
            files: HashMap::new(),
            loaded_from_files: 0,
        }
    }

    /// How many bytes have been read from other files.
    pub(super) fn loaded_from_files(&self) -> u64 {
        self.loaded_from_files
    }

    /// The bytes of a buffer view, and its stride if it has one.
    pub(super) fn view(&mut self, reference: &Json<'a>) -> Result<(Bytes<'a>, Option<u64>), Fault> {
        let index = reference.index(self.views.len(), "buffer views")?;
        let view = self.views.at(index)?;
        let [buffer, offset, length, stride] =
            view.members(["buffer", "byteOffset", "byteLength", "byteStride"])?;
        let buffer = buffer.ok_or_else(|| view.missing("buffer"))?;
        let length = length.ok_or_else(|| view.missing("byteLength"))?.size()?;
        let offset = offset.map_or(Ok(0), |offset| offset.size())?;
        let stride = stride.map(|stride| stride.size()).transpose()?;
        let bytes = self.buffer(&buffer)?;
        let part = bytes.part(offset, length).ok_or_else(|| {
            view.fault(
                ImportErrorKind::Truncated,
                format_args!(
                    "{length} bytes from byte {offset} on, but its buffer has {} bytes",
                    bytes.len()
                ),
            )
        })?;
        Ok((part, stride))
    }

    fn buffer(&mut self, reference: &Json<'a>) -> Result<Bytes<'a>, Fault> {
        let index = reference.index(self.buffers.len(), "buffers")?;
        if let Some(bytes) = self.loaded.get(&index) {
            return Ok(bytes.clone());
        }
        let buffer = self.buffers.at(index)?;
        let [uri, length] = buffer.members(["uri", "byteLength"])?;
        let length = length.ok_or_else(|| buffer.missing("byteLength"))?.size()?;
        let bytes = match (uri, self.chunk) {
            (Some(uri), _) => self.resolve(&uri)?,
            (None, Some(chunk)) if index == 0 => Bytes::whole(Data::Chunk(chunk)),
            (None, _) if is_meshopt_fallback(&buffer) => {
                return Err(buffer.fault(
                    ImportErrorKind::Unsupported,
                    "its data is compressed with meshopt, which is not read",
                ));
            }
            (None, _) => {
                return Err(buffer.fault(
                    ImportErrorKind::Invalid,
                    "it has no 'uri', and no binary chunk stands for it",
                ));
            }
        };
        if (bytes.len() as u64) < length {
            return Err(buffer.fault(
                ImportErrorKind::Truncated,
                format_args!("byteLength is {length}, but there are {} bytes", bytes.len()),
            ));
        }
        self.loaded.insert(index, bytes.clone());
        Ok(bytes)
    }

    fn resolve(&mut self, place: &Json<'a>) -> Result<Bytes<'a>, Fault> {
        let uri = place.string()?;
        let named = shown(uri.as_bytes());
        let fault = |kind, reason: &str| place.fault(kind, format_args!("'{named}': {reason}"));
        if let Some(data) = strip_scheme(&uri, "data:") {
            let base64 = data.split_once(',').and_then(|(kind, data)| {
                let base64 = kind.to_ascii_lowercase().ends_with(";base64");
                base64.then_some(data)
            });
            let Some(base64) = base64 else {
                return Err(fault(
                    ImportErrorKind::Unsupported,
                    "only base64 is read of data URIs",
                ));
            };
            let bytes = decode_base64(base64.as_bytes()).map_err(|at| {
                fault(ImportErrorKind::Syntax, &format!("character {at} of the data is no base64"))
            })?;
            return Ok(Bytes::whole(Data::Owned(Rc::new(bytes))));
        }
        let Some(folder) = self.folder else {
            return Err(fault(
                ImportErrorKind::Unsupported,
                "a file of its own, but only the bytes given may be read",
            ));
        };
        let Some(path) = relative_path(&uri) else {
            return Err(fault(
                ImportErrorKind::Unsupported,
                "only files in the folder of the glTF file, or below it, are read",
            ));
        };
        let path = folder.join(path);
        let io = |error: std::io::Error| {
            let reason = format!("'{named}': {error}");
            Fault::io(place.place(), reason, error)
        };
        let key = path.canonicalize().map_err(io)?;
        if let Some(bytes) = self.files.get(&key) {
            return Ok(bytes.clone());
        }
        // A pipe or a device might never end.
        if !key.metadata().map_err(io)?.is_file() {
            return Err(fault(ImportErrorKind::Io, "this is no file"));
        }
        let bytes = std::fs::read(&key).map_err(io)?;
        self.loaded_from_files += bytes.len() as u64;
        let bytes = Bytes::whole(Data::Owned(Rc::new(bytes)));
        self.files.insert(key, bytes.clone());
        Ok(bytes)
    }
}

/// Whether a buffer only says where decompressed data would go.
fn is_meshopt_fallback(buffer: &Json<'_>) -> bool {
    let names = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
    let extensions = buffer.member("extensions").ok().flatten();
    extensions
        .is_some_and(|e| e.members(names).is_ok_and(|found| found.iter().any(Option::is_some)))
}

fn strip_scheme<'u>(uri: &'u str, scheme: &str) -> Option<&'u str> {
    let start = uri.get(..scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then(|| &uri[scheme.len()..])
}

/// The path that a relative URI names, if it leads nowhere but down.
fn relative_path(uri: &str) -> Option<PathBuf> {
    let path = percent_decode(uri)?;
    // Before the first slash, a colon ends a scheme (or a drive).
    if path.split('/').next()?.contains(':') || path.contains('\0') {
        return None;
    }
    let path = PathBuf::from(path);
    let down = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    path.components().all(down).then_some(path)
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let code = after.get(..2).and_then(|hex| {
            let hex = std::str::from_utf8(hex).ok()?;
            (!hex.starts_with('+')).then_some(())?;
            u8::from_str_radix(hex, 16).ok()
        });
        match code {
            Some(code) if byte == b'%' => {
                bytes.push(code);
                rest = &after[2..];
            }
            // A lone percent sign is left: it is what writers that do not encode mean.
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Decodes base64, padded or not; `Err` is where it is none.
fn decode_base64(text: &[u8]) -> Result<Vec<u8>, usize> {
    let padding = text.iter().rev().take_while(|&&b| b == b'=').count();
    let text = &text[..text.len() - padding];
    if padding > 2 || text.len() % 4 == 1 {
        return Err(text.len());
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let mut bits = 0_u32;
    for (at, &character) in text.iter().enumerate() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Err(at),
        };
        bits = bits << 6 | u32::from(value);
        // After 2, 3 and 4 characters another whole byte is there.
        match at % 4 {
            1 => bytes.push((bits >> 4) as u8),
            2 => bytes.push((bits >> 2) as u8),
            3 => bytes.push(bits as u8),
            _ => {}
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zg", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9vYmFy", b"foobar"),
            ("+/-_", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Ok(bytes), "{text}");
        }
        for (text, at) in [("Z", 1), ("Zm!v", 2), ("Zg===", 2), ("Z=m8", 1)] {
            assert_eq!(decode_base64(text.as_bytes()), Err(at), "{text}");
        }
    }

    #[test]
    fn paths_lead_down_only() {
        for (uri, path) in [
            ("a.bin", Some("a.bin")),
            ("./a%20b/c.bin", Some("./a b/c.bin")),
            ("50%.bin", Some("50%.bin")),
            ("a/b:c", Some("a/b:c")),
            ("/etc/passwd", None),
            ("../a.bin", None),
            ("a/%2e%2e/../b", None),
            ("file:///a", None),
            ("http://a/b", None),
            ("C:/a", None),
            ("%ff", None),
            ("a%00", None),
        ] {
            assert_eq!(relative_path(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}
