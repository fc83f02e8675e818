//! The JSON text and the binary chunk of a file.

use std::borrow::Cow;

use crate::import::ImportErrorKind::{Invalid, Truncated, Unsupported};
use crate::import::error::{ImportError, Result, Warnings};

/// The JSON text of a file, and the binary chunk if it has one.
pub(super) fn split<'a>(
    bytes: &'a [u8],
    warnings: &mut Warnings,
) -> Result<(Cow<'a, str>, Option<&'a [u8]>)> {
    if !bytes.starts_with(b"glTF") {
        return Ok((text(bytes, 0, warnings), None));
    }
    let size = bytes.len();
    let truncated = |at: usize, reason: String| {
        Err(ImportError::at(Truncated, format_args!("byte {at}"), reason))
    };
    let word = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk);
    let (Some(&version), Some(&length)) = (word(4), word(8)) else {
        return truncated(size, "the file ends in its header".into());
    };
    let (version, length) = (u32::from_le_bytes(version), u32::from_le_bytes(length) as usize);
    if version != 2 {
        let reason = format_args!("binary glTF of version {version} instead of 2");
        return Err(ImportError::at(Unsupported, "byte 4", reason));
    }
    let wrong_length =
        || truncated(8, format!("the header says {length} bytes, the file has {size}"));
    let Some(body) = bytes.get(..length) else {
        return wrong_length();
    };
    // What does not fit into the length, but perhaps into the file.
    let cut = |at: usize, reason: String| {
        if length < size { wrong_length() } else { truncated(at, reason) }
    };
    if length < size {
        let extra = size - length;
        warnings.add(format_args!("byte {length}"), format_args!("{extra} bytes after the end"));
    }
    let mut at = 12;
    let (mut json, mut chunk) = (None, None);
    while at < length {
        let header = body.get(at..).and_then(|rest| rest.split_first_chunk::<8>());
        let Some((&[a, b, c, d, kind @ ..], rest)) = header else {
            return cut(at, "the file ends in a chunk's header".into());
        };
        let size = u32::from_le_bytes([a, b, c, d]) as usize;
        let Some(data) = rest.get(..size) else {
            let left = rest.len();
            return cut(at, format!("a chunk of {size} bytes, but {left} are left"));
        };
        match &kind {
            b"JSON" if json.is_none() => json = Some(text(data, at + 8, warnings)),
            b"BIN\0" if chunk.is_none() => chunk = Some(data),
            // Chunks of extensions are ignored, as the specification asks.
            _ => {}
        }
        at += 8 + size;
    }
    match json {
        Some(json) => Ok((json, chunk)),
        None if length < 20 => cut(12, "the file ends before the JSON chunk".into()),
        None => Err(ImportError::at(Invalid, "byte 12", "there is no JSON chunk")),
    }
}

/// The JSON text in bytes that start at byte `start` of the file. glTF asks for UTF-8 without
/// a byte order mark, padded by spaces; exporters get each of these wrong.
fn text<'a>(bytes: &'a [u8], start: usize, warnings: &mut Warnings) -> Cow<'a, str> {
    let utf16: Option<fn([u8; 2]) -> u16> = match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    };
    if let Some(unit) = utf16 {
        warnings.add(format_args!("byte {start}"), "this is UTF-16 instead of UTF-8");
        let (units, _) = bytes[2..].as_chunks();
        return Cow::Owned(String::from_utf16_lossy(
            &units.iter().map(|&bytes| unit(bytes)).collect::<Vec<_>>(),
        ));
    }
    let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let padding = json.iter().rev().take_while(|&&b| b == 0 || b.is_ascii_whitespace()).count();
    let json = &json[..json.len() - padding];
    if let Err(error) = std::str::from_utf8(json) {
        let place = start + (bytes.len() - padding - json.len()) + error.valid_up_to();
        let reason = "this is not UTF-8; wrong bytes are read as U+FFFD";
        warnings.add(format_args!("byte {place}"), reason);
    }
    String::from_utf8_lossy(json)
}
