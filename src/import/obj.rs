//! Wavefront OBJ, read in two passes: first all positions, then the faces. A face may refer
//! to a position further down, and is checked on its own line, so that an error names it.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use super::error::ImportErrorKind::{self, OutOfRange, Syntax, TooLarge};
use super::error::{ImportError, Result, Warnings};
use super::polygon::Triangulator;
use super::reader::{Scene, Source};
use super::text;
use super::work;
use crate::mesh::Mesh;

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let bytes = text::body(bytes)?;
    let mut faces = Faces { positions: read_positions(bytes)?, ..Faces::default() };
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        faces.read(line)?;
    }
    Ok(faces.finish(source))
}

fn read_positions(bytes: &[u8]) -> Result<Vec<[f32; 3]>> {
    let mut positions = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        if line.keyword == b"v" {
            // A weight or a colour may follow; both are skipped.
            let mut words = line.words();
            let mut axis = |axis| {
                let Some(word) = words.next() else {
                    return Err(line.error(Syntax, format_args!("a vertex without {axis}")));
                };
                text::float(word).ok_or_else(|| {
                    let word = text::shown(word);
                    line.error(Syntax, format_args!("'{word}' is not a number (for {axis})"))
                })
            };
            positions.push([axis("x")?, axis("y")?, axis("z")?]);
        }
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

    fn place(&self) -> String {
        format!("line {}", self.number)
    }

    fn error(&self, kind: ImportErrorKind, reason: impl fmt::Display) -> ImportError {
        ImportError::at(kind, self.place(), reason)
    }
}

/// What a statement can begin with. `#` begins a comment.
const KEYWORDS: &str = " v vt vn vp f fo l p o g s mg usemtl mtllib usemap maplib shadow_obj \
    trace_obj cstype deg bmat step curv curv2 surf parm trim hole scrv sp end con bevel \
    c_interp d_interp lod ctech stech call csh bsp bzp cdc cdp res ";

/// The statements of a file. A line that ends in a backslash continues on the next, unless that
/// is a statement of its own: names can end in a backslash.
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
        let mut is_joined = false;
        self.joined.clear();
        while !is_comment
            && let Some(part) = line.strip_suffix(b"\\")
            && let Some(next) = self.continuation()
        {
            self.joined.extend_from_slice(part);
            self.joined.push(b' ');
            line = next;
            is_joined = true;
        }
        if is_joined {
            self.joined.extend_from_slice(line);
            line = &self.joined;
        }
        let line = line.trim_ascii();
        let end = line.iter().position(|&b| text::is_space(b));
        let (keyword, mut rest) = line.split_at(end.unwrap_or(line.len()));
        if !matches!(keyword, b"o" | b"g" | b"usemtl") {
            rest = rest.strip_suffix(b"\\").unwrap_or(rest);
        }
        Some(Line { number, keyword, rest: rest.trim_ascii() })
    }

    /// The next line of the file, if it is not a statement of its own. Nothing at the end.
    fn continuation(&mut self) -> Option<&'a [u8]> {
        let (bytes, number) = (self.bytes, self.number);
        let line = self.physical().unwrap_or_default();
        let mut words = line.split(|&b| text::is_space(b)).filter(|word| !word.is_empty());
        let word = words.next().and_then(|word| std::str::from_utf8(word).ok());
        let is_statement = word.is_some_and(|word| {
            word.starts_with('#') || KEYWORDS.split(' ').any(|keyword| keyword == word)
        });
        if is_statement {
            (self.bytes, self.number) = (bytes, number);
            return None;
        }
        Some(line)
    }

    /// The next line of the file, without its ending.
    fn physical(&mut self) -> Option<&'a [u8]> {
        if self.bytes.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.bytes.iter().position(|&b| text::is_line_end(b));
        let (line, rest) = self.bytes.split_at(end.unwrap_or(self.bytes.len()));
        work::count(1 + line.len());
        let ending = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        self.bytes = rest.get(ending..).unwrap_or_default();
        Some(line)
    }
}

/// The names that apply to a face; faces with the same names form a mesh.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Names {
    /// Object, then group.
    group: [Option<Rc<str>>; 2],
    material: Option<u32>,
}

#[derive(Default)]
struct Faces {
    positions: Vec<[f32; 3]>,
    /// The number of vertices before the current line, which negative indices count from.
    seen: usize,
    names: Names,
    /// The mesh that the current names belong to, once it has a face.
    current: Option<usize>,
    /// For each mesh three vertex numbers, as counted in the whole file, a triangle.
    meshes: Vec<(Names, Vec<u32>)>,
    mesh_of: HashMap<Names, usize>,
    materials: HashMap<String, u32>,
    corners: Vec<u32>,
    triangulator: Triangulator,
    warnings: Warnings,
    warned_of_surfaces: bool,
}

impl Faces {
    fn read(&mut self, line: Line<'_>) -> Result<()> {
        match line.keyword {
            b"v" => self.seen += 1,
            b"f" | b"fo" => self.read_face(&line)?,
            b"o" => {
                self.names.group = [Some(text::name(line.rest).into()), None];
                self.current = None;
            }
            b"g" => {
                self.names.group[1] = Some(text::name(line.rest).into());
                self.current = None;
            }
            b"usemtl" => {
                let next = self.materials.len() as u32;
                let number = self.materials.entry(text::name(line.rest)).or_insert(next);
                self.names.material = Some(*number);
                self.current = None;
            }
            b"curv" | b"curv2" | b"surf" if !self.warned_of_surfaces => {
                self.warned_of_surfaces = true;
                self.warnings.add(line.place(), "curves and surfaces are skipped");
            }
            _ => {}
        }
        Ok(())
    }

    fn read_face(&mut self, line: &Line<'_>) -> Result<()> {
        self.corners.clear();
        // A comment may follow.
        for word in line.words().take_while(|word| !word.starts_with(b"#")) {
            self.corners.push(self.corner(word, line)?);
        }
        let count = self.corners.len();
        if count < 3 {
            self.warnings.add(line.place(), format_args!("a face of {count} corners is skipped"));
            return Ok(());
        }
        let mesh = *self.current.get_or_insert_with(|| {
            *self.mesh_of.entry(self.names.clone()).or_insert_with(|| {
                self.meshes.push((self.names.clone(), Vec::new()));
                self.meshes.len() - 1
            })
        });
        let indices = &mut self.meshes[mesh].1;
        let fault = self.triangulator.triangulate(&self.corners, &self.positions, indices);
        if let Some(fault) = fault {
            self.warnings.add(line.place(), fault);
        }
        Ok(())
    }

    /// The vertex that a corner refers to: `3`, `-1`, `3/1`, `3//2` or `3/1/2`.
    fn corner(&self, word: &[u8], line: &Line<'_>) -> Result<u32> {
        let error = |kind, reason: fmt::Arguments<'_>| {
            line.error(kind, format_args!("'{}': {reason}", text::shown(word)))
        };
        let number = word.split(|&b| b == b'/').next().unwrap_or_default();
        let number = std::str::from_utf8(number).ok().and_then(|n| n.parse::<i64>().ok());
        let Some(number) = number else {
            return Err(error(Syntax, format_args!("not a vertex number")));
        };
        let missing = |reason| {
            line.error(OutOfRange, format_args!("vertex {number} does not exist: {reason}"))
        };
        let vertex = if number < 0 { number + self.seen as i64 } else { number - 1 };
        let (all, seen) = (self.positions.len(), self.seen);
        match usize::try_from(vertex) {
            Ok(vertex) if vertex < all => u32::try_from(vertex).map_err(|_| {
                error(TooLarge, format_args!("more vertices than 32 bits can number"))
            }),
            _ => Err(match number {
                0 => error(OutOfRange, format_args!("vertices are numbered from 1")),
                1.. => missing(format_args!("the file has {all}")),
                ..0 => missing(format_args!("{seen} stand before this line")),
            }),
        }
    }

    fn finish(self, source: &Source<'_>) -> Scene {
        let mut material_names = vec![String::new(); self.materials.len()];
        for (name, number) in self.materials {
            material_names[number as usize] = name;
        }
        let mut materials_of = HashMap::<_, usize>::new();
        for (names, _) in &self.meshes {
            *materials_of.entry(names.group.clone()).or_default() += 1;
        }
        // For each vertex the mesh that used it last, and its number there.
        let mut local = vec![(u32::MAX, 0_u32); self.positions.len()];
        let mut meshes = Vec::with_capacity(self.meshes.len());
        for (number, (names, mut indices)) in self.meshes.into_iter().enumerate() {
            let mut positions = Vec::new();
            for index in &mut indices {
                let global = *index as usize;
                let (user, vertex) = &mut local[global];
                if *user != number as u32 {
                    (*user, *vertex) = (number as u32, positions.len() as u32);
                    positions.push(self.positions[global]);
                }
                *index = *vertex;
            }
            let mut words: Vec<&str> = names.group.iter().flatten().map(|name| &**name).collect();
            words.retain(|word| !word.is_empty());
            if words.is_empty() {
                words.push(source.name);
            }
            if let Some(material) = names.material
                && materials_of[&names.group] > 1
            {
                words.push(&material_names[material as usize]);
            }
            words.retain(|word| !word.is_empty());
            let triangles = indices.len() / 3;
            let mut mesh = Mesh::new(positions, indices).with_name(text::short(&words.join("/")));
            mesh.materials = names.material.map(|material| vec![material; triangles]);
            meshes.push(mesh);
        }
        Scene { meshes, material_names, warnings: self.warnings, ..Scene::default() }
    }
}

#[cfg(test)]
mod tests;
