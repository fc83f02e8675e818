//! Model files in, [`Mesh`]es out: glTF and GLB, OBJ, PLY, STL, OFF.
//!
//! ```no_run
//! let level = hitscan::Import::open("level.glb")?;
//! for mesh in &level.meshes {
//!     println!("{}: {} triangles", mesh.name, mesh.triangle_count());
//! }
//! # Ok::<(), hitscan::import::ImportError>(())
//! ```
//!
//! # Numbering
//!
//! A hit names mesh and triangle as numbered here, so the order is part of the
//! contract. A mesh without a triangle is left out and gets no number.
//!
//! * **glTF, GLB**: the nodes of the default scene, depth first, children in order;
//!   where the file names no default scene, every node that is nobody's child is a
//!   root, in order. One mesh for each node and primitive; a mesh that several nodes
//!   share appears once a node. The node's global transform goes into
//!   [`Mesh::transform`], the material's number into [`Mesh::materials`]. The name is
//!   `node/mesh` (whichever of both there is; `nodes[3]` where there is neither), and
//!   `/0`, `/1`, ... follows where the glTF mesh has several primitives. Morph
//!   targets are not applied, nor are skins: a skinned mesh stands in its bind pose, its
//!   vertices where they are stored, as glTF has the joints and not the node place it.
//!   A skin gives a warning, as do targets of which one has a weight, and primitives of
//!   points and lines, which are skipped.
//! * **OBJ**: one mesh for each pair of group (`o` and `g` together) and `usemtl`, in
//!   order of first appearance; a pair that comes back later goes on filling its
//!   mesh. Vertices are numbered by first use in the mesh. The name is the `o` and `g`
//!   names joined by `/`, then the material's where the group has more than one; faces
//!   before any group go by the file's name. Points, lines, curves and `mtllib` are
//!   ignored.
//! * **PLY, OFF**: one mesh, named after the file.
//! * **STL**: one mesh a solid, by the solid's name; without one, by the file's.
//!
//! Triangles are numbered by position in the file, strips and fans in the order of
//! their vertices, and degenerate triangles counted. A polygon of *n* corners always
//! makes *n* - 2 triangles, one after another. Where every corner is convex, seen along
//! the longest axis of the polygon's normal, it is cut as a fan from its first corner: (0, 1, 2),
//! (0, 2, 3), ... Otherwise ears are cut, in order round the polygon from its first
//! corner, each as (corner before, ear, corner after). What has no ears (it crosses
//! itself, has no area, is not finite), or takes more than some 4096 steps a corner to
//! cut, ends as a fan.
//!
//! # What is kept, what is refused
//!
//! NaN and infinite coordinates are kept: what becomes of them is the
//! [`Builder`](crate::Builder)'s decision. So are out-of-range indices of glTF, PLY and
//! OFF, which are data there; in OBJ they are errors. A file without triangles is no
//! error: it comes back with no mesh and a warning.
//!
//! Files are not trusted. Counts are checked against the bytes that back them before
//! anything is allocated. Two things in glTF grow without bytes to back them: a mesh
//! that many nodes share, and an accessor without a buffer view (which reads as zeros).
//! All that comes out of a glTF file may take at most 256 times the bytes of the file
//! and its buffers, plus one MiB; beyond that it is
//! [`TooLarge`](ImportErrorKind::TooLarge). Names longer than 255 bytes are cut.
//!
//! Buffers of a glTF file are read from its own folder and the folders below, nowhere
//! else.

mod error;
mod gltf;
mod obj;
mod off;
mod ply;
mod polygon;
mod stl;
mod text;

use std::path::Path;

use crate::mesh::Mesh;
use error::Warnings;
pub use error::{ImportError, ImportErrorKind};

/// What a model file holds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The meshes, each with at least one triangle, in the order that the
    /// [module](self) states.
    pub meshes: Vec<Mesh>,
    /// The names that the numbers in [`Mesh::materials`] stand for; empty where a
    /// material has none.
    pub material_names: Vec<String>,
    /// What was left out or looks wrong, each with file and place. After a hundred,
    /// the rest are only counted.
    pub warnings: Vec<String>,
}

impl Import {
    /// Reads a model file, in the format that its extension names.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has another extension, or is not sound; the message
    /// names the file, the place in it and the reason.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ImportError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let Some(format) = Format::from_path(path) else {
            return Err(ImportError::new(
                ImportErrorKind::UnknownFormat,
                format!(
                    "{file}: file name: its extension names no format that is read here \
                     (gltf, glb, obj, ply, stl, off)"
                ),
            ));
        };
        let bytes = std::fs::read(path).map_err(|error| {
            ImportError::new(ImportErrorKind::Io, format!("{file}: reading: {error}"))
                .with_source(error)
        })?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        // The parent of a bare file name is the empty path, which joins as it should.
        read(&bytes, format, &file, &stem, Some(path.parent().unwrap_or(Path::new(""))))
    }

    /// Reads a model from bytes.
    ///
    /// `name` stands for the file in messages and in the names of meshes that have none
    /// of their own. `folder` is where the external buffers of a glTF file lie; `None`
    /// refuses them, so that nothing but `bytes` is ever read.
    ///
    /// # Errors
    ///
    /// If the bytes are not a sound file of this format; the message names `name`, the
    /// place and the reason.
    pub fn from_bytes(
        bytes: &[u8],
        format: Format,
        name: &str,
        folder: Option<&Path>,
    ) -> Result<Self, ImportError> {
        read(bytes, format, name, name, folder)
    }

    /// How many triangles the meshes have together.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.meshes.iter().map(Mesh::triangle_count).sum()
    }

    /// Adds another file's meshes after this one's; the other's material numbers are moved up
    /// past this one's names.
    pub fn append(&mut self, other: Self) {
        let first = u32::try_from(self.material_names.len()).unwrap_or(u32::MAX);
        self.meshes.extend(other.meshes.into_iter().map(|mut mesh| {
            for material in mesh.materials.iter_mut().flatten() {
                *material = material.saturating_add(first);
            }
            mesh
        }));
        self.material_names.extend(other.material_names);
        self.warnings.extend(other.warnings);
    }
}

/// The formats that [`Import::open`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0, as text (`.gltf`) or binary (`.glb`); the bytes tell which.
    Gltf,
    /// Wavefront OBJ.
    Obj,
    /// PLY, text or binary of either byte order.
    Ply,
    /// STL, text or binary; the bytes tell which.
    Stl,
    /// OFF, text.
    Off,
}

impl Format {
    /// The format that a path's extension names, in upper or lower case.
    #[must_use]
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "gltf" | "glb" => Some(Self::Gltf),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "stl" => Some(Self::Stl),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// What every reader is given besides the bytes.
struct Source<'a> {
    /// What meshes without a name of their own are called.
    name: &'a str,
    folder: Option<&'a Path>,
}

/// What every reader gives back.
#[derive(Default)]
struct Scene {
    meshes: Vec<Mesh>,
    material_names: Vec<String>,
    warnings: Warnings,
}

fn read(
    bytes: &[u8],
    format: Format,
    file: &str,
    name: &str,
    folder: Option<&Path>,
) -> Result<Import, ImportError> {
    let source = Source { name: text::short(name), folder };
    let scene = match format {
        Format::Gltf => gltf::read(bytes, &source),
        Format::Obj => obj::read(bytes, &source),
        Format::Ply => ply::read(bytes, &source),
        Format::Stl => stl::read(bytes, &source),
        Format::Off => off::read(bytes, &source),
    };
    let mut scene = scene.map_err(|fault| fault.in_file(file))?;
    scene.meshes.retain(|mesh| mesh.triangle_count() > 0);
    if scene.meshes.is_empty() {
        scene.warnings.add("geometry", "there is no triangle");
    }
    Ok(Import {
        meshes: scene.meshes,
        material_names: scene.material_names,
        warnings: scene.warnings.in_file(file),
    })
}
