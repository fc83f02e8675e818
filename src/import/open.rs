//! The ways in: from a file or from bytes, in each format.

use std::path::Path;

use super::error::{ImportError, ImportErrorKind, Result};
use super::instances::{InstancedImport, with_triangles};
use super::model::Import;
use super::reader::{self, Repeats};
use super::{gltf, obj, off, ply, stl, text};
use crate::bvh::Source;

impl Import {
    /// Reads a model file in the format of its extension.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has an unknown extension, or is not valid. The message
    /// names the file, the place in it and the reason.
    pub fn open(path: impl AsRef<Path>) -> std::result::Result<Self, ImportError> {
        open(path.as_ref(), Repeats::Copy).map(|all| all.fixed)
    }

    /// Reads a model from bytes in memory.
    ///
    /// `name` stands for the file in messages and sources, and names meshes that have no name of
    /// their own. `folder` is where the separate buffers of a glTF file are. With `None` they are
    /// refused, and nothing but `bytes` is read.
    ///
    /// # Errors
    ///
    /// If the bytes are not a valid file of this format. The message names `name`, the
    /// place and the reason.
    pub fn from_bytes(
        bytes: &[u8],
        format: Format,
        name: &str,
        folder: Option<&Path>,
    ) -> std::result::Result<Self, ImportError> {
        read_named(bytes, format, name, folder, Repeats::Copy).map(|all| all.fixed)
    }
}

impl InstancedImport {
    /// Reads a model file as [`Import::open`], but keeps meshes that repeat. Only glTF has such.
    ///
    /// # Errors
    ///
    /// As [`Import::open`].
    pub fn open(path: impl AsRef<Path>) -> std::result::Result<Self, ImportError> {
        open(path.as_ref(), Repeats::Keep)
    }

    /// Reads a model from bytes as [`Import::from_bytes`], but keeps meshes that repeat.
    ///
    /// # Errors
    ///
    /// As [`Import::from_bytes`].
    pub fn from_bytes(
        bytes: &[u8],
        format: Format,
        name: &str,
        folder: Option<&Path>,
    ) -> std::result::Result<Self, ImportError> {
        read_named(bytes, format, name, folder, Repeats::Keep)
    }
}

/// The formats that [`Import`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0: text (`.gltf`) or binary (`.glb`). The bytes tell which.
    Gltf,
    /// Wavefront OBJ.
    Obj,
    /// PLY: text, or binary of either byte order.
    Ply,
    /// STL: text or binary. The bytes tell which.
    Stl,
    /// OFF: text.
    Off,
}

impl Format {
    /// The format that belongs to a path's extension, in upper or lower case.
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

fn open(path: &Path, repeats: Repeats) -> Result<InstancedImport> {
    let file = path.display().to_string();
    let Some(format) = Format::from_path(path) else {
        let is_baked =
            path.extension().is_some_and(|extension| extension == "hbvh" || extension == "hscn");
        let reason = match is_baked {
            true => "a baked file is no model: it can be opened as it is",
            false => "unknown extension; known are gltf, glb, obj, ply, stl, off",
        };
        let error = ImportError::at(ImportErrorKind::UnknownFormat, "file name", reason);
        return Err(error.in_file(&file));
    };
    let bytes = std::fs::read(path).map_err(|cause| {
        if path.is_dir() {
            return ImportError::folder().in_file(&file);
        }
        let error = ImportError::at(ImportErrorKind::Io, "reading", &cause);
        error.in_file(&file).with_source(cause)
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    // The parent of a bare file name is the empty path, which joins as it should.
    let folder = Some(path.parent().unwrap_or(Path::new("")));
    let name = text::short(&name);
    read(&bytes, format, &file, &reader::Source { name, folder, repeats })
}

fn read_named(
    bytes: &[u8],
    format: Format,
    name: &str,
    folder: Option<&Path>,
    repeats: Repeats,
) -> Result<InstancedImport> {
    read(bytes, format, name, &reader::Source { name: text::short(name), folder, repeats })
}

fn read(
    bytes: &[u8],
    format: Format,
    file: &str,
    source: &reader::Source<'_>,
) -> Result<InstancedImport> {
    let scene = match format {
        Format::Gltf => gltf::read(bytes, source),
        Format::Obj => obj::read(bytes, source),
        Format::Ply => ply::read(bytes, source),
        Format::Stl => stl::read(bytes, source),
        Format::Off => off::read(bytes, source),
    };
    let mut scene = scene.map_err(|error| error.in_file(file))?;
    scene.meshes.retain(|mesh| mesh.triangle_count() > 0);
    let (repeated, instances) = with_triangles(scene.repeated, scene.instances);
    if scene.meshes.is_empty() && repeated.is_empty() {
        scene.warnings.add("geometry", "there is no triangle");
    }
    let fixed = Import {
        meshes: scene.meshes,
        material_names: scene.material_names,
        sources: vec![Source::of(file, bytes)],
        warnings: scene.warnings.in_file(file),
    };
    Ok(InstancedImport { fixed, repeated, instances })
}
