//! OFF, text: vertices and faces a line each.

use std::fmt;

use super::error::{Fault, ImportErrorKind};
use super::polygon::Cutter;
use super::text::Words;
use super::{Scene, Source, text};
use crate::mesh::Mesh;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
    let mut words = Words::new(bytes, 0, 1);
    let mut first = next(&mut words, "the number of vertices")?;
    // The keyword may be left out; colours, normals and the like follow the
    // coordinates and are passed over.
    if let Some(prefix) = first.strip_suffix(b"OFF") {
        if !prefix.iter().all(|b| b"STCN".contains(b)) {
            return Err(words.fault(
                ImportErrorKind::Unsupported,
                format_args!("'{}': only three dimensions are read", text::shown(first)),
            ));
        }
        first = next(&mut words, "the number of vertices")?;
        if first == b"BINARY" {
            return Err(words.fault(ImportErrorKind::Unsupported, "binary OFF is not read"));
        }
    }
    text::check_is_text(bytes)?;
    let vertices = count(&words, first, "vertices", 6)?;
    let faces = next(&mut words, "the number of faces")?;
    // The shortest face is `0` on a line of its own.
    let faces = count(&words, faces, "faces", 2)?;
    words.rest_of_line();

    let mut positions = Vec::with_capacity(vertices);
    for vertex in 0..vertices {
        let mut position = [0.0; 3];
        for (value, axis) in position.iter_mut().zip(["x", "y", "z"]) {
            let wanted = format_args!("{axis} of vertex {vertex}");
            let word = next(&mut words, wanted)?;
            *value = text::float(word).ok_or_else(|| words.no_number(word, wanted))?;
        }
        words.rest_of_line();
        positions.push(position);
    }

    let mut indices = Vec::new();
    let mut corners = Vec::new();
    let mut cutter = Cutter::default();
    for face in 0..faces {
        let wanted = format_args!("face {face}");
        let length = next(&mut words, wanted)?;
        let length = count(&words, length, format_args!("corners of {wanted}"), 2)?;
        corners.clear();
        for _ in 0..length {
            let word = next(&mut words, wanted)?;
            let index = text::whole(word).ok_or_else(|| words.no_number(word, wanted))?;
            corners.push(u32::try_from(index).map_err(|_| {
                words.fault(
                    ImportErrorKind::OutOfRange,
                    format_args!("{wanted}: {index} is no vertex"),
                )
            })?);
        }
        words.rest_of_line();
        cutter.cut(&corners, |c| positions.get(c as usize).copied(), &mut indices);
    }
    Ok(Scene {
        meshes: vec![Mesh::new(positions, indices).with_name(source.name)],
        ..Scene::default()
    })
}

/// The next word that stands in no comment.
fn next<'a>(words: &mut Words<'a>, wanted: impl fmt::Display) -> Result<&'a [u8], Fault> {
    loop {
        let word = words.expect(&wanted)?;
        if !word.starts_with(b"#") {
            return Ok(word);
        }
        words.rest_of_line();
    }
}

/// A count of things that take at least `bytes` bytes each, the end of the file
/// counted as one more.
fn count(
    words: &Words<'_>,
    word: &[u8],
    what: impl fmt::Display,
    bytes: usize,
) -> Result<usize, Fault> {
    let number = text::whole(word).and_then(|n| usize::try_from(n).ok());
    let Some(number) = number else {
        return Err(words.no_number(word, format_args!("the number of {what}")));
    };
    if number > (words.left() + 1) / bytes {
        return Err(words.fault(
            ImportErrorKind::Truncated,
            format_args!("{number} {what} do not fit into the {} bytes left", words.left()),
        ));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use crate::import::{Format, Import, ImportError, ImportErrorKind};

    fn import(text: &str) -> Result<Import, ImportError> {
        Import::from_bytes(text.as_bytes(), Format::Off, "a.off", None)
    }

    #[test]
    fn faces_of_all_sizes() {
        let import = import(
            "COFF # colours\n4 3 0\n0 0 0 255 0 0\n1 0 0\n\n# here\n1 1 0\n0 1 0\n\
             4 0 1 2 3 255 0 0\n2 0 1\n3 0 1 9",
        )
        .unwrap();
        let mesh = &import.meshes[0];
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.indices, Some(vec![0, 1, 2, 0, 2, 3, 0, 1, 9]));
    }

    #[test]
    fn faults_name_the_line() {
        use ImportErrorKind::*;
        for (text, kind, message) in [
            ("", Truncated, "line 1: the file ends where the number of vertices should follow"),
            (
                "OFF\n999999999999 6 0\n",
                Truncated,
                "line 2: 999999999999 vertices do not fit into the 5 bytes left",
            ),
            ("4OFF\n1 1 0", Unsupported, "line 1: '4OFF': only three dimensions are read"),
            ("OFF BINARY\n", Unsupported, "line 1: binary OFF is not read"),
            ("1 0 0\n0 0 x\n", Syntax, "line 2: 'x' is no number (for z of vertex 0)"),
            ("0 1 0\n3 0 -1 0\n", OutOfRange, "line 2: face 0: -1 is no vertex"),
            (
                "0 1 0\n-3 0 1 0\n",
                Syntax,
                "line 2: '-3' is no number (for the number of corners of face 0)",
            ),
        ] {
            let error = import(text).unwrap_err();
            assert_eq!(error.to_string(), format!("a.off: {message}"));
            assert_eq!(error.kind(), kind);
        }
    }
}
