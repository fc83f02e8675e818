//! `hitscan export`: writes the triangles of a baked file as a model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::iter;
use std::path::PathBuf;

use clap::Args;
use hitscan::glam::Vec3;
use hitscan::{Aabb, Bvh, Triangle};
use serde_json::{Value, json};

use crate::level::baked::{Baked, instance_number, trees_of};
use crate::level::in_world::Place;
use crate::terminal::args;
use crate::terminal::failure::Failure;
use crate::terminal::output::Output;
use crate::terminal::text;

/// Write the triangles of a baked file as a model: OBJ or GLB, by the extension.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Export {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The model to write: .obj or .glb
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

const AFTER_HELP: &str = "\
Example: look at the collision geometry in a modelling program
  hitscan export level.hbvh -o level.glb

The model holds what rays hit: triangles as they were baked, moved by the transforms of their
meshes, with the names of meshes and materials. Of a scene it holds all instances, in the world;
their meshes are named INSTANCE/MESH. Triangles that the bake skipped are missing, so the numbers of
those after them differ.

Where a mesh or an instance is mirrored, the second and third corner of its triangles change places
in the model, so that fronts stay fronts. A bake of the model gives the same hits there, but for
their weights: u and v change places too, and `hitscan diff` tells of other answers.

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
        let write = match extension.to_str() {
            Some("obj") => write_obj,
            Some("glb") => write_glb,
            _ => {
                let message = "expected an output with the extension .obj or .glb";
                return Err(Failure::Usage(message.to_owned()));
            }
        };
        args::refuse_missing_folder(&self.output)?;
        args::refuse_overwrite(&self.output, &[&self.file])?;
        let baked = Baked::open(&self.file)?;
        let mut output = Output::create(&self.output)?;
        write(&baked, &mut output)?;
        output.finish()
    }
}

/// A tree, where it stands.
struct Placed<'a> {
    bvh: &'a Bvh,
    place: Place,
    /// What the names of its meshes begin with.
    prefix: String,
}

impl<'a> Placed<'a> {
    fn all(baked: &'a Baked) -> Box<dyn Iterator<Item = Self> + 'a> {
        let scene = match baked {
            Baked::Tree(bvh) => {
                let alone = Self { bvh, place: Place::AS_BAKED, prefix: String::new() };
                return Box::new(iter::once(alone));
            }
            Baked::Scene(scene) => scene.snapshot(),
        };
        Box::new(scene.instances().filter_map(|id| {
            let (bvh, transform) = (scene.bvh(id)?, scene.transform(id)?);
            let prefix = match scene.name(id) {
                None | Some("") => format!("instance {}/", instance_number(id)),
                Some(name) => format!("{name}/"),
            };
            Some(Self { bvh, place: Place::new(&transform), prefix })
        }))
    }

    fn name(&self, mesh: u32) -> String {
        match self.bvh.mesh_name(mesh) {
            None | Some("") if self.prefix.is_empty() => String::new(),
            None | Some("") => format!("{}mesh {mesh}", self.prefix),
            Some(name) => format!("{}{name}", self.prefix),
        }
    }

    /// The parts of a mesh, by material.
    fn parts(&self, mesh: u32) -> BTreeMap<Option<u32>, Part> {
        let mut parts: BTreeMap<_, Part> = BTreeMap::new();
        for found in self.bvh.mesh_triangles(mesh) {
            let Triangle { v0, v1, v2 } = self.place.in_world(&found.vertices);
            // Beyond the range of f32 there is none.
            if [v0, v1, v2].iter().all(|corner| corner.is_finite()) {
                let material = self.bvh.triangle_material(mesh, found.triangle);
                let part = parts.entry(material).or_default();
                [v0, v1, v2].into_iter().for_each(|vertex| part.push(vertex));
            }
        }
        parts
    }
}

/// A name that OBJ can hold: on one line, which must not end in a backslash.
fn obj_name(name: Option<&str>, what: &str, number: u32) -> String {
    let name = text::printable(name.unwrap_or_default());
    let name = name.trim().trim_end_matches('\\');
    if name.is_empty() { format!("{what} {number}") } else { name.to_owned() }
}

/// Mesh by mesh: a scene may place more triangles than memory holds.
fn write_obj(baked: &Baked, output: &mut Output) -> Result<(), Failure> {
    let mut first = 1;
    for placed in Placed::all(baked) {
        for mesh in 0..placed.bvh.mesh_count() {
            let mut obj = String::new();
            let name = placed.name(mesh);
            let mut header = format!("o {}\n", obj_name(Some(&name), "mesh", mesh));
            for (material, part) in placed.parts(mesh) {
                obj.push_str(&std::mem::take(&mut header));
                for p in &part.positions {
                    let _ = writeln!(obj, "v {} {} {}", p.x, p.y, p.z);
                }
                if let Some(number) = material {
                    let name = obj_name(placed.bvh.material_name(number), "material", number);
                    let _ = writeln!(obj, "usemtl {name}");
                }
                for indices in part.indices.as_chunks().0 {
                    let [a, b, c] = indices.map(|index: u32| first + u64::from(index));
                    let _ = writeln!(obj, "f {a} {b} {c}");
                }
                first += part.positions.len() as u64;
            }
            output.write_all(obj.as_bytes())?;
        }
    }
    Ok(())
}

/// The most triangles that a scene may place in a GLB, which is made in memory.
const MOST_PLACED: u64 = 1 << 23;

fn write_glb(baked: &Baked, output: &mut Output) -> Result<(), Failure> {
    let placed = Placed::all(baked).map(|placed| placed.bvh.metadata().summary.triangles_kept);
    if matches!(baked, Baked::Scene(_)) && placed.sum::<u64>() > MOST_PLACED {
        let most = text::count(MOST_PLACED);
        let reason = format!("a GLB of a scene holds {most} triangles at most; write an OBJ");
        return Err(output.failed("creating", &reason));
    }
    let glb = glb(baked).map_err(|reason| output.failed("creating", reason))?;
    output.write_all(&glb)
}

fn glb(baked: &Baked) -> Result<Vec<u8>, &'static str> {
    let (mut binary, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let (mut nodes, mut meshes) = (Vec::new(), Vec::new());
    let materials = materials(baked);
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
    for placed in Placed::all(baked) {
        for mesh in 0..placed.bvh.mesh_count() {
            let mut primitives = Vec::new();
            for (material, part) in placed.parts(mesh) {
                let bounds = Aabb::from_points(part.positions.iter().copied());
                let numbers =
                    part.positions.iter().flat_map(|p| p.to_array().map(f32::to_le_bytes));
                let position = json!({
                    "componentType": 5126, "type": "VEC3", "count": part.positions.len(),
                    "min": bounds.min.to_array(), "max": bounds.max.to_array(),
                });
                let position = append(&numbers.collect::<Vec<_>>(), position);
                let numbers: Vec<_> =
                    part.indices.iter().map(|index| index.to_le_bytes()).collect();
                let indices =
                    json!({ "componentType": 5125, "type": "SCALAR", "count": part.indices.len() });
                let indices = append(&numbers, indices);
                let mut primitive =
                    json!({ "attributes": { "POSITION": position }, "indices": indices });
                if let Some(at) =
                    material.and_then(|m| materials.binary_search(&key(placed.bvh, m)).ok())
                {
                    primitive["material"] = json!(at);
                }
                primitives.push(primitive);
            }
            if !primitives.is_empty() {
                let name = placed.name(mesh);
                nodes.push(json!({ "mesh": meshes.len(), "name": name }));
                meshes.push(json!({ "primitives": primitives }));
            }
        }
    }
    let names = materials.iter().map(|(_, name)| json!({ "name": name }));
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

/// All materials that have a name or a triangle, in order.
fn materials(baked: &Baked) -> Vec<Material> {
    let mut trees = Vec::new();
    match baked {
        Baked::Tree(bvh) => trees.push(bvh),
        Baked::Scene(scene) => trees = trees_of(scene),
    }
    let mut materials = BTreeSet::new();
    for bvh in trees {
        let named = 0..bvh.metadata().material_names.len() as u32;
        let used =
            bvh.triangles().filter_map(|found| bvh.triangle_material(found.mesh, found.triangle));
        materials.extend(named.chain(used).map(|number| key(bvh, number)));
    }
    materials.into_iter().collect()
}

/// A number and a name: trees that share both share the material.
type Material = (u32, String);

fn key(bvh: &Bvh, number: u32) -> Material {
    (number, bvh.material_name(number).unwrap_or_default().to_owned())
}
