//! glTF 2.0, text and binary.
//!
//! The JSON is looked at member by member (`json.rs`) and not through the `gltf`
//! crate: that refuses a whole file for a wrong type in a material, cannot say where in
//! the JSON a fault lies, and trusts accessors that are not there.

mod accessor;
mod buffers;
mod json;
mod nodes;
mod primitive;

use std::collections::HashMap;

use super::error::{Fault, ImportErrorKind, Warnings};
use super::{Scene, Source};
use buffers::Buffers;
use json::{Items, Json};
use primitive::{Library, MeshPlan, name_of, warn_of_weights};

/// How many times the bytes read the meshes may take. Instanced levels need a lot; a
/// small hostile file could ask for anything.
const MOST_EXPANSION: u64 = 256;
/// What any file may take, however small.
const FREE_EXPANSION: u64 = 1 << 20;

/// Required extensions without which the geometry would be wrong.
const GEOMETRY_EXTENSIONS: [&str; 5] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing",
    "KHR_mesh_primitive_restart",
];

pub(super) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Scene, Fault> {
    let mut warnings = Warnings::default();
    let (text, chunk) = split(bytes, &mut warnings)?;
    let document = Json::document(text)?;
    let [asset, required, scene, scenes, nodes, meshes] =
        document.members(["asset", "extensionsRequired", "scene", "scenes", "nodes", "meshes"])?;
    let [accessors, views, data, materials] =
        document.members(["accessors", "bufferViews", "buffers", "materials"])?;
    check_version(&document, asset)?;
    check_extensions(required, &mut warnings)?;

    let (nodes, scenes) = (Items::of(nodes)?, Items::of(scenes)?);
    let materials = Items::of(materials)?;
    let mut library = Library {
        meshes: Items::of(meshes)?,
        accessors: Items::of(accessors)?,
        materials: materials.len(),
        buffers: Buffers::new(Items::of(data)?, Items::of(views)?, chunk, source.folder),
    };
    let placed = nodes::walk(scene, &scenes, &nodes, library.meshes.len(), &mut warnings)?;

    let mut plans: HashMap<usize, MeshPlan<'_>> = HashMap::new();
    let mut cost = 0_u64;
    for appearance in &placed {
        let plan = match plans.entry(appearance.mesh) {
            std::collections::hash_map::Entry::Occupied(plan) => plan.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(library.plan(appearance.mesh, &mut warnings)?)
            }
        };
        cost = cost.saturating_add(plan.cost);
    }
    let input = (bytes.len() as u64).saturating_add(library.buffers.loaded_from_files());
    let most = input.saturating_mul(MOST_EXPANSION) + FREE_EXPANSION;
    if cost > most {
        return Err(Fault::new(
            ImportErrorKind::TooLarge,
            "nodes",
            format_args!(
                "the meshes, as often as nodes show them, take {cost} bytes: more than \
                 {MOST_EXPANSION} times the {input} bytes of the file and its buffers"
            ),
        ));
    }

    let mut meshes = Vec::new();
    for appearance in &placed {
        let node = nodes.at(appearance.node)?;
        warn_of_node(&node, &mut warnings)?;
        if let Some(plan) = plans.get_mut(&appearance.mesh) {
            plan.place(&node, appearance.transform, &mut meshes)?;
        }
    }
    let mut material_names = Vec::with_capacity(materials.len());
    for material in materials.iter() {
        // A material that is no object has no name, and nothing else is wanted of it.
        material_names.push(name_of(material?.member("name").unwrap_or_default()));
    }
    Ok(Scene { meshes, material_names, warnings })
}

/// The JSON of a file, and the binary chunk if it has one.
fn split<'a>(
    bytes: &'a [u8],
    warnings: &mut Warnings,
) -> Result<(&'a str, Option<&'a [u8]>), Fault> {
    let Some(binary) = bytes.strip_prefix(b"glTF") else {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok((utf8(text, bytes.len() - text.len())?, None));
    };
    let truncated = |at: usize, reason: String| {
        Fault::new(ImportErrorKind::Truncated, format_args!("byte {at}"), reason)
    };
    let word = |at: usize| {
        let raw = binary.get(at - 4..at)?;
        Some(u32::from_le_bytes(raw.try_into().ok()?))
    };
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(truncated(bytes.len(), "the file ends in its header".into()));
    };
    if version != 2 {
        return Err(Fault::new(
            ImportErrorKind::Unsupported,
            "byte 4",
            format_args!("binary glTF of version {version}, not 2"),
        ));
    }
    let length = length as usize;
    let Some(body) = bytes.get(..length) else {
        return Err(truncated(
            8,
            format!("a length of {length}, but the file has {} bytes", bytes.len()),
        ));
    };
    if length < bytes.len() {
        warnings.add(
            format_args!("byte {length}"),
            format_args!("{} bytes after the end", bytes.len() - length),
        );
    }
    let mut at = 12;
    let mut json = None;
    let mut chunk = None;
    while at < length {
        let header = body.get(at..).and_then(|rest| rest.split_first_chunk::<8>());
        let Some((&[a, b, c, d, kind @ ..], rest)) = header else {
            return Err(truncated(at, "the file ends in a chunk's header".into()));
        };
        let size = u32::from_le_bytes([a, b, c, d]) as usize;
        let Some(data) = rest.get(..size) else {
            return Err(truncated(
                at,
                format!("a chunk of {size} bytes, but {} are left", rest.len()),
            ));
        };
        match &kind {
            b"JSON" if json.is_none() => json = Some(utf8(data, at + 8)?),
            b"BIN\0" if chunk.is_none() => chunk = Some(data),
            // Other chunks belong to extensions, and are to be ignored.
            _ => {}
        }
        at += 8 + size;
    }
    match json {
        Some(json) => Ok((json, chunk)),
        None => Err(Fault::new(ImportErrorKind::Invalid, "byte 12", "there is no JSON chunk")),
    }
}

fn utf8(bytes: &[u8], start: usize) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        Fault::new(
            ImportErrorKind::Syntax,
            format_args!("byte {}", start + error.valid_up_to()),
            "this is no UTF-8, so no JSON",
        )
    })
}

fn check_version(document: &Json<'_>, asset: Option<Json<'_>>) -> Result<(), Fault> {
    let asset = asset.ok_or_else(|| document.missing("asset"))?;
    let [version, least] = asset.members(["version", "minVersion"])?;
    let version = version.ok_or_else(|| asset.missing("version"))?;
    for version in [Some(version), least].into_iter().flatten() {
        let text = version.string()?;
        let is_least = version.place().ends_with("minVersion");
        // A later 2.x can be read as 2.0, unless it says that it cannot.
        if !text.starts_with("2.") || (is_least && text != "2.0") {
            let text = super::text::shown(text.as_bytes());
            return Err(version.fault(
                ImportErrorKind::Unsupported,
                format_args!("'{text}': only glTF 2.0 is read"),
            ));
        }
    }
    Ok(())
}

fn check_extensions(required: Option<Json<'_>>, warnings: &mut Warnings) -> Result<(), Fault> {
    for extension in Items::of(required)?.iter() {
        let extension = extension?;
        let name = extension.string()?;
        let shown = super::text::shown(name.as_bytes());
        if GEOMETRY_EXTENSIONS.contains(&name.as_ref()) {
            return Err(extension.fault(
                ImportErrorKind::Unsupported,
                format_args!("the file needs {shown}, which is not read"),
            ));
        }
        if name != "KHR_mesh_quantization" {
            warnings.add(extension.place(), format_args!("{shown} is ignored, though required"));
        }
    }
    Ok(())
}

/// Says what of a node that shows a mesh is left out.
fn warn_of_node(node: &Json<'_>, warnings: &mut Warnings) -> Result<(), Fault> {
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
