//! The header of a PLY file: which elements follow, and what each consists of.

use crate::import::error::{Fault, ImportErrorKind};
use crate::import::text::{name, shown};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Little,
    Big,
}

/// The types of single numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn from_word(word: &[u8]) -> Option<Self> {
        match word {
            b"char" | b"int8" => Some(Self::I8),
            b"uchar" | b"uint8" => Some(Self::U8),
            b"short" | b"int16" => Some(Self::I16),
            b"ushort" | b"uint16" => Some(Self::U16),
            b"int" | b"int32" => Some(Self::I32),
            b"uint" | b"uint32" => Some(Self::U32),
            b"float" | b"float32" => Some(Self::F32),
            b"double" | b"float64" => Some(Self::F64),
            _ => None,
        }
    }

    /// Bytes in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    /// Where the header declares it.
    pub(super) line: usize,
}

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// The first byte after the header, and its line.
    pub(super) end: usize,
    pub(super) end_line: usize,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut lines = Lines::new(bytes);
        if lines.next().is_none_or(|line| line.trim_ascii() != b"ply") {
            return Err(lines.fault("the file does not begin with a line 'ply'"));
        }
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            let Some(line) = lines.next() else {
                return Err(Fault::new(
                    ImportErrorKind::Truncated,
                    format_args!("line {}", lines.number),
                    "the file ends before 'end_header'",
                ));
            };
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let mut word = || words.next().unwrap_or_default();
            match word() {
                b"format" => encoding = Some(read_format(&lines, word(), word())?),
                b"element" => {
                    let (named, count) = (word(), word());
                    let count = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok());
                    let Some(count) = count else {
                        return Err(lines.fault("'element' needs a name and a count"));
                    };
                    elements.push(Element {
                        name: name(named),
                        count,
                        properties: Vec::new(),
                        line: lines.number,
                    });
                }
                b"property" => {
                    let property = read_property(&lines, word)?;
                    let Some(element) = elements.last_mut() else {
                        return Err(lines.fault("'property' before any 'element'"));
                    };
                    element.properties.push(property);
                }
                b"end_header" => break,
                b"comment" | b"obj_info" | b"" => {}
                other => {
                    let other = shown(other);
                    return Err(lines.fault(format_args!("'{other}' is no word of a PLY header")));
                }
            }
        }
        let Some(encoding) = encoding else {
            return Err(lines.fault("the header has no line 'format'"));
        };
        if !elements.iter().any(|element| element.name == "vertex") {
            return Err(Fault::new(
                ImportErrorKind::Invalid,
                format_args!("line {}", lines.number),
                "the header has no element 'vertex'",
            ));
        }
        Ok(Self { encoding, elements, end: lines.at, end_line: lines.number + 1 })
    }
}

fn read_format(lines: &Lines<'_>, encoding: &[u8], version: &[u8]) -> Result<Encoding, Fault> {
    let encoding = match encoding {
        b"ascii" => Encoding::Text,
        b"binary_little_endian" => Encoding::Little,
        b"binary_big_endian" => Encoding::Big,
        other => {
            return Err(lines.fault(format_args!("'{}' is no PLY encoding", shown(other))));
        }
    };
    if version != b"1.0" {
        return Err(Fault::new(
            ImportErrorKind::Unsupported,
            format_args!("line {}", lines.number),
            format_args!("version '{}', not 1.0", shown(version)),
        ));
    }
    Ok(encoding)
}

fn read_property<'a>(
    lines: &Lines<'_>,
    mut word: impl FnMut() -> &'a [u8],
) -> Result<Property, Fault> {
    let scalar = |word: &[u8]| {
        Scalar::from_word(word)
            .ok_or_else(|| lines.fault(format_args!("'{}' is no type of PLY", shown(word))))
    };
    let first = word();
    let kind = if first == b"list" {
        Kind::List { count: scalar(word())?, item: scalar(word())? }
    } else {
        Kind::Scalar(scalar(first)?)
    };
    Ok(Property { name: name(word()), kind })
}

/// Lines that end as the first does: in `\r` alone where that one does, else in `\n`
/// with perhaps a `\r` before it. Guessing anew each time could swallow a `\n` that is
/// the first byte of the data.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
    ending: u8,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let end = bytes.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let ending = match end.map(|end| &bytes[end..]) {
            Some([b'\r', b'\n', ..]) => b'\n',
            Some([b'\r', ..]) => b'\r',
            _ => b'\n',
        };
        Self { bytes, at: 0, number: 0, ending }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        // The last line of a header has an ending too.
        let end = rest.iter().position(|&b| b == self.ending)?;
        self.at += end + 1;
        self.number += 1;
        Some(&rest[..end])
    }

    fn fault(&self, reason: impl std::fmt::Display) -> Fault {
        Fault::new(ImportErrorKind::Syntax, format_args!("line {}", self.number.max(1)), reason)
    }
}
