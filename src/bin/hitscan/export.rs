//! `hitscan export`: writes the triangles of a baked file as a model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use hitscan::glam::Vec3;
use hitscan::{Aabb, Bvh};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::Output;
use crate::{args, text};

/// Write the triangles of a baked file as a model: OBJ or GLB, by the extension.
///
/// It holds what rays hit: triangles as they were baked, moved by the transforms of their meshes,
/// with the names of meshes and materials. Triangles that the bake skipped are missing, so the
/// numbers of those after them differ.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Export {
    /// The baked file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The model to write: .obj or .glb
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

const AFTER_HELP: &str = "\
Example: look at the collision geometry in a modelling program
  hitscan export level.hbvh -o level.glb

A mesh of several materials becomes one primitive for each in a GLB. In an OBJ, readers may take
meshes of the same name for one.";

/// The triangles of a mesh that have the same material.
#[derive(Default)]
struct Part {
    positions: Vec<Vec3>,
    indices: Vec<u32>,
    numbers: HashMap<[u32; 3], u32>,
}

impl Part {
    fn push(&mut self, vertex: Vec3) {
        let key = vertex.to_array().map(f32::to_bits);
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.positions.push(vertex);
            self.positions.len() as u32 - 1
        });
        self.indices.push(number);
    }
}

impl Export {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let extension = self.output.extension().unwrap_or_default().to_ascii_lowercase();
        let to_bytes = match extension.to_str() {
            Some("obj") => to_obj,
            Some("glb") => to_glb,
            _ => {
                let message = "expected an output with the extension .obj or .glb";
                return Err(Failure::Usage(message.to_owned()));
            }
        };
        args::refuse_missing_folder(&self.output)?;
        args::refuse_overwrite(&self.output, &[&self.file])?;
        let bvh = Bvh::open(&self.file).map_err(|error| Failure::in_file(&self.file, &error))?;
        let bytes =
            to_bytes(&bvh).map_err(|reason| Failure::at(&self.output, "creating", reason))?;
        let mut output = Output::create(&self.output)?;
        output.write_all(&bytes)?;
        output.finish()
    }
}

/// The parts of a mesh, by material.
fn parts(bvh: &Bvh, mesh: u32) -> BTreeMap<Option<u32>, Part> {
    let mut parts: BTreeMap<_, Part> = BTreeMap::new();
    for found in bvh.mesh_triangles(mesh) {
        let part = parts.entry(bvh.triangle_material(mesh, found.triangle)).or_default();
        let triangle = found.vertices;
        [triangle.v0, triangle.v1, triangle.v2].into_iter().for_each(|vertex| part.push(vertex));
    }
    parts
}

/// A name that OBJ can hold: on one line, which must not end in a backslash.
fn obj_name(name: Option<&str>, what: &str, number: u32) -> String {
    let name = text::printable(name.unwrap_or_default());
    let name = name.trim().trim_end_matches('\\');
    if name.is_empty() { format!("{what} {number}") } else { name.to_owned() }
}

fn to_obj(bvh: &Bvh) -> Result<Vec<u8>, &'static str> {
    let mut obj = String::new();
    let mut first = 1;
    for mesh in 0..bvh.mesh_count() {
        let mut header = format!("o {}\n", obj_name(bvh.mesh_name(mesh), "mesh", mesh));
        for (material, part) in parts(bvh, mesh) {
            obj.push_str(&std::mem::take(&mut header));
            for p in &part.positions {
                let _ = writeln!(obj, "v {} {} {}", p.x, p.y, p.z);
            }
            if let Some(number) = material {
                let name = obj_name(bvh.material_name(number), "material", number);
                let _ = writeln!(obj, "usemtl {name}");
            }
            for [a, b, c] in part.indices.as_chunks().0 {
                let _ = writeln!(obj, "f {} {} {}", first + a, first + b, first + c);
            }
            first += part.positions.len() as u32;
        }
    }
    Ok(obj.into_bytes())
}

fn to_glb(bvh: &Bvh) -> Result<Vec<u8>, &'static str> {
    let (mut binary, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let (mut nodes, mut meshes) = (Vec::new(), Vec::new());
    let materials = materials(bvh);
    // Appends numbers to the binary chunk, and returns the accessor for them.
    let mut append = |numbers: &[[u8; 4]], mut accessor: Value| {
        views.push(json!({
            "buffer": 0, "byteOffset": binary.len(), "byteLength": size_of_val(numbers),
        }));
        binary.extend_from_slice(numbers.as_flattened());
        accessor["bufferView"] = json!(views.len() - 1);
        accessors.push(accessor);
        accessors.len() - 1
    };
    for mesh in 0..bvh.mesh_count() {
        let mut primitives = Vec::new();
        for (material, part) in parts(bvh, mesh) {
            let bounds = Aabb::from_points(part.positions.iter().copied());
            let numbers = part.positions.iter().flat_map(|p| p.to_array().map(f32::to_le_bytes));
            let position = json!({
                "componentType": 5126, "type": "VEC3", "count": part.positions.len(),
                "min": bounds.min.to_array(), "max": bounds.max.to_array(),
            });
            let position = append(&numbers.collect::<Vec<_>>(), position);
            let numbers: Vec<_> = part.indices.iter().map(|index| index.to_le_bytes()).collect();
            let indices =
                json!({ "componentType": 5125, "type": "SCALAR", "count": part.indices.len() });
            let indices = append(&numbers, indices);
            let mut primitive =
                json!({ "attributes": { "POSITION": position }, "indices": indices });
            if let Some(at) = material.and_then(|m| materials.binary_search(&m).ok()) {
                primitive["material"] = json!(at);
            }
            primitives.push(primitive);
        }
        if !primitives.is_empty() {
            let name = bvh.mesh_name(mesh).unwrap_or_default();
            nodes.push(json!({ "mesh": meshes.len(), "name": name }));
            meshes.push(json!({ "primitives": primitives }));
        }
    }
    let names =
        materials.iter().map(|&m| json!({ "name": bvh.material_name(m).unwrap_or_default() }));
    let mut gltf = json!({
        "asset": { "version": "2.0", "generator": concat!("hitscan ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes, "meshes": meshes, "materials": names.collect::<Vec<_>>(),
        "accessors": accessors, "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
    });
    // Lists must not be empty.
    if let Value::Object(lists) = &mut gltf {
        lists.retain(|_, list| *list != json!([]));
    }
    let mut json = gltf.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = u32::try_from(12 + 8 + json.len() + 8 + binary.len());
    let length = length.map_err(|_| "a GLB holds 4 GB at most; write an OBJ")?;
    let mut glb = Vec::with_capacity(length as usize);
    for word in [u32::from_le_bytes(*b"glTF"), 2, length] {
        glb.extend(word.to_le_bytes());
    }
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    Ok(glb)
}

/// The numbers of all materials that have a name or a triangle, in order.
fn materials(bvh: &Bvh) -> Vec<u32> {
    let named = 0..bvh.metadata().material_names.len() as u32;
    let used =
        bvh.triangles().filter_map(|found| bvh.triangle_material(found.mesh, found.triangle));
    named.chain(used).collect::<BTreeSet<_>>().into_iter().collect()
}
