//! The header of a PLY file: which elements follow, and the properties of each.

use std::fmt;

use crate::import::ImportErrorKind::{Invalid, Syntax, Truncated, Unsupported};
use crate::import::error::{ImportError, Result};
use crate::import::scalar::Scalar;
use crate::import::text::{name, shown, without_mark};
use crate::import::work;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

impl Kind {
    /// Whether it is, or is a list of, numbers with a fraction.
    pub(super) fn is_float(self) -> bool {
        let (Self::Scalar(scalar) | Self::List { item: scalar, .. }) = self;
        matches!(scalar, Scalar::F32 | Scalar::F64)
    }
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    /// The line that declares it.
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
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        // All lines end as the first one does. If each line's ending were guessed anew, a `\n`
        // that is the first byte of the data could be taken for a part of the last ending.
        let first_end = bytes.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let ending = match first_end.map(|end| &bytes[end..]) {
            Some([b'\r', rest @ ..]) if !rest.starts_with(b"\n") => b'\r',
            _ => b'\n',
        };
        let all_lines = || bytes.split_inclusive(|&b| b == ending);
        let mut lines = all_lines().take_while(|line| line.ends_with(&[ending]));
        if lines.next().is_none_or(|line| without_mark(line).trim_ascii() != b"ply") {
            return Err(ImportError::at(Syntax, "line 1", "the first line is not 'ply'"));
        }
        let mut number = 1;
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        for line in lines {
            number += 1;
            work::count(line.len());
            let place = format_args!("line {number}");
            let error = |reason: fmt::Arguments<'_>| ImportError::at(Syntax, place, reason);
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let mut word = || words.next().unwrap_or_default();
            match word() {
                b"format" => {
                    encoding = Some(match word() {
                        b"ascii" => Encoding::Text,
                        b"binary_little_endian" => Encoding::LittleEndian,
                        b"binary_big_endian" => Encoding::BigEndian,
                        other => {
                            let other = shown(other);
                            return Err(error(format_args!("'{other}' is not a PLY encoding")));
                        }
                    });
                    let version = word();
                    if version != b"1.0" {
                        let reason = format_args!("version '{}' instead of 1.0", shown(version));
                        return Err(ImportError::at(Unsupported, place, reason));
                    }
                }
                b"element" => {
                    let name = name(word());
                    let count = std::str::from_utf8(word()).ok().and_then(|c| c.parse().ok());
                    let Some(count) = count else {
                        return Err(error(format_args!("'element' needs a name and a count")));
                    };
                    elements.push(Element { name, count, properties: Vec::new(), line: number });
                }
                b"property" => {
                    let scalar = |word: &[u8]| {
                        let unknown = || error(format_args!("'{}' is not a PLY type", shown(word)));
                        scalar_type(word).ok_or_else(unknown)
                    };
                    let kind = match word() {
                        b"list" => Kind::List { count: scalar(word())?, item: scalar(word())? },
                        first => Kind::Scalar(scalar(first)?),
                    };
                    let Some(element) = elements.last_mut() else {
                        return Err(error(format_args!("'property' before any 'element'")));
                    };
                    element.properties.push(Property { name: name(word()), kind });
                }
                b"end_header" => {
                    let Some(encoding) = encoding else {
                        return Err(error(format_args!("the header has no line 'format'")));
                    };
                    if !elements.iter().any(|element| element.name == "vertex") {
                        let reason = "the header has no element 'vertex'";
                        return Err(ImportError::at(Invalid, place, reason));
                    }
                    let end = all_lines().take(number).map(<[u8]>::len).sum();
                    return Ok(Self { encoding, elements, end, end_line: number + 1 });
                }
                b"comment" | b"obj_info" | b"" => {}
                other => {
                    let other = shown(other);
                    return Err(error(format_args!("'{other}' is not a PLY header keyword")));
                }
            }
        }
        let place = format_args!("line {number}");
        Err(ImportError::at(Truncated, place, "the file ends before 'end_header'"))
    }
}

fn scalar_type(word: &[u8]) -> Option<Scalar> {
    match word {
        b"char" | b"int8" => Some(Scalar::I8),
        b"uchar" | b"uint8" => Some(Scalar::U8),
        b"short" | b"int16" => Some(Scalar::I16),
        b"ushort" | b"uint16" => Some(Scalar::U16),
        b"int" | b"int32" => Some(Scalar::I32),
        b"uint" | b"uint32" => Some(Scalar::U32),
        b"int64" | b"long" | b"longlong" => Some(Scalar::I64),
        b"uint64" | b"ulong" | b"ulonglong" => Some(Scalar::U64),
        b"float" | b"float32" => Some(Scalar::F32),
        b"double" | b"float64" => Some(Scalar::F64),
        _ => None,
    }
}
