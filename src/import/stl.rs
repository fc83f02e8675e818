//! STL, text and binary.

use super::error::{Fault, ImportErrorKind, Warnings};
use super::text::Words;
use super::{Scene, Source, text};
use crate::mesh::Mesh;

/// Header of a binary file: 80 bytes of anything, then the number of triangles.
const HEADER: usize = 84;
/// Normal, three corners, and two bytes that nobody agrees upon.
const RECORD: usize = 50;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
    if is_text(bytes) { read_text(bytes, source) } else { read_binary(bytes, source) }
}

/// Binary files may begin with "solid" too; but their size says what they are, and
/// text has no zero byte, which a count of less than 16 million triangles has.
fn is_text(bytes: &[u8]) -> bool {
    let exact = promised(bytes).and_then(size_of) == Some(bytes.len());
    let start = bytes.trim_ascii_start();
    let solid = start.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    !exact && solid && !bytes[..bytes.len().min(HEADER)].contains(&0)
}

/// The number of triangles that a binary file's header names.
fn promised(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

fn size_of(triangles: u32) -> Option<usize> {
    usize::try_from(triangles).ok()?.checked_mul(RECORD)?.checked_add(HEADER)
}

fn read_binary(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
    let Some(triangles) = promised(bytes) else {
        return Err(Fault::new(
            ImportErrorKind::Truncated,
            format_args!("byte {}", bytes.len()),
            "too short for STL: it neither begins with 'solid' nor has 84 bytes of header",
        ));
    };
    let end = size_of(triangles).unwrap_or(usize::MAX);
    let Some(records) = bytes.get(HEADER..end) else {
        return Err(Fault::new(
            ImportErrorKind::Truncated,
            "byte 80",
            format_args!(
                "{triangles} triangles end at byte {end}, but the file has {} bytes",
                bytes.len()
            ),
        ));
    };
    let mut warnings = Warnings::default();
    if end < bytes.len() {
        warnings.add(
            format_args!("byte {end}"),
            format_args!("{} bytes after the last triangle", bytes.len() - end),
        );
    }
    let mut positions = Vec::with_capacity(records.len() / RECORD * 3);
    for record in records.chunks_exact(RECORD) {
        let (corners, _) = record[12..48].as_chunks::<12>();
        positions.extend(corners.iter().map(|corner| {
            let (values, _) = corner.as_chunks::<4>();
            [0, 1, 2].map(|k| f32::from_le_bytes(values[k]))
        }));
    }
    Ok(Scene {
        meshes: vec![Mesh::from_soup(positions).with_name(source.name)],
        warnings,
        ..Scene::default()
    })
}

fn read_text(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
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

fn read_solid(words: &mut Words<'_>) -> Result<Vec<[f32; 3]>, Fault> {
    let mut positions = Vec::new();
    loop {
        let word = words.expect("'facet' or 'endsolid'")?;
        if word.eq_ignore_ascii_case(b"endsolid") {
            words.rest_of_line();
            return Ok(positions);
        }
        check(words, word, "facet")?;
        // The normal follows from the corners, so it is not even looked at: writers
        // put anything there.
        loop {
            let word = words.expect("'outer loop'")?;
            if word.eq_ignore_ascii_case(b"outer") {
                break;
            }
        }
        expect(words, "loop")?;
        for _ in 0..3 {
            expect(words, "vertex")?;
            let mut position = [0.0; 3];
            for (value, axis) in position.iter_mut().zip(["x", "y", "z"]) {
                *value = words.expect_float(axis)?;
            }
            positions.push(position);
        }
        expect(words, "endloop")?;
        expect(words, "endfacet")?;
    }
}

fn expect(words: &mut Words<'_>, keyword: &str) -> Result<(), Fault> {
    let word = words.expect(format_args!("'{keyword}'"))?;
    check(words, word, keyword)
}

fn check(words: &Words<'_>, word: &[u8], keyword: &str) -> Result<(), Fault> {
    if word.eq_ignore_ascii_case(keyword.as_bytes()) {
        return Ok(());
    }
    Err(words.fault(
        ImportErrorKind::Syntax,
        format_args!("'{}' where '{keyword}' should stand", text::shown(word)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Format, Import, ImportError};

    fn import(bytes: &[u8]) -> Result<Import, ImportError> {
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
    fn binary_even_if_it_says_solid() {
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
    fn faults_name_the_place() {
        for (text, message) in [
            ("solid x\nfacet\n", "line 3: the file ends where 'outer loop' should follow"),
            ("solid x\nfacets\n", "line 2: 'facets' where 'facet' should stand"),
            (
                "solid\nfacet outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 0 y\n",
                "line 5: 'y' is no number (for z)",
            ),
            (
                "",
                "byte 0: too short for STL: it neither begins with 'solid' nor has 84 bytes of header",
            ),
        ] {
            let error = import(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), format!("a.stl: {message}"));
        }
        let mut huge = binary(b"", 1);
        huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = import(&huge).unwrap_err();
        assert_eq!(error.kind(), ImportErrorKind::Truncated);
        assert!(error.to_string().starts_with("a.stl: byte 80: 4294967295 triangles end at"));
    }
}
