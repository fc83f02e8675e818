//! Wavefront OBJ.
//!
//! Read in two passes over the text: positions first, then faces. A face may so be
//! checked, and cut, where it stands, and a fault in it named by its line.

use std::collections::HashMap;

use super::error::{Fault, ImportErrorKind, Warnings};
use super::polygon::Cutter;
use super::{Scene, Source, text};
use crate::mesh::Mesh;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
    text::check_is_text(bytes)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let positions = read_positions(bytes)?;
    let mut faces = Faces::new(&positions);
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        faces.line(line)?;
    }
    Ok(faces.finish(source))
}

fn read_positions(bytes: &[u8]) -> Result<Vec<[f32; 3]>, Fault> {
    let mut positions = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        if line.keyword != b"v" {
            continue;
        }
        // What may follow (a weight, a colour) is of no interest.
        let mut words = line.words();
        let mut position = [0.0; 3];
        for (value, axis) in position.iter_mut().zip(["x", "y", "z"]) {
            let Some(word) = words.next() else {
                return Err(
                    line.fault(ImportErrorKind::Syntax, format_args!("a vertex without {axis}"))
                );
            };
            *value = text::float(word).ok_or_else(|| {
                line.fault(
                    ImportErrorKind::Syntax,
                    format_args!("'{}' is no number (for {axis})", text::shown(word)),
                )
            })?;
        }
        positions.push(position);
    }
    Ok(positions)
}

/// A statement: its first word, and the rest of its line.
struct Line<'l> {
    number: usize,
    keyword: &'l [u8],
    rest: &'l [u8],
}

impl<'l> Line<'l> {
    fn words(&self) -> impl Iterator<Item = &'l [u8]> + use<'l> {
        self.rest.split(|&b| text::is_space(b)).filter(|word| !word.is_empty())
    }

    fn fault(&self, kind: ImportErrorKind, reason: impl std::fmt::Display) -> Fault {
        Fault::new(kind, format_args!("line {}", self.number), reason)
    }
}

/// The statements of a file; lines that end in a backslash go on in the next.
struct Lines<'a> {
    bytes: &'a [u8],
    number: usize,
    joined: Vec<u8>,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, number: 0, joined: Vec::new() }
    }

    fn next(&mut self) -> Option<Line<'_>> {
        let mut line = self.physical()?;
        let number = self.number;
        let is_comment = line.trim_ascii_start().starts_with(b"#");
        if !is_comment && line.ends_with(b"\\") {
            self.joined.clear();
            while let Some(part) = line.strip_suffix(b"\\") {
                self.joined.extend_from_slice(part);
                self.joined.push(b' ');
                line = self.physical().unwrap_or_default();
            }
            self.joined.extend_from_slice(line);
            line = &self.joined;
        }
        let line = line.trim_ascii();
        let end = line.iter().position(|&b| text::is_space(b));
        let (keyword, rest) = line.split_at(end.unwrap_or(line.len()));
        Some(Line { number, keyword, rest: rest.trim_ascii() })
    }

    /// The next line as it stands in the file.
    fn physical(&mut self) -> Option<&'a [u8]> {
        if self.bytes.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.bytes.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let (line, rest) = self.bytes.split_at(end.unwrap_or(self.bytes.len()));
        let ending = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        self.bytes = rest.get(ending..).unwrap_or_default();
        Some(line)
    }
}

/// Strings by number, in order of first appearance.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &[u8]) -> u32 {
        let name = text::name(name);
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}

/// What a mesh is made from: object, group and material.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    object: Option<u32>,
    group: Option<u32>,
    material: Option<u32>,
}

struct Part {
    key: Key,
    /// Three vertex numbers of the whole file a triangle.
    indices: Vec<u32>,
}

struct Faces<'p> {
    positions: &'p [[f32; 3]],
    /// Vertices that stand before the current line: what negative indices count from.
    seen: usize,
    groups: Names,
    materials: Names,
    key: Key,
    parts: Vec<Part>,
    part_of: HashMap<Key, usize>,
    corners: Vec<u32>,
    cutter: Cutter,
    warnings: Warnings,
    warned_of_surfaces: bool,
}

impl<'p> Faces<'p> {
    fn new(positions: &'p [[f32; 3]]) -> Self {
        Self {
            positions,
            seen: 0,
            groups: Names::default(),
            materials: Names::default(),
            key: Key { object: None, group: None, material: None },
            parts: Vec::new(),
            part_of: HashMap::new(),
            corners: Vec::new(),
            cutter: Cutter::default(),
            warnings: Warnings::default(),
            warned_of_surfaces: false,
        }
    }

    fn line(&mut self, line: Line<'_>) -> Result<(), Fault> {
        match line.keyword {
            b"v" => self.seen += 1,
            b"f" | b"fo" => self.face(&line)?,
            b"o" => {
                self.key.object = Some(self.groups.number(line.rest));
                self.key.group = None;
            }
            b"g" => self.key.group = Some(self.groups.number(line.rest)),
            b"usemtl" => self.key.material = Some(self.materials.number(line.rest)),
            b"curv" | b"curv2" | b"surf" if !self.warned_of_surfaces => {
                self.warned_of_surfaces = true;
                self.warnings
                    .add(format_args!("line {}", line.number), "curves and surfaces are skipped");
            }
            _ => {}
        }
        Ok(())
    }

    fn face(&mut self, line: &Line<'_>) -> Result<(), Fault> {
        self.corners.clear();
        for word in line.words() {
            // A comment may follow on the line.
            if word.starts_with(b"#") {
                break;
            }
            let corner = self.corner(word).map_err(|(kind, reason)| {
                let word = text::shown(word);
                line.fault(kind, format_args!("'{word}': {reason}"))
            })?;
            self.corners.push(corner);
        }
        if self.corners.len() < 3 {
            self.warnings.add(
                format_args!("line {}", line.number),
                format_args!("a face of {} corners is skipped", self.corners.len()),
            );
            return Ok(());
        }
        let next = self.parts.len();
        let part = *self.part_of.entry(self.key).or_insert(next);
        if part == next {
            self.parts.push(Part { key: self.key, indices: Vec::new() });
        }
        let positions = self.positions;
        self.cutter.cut(
            &self.corners,
            |corner| positions.get(corner as usize).copied(),
            &mut self.parts[part].indices,
        );
        Ok(())
    }

    /// The vertex that a corner such as `3`, `-1`, `3/1`, `3//2` or `3/1/2` names.
    fn corner(&self, word: &[u8]) -> Result<u32, (ImportErrorKind, String)> {
        let number = word.split(|&b| b == b'/').next().unwrap_or_default();
        let number: Option<i64> = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok());
        let Some(number) = number else {
            let reason = "no vertex number".to_owned();
            return Err((ImportErrorKind::Syntax, reason));
        };
        let vertex = match number {
            0 => None,
            1.. => Some(number - 1),
            // A file cannot hold as many lines as would make this wrap.
            ..0 => number.checked_add(self.seen as i64),
        };
        let vertex = vertex.and_then(|v| usize::try_from(v).ok());
        match vertex {
            Some(vertex) if vertex < self.positions.len() => u32::try_from(vertex).map_err(|_| {
                let reason = "more vertices than 32 bits can number".to_owned();
                (ImportErrorKind::TooLarge, reason)
            }),
            _ => {
                let reason = match number {
                    0 => "vertices are numbered from 1".to_owned(),
                    1.. => format!("the file has {} vertices", self.positions.len()),
                    ..0 => format!("{} vertices stand before this line", self.seen),
                };
                Err((ImportErrorKind::OutOfRange, reason))
            }
        }
    }

    fn finish(self, source: &Source<'_>) -> Scene {
        let mut materials_of = HashMap::new();
        for part in &self.parts {
            let group = (part.key.object, part.key.group);
            *materials_of.entry(group).or_insert(0_usize) += 1;
        }
        // The number of each vertex in the mesh that used it last.
        let mut local = vec![(u32::MAX, 0_u32); self.positions.len()];
        let mut meshes = Vec::with_capacity(self.parts.len());
        for (number, part) in self.parts.into_iter().enumerate() {
            let Part { key, mut indices } = part;
            let mut positions = Vec::new();
            for index in &mut indices {
                let global = *index as usize;
                let (user, vertex) = &mut local[global];
                if *user != number as u32 {
                    *user = number as u32;
                    *vertex = positions.len() as u32;
                    positions.push(self.positions[global]);
                }
                *index = *vertex;
            }
            let many = materials_of[&(key.object, key.group)] > 1;
            let of = |names: &Names, number: Option<u32>| {
                number.map_or(String::new(), |n| names.names[n as usize].clone())
            };
            let mut name = [of(&self.groups, key.object), of(&self.groups, key.group)];
            if name.iter().all(String::is_empty) {
                source.name.clone_into(&mut name[0]);
            }
            let [object, group] = name;
            let mut words = vec![object, group];
            if many {
                words.push(of(&self.materials, key.material));
            }
            words.retain(|word| !word.is_empty());
            let triangles = indices.len() / 3;
            let mut mesh = Mesh::new(positions, indices).with_name(text::short(&words.join("/")));
            mesh.materials = key.material.map(|material| vec![material; triangles]);
            meshes.push(mesh);
        }
        Scene { meshes, material_names: self.materials.names, warnings: self.warnings }
    }
}

#[cfg(test)]
mod tests;
