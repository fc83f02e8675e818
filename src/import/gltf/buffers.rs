//! The bytes behind a glTF file: its own binary chunk, data URIs, and separate files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::json::{Items, Json};
use crate::import::ImportErrorKind::{Invalid, Io, Syntax, Truncated, Unsupported};
use crate::import::error::Result;
use crate::import::text::shown;

/// A range of loaded bytes. It always lies within them.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    /// The number of the data that it is a part of.
    data: usize,
    start: usize,
    end: usize,
}

impl Slice {
    /// `length` bytes from `offset` on, if there are that many.
    pub(super) fn part(self, offset: u64, length: u64) -> Option<Self> {
        let start = usize::try_from(offset).ok()?.checked_add(self.start)?;
        let end = usize::try_from(length).ok()?.checked_add(start)?;
        (end <= self.end).then_some(Self { start, end, ..self })
    }

    pub(super) fn len(self) -> usize {
        self.end - self.start
    }
}

/// Loads each buffer when it is first used: buffers that only hold images or animations
/// need not even exist.
pub(super) struct Buffers<'a> {
    buffers: Items<'a>,
    views: Items<'a>,
    chunk: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    data: Vec<Cow<'a, [u8]>>,
    by_number: HashMap<usize, Slice>,
    /// By canonical path: a file is read once, however many buffers name it.
    by_path: HashMap<PathBuf, Slice>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        buffers: Items<'a>,
        views: Items<'a>,
        chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        let (by_number, by_path) = (HashMap::new(), HashMap::new());
        Self { buffers, views, chunk, folder, data: Vec::new(), by_number, by_path }
    }

    /// The number of bytes that were read from separate files.
    pub(super) fn loaded_from_files(&self) -> u64 {
        self.by_path.values().map(|file| file.len() as u64).sum()
    }

    pub(super) fn bytes(&self, slice: Slice) -> &[u8] {
        &self.data[slice.data][slice.start..slice.end]
    }

    fn add(&mut self, bytes: impl Into<Cow<'a, [u8]>>) -> Slice {
        let bytes = bytes.into();
        let slice = Slice { data: self.data.len(), start: 0, end: bytes.len() };
        self.data.push(bytes);
        slice
    }

    /// The bytes of a buffer view, and its stride if it has one.
    pub(super) fn view(&mut self, reference: &Json<'a>) -> Result<(Slice, Option<u64>)> {
        let index = reference.index(self.views.len(), "buffer views")?;
        let view = self.views.at(index)?;
        let [buffer, offset, length, stride] =
            view.members(["buffer", "byteOffset", "byteLength", "byteStride"])?;
        let buffer = buffer.ok_or_else(|| view.missing("buffer"))?;
        let length = length.ok_or_else(|| view.missing("byteLength"))?.size()?;
        let offset = offset.map_or(Ok(0), |offset| offset.size())?;
        let stride = stride.map(|stride| stride.size()).transpose()?;
        let buffer = self.buffer(&buffer)?;
        let part = buffer.part(offset, length).ok_or_else(|| {
            let reason = format_args!(
                "{length} bytes, starting at byte {offset}, do not fit into the buffer's {} bytes",
                buffer.len()
            );
            view.error(Truncated, reason)
        })?;
        Ok((part, stride))
    }

    fn buffer(&mut self, reference: &Json<'a>) -> Result<Slice> {
        let index = reference.index(self.buffers.len(), "buffers")?;
        if let Some(loaded) = self.by_number.get(&index) {
            return Ok(*loaded);
        }
        let buffer = self.buffers.at(index)?;
        let [uri, length] = buffer.members(["uri", "byteLength"])?;
        let length = length.ok_or_else(|| buffer.missing("byteLength"))?.size()?;
        let loaded = match (uri, self.chunk) {
            (Some(uri), _) => self.load(&uri)?,
            (None, Some(chunk)) if index == 0 => self.add(chunk),
            (None, _) if is_meshopt_fallback(&buffer) => {
                let reason = "its data is compressed with meshopt, which is not supported";
                return Err(buffer.error(Unsupported, reason));
            }
            (None, _) => {
                let reason = "it has no 'uri', and there is no binary chunk for it";
                return Err(buffer.error(Invalid, reason));
            }
        };
        let found = loaded.len();
        if (found as u64) < length {
            let reason = format_args!("byteLength is {length}, but there are only {found} bytes");
            return Err(buffer.error(Truncated, reason));
        }
        self.by_number.insert(index, loaded);
        Ok(loaded)
    }

    fn load(&mut self, place: &Json<'a>) -> Result<Slice> {
        let uri = place.string()?;
        let named = shown(&uri);
        let error = |kind, reason: &str| place.error(kind, format_args!("'{named}': {reason}"));
        if let Some(data) = strip_scheme(&uri, "data:") {
            let base64 = data.split_once(',').filter(|(kind, _)| {
                let kind = kind.to_ascii_lowercase();
                kind.ends_with(";base64")
            });
            let Some((_, base64)) = base64 else {
                return Err(error(Unsupported, "only base64 data URIs are supported"));
            };
            let bytes = decode_base64(base64.as_bytes()).map_err(|at| {
                error(Syntax, &format!("character {at} of the data is not valid base64"))
            })?;
            return Ok(self.add(bytes));
        }
        let Some(folder) = self.folder else {
            let reason = "a separate file, but no folder was given to read from";
            return Err(error(Unsupported, reason));
        };
        let Some(path) = relative_path(&uri) else {
            let reason = "only files in the folder of the glTF file, or below it, are read";
            return Err(error(Unsupported, reason));
        };
        let io = |cause: std::io::Error| error(Io, &cause.to_string()).with_source(cause);
        let path = folder.join(path).canonicalize().map_err(io)?;
        if let Some(loaded) = self.by_path.get(&path) {
            return Ok(*loaded);
        }
        // A pipe or a device might never end.
        if !path.metadata().map_err(io)?.is_file() {
            return Err(error(Io, "this is not a regular file"));
        }
        let bytes = std::fs::read(&path).map_err(io)?;
        let loaded = self.add(bytes);
        self.by_path.insert(path, loaded);
        Ok(loaded)
    }
}

/// Whether a buffer is only the placeholder for decompressed data.
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

/// The path that a relative URI names, if it does not lead upwards.
fn relative_path(uri: &str) -> Option<PathBuf> {
    let path = percent_decode(uri)?;
    // A colon before the first slash ends a scheme or a drive.
    if path.split('/').next()?.contains(':') || path.contains('\0') {
        return None;
    }
    let path = PathBuf::from(path);
    let down = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    path.components().all(down).then_some(path)
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut parts = uri.as_bytes().split(|&b| b == b'%');
    let mut bytes = parts.next()?.to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                bytes.extend(&part[2..]);
            }
            // Writers that do not encode mean a lone percent sign as it is.
            None => {
                bytes.push(b'%');
                bytes.extend(part);
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Decodes base64, padded or not. The error is the number of the first wrong character.
fn decode_base64(text: &[u8]) -> std::result::Result<Vec<u8>, usize> {
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
        // Another byte is complete after 2, 3 and 4 characters.
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
    fn base64_is_decoded() {
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
    fn only_paths_that_lead_down_are_allowed() {
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
