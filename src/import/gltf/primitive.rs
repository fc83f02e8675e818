//! glTF meshes and their primitives, in two steps. First they are checked and their memory is
//! added up. When it is known that all of them together are not too large, they are read.

use glam::Affine3A;

use super::accessor::{Accessor, Use};
use super::buffers::Buffers;
use super::json::{Items, Json};
use crate::import::ImportErrorKind::{Invalid, Unsupported};
use crate::import::error::{ImportError, Result, Warnings};
use crate::import::text::{short, shortened};
use crate::mesh::Mesh;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Triangles,
    Strip,
    Fan,
}

/// A primitive made of triangles.
pub(super) struct Primitive {
    mode: Mode,
    positions: Accessor,
    indices: Option<Accessor>,
    material: Option<u32>,
}

/// A glTF mesh whose parts have been checked.
pub(super) struct CheckedMesh {
    name: String,
    primitives: Vec<(usize, Primitive)>,
    /// Whether the names of its primitives need numbers.
    several: bool,
    /// Bytes of memory for each instance.
    pub(super) cost: u64,
    /// Where its first instance starts in the list of finished meshes.
    first: Option<usize>,
}

/// The parts of a document that nodes and primitives refer to.
pub(super) struct Document<'a> {
    pub(super) meshes: Items<'a>,
    pub(super) accessors: Items<'a>,
    pub(super) materials: usize,
    pub(super) buffers: Buffers<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn mesh(&mut self, index: usize, warnings: &mut Warnings) -> Result<CheckedMesh> {
        let mesh = self.meshes.at(index)?;
        let [name, list, weights] = mesh.members(["name", "primitives", "weights"])?;
        let list = list.ok_or_else(|| mesh.missing("primitives"))?.items()?;
        warn_of_weights(weights, warnings);
        let mut primitives = Vec::new();
        let mut cost = 0_u64;
        for (number, primitive) in list.iter().enumerate() {
            if let Some(primitive) = self.primitive(&primitive?, warnings)? {
                cost = cost.saturating_add(primitive.cost());
                primitives.push((number, primitive));
            }
        }
        Ok(CheckedMesh {
            name: name_of(name),
            primitives,
            several: list.len() > 1,
            cost,
            first: None,
        })
    }

    fn primitive(&mut self, json: &Json<'a>, warnings: &mut Warnings) -> Result<Option<Primitive>> {
        let [attributes, indices, mode, material, extensions] =
            json.members(["attributes", "indices", "mode", "material", "extensions"])?;
        let mode = match mode.as_ref().map_or(Ok(4), |mode| mode.size())? {
            4 => Mode::Triangles,
            5 => Mode::Strip,
            6 => Mode::Fan,
            0..=3 => {
                warnings.add(json.path("mode"), "points and lines are skipped");
                return Ok(None);
            }
            other => {
                let reason = format_args!("{other} is not a glTF primitive mode");
                return Err(ImportError::at(Invalid, json.path("mode"), reason));
            }
        };
        let attributes = attributes.ok_or_else(|| json.missing("attributes"))?;
        let Some(reference) = attributes.member("POSITION")? else {
            warnings.add(attributes.place(), "no POSITION; the primitive is skipped");
            return Ok(None);
        };
        let mut open = |reference: &Json<'a>, wanted| {
            Accessor::open(reference, &self.accessors, &mut self.buffers, wanted)
        };
        let positions = open(&reference, Use::Positions)?;
        let indices = match indices {
            Some(reference) => Some(open(&reference, Use::Indices)?),
            None => None,
        };
        let draco = match extensions {
            Some(extensions) => extensions.member("KHR_draco_mesh_compression")?,
            None => None,
        };
        if let Some(draco) = draco
            && !positions.has_data()
        {
            let reason = "the primitive is compressed with Draco, which is not supported";
            return Err(draco.error(Unsupported, reason));
        }
        let material = match material {
            Some(material) => Some(material.index(self.materials, "materials")? as u32),
            None => None,
        };
        let primitive = Primitive { mode, positions, indices, material };
        let left = primitive.corners() % 3;
        if mode == Mode::Triangles && left > 0 {
            let reason = format_args!("the last {left} of its corners make no triangle");
            warnings.add(json.place(), reason);
        }
        Ok(Some(primitive))
    }
}

impl Primitive {
    fn corners(&self) -> usize {
        self.indices.as_ref().unwrap_or(&self.positions).count()
    }

    fn triangles(&self) -> usize {
        match self.mode {
            Mode::Triangles => self.corners() / 3,
            Mode::Strip | Mode::Fan => self.corners().saturating_sub(2),
        }
    }

    fn cost(&self) -> u64 {
        // Indices and materials are counted even if there are none.
        let vertices = self.positions.count() as u64 * 12;
        let triangles = self.triangles() as u64 * 16;
        vertices + triangles + size_of::<Mesh>() as u64 + 255
    }

    fn read(&self, buffers: &Buffers<'_>) -> Mesh {
        let corners = self.indices.as_ref().map(|indices| indices.indices(buffers));
        let mut positions = self.positions.positions(buffers);
        let mut mesh = match (self.mode, corners) {
            (Mode::Triangles, None) => {
                positions.truncate(self.triangles() * 3);
                Mesh::from_soup(positions)
            }
            (Mode::Triangles, Some(mut indices)) => {
                indices.truncate(self.triangles() * 3);
                Mesh::new(positions, indices)
            }
            (mode, corners) => {
                let corner = |i: usize| corners.as_ref().map_or(i as u32, |c| c[i]);
                let mut indices = Vec::with_capacity(self.triangles() * 3);
                for i in 0..self.triangles() {
                    // The corner orders of the glTF specification; all face the same way.
                    indices.extend(match mode {
                        Mode::Fan => [corner(i + 1), corner(i + 2), corner(0)],
                        _ => [corner(i), corner(i + 1 + i % 2), corner(i + 2 - i % 2)],
                    });
                }
                Mesh::new(positions, indices)
            }
        };
        mesh.materials = self.material.map(|m| vec![m; self.triangles()]);
        mesh
    }
}

impl CheckedMesh {
    /// Appends an instance: one mesh for each primitive.
    pub(super) fn instantiate(
        &mut self,
        node: &Json<'_>,
        transform: Affine3A,
        buffers: &Buffers<'_>,
        meshes: &mut Vec<Mesh>,
    ) -> Result<()> {
        let node_name = name_of(node.member("name")?);
        let name = match (node_name.as_str(), self.name.as_str()) {
            ("", "") => node.place().to_owned(),
            ("", name) | (name, "") => name.to_owned(),
            (node, mesh) => format!("{node}/{mesh}"),
        };
        let first = *self.first.get_or_insert(meshes.len());
        for (i, (number, primitive)) in self.primitives.iter().enumerate() {
            let mesh = match meshes.get(first + i) {
                Some(mesh) => mesh.clone(),
                None => primitive.read(buffers),
            };
            let name = if self.several {
                let number = format!("/{number}");
                format!("{}{number}", shortened(&name, 255 - number.len()))
            } else {
                short(&name).to_owned()
            };
            meshes.push(mesh.with_name(name).with_transform(transform));
        }
        Ok(())
    }
}

/// Warns of morph targets if any of them has a weight.
pub(super) fn warn_of_weights(weights: Option<Json<'_>>, warnings: &mut Warnings) {
    let Some(weights) = weights else { return };
    let Ok(items) = weights.items() else { return };
    if items.iter().any(|w| w.and_then(|w| w.number()).is_ok_and(|w| w != 0.0)) {
        warnings.add(weights.place(), "morph targets are not applied");
    }
}

/// A name. It is empty if there is none or it is not a string: a wrong name should not cost
/// the whole file.
pub(super) fn name_of(name: Option<Json<'_>>) -> String {
    let name = name.and_then(|name| name.string().ok());
    name.map_or(String::new(), |name| short(&name).to_owned())
}
