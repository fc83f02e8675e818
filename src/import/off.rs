//! OFF, text: vertices and faces a line each.

use std::fmt;

use super::error::ImportErrorKind::{OutOfRange, Syntax, Truncated, Unsupported};
use super::error::{Result, Warnings};
use super::polygon::Triangulator;
use super::reader::{Scene, Source};
use super::text::{self, Words};
use crate::mesh::Mesh;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let mut words = Words::new(text::trimmed(bytes), 0, 1).skip_comments();
    let mut first = words.expect("the number of vertices")?;
    // The keyword is optional, and the number may follow it at once. Colours, normals and other
    // values after the coordinates are skipped with the rest of their line.
    if let Some((prefix, rest)) = split_keyword(first) {
        if !prefix.iter().all(|b| b"STCN".contains(b)) {
            let keyword = text::shown(&first[..first.len() - rest.len()]);
            let reason = format_args!("'{keyword}': only three dimensions are supported");
            return Err(words.error(Unsupported, reason));
        }
        if rest.starts_with(b"#") {
            words.rest_of_line();
        }
        let is_number = rest.first().is_some_and(u8::is_ascii_digit);
        first = if is_number { rest } else { words.expect("the number of vertices")? };
        if first.eq_ignore_ascii_case(b"BINARY") {
            return Err(words.error(Unsupported, "binary OFF is not supported"));
        }
    }
    text::body(bytes)?;
    let vertices = count(&words, first, "vertices", 6)?;
    let faces = words.expect("the number of faces")?;
    // The shortest face is `0` on a line of its own.
    let faces = count(&words, faces, "faces", 2)?;
    words.rest_of_line();

    let mut positions = Vec::with_capacity(vertices);
    for vertex in 0..vertices {
        let mut axis = |axis| words.expect_float(format_args!("{axis} of vertex {vertex}"));
        positions.push([axis("x")?, axis("y")?, axis("z")?]);
        words.rest_of_line();
    }

    let mut indices = Vec::new();
    let mut corners = Vec::new();
    let mut triangulator = Triangulator::default();
    let mut warnings = Warnings::default();
    for face in 0..faces {
        let wanted = format_args!("face {face}");
        let length = words.expect(wanted)?;
        let length = count(&words, length, format_args!("corners of {wanted}"), 2)?;
        corners.clear();
        for _ in 0..length {
            let index = words.expect_whole(wanted)?;
            corners.push(u32::try_from(index).map_err(|_| {
                words.error(OutOfRange, format_args!("{wanted}: {index} is not a vertex number"))
            })?);
        }
        if let Some(fault) = triangulator.triangulate(&corners, &positions, &mut indices) {
            warnings.add(words.place(), fault);
        }
        words.rest_of_line();
    }
    words.warn_of_rest(&mut warnings);
    let scene = Scene::of(Mesh::new(positions, indices).with_name(source.name));
    Ok(Scene { warnings, ..scene })
}

/// Splits a word at the keyword `OFF`, in upper or lower case: what stands before it, in the
/// spelling of the upper case, and what follows.
fn split_keyword(word: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let at = word.windows(3).position(|part| part.eq_ignore_ascii_case(b"OFF"))?;
    let (prefix, rest) = (&word[..at], &word[at + 3..]);
    // `nOFF` has n dimensions, `NOFF` normals. Where all is in lower case, normals are meant.
    let is_lower = word[at..at + 3] != *b"OFF";
    let is_keyword = prefix.iter().all(|b| b"STCN4n".contains(b) || is_lower && b"stc".contains(b));
    let prefix = if is_lower { prefix.to_ascii_uppercase() } else { prefix.to_vec() };
    let ends = rest.first().is_none_or(|b| b.is_ascii_digit() || *b == b'#');
    (is_keyword && ends).then_some((prefix, rest))
}

/// A count of things that take at least `least` bytes each.
fn count(words: &Words<'_>, word: &[u8], what: impl fmt::Display, least: usize) -> Result<usize> {
    let Some(count) = text::whole(word).and_then(|count| usize::try_from(count).ok()) else {
        let reason = format_args!("'{}' is not a number of {what}", text::shown(word));
        return Err(words.error(Syntax, reason));
    };
    text::fitting(count, least, words.left()).ok_or_else(|| {
        let left = words.left();
        words.error(Truncated, format_args!("{count} {what} do not fit into the {left} bytes left"))
    })
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

    const REST: &str = "3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

    #[test]
    fn the_keyword_in_all_spellings() {
        for start in [
            "",
            "OFF\n",
            "OFF",
            "OFF ",
            "off\n",
            "Off\n",
            "off",
            "\u{feff}OFF\n",
            "\u{feff}",
            "COFF\n",
            "COFF",
            "COFF ",
            "NOFF\n",
            "STOFF\n",
            "stcnoff\n",
            "noff",
            "OFF# comment\n",
            "# comment\nOFF # comment\n",
            "OFF\r\n\r\n",
        ] {
            let import = import(&format!("{start}{REST}")).unwrap();
            assert_eq!(import.meshes[0].indices, Some(vec![0, 1, 2]), "{start:?}");
            assert_eq!(import.meshes[0].positions[1], [1.0, 0.0, 0.0], "{start:?}");
            assert!(import.warnings.is_empty(), "{start:?}");
        }
        for start in ["4OFF", "4off\n", "nOFF\n", "C4OFF ", "OFF BINARY\n", "off binary\n"] {
            let kind = import(&format!("{start}{REST}")).unwrap_err().kind();
            assert_eq!(kind, ImportErrorKind::Unsupported, "{start:?}");
        }
        for start in ["OFFS", "XOFF\n", "OFFBINARY\n", "ply\n"] {
            let kind = import(&format!("{start}{REST}")).unwrap_err().kind();
            assert_eq!(kind, ImportErrorKind::Syntax, "{start:?}");
        }
    }

    #[test]
    fn what_follows_the_last_face_causes_a_warning() {
        let end = "and what follows is skipped: all that is declared has been read";
        for (rest, found) in [("OFF\n3 1 0\n", "OFF"), ("\n3 0 2 1\n", "3"), ("# here\nx", "x")] {
            let import = import(&format!("OFF\n{REST}{rest}")).unwrap();
            assert_eq!(import.triangle_count(), 1);
            assert_eq!(import.warnings.len(), 1);
            assert!(import.warnings[0].ends_with(&format!("'{found}' {end}")), "{rest}");
        }
        for rest in ["# comment", "\n\n", "\u{1a}", "\0\0"] {
            assert!(import(&format!("OFF\n{REST}{rest}")).unwrap().warnings.is_empty(), "{rest:?}");
        }
    }

    #[test]
    fn numbers_that_are_none_are_read_as_nan() {
        for nan in ["-nan(ind)", "1.#QNAN", "nan(0x1)"] {
            let import = import(&REST.replace("1 0 0\n", &format!("1 {nan} 0\n"))).unwrap();
            assert!(import.meshes[0].positions[1][1].is_nan(), "{nan}");
        }
    }

    #[test]
    fn a_polygon_that_crosses_itself_causes_a_warning() {
        let text = "4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 3 2\n";
        let warnings = import(text).unwrap().warnings;
        let expected =
            "a.off: line 6: a polygon crosses itself; its triangles cover other places than it";
        assert_eq!(warnings, [expected]);
    }

    #[test]
    fn errors_name_the_line() {
        use ImportErrorKind::*;
        for (text, kind, message) in [
            ("", Truncated, "line 1: the file ends where the number of vertices should follow"),
            (
                "OFF\n999999999999 6 0\n",
                Truncated,
                "line 2: 999999999999 vertices do not fit into the 5 bytes left",
            ),
            ("4OFF\n1 1 0", Unsupported, "line 1: '4OFF': only three dimensions are supported"),
            ("OFF BINARY\n", Unsupported, "line 1: binary OFF is not supported"),
            ("1 0 0\n0 0 x\n", Syntax, "line 2: 'x' is not a number (for z of vertex 0)"),
            ("0 1 0\n3 0 -1 0\n", OutOfRange, "line 2: face 0: -1 is not a vertex number"),
            ("0 1 0\n-3 0 1 0\n", Syntax, "line 2: '-3' is not a number of corners of face 0"),
        ] {
            let error = import(text).unwrap_err();
            assert_eq!(error.to_string(), format!("a.off: {message}"));
            assert_eq!(error.kind(), kind);
        }
    }
}
