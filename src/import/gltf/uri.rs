//! URIs: data URIs, and paths of separate files.

use std::path::{Component, Path, PathBuf};

/// The bytes of a data URI, `None` if it is none. The error describes the fault.
pub(super) fn data_of(uri: &str) -> Option<Result<Vec<u8>, String>> {
    let scheme = uri.get(..5)?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let Some((kind, data)) = uri[5..].split_once(',') else {
        return Some(Err("a data URI without a comma".into()));
    };
    let data = percent_decode(data);
    if !kind.trim_end().to_ascii_lowercase().ends_with(";base64") {
        return Some(Ok(data));
    }
    Some(decode_base64(&data).map_err(|at| format!("character {at} of the data is not base64")))
}

/// The paths that a relative URI may name, likely ones first; none if it leads out of the
/// folder. Exporters write backslashes, forget to encode, and add queries.
pub(super) fn relative_paths(uri: &str) -> Vec<PathBuf> {
    let decoded = String::from_utf8(percent_decode(uri)).ok();
    let cut = uri.split(['?', '#']).next().unwrap_or_default();
    let cut = String::from_utf8(percent_decode(cut)).ok();
    let mut paths = Vec::new();
    for text in [decoded, Some(uri.to_owned()), cut].into_iter().flatten() {
        paths.extend(lexical(&text.replace('\\', "/")).filter(|path| !paths.contains(path)));
    }
    paths
}

/// A relative path without `.` and `..`, if it does not lead upwards.
fn lexical(path: &str) -> Option<PathBuf> {
    // A colon before the first slash ends a scheme or a drive.
    if path.split('/').next()?.contains(':') || path.contains('\0') {
        return None;
    }
    let mut parts = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                if !parts.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}

fn percent_decode(text: &str) -> Vec<u8> {
    let mut parts = text.as_bytes().split(|&b| b == b'%');
    let mut bytes = parts.next().unwrap_or_default().to_vec();
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
    bytes
}

/// Decodes base64, padded or not, with or without white space. The error is the number of the
/// first wrong character.
fn decode_base64(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut digits, mut padding) = (0_u32, 0, 0);
    for (at, &character) in text.iter().enumerate() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' if padding < 2 => {
                padding += 1;
                continue;
            }
            _ if character.is_ascii_whitespace() => continue,
            _ => return Err(at),
        };
        if padding > 0 {
            return Err(at);
        }
        bits = bits << 6 | u32::from(value);
        digits += 1;
        // Another byte is complete after 2, 3 and 4 digits.
        match digits % 4 {
            2 => bytes.push((bits >> 4) as u8),
            3 => bytes.push((bits >> 2) as u8),
            0 => bytes.push(bits as u8),
            _ => {}
        }
    }
    if digits % 4 == 1 { Err(text.len()) } else { Ok(bytes) }
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
            ("Zm9v\r\nYm Fy\n", b"foobar"),
            ("Zg=\n= ", b"f"),
            ("+/-_", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Ok(bytes), "{text}");
        }
        for (text, at) in [("Z", 1), ("Zm!v", 2), ("Zg===", 4), ("Z=m8", 2), ("Zm9v\n!", 5)] {
            assert_eq!(decode_base64(text.as_bytes()), Err(at), "{text}");
        }
    }

    #[test]
    fn data_uris_are_decoded() {
        for (uri, data) in [
            ("data:;base64,Zm9v", Some(Ok(&b"foo"[..]))),
            ("DATA:application/octet-stream;charset=utf-8;BASE64,Zm9v", Some(Ok(b"foo"))),
            ("data:;base64,Zm9%76", Some(Ok(b"foo"))),
            ("data:;base64,Zg%3D%3d", Some(Ok(b"f"))),
            ("data:application/octet-stream,%00%fFa%", Some(Ok(b"\0\xffa%"))),
            ("data:,abc", Some(Ok(b"abc"))),
            ("data:;base64", Some(Err("a data URI without a comma"))),
            ("data:;base64,!", Some(Err("character 0 of the data is not base64"))),
            ("a.bin", None),
            ("dat", None),
        ] {
            let expected = data.map(|data| data.map(<[u8]>::to_vec).map_err(str::to_owned));
            assert_eq!(data_of(uri), expected, "{uri}");
        }
    }

    #[test]
    fn only_paths_that_lead_down_are_allowed() {
        for (uri, paths) in [
            ("a.bin", &["a.bin"][..]),
            ("./a%20b/c.bin", &["a b/c.bin", "a%20b/c.bin"]),
            ("50%.bin", &["50%.bin"]),
            ("a/b:c", &["a/b:c"]),
            (r"bin\a.bin", &["bin/a.bin"]),
            (r".\a.bin", &["a.bin"]),
            ("bin%5Ca.bin", &["bin/a.bin", "bin%5Ca.bin"]),
            ("bin/../a.bin", &["a.bin"]),
            (r"a\..\b\.\c", &["b/c"]),
            ("a/%2e%2e/b", &["b", "a/%2e%2e/b"]),
            ("a.bin?version=2", &["a.bin?version=2", "a.bin"]),
            ("a.bin#0", &["a.bin#0", "a.bin"]),
            ("a%00", &["a%00"]),
            ("%ff", &["%ff"]),
            ("/etc/passwd", &[]),
            ("../a.bin", &[]),
            (r"..\a.bin", &[]),
            (r"\a.bin", &[]),
            ("a/../../b", &[]),
            ("a/..%5c..%5cb/c", &["a/..%5c..%5cb/c"]),
            ("file:///a", &[]),
            ("http://a/b", &[]),
            (r"C:\a", &[]),
        ] {
            assert_eq!(
                relative_paths(uri),
                paths.iter().map(PathBuf::from).collect::<Vec<_>>(),
                "{uri}"
            );
        }
    }
}
