//! Words, numbers and names in the text formats.

use std::fmt;

use super::error::ImportErrorKind::{self, Syntax, Truncated, Unsupported};
use super::error::{ImportError, Result, Warnings};
use super::work;

/// A cursor over bytes that reads words between white space and counts lines. Lines end in
/// `\n`, `\r\n` or `\r`.
#[derive(Clone)]
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    /// The next byte.
    pub(super) at: usize,
    line: usize,
    /// Whether `#` starts a comment that ends with the line.
    has_comments: bool,
}

impl<'a> Words<'a> {
    /// Starts at byte `at`, which is in line `line`.
    pub(super) fn new(bytes: &'a [u8], at: usize, line: usize) -> Self {
        Self { bytes, at, line, has_comments: false }
    }

    /// Skips comments from here on.
    pub(super) fn skip_comments(self) -> Self {
        Self { has_comments: true, ..self }
    }

    /// The number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes, if that many are left.
    pub(super) fn take_bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes[self.at..].get(..count)?;
        work::count(1 + count);
        self.at += count;
        Some(taken)
    }

    /// The current line, as errors and warnings name it.
    pub(super) fn place(&self) -> String {
        format!("line {}", self.line)
    }

    /// An error in the current line.
    pub(super) fn error(&self, kind: ImportErrorKind, reason: impl fmt::Display) -> ImportError {
        ImportError::at(kind, self.place(), reason)
    }

    /// The rest of this line, without the white space around it.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| is_line_end(b));
        let rest = &rest[..end.unwrap_or(rest.len())];
        work::count(1 + rest.len());
        self.at += rest.len();
        rest.trim_ascii()
    }

    /// Whether this line has no further word, but another line follows.
    pub(super) fn at_line_end(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let next = rest.iter().position(|&b| !is_space(b) || is_line_end(b));
        work::count(1 + next.unwrap_or(rest.len()));
        next.is_some_and(|next| is_line_end(rest[next]))
    }

    /// Warns if anything but white space and comments is left.
    pub(super) fn warn_of_rest(mut self, warnings: &mut Warnings) {
        while let Some(word) = self.next() {
            if self.has_comments && word.starts_with(b"#") {
                self.rest_of_line();
                continue;
            }
            let reason = "and what follows is skipped: all that is declared has been read";
            return warnings.add(self.place(), format_args!("'{}' {reason}", shown(word)));
        }
    }

    /// The next word. `wanted` says in an error what it should have been.
    pub(super) fn expect(&mut self, wanted: impl fmt::Display) -> Result<&'a [u8]> {
        loop {
            match self.next() {
                Some([b'#', ..]) if self.has_comments => _ = self.rest_of_line(),
                Some(word) => return Ok(word),
                None => {
                    let reason = format_args!("the file ends where {wanted} should follow");
                    return Err(self.error(Truncated, reason));
                }
            }
        }
    }

    /// The next word as a coordinate.
    pub(super) fn expect_float(&mut self, wanted: impl fmt::Display) -> Result<f32> {
        let word = self.expect(&wanted)?;
        float(word).ok_or_else(|| self.not_a("number", word, wanted))
    }

    /// The next word as a whole number.
    pub(super) fn expect_whole(&mut self, wanted: impl fmt::Display) -> Result<i64> {
        let word = self.expect(&wanted)?;
        whole(word).ok_or_else(|| self.not_a("whole number", word, wanted))
    }

    fn not_a(&self, kind: &str, word: &[u8], wanted: impl fmt::Display) -> ImportError {
        self.error(Syntax, format_args!("'{}' is not a {kind} (for {wanted})", shown(word)))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            if !is_space(byte) {
                break;
            }
            let crlf = byte == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
            if byte == b'\n' || (byte == b'\r' && !crlf) {
                self.line += 1;
            }
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| is_space(b));
        let word = &rest[..end.unwrap_or(rest.len())];
        work::count(1 + self.at + word.len() - start);
        self.at += word.len();
        (!word.is_empty()).then_some(word)
    }
}

/// White space, including the vertical tab, which `u8::is_ascii_whitespace` leaves out.
pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// A number as `f32`, rounded once. NaN and infinity are read in Rust's spelling and in those
/// of C libraries: `-nan(ind)`, `nan(0x7fc0)`, `NaNQ`, `1.#INF`, `-1.#IND`, and `1.#J`, which is
/// one of the two rounded to a few digits.
pub(super) fn float(word: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let size = text.strip_prefix(['-', '+']).unwrap_or(text).to_ascii_lowercase();
    if let Some(code) = size.strip_prefix("1.#") {
        if code.starts_with("inf") {
            return Some(if text.starts_with('-') { f32::NEG_INFINITY } else { f32::INFINITY });
        }
        let is_code = !code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric());
        return is_code.then_some(f32::NAN);
    }
    let payload = size.strip_prefix("nan")?;
    let is_payload = payload.starts_with('(') && payload.ends_with(')');
    (is_payload || matches!(payload, "q" | "s")).then_some(f32::NAN)
}

/// A whole number, also if written `3.0`.
pub(super) fn whole(word: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().or_else(|| whole_of(text.parse().ok()?))
}

/// The value of a float that holds a whole number.
pub(super) fn whole_of(value: f64) -> Option<i64> {
    // Up to 2^53 each whole number has a float of its own.
    let fits = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
    fits.then_some(value as i64)
}

/// A count of things that take at least `least` bytes each, if they fit into `left` bytes. The
/// separator after the last one may be missing, so the end of the file counts as one more.
pub(super) fn fitting(count: impl TryInto<usize>, least: usize, left: usize) -> Option<usize> {
    count.try_into().ok().filter(|&count| count <= (left + 1) / least)
}

/// A word as a message shows it: short and printable.
pub(super) fn shown(word: impl AsRef<[u8]>) -> String {
    let word = word.as_ref();
    let start = &word[..word.len().min(80)];
    let mut text = String::from_utf8_lossy(start).replace(char::is_control, "\u{fffd}");
    if start.len() < word.len() {
        text.push_str("...");
    }
    text
}

/// A name, cut to at most 255 bytes. Names are joined and copied; a hostile file could
/// otherwise repeat a long one in each of its meshes.
pub(super) fn short(name: &str) -> &str {
    shortened(name, 255)
}

/// At most `most` bytes of a name, cut between characters.
pub(super) fn shortened(name: &str, most: usize) -> &str {
    let mut end = name.len().min(most);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// A short name from bytes of unknown encoding.
pub(super) fn name(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(255)];
    short(&String::from_utf8_lossy(start)).to_owned()
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes without a UTF-8 byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// A text without its byte order mark and without the zero bytes and Ctrl-Z that some systems
/// put at the end.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    let is_mark = |b: &u8| matches!(b, 0 | 0x1a);
    let last = bytes.iter().rposition(|b| !is_mark(b) && !is_space(*b));
    let end = last.map_or(bytes.len(), |last| {
        let rest = &bytes[last..];
        last + rest.iter().position(is_mark).unwrap_or(rest.len())
    });
    without_mark(&bytes[..end])
}

pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

/// The [`trimmed`] text. Refuses UTF-16 and binary data.
pub(super) fn body(bytes: &[u8]) -> Result<&[u8]> {
    if is_utf16(bytes) {
        let reason = "the file is UTF-16; save it as UTF-8 or ASCII";
        return Err(ImportError::at(Unsupported, "byte 0", reason));
    }
    work::count(bytes.len());
    let body = trimmed(bytes);
    match body.iter().position(|&b| b == 0) {
        Some(at) => {
            let at = at + bytes.len() - without_mark(bytes).len();
            let reason = "a zero byte: this is not a text file";
            Err(ImportError::at(Syntax, format_args!("byte {at}"), reason))
        }
        None => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_for_all_endings() {
        let mut words = Words::new(b"a\nb\r\nc\rd\n\ne", 0, 1);
        for (word, line) in [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 6)] {
            assert_eq!(words.next(), Some(word.as_bytes()));
            assert_eq!(words.line, line);
        }
        assert_eq!(words.next(), None);
    }

    #[test]
    fn numbers_in_all_spellings() {
        for (text, value) in [
            ("1", 1.0),
            ("2.", 2.0),
            ("+.5e1", 5.0),
            (".8e-001", 0.08),
            ("-1.#INF", f32::NEG_INFINITY),
            ("-inf", f32::NEG_INFINITY),
            ("1.#inf00", f32::INFINITY),
            ("+1.#INF", f32::INFINITY),
        ] {
            assert_eq!(float(text.as_bytes()), Some(value), "{text}");
        }
        for text in [
            "nan",
            "-nan",
            "+NaN",
            "1.#IND",
            "-1.#QNAN00",
            "1.#SNAN",
            "-1.#ind",
            "1.#J",
            "-1.#R",
            "-nan(ind)",
            "nan(snan)",
            "-NaN(IND)",
            "+nan(0x7fc00000)",
            "nan()",
            "NaNQ",
            "-nans",
        ] {
            assert!(float(text.as_bytes()).unwrap().is_nan(), "{text}");
        }
        for text in [
            "",
            "x",
            "3.1+e2",
            "1.#",
            "1,5",
            "\u{ff11}",
            "nan(",
            "nan(x",
            "nano",
            "--nan(ind)",
            "-1.#-1",
            "1.#I N",
        ] {
            assert_eq!(float(text.as_bytes()), None, "{text}");
        }
        assert_eq!(whole(b"3.0"), Some(3));
        assert_eq!(whole(b"-1"), Some(-1));
        for text in ["3.5", "nan", "1e300", ""] {
            assert_eq!(whole(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn names_are_cut_between_characters() {
        let long = "\u{e4}".repeat(200);
        assert_eq!(short(&long).len(), 254);
        assert_eq!(name(long.as_bytes()).len(), 254);
        assert_eq!(shown(b"a\x07b"), "a\u{fffd}b");
    }
}
