//! STL, text and binary.

use super::error::ImportErrorKind::{Syntax, Truncated};
use super::error::{ImportError, Result, Warnings};
use super::reader::{Scene, Source};
use super::text::{self, Words};
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

/// A binary file may begin with "solid" too. Two signs tell it apart: the size that follows
/// from its count, and a zero byte, which text does not have but a count below 2^24 does.
fn is_text(bytes: &[u8], count: Option<u32>) -> bool {
    let exact = count.and_then(end_of) == Some(bytes.len());
    let start = bytes.trim_ascii_start();
    let solid = start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    !exact && solid && !bytes[..bytes.len().min(HEADER)].contains(&0)
}

fn read_binary(bytes: &[u8], count: Option<u32>, source: &Source<'_>) -> Result<Scene> {
    let size = bytes.len();
    let Some(count) = count else {
        let reason = "too short for STL: neither 'solid' at the start nor 84 bytes of header";
        return Err(ImportError::at(Truncated, format_args!("byte {size}"), reason));
    };
    let end = end_of(count).unwrap_or(usize::MAX);
    let Some(records) = bytes.get(HEADER..end) else {
        let reason =
            format_args!("{count} triangles end at byte {end}, but the file has {size} bytes");
        return Err(ImportError::at(Truncated, "byte 80", reason));
    };
    let mut warnings = Warnings::default();
    if end < size {
        let place = format_args!("byte {end}");
        warnings.add(place, format_args!("{} bytes after the last triangle", size - end));
    }
    let mut positions = Vec::with_capacity(records.len() / RECORD * 3);
    for record in records.chunks_exact(RECORD) {
        let (values, _) = record[12..48].as_chunks::<4>();
        let (corners, _) = values.as_chunks::<3>();
        positions.extend(corners.iter().map(|corner| corner.map(f32::from_le_bytes)));
    }
    let scene = Scene::of(Mesh::from_soup(positions).with_name(source.name));
    Ok(Scene { warnings, ..scene })
}

fn read_text(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    text::check_is_text(bytes)?;
    let mut words = Words::new(bytes, 0, 1);
    let mut meshes = Vec::new();
    while let Some(word) = words.next() {
        check(&words, word, "solid")?;
        let name = text::name(words.rest_of_line());
        let name = if name.is_empty() { source.name } else { &name };
        let positions = read_solid(&mut words)?;
        if !positions.is_empty() {
            meshes.push(Mesh::from_soup(positions).with_name(name));
        }
    }
    Ok(Scene { meshes, ..Scene::default() })
}

fn read_solid(words: &mut Words<'_>) -> Result<Vec<[f32; 3]>> {
    let mut positions = Vec::new();
    loop {
        let word = words.expect("'facet' or 'endsolid'")?;
        if word.eq_ignore_ascii_case(b"endsolid") {
            words.rest_of_line();
            return Ok(positions);
        }
        check(words, word, "facet")?;
        // The normal follows from the corners. It is skipped unread, as some writers put
        // words there that are not numbers.
        while !words.expect("'outer loop'")?.eq_ignore_ascii_case(b"outer") {}
        expect(words, "loop")?;
        for _ in 0..3 {
            expect(words, "vertex")?;
            let mut axis = |axis| words.expect_float(axis);
            positions.push([axis("x")?, axis("y")?, axis("z")?]);
        }
        expect(words, "endloop")?;
        expect(words, "endfacet")?;
    }
}

fn expect(words: &mut Words<'_>, keyword: &str) -> Result<()> {
    let word = words.expect(format_args!("'{keyword}'"))?;
    check(words, word, keyword)
}

fn check(words: &Words<'_>, word: &[u8], keyword: &str) -> Result<()> {
    if word.eq_ignore_ascii_case(keyword.as_bytes()) {
        return Ok(());
    }
    let found = text::shown(word);
    Err(words.error(Syntax, format_args!("expected '{keyword}', found '{found}'")))
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
    fn errors_name_the_place() {
        for (text, message) in [
            ("solid x\nfacet\n", "line 3: the file ends where 'outer loop' should follow"),
            ("solid x\nfacets\n", "line 2: expected 'facet', found 'facets'"),
            (
                "solid\nfacet outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 0 y\n",
                "line 5: 'y' is not a number (for z)",
            ),
            ("", "byte 0: too short for STL: neither 'solid' at the start nor 84 bytes of header"),
        ] {
            let error = import(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), format!("a.stl: {message}"));
        }
        let mut huge = binary(b"", 1);
        huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = import(&huge).unwrap_err();
        assert_eq!(error.kind(), Truncated);
        assert!(error.to_string().starts_with("a.stl: byte 80: 4294967295 triangles end at"));
    }
}
