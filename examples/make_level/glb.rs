//! Writes a scene as binary glTF 2.0: positions and indices, nothing else.

use serde_json::{Map, Value, json};

use crate::{
    material::Material,
    mesh::Mesh,
    place::Place,
    scene::{Model, Node, Scene},
};

/// The whole file.
pub(crate) fn write(scene: &Scene) -> Vec<u8> {
    let mut buffers = Buffers::default();
    let meshes: Vec<Value> = scene.models.iter().map(|model| buffers.model(model)).collect();
    let nodes: Vec<Value> = scene.nodes.iter().map(node).collect();
    let Buffers { mut positions, indices, accessors } = buffers;

    let views = json!([
        { "buffer": 0, "byteOffset": 0, "byteLength": positions.len(), "byteStride": 12,
          "target": 34962 },
        { "buffer": 0, "byteOffset": positions.len(), "byteLength": indices.len(),
          "target": 34963 },
    ]);
    positions.extend(indices);
    pad(&mut positions, 0);

    let root = json!({
        "asset": { "version": "2.0", "generator": "hitscan examples/make_level",
                   "copyright": "CC0 1.0" },
        "scene": 0,
        "scenes": [{ "name": "level", "nodes": [0] }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": Material::ALL.map(material),
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{ "byteLength": positions.len() }],
    });
    let mut text = sorted(root).to_string().into_bytes();
    pad(&mut text, b' ');

    let total = 12 + 8 + text.len() + 8 + positions.len();
    let mut file = Vec::with_capacity(total);
    file.extend(b"glTF");
    for word in [2, total, text.len()] {
        file.extend((word as u32).to_le_bytes());
    }
    file.extend(b"JSON");
    file.extend(text);
    file.extend((positions.len() as u32).to_le_bytes());
    file.extend(b"BIN\0");
    file.extend(positions);
    file
}

/// Everything that goes into the binary chunk.
#[derive(Default)]
struct Buffers {
    positions: Vec<u8>,
    indices: Vec<u8>,
    accessors: Vec<Value>,
}

impl Buffers {
    fn model(&mut self, model: &Model) -> Value {
        let primitives: Vec<Value> = model
            .parts
            .iter()
            .map(|(material, mesh)| {
                let position = self.accessors.len();
                self.accessors.push(self.position_accessor(mesh));
                self.accessors.push(self.index_accessor(mesh));
                self.append(mesh);
                let material = *material as usize;
                json!({ "attributes": { "POSITION": position }, "indices": position + 1,
                        "material": material })
            })
            .collect();
        json!({ "name": model.name, "primitives": primitives })
    }

    fn position_accessor(&self, mesh: &Mesh) -> Value {
        let mut min = mesh.positions[0];
        let mut max = min;
        for p in &mesh.positions {
            for axis in 0..3 {
                min[axis] = min[axis].min(p[axis]);
                max[axis] = max[axis].max(p[axis]);
            }
        }
        json!({ "bufferView": 0, "byteOffset": self.positions.len(), "componentType": 5126,
                "count": mesh.positions.len(), "type": "VEC3",
                "min": numbers(&min), "max": numbers(&max) })
    }

    fn index_accessor(&self, mesh: &Mesh) -> Value {
        json!({ "bufferView": 1, "byteOffset": self.indices.len(), "componentType": 5123,
                "count": mesh.triangles.len() * 3, "type": "SCALAR" })
    }

    fn append(&mut self, mesh: &Mesh) {
        // The highest 16-bit index is forbidden: it restarts a strip.
        assert!(mesh.positions.len() < 65_535, "a mesh has too many vertices for 16-bit indices");
        let coordinates = mesh.positions.iter().flatten();
        self.positions.extend(coordinates.flat_map(|x| x.to_le_bytes()));
        let indices = mesh.triangles.iter().flatten();
        self.indices.extend(indices.flat_map(|&i| (i as u16).to_le_bytes()));
    }
}

fn node(node: &Node) -> Value {
    let Place { at, rotation, scale } = node.place;
    let [x, y, z] = rotation.v.to_array();
    let mut entry = Map::new();
    entry.insert("name".into(), json!(node.name));
    // What a reader assumes anyway is left out.
    let mut transform = |key: &str, value: &[f32], default: &[f32]| {
        if value != default {
            entry.insert(key.into(), numbers(value));
        }
    };
    transform("translation", &at.to_array(), &[0.0; 3]);
    transform("rotation", &[x, y, z, rotation.w], &[0.0, 0.0, 0.0, 1.0]);
    transform("scale", &scale.to_array(), &[1.0; 3]);
    if let Some(model) = node.model {
        entry.insert("mesh".into(), json!(model));
    }
    if !node.children.is_empty() {
        entry.insert("children".into(), json!(node.children));
    }
    Value::Object(entry)
}

fn material((material, name, colour): (Material, &str, [u8; 3])) -> Value {
    let linear = colour.map(|c| {
        let c = f32::from(c) / 255.0;
        // Close to the sRGB curve, without its power function.
        c * (c * (c * 0.305_306 + 0.682_171) + 0.012_523)
    });
    let [red, green, blue] = linear;
    let metal = matches!(material, Material::Iron | Material::Brass);
    let mut entry = json!({
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorFactor": numbers(&[red, green, blue, 1.0]),
            "metallicFactor": if metal { 1 } else { 0 },
            "roughnessFactor": if metal { 0.4 } else { 0.9 },
        },
    });
    if material.is_foliage() {
        entry["alphaMode"] = json!("MASK");
        entry["doubleSided"] = json!(true);
    }
    entry
}

/// Numbers with as many digits as an `f32` needs and no more; -0 is written as 0.
fn numbers(values: &[f32]) -> Value {
    let shortest = |&x: &f32| (x + 0.0).to_string().parse::<f64>().expect("a printed number");
    values.iter().map(shortest).collect::<Vec<f64>>().into()
}

/// Sorts every object's keys, so that the text does not depend on how `serde_json` was built.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.into_iter().map(|(key, value)| (key, sorted(value))).collect()
        }
        other => other,
    }
}

/// Chunks end at a multiple of four bytes.
fn pad(chunk: &mut Vec<u8>, with: u8) {
    chunk.resize(chunk.len().next_multiple_of(4), with);
}
