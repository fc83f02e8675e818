//! STL, text and binary.

use super::error::ImportErrorKind::{Syntax, Truncated};
use super::error::{ImportError, Result, Warnings};
use super::reader::{Scene, Source};
use super::text::{self, Words};
use super::work;
use crate::mesh::Mesh;

/// Bytes of a binary file's header: 80 that may hold anything, then the number of triangles.
const HEADER: usize = 84;
/// Bytes of a triangle: its normal, three corners, and two bytes without a fixed meaning.
const RECORD: usize = 50;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let count = bytes.get(HEADER - 4..HEADER).and_then(|count| count.try_into().ok());
    let count = count.map(u32::from_le_bytes);
    if is_text(bytes, count) { read_text(bytes, source) } else { read_binary(bytes, count, source) }
}

fn end_of(triangles: u32) -> Option<usize> {
    usize::try_from(triangles).ok()?.checked_mul(RECORD)?.checked_add(HEADER)
}

/// A binary file may begin with "solid" too, and a text file with comments. The size that
/// follows from the count tells a binary file; a zero byte too, unless the text has facets.
fn is_text(bytes: &[u8], count: Option<u32>) -> bool {
    if count.and_then(end_of) == Some(bytes.len()) {
        return false;
    }
    let body = text::trimmed(bytes);
    work::count(3 * bytes.len());
    let says = |word: &[u8]| body.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    let solid = body.trim_ascii_start().get(..5);
    let solid = solid.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    solid && !body.contains(&0) || says(b"facet") && says(b"vertex") || text::is_utf16(bytes)
}

fn read_binary(bytes: &[u8], count: Option<u32>, source: &Source<'_>) -> Result<Scene> {
    let size = bytes.len();
    let Some(count) = count else {
        let reason = "too short for STL: neither 'solid' at the start nor 84 bytes of header";
        return Err(ImportError::at(Truncated, format_args!("byte {size}"), reason));
    };
    // Writers that do not know the count in advance leave 0 or 0xFFFFFFFF. The size decides
    // instead, unless a triangle is cut off or the file is no binary data at all.
    let whole = (size - HEADER) / RECORD;
    let is_whole = whole > 0 && (size - HEADER).is_multiple_of(RECORD) && bytes.contains(&0);
    let by_size = u32::try_from(whole).ok().filter(|_| is_whole || count == 0);
    let triangles = by_size.unwrap_or(count);
    let end = end_of(triangles).unwrap_or(usize::MAX);
    let Some(records) = bytes.get(HEADER..end) else {
        let reason =
            format_args!("{count} triangles end at byte {end}, but the file has {size} bytes");
        return Err(ImportError::at(Truncated, "byte 80", reason));
    };
    let mut warnings = Warnings::default();
    if triangles != count {
        let reason = "triangles are read, as the size of the file says";
        warnings.add("byte 80", format_args!("the count is {count}, but {triangles} {reason}"));
    }
    if end < size {
        let place = format_args!("byte {end}");
        warnings.add(place, format_args!("{} bytes after the last triangle", size - end));
    }
    let mut positions = Vec::with_capacity(records.len() / RECORD * 3);
    work::count(size);
    for record in records.chunks_exact(RECORD) {
        let (values, _) = record[12..48].as_chunks::<4>();
        let (corners, _) = values.as_chunks::<3>();
        positions.extend(corners.iter().map(|corner| corner.map(f32::from_le_bytes)));
    }
    let scene = Scene::of(Mesh::from_soup(positions).with_name(source.name));
    Ok(Scene { warnings, ..scene })
}

fn read_text(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let words = Words::new(text::body(bytes)?, 0, 1);
    let mut reader = TextReader { words, warnings: Warnings::default(), has_skipped: false };
    let mut meshes = Vec::new();
    let mut is_open = false;
    let mut name = source.name.to_owned();
    let mut positions = Vec::new();
    loop {
        let keyword = reader.keyword();
        if keyword == Some("facet") {
            is_open = true;
            reader.read_facet(&mut positions)?;
            continue;
        }
        if !positions.is_empty() {
            meshes.push(Mesh::from_soup(std::mem::take(&mut positions)).with_name(&*name));
        }
        is_open = match keyword {
            Some("solid") => true,
            Some("endsolid") => false,
            Some(other) => return Err(reader.unexpected("facet", other)),
            None => break,
        };
        name = text::name(reader.words.rest_of_line());
        if name.is_empty() || !is_open {
            source.name.clone_into(&mut name);
        }
    }
    let TextReader { words, mut warnings, .. } = reader;
    if is_open {
        warnings.add(words.place(), "the file ends without 'endsolid'");
    }
    Ok(Scene { meshes, warnings, ..Scene::default() })
}

const KEYWORDS: [&str; 7] =
    ["solid", "facet", "outer", "vertex", "endloop", "endfacet", "endsolid"];

struct TextReader<'a> {
    words: Words<'a>,
    warnings: Warnings,
    has_skipped: bool,
}

impl TextReader<'_> {
    /// The next keyword; `end facet` is `endfacet`. Lines that begin with another word, such as
    /// comments and colours, are skipped.
    fn keyword(&mut self) -> Option<&'static str> {
        loop {
            let word = self.words.next()?;
            let keyword = if word.eq_ignore_ascii_case(b"end") && !self.words.at_line_end() {
                let rest = self.words.next()?;
                let is_end = |keyword: &&str| {
                    let name = keyword.strip_prefix("end");
                    name.is_some_and(|name| name.as_bytes().eq_ignore_ascii_case(rest))
                };
                KEYWORDS.into_iter().find(is_end)
            } else {
                KEYWORDS.into_iter().find(|key| key.as_bytes().eq_ignore_ascii_case(word))
            };
            if keyword.is_some() {
                return keyword;
            }
            if !self.has_skipped && !word.starts_with(b"#") {
                self.has_skipped = true;
                let reason = "is not a word of STL; such lines are skipped";
                let text = format_args!("'{}' {reason}", text::shown(word));
                self.warnings.add(self.words.place(), text);
            }
            self.words.rest_of_line();
        }
    }

    fn read_facet(&mut self, positions: &mut Vec<[f32; 3]>) -> Result<()> {
        // The normal follows from the corners. It is skipped unread, as some writers put
        // words there that are not numbers.
        while !self.words.expect("'outer loop'")?.eq_ignore_ascii_case(b"outer") {}
        let word = self.words.expect("'loop'")?;
        if !word.eq_ignore_ascii_case(b"loop") {
            return Err(self.unexpected("loop", word));
        }
        for _ in 0..3 {
            self.expect("vertex")?;
            let mut axis = |axis| self.words.expect_float(axis);
            positions.push([axis("x")?, axis("y")?, axis("z")?]);
        }
        self.expect("endloop")?;
        self.expect("endfacet")
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        match self.keyword() {
            Some(found) if found == wanted => Ok(()),
            Some(found) => Err(self.unexpected(wanted, found)),
            None => {
                let reason = format_args!("the file ends where '{wanted}' should follow");
                Err(self.words.error(Truncated, reason))
            }
        }
    }

    fn unexpected(&self, wanted: &str, found: impl AsRef<[u8]>) -> ImportError {
        let found = text::shown(found);
        self.words.error(Syntax, format_args!("expected '{wanted}', found '{found}'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Format, Import};

    fn import(bytes: &[u8]) -> Result<Import> {
        Import::from_bytes(bytes, Format::Stl, "a.stl", None)
    }

    fn binary(start: &[u8], triangles: u32) -> Vec<u8> {
        let mut bytes = start.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(triangles.to_le_bytes());
        for t in 0..triangles {
            for value in 0..12 {
                bytes.extend((t as f32 + value as f32).to_le_bytes());
            }
            bytes.extend([7, 7]);
        }
        bytes
    }

    const FACET: &str = "facet normal 0 0 nonsense\n outer loop\n vertex 0 0 0\n \
                         vertex 1 0 0\n VERTEX 0 1 nan\n endloop\nendfacet\n";

    #[test]
    fn binary_is_recognised_even_if_it_begins_with_solid() {
        for start in [&b"solid bin"[..], b"anything"] {
            let import = import(&binary(start, 2)).unwrap();
            let mesh = &import.meshes[0];
            assert_eq!(mesh.triangle_count(), 2);
            assert_eq!(mesh.positions[0], [3.0, 4.0, 5.0]);
            assert_eq!(mesh.positions[5], [10.0, 11.0, 12.0]);
            assert!(import.warnings.is_empty());
        }
        let mut trailing = binary(b"solid", 1);
        trailing.push(0);
        let import = import(&trailing).unwrap();
        assert_eq!(import.triangle_count(), 1);
        assert_eq!(import.warnings, ["a.stl: byte 134: 1 bytes after the last triangle"]);
    }

    #[test]
    fn solids_are_meshes() {
        let text = format!(
            "solid one\n{FACET}endsolid one\nsolid\nendsolid\nsolid  two x \n{FACET}{FACET}endsolid"
        );
        let import = import(text.as_bytes()).unwrap();
        let found: Vec<_> =
            import.meshes.iter().map(|m| (m.name.as_str(), m.triangle_count())).collect();
        assert_eq!(found, [("one", 1), ("two x", 2)]);
        assert!(import.meshes[0].positions[2][2].is_nan());
    }

    #[test]
    fn text_is_read_in_the_variants_that_are_written() {
        let plain = format!("solid a\n{FACET}{FACET}endsolid a\n");
        for (text, warning) in [
            (plain.clone(), None),
            (plain.replace("endfacet", "end facet").replace("endloop", "END LOOP"), None),
            (plain.replace("endsolid", "end solid"), None),
            (format!("# exported by x\n\n{plain}"), None),
            (format!("exported by x\n{plain}"), Some("line 1: 'exported' is not a word")),
            (format!("\u{feff}{plain}"), None),
            (format!("\u{feff}# here\n{plain}"), None),
            (format!("{plain}\u{1a}"), None),
            (format!("{plain}\0\0\0"), None),
            (format!("{plain}\u{1a}\0\n"), None),
            (plain.replace("endsolid a\n", ""), Some("line 16: the file ends without 'endsolid'")),
            (plain.replace("solid a\n", "solid a\ncolor 1 0 0\n"), Some("line 2: 'color' is not")),
            (plain.replace(" endloop", " color 1 0 0\n endloop"), Some("line 7: 'color' is not")),
            (plain.replace("solid a\n", "solid a\nCOMMENT mm\n"), Some("line 2: 'COMMENT' is not")),
            (plain.replace("0 0 0\n", "0 0 0 255 0 0\n"), Some("line 4: '255' is not a word")),
            (plain.replace('\n', "\r"), None),
            (
                plain.replace("solid a\n", "").replace("endsolid a\n", "").replace("end", "END"),
                Some("line 15: the file ends without 'endsolid'"),
            ),
            (plain.to_ascii_uppercase().replace("NAN", "-nan(ind)"), None),
        ] {
            let import =
                import(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text}"));
            assert_eq!(import.meshes.len(), 1, "{text}");
            let mesh = &import.meshes[0];
            assert_eq!(mesh.triangle_count(), 2, "{text}");
            assert_eq!(mesh.positions[4], [1.0, 0.0, 0.0], "{text}");
            assert!(mesh.positions[5][2].is_nan(), "{text}");
            match warning {
                None => assert!(import.warnings.is_empty(), "{:?}", import.warnings),
                Some(warning) => {
                    assert_eq!(import.warnings.len(), 1, "{:?}", import.warnings);
                    assert!(import.warnings[0].contains(warning), "{:?}", import.warnings);
                }
            }
        }
    }

    #[test]
    fn solids_without_an_end_are_meshes_of_their_own() {
        let text = format!("solid a\n{FACET}solid b\n{FACET}endsolid\n{FACET}");
        let import = import(text.as_bytes()).unwrap();
        let names: Vec<_> = import.meshes.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "a.stl"]);
    }

    #[test]
    fn text_is_never_taken_for_binary() {
        // Sizes at which whole binary triangles would fit.
        for size in [184, 284, 1084] {
            let mut text = format!("# x\nsolid a\n{FACET}endsolid a\n");
            while text.len() < size {
                text.push('\n');
            }
            text.truncate(size.max(150));
            assert_eq!(import(text.as_bytes()).unwrap().triangle_count(), 1, "{size}");
        }
        // A text with a zero byte is an error, not triangles of noise; so is another text.
        let zero = format!("solid \0\n{FACET}endsolid{}", " ".repeat(100));
        assert_eq!(import(zero.as_bytes()).unwrap_err().kind(), Syntax);
        assert_eq!(import("Not found. ".repeat(44).as_bytes()).unwrap_err().kind(), Truncated);
        let utf16: Vec<u8> =
            "\u{feff}solid a facet vertex".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(import(&utf16).unwrap_err().kind(), super::super::ImportErrorKind::Unsupported);
    }

    #[test]
    fn the_size_decides_where_the_count_is_wrong() {
        for start in [&b"x"[..], b"solid", b"solid facet"] {
            for count in [0, 1, 3, 1000, 0x00ff_ffff, 0x7fff_ffff, u32::MAX] {
                let mut bytes = binary(start, 2);
                bytes[80..84].copy_from_slice(&count.to_le_bytes());
                let import = import(&bytes).unwrap();
                assert_eq!(import.triangle_count(), 2, "{count}");
                assert_eq!(import.meshes[0].positions[5], [10.0, 11.0, 12.0]);
                let start = format!("a.stl: byte 80: the count is {count}, but 2 triangles");
                let warning = format!("{start} are read, as the size of the file says");
                assert_eq!(import.warnings, [warning]);
            }
        }
        let mut bytes = binary(b"", 2);
        bytes[80..84].fill(0);
        bytes.extend(b"rest");
        let import = import(&bytes).unwrap();
        assert_eq!((import.triangle_count(), import.warnings.len()), (2, 2));
        assert_eq!(import.warnings[1], "a.stl: byte 184: 4 bytes after the last triangle");
    }

    #[test]
    fn errors_name_the_place() {
        for (text, message) in [
            ("solid x\nfacet\n", "line 3: the file ends where 'outer loop' should follow"),
            ("solid x\nendloop\n", "line 2: expected 'facet', found 'endloop'"),
            (
                "solid\nfacet outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 0 y\n",
                "line 5: 'y' is not a number (for z)",
            ),
            ("", "byte 0: too short for STL: neither 'solid' at the start nor 84 bytes of header"),
        ] {
            let error = import(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), format!("a.stl: {message}"));
        }
        let mut cut = binary(b"", 2);
        cut.pop();
        for count in [2, 3, u32::MAX] {
            cut[80..84].copy_from_slice(&u32::to_le_bytes(count));
            let error = import(&cut).unwrap_err();
            assert_eq!(error.kind(), Truncated);
            let message = format!("a.stl: byte 80: {count} triangles end at");
            assert!(error.to_string().starts_with(&message), "{error}");
        }
    }
}
