//! glTF 2.0, text and binary.

mod accessor;
mod buffers;
mod json;
mod nodes;
mod primitive;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::error::ImportErrorKind::{Invalid, Syntax, TooLarge, Truncated, Unsupported};
use super::error::{ImportError, Result, Warnings};
use super::reader::{Scene, Source};
use super::text::shown;
use buffers::Buffers;
use json::{Items, Json};
use primitive::{CheckedMesh, Document, name_of, warn_of_weights};

/// The limit of memory for the meshes, in multiples of the bytes read. Instanced levels need
/// a lot, but a small hostile file could ask for any amount.
const MAX_EXPANSION: u64 = 256;
/// Memory that every file may take, however small.
const FREE_EXPANSION: u64 = 1 << 20;

/// Extensions that change the geometry. A file that requires one of them is refused.
const GEOMETRY_EXTENSIONS: [&str; 5] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing",
    "KHR_mesh_primitive_restart",
];

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene> {
    let mut warnings = Warnings::default();
    let (text, chunk) = split(bytes, &mut warnings)?;
    let root = Json::parse(text)?;
    let [asset, required, scene, scenes, nodes] =
        root.members(["asset", "extensionsRequired", "scene", "scenes", "nodes"])?;
    let [meshes, accessors, views, data, materials] =
        root.members(["meshes", "accessors", "bufferViews", "buffers", "materials"])?;
    check_version(&asset.ok_or_else(|| root.missing("asset"))?)?;
    check_extensions(required, &mut warnings)?;

    let (nodes, scenes) = (Items::of(nodes)?, Items::of(scenes)?);
    let materials = Items::of(materials)?;
    let mut document = Document {
        meshes: Items::of(meshes)?,
        accessors: Items::of(accessors)?,
        materials: materials.len(),
        buffers: Buffers::new(Items::of(data)?, Items::of(views)?, chunk, source.folder),
    };
    let instances = nodes::walk(scene, &scenes, &nodes, document.meshes.len(), &mut warnings)?;

    let mut checked: HashMap<usize, CheckedMesh> = HashMap::new();
    let mut cost = 0_u64;
    for instance in &instances {
        let mesh = match checked.entry(instance.mesh) {
            Entry::Occupied(mesh) => mesh.into_mut(),
            Entry::Vacant(entry) => entry.insert(document.mesh(instance.mesh, &mut warnings)?),
        };
        cost = cost.saturating_add(mesh.cost);
    }
    let input = (bytes.len() as u64).saturating_add(document.buffers.loaded_from_files());
    if cost > input.saturating_mul(MAX_EXPANSION) + FREE_EXPANSION {
        let reason = format_args!(
            "the meshes, counted once for each node that shows them, take {cost} bytes: more \
             than {MAX_EXPANSION} times the {input} bytes of the file and its buffers"
        );
        return Err(ImportError::at(TooLarge, "nodes", reason));
    }

    let mut meshes = Vec::new();
    for instance in &instances {
        let node = nodes.at(instance.node)?;
        warn_of_node(&node, &mut warnings)?;
        if let Some(mesh) = checked.get_mut(&instance.mesh) {
            mesh.instantiate(&node, instance.transform, &document.buffers, &mut meshes)?;
        }
    }
    let mut material_names = Vec::with_capacity(materials.len());
    for material in materials.iter() {
        // A material that is not an object has no name.
        material_names.push(name_of(material?.member("name").unwrap_or_default()));
    }
    Ok(Scene { meshes, material_names, warnings })
}

/// The JSON text of a file, and the binary chunk if it has one.
fn split<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Result<(&'a str, Option<&'a [u8]>)> {
    if !bytes.starts_with(b"glTF") {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok((utf8(text, bytes.len() - text.len())?, None));
    }
    let size = bytes.len();
    let truncated = |at: usize, reason: String| {
        Err(ImportError::at(Truncated, format_args!("byte {at}"), reason))
    };
    let word = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk);
    let (Some(&version), Some(&length)) = (word(4), word(8)) else {
        return truncated(size, "the file ends in its header".into());
    };
    let (version, length) = (u32::from_le_bytes(version), u32::from_le_bytes(length) as usize);
    if version != 2 {
        let reason = format_args!("binary glTF of version {version} instead of 2");
        return Err(ImportError::at(Unsupported, "byte 4", reason));
    }
    let Some(body) = bytes.get(..length) else {
        return truncated(8, format!("a length of {length}, but the file has {size} bytes"));
    };
    if length < size {
        let extra = size - length;
        warnings.add(format_args!("byte {length}"), format_args!("{extra} bytes after the end"));
    }
    let mut at = 12;
    let (mut json, mut chunk) = (None, None);
    while at < length {
        let header = body.get(at..).and_then(|rest| rest.split_first_chunk::<8>());
        let Some((&[a, b, c, d, kind @ ..], rest)) = header else {
            return truncated(at, "the file ends in a chunk's header".into());
        };
        let size = u32::from_le_bytes([a, b, c, d]) as usize;
        let Some(data) = rest.get(..size) else {
            let left = rest.len();
            return truncated(at, format!("a chunk of {size} bytes, but {left} are left"));
        };
        match &kind {
            b"JSON" if json.is_none() => json = Some(utf8(data, at + 8)?),
            b"BIN\0" if chunk.is_none() => chunk = Some(data),
            // Chunks of extensions are ignored, as the specification asks.
            _ => {}
        }
        at += 8 + size;
    }
    match json {
        Some(json) => Ok((json, chunk)),
        None => Err(ImportError::at(Invalid, "byte 12", "there is no JSON chunk")),
    }
}

fn utf8(bytes: &[u8], start: usize) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let place = format_args!("byte {}", start + error.valid_up_to());
        ImportError::at(Syntax, place, "this is not UTF-8, so not JSON")
    })
}

fn check_version(asset: &Json<'_>) -> Result<()> {
    let [version, min_version] = asset.members(["version", "minVersion"])?;
    let version = version.ok_or_else(|| asset.missing("version"))?;
    let check = |version: Json<'_>, is_supported: fn(&str) -> bool| {
        let text = version.string()?;
        if is_supported(&text) {
            return Ok(());
        }
        let reason = format_args!("'{}': only glTF 2.0 is supported", shown(&text));
        Err(version.error(Unsupported, reason))
    };
    // A later 2.x can be read as 2.0, unless `minVersion` says that it cannot.
    check(version, |text| text.starts_with("2."))?;
    min_version.map_or(Ok(()), |version| check(version, |text| text == "2.0"))
}

fn check_extensions(required: Option<Json<'_>>, warnings: &mut Warnings) -> Result<()> {
    for extension in Items::of(required)?.iter() {
        let extension = extension?;
        let name = extension.string()?;
        let shown = shown(&name);
        if GEOMETRY_EXTENSIONS.contains(&name.as_str()) {
            let reason = format_args!("the file requires {shown}, which is not supported");
            return Err(extension.error(Unsupported, reason));
        }
        if name != "KHR_mesh_quantization" {
            warnings.add(extension.place(), format_args!("{shown} is ignored, though required"));
        }
    }
    Ok(())
}

/// Warns of what is left out of a node that shows a mesh.
fn warn_of_node(node: &Json<'_>, warnings: &mut Warnings) -> Result<()> {
    let [skin, weights, extensions] = node.members(["skin", "weights", "extensions"])?;
    if let Some(skin) = skin {
        warnings.add(skin.place(), "skins are not applied; this is the bind pose");
    }
    warn_of_weights(weights, warnings);
    let instancing = extensions.map(|e| e.member("EXT_mesh_gpu_instancing"));
    if let Some(Ok(Some(instancing))) = instancing {
        warnings.add(instancing.place(), "instances are not made; the mesh appears once");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
