//! glTF meshes and their primitives: first looked at, and their cost counted; then,
//! when it is known that all of them together are not too much, read.

use glam::Affine3A;

use super::accessor::{Accessor, Use};
use super::buffers::Buffers;
use super::json::{Items, Json};
use crate::import::error::{Fault, ImportErrorKind, Warnings};
use crate::import::text;
use crate::mesh::Mesh;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Triangles,
    Strip,
    Fan,
}

/// A primitive made of triangles.
pub(super) struct Primitive<'a> {
    mode: Mode,
    positions: Accessor<'a>,
    indices: Option<Accessor<'a>>,
    material: Option<u32>,
}

/// A glTF mesh that some node shows.
pub(super) struct MeshPlan<'a> {
    name: String,
    primitives: Vec<(usize, Primitive<'a>)>,
    /// Whether primitives are told apart in names.
    several: bool,
    /// What it takes in memory, each time that it appears.
    pub(super) cost: u64,
    /// Where its first appearance starts in the list of finished meshes.
    first: Option<usize>,
}

/// The parts of a document that primitives refer to.
pub(super) struct Library<'a> {
    pub(super) meshes: Items<'a>,
    pub(super) accessors: Items<'a>,
    pub(super) materials: usize,
    pub(super) buffers: Buffers<'a>,
}

impl<'a> Library<'a> {
    pub(super) fn plan(
        &mut self,
        index: usize,
        warnings: &mut Warnings,
    ) -> Result<MeshPlan<'a>, Fault> {
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
        Ok(MeshPlan { name: name_of(name), primitives, several: list.len() > 1, cost, first: None })
    }

    fn primitive(
        &mut self,
        json: &Json<'a>,
        warnings: &mut Warnings,
    ) -> Result<Option<Primitive<'a>>, Fault> {
        let [attributes, indices, mode, material, extensions] =
            json.members(["attributes", "indices", "mode", "material", "extensions"])?;
        let mode = match &mode {
            None => Mode::Triangles,
            Some(place) => match place.size()? {
                4 => Mode::Triangles,
                5 => Mode::Strip,
                6 => Mode::Fan,
                0..=3 => {
                    let what = "points and lines are skipped";
                    warnings.add(place.place(), what);
                    return Ok(None);
                }
                other => {
                    let reason = format!("{other} is no mode of glTF");
                    return Err(place.fault(ImportErrorKind::Invalid, reason));
                }
            },
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
            return Err(draco.fault(
                ImportErrorKind::Unsupported,
                "the primitive is compressed with Draco, which is not read",
            ));
        }
        let material = match material {
            Some(material) => Some(material.index(self.materials, "materials")? as u32),
            None => None,
        };
        let primitive = Primitive { mode, positions, indices, material };
        let left = primitive.corners() % 3;
        if mode == Mode::Triangles && left > 0 {
            warnings
                .add(json.place(), format_args!("the last {left} of its corners make no triangle"));
        }
        Ok(Some(primitive))
    }
}

impl Primitive<'_> {
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
        // Index and material buffers are charged even where they stay empty.
        let vertices = self.positions.count() as u64 * 12;
        let triangles = self.triangles() as u64 * 16;
        vertices + triangles + size_of::<Mesh>() as u64 + 255
    }

    fn read(&self) -> Mesh {
        let corners = self.indices.as_ref().map(Accessor::indices);
        let mut positions = self.positions.positions();
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
                    // As glTF lists them, so that all face the same way.
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

impl MeshPlan<'_> {
    /// Appends one mesh a primitive.
    pub(super) fn place(
        &mut self,
        node: &Json<'_>,
        transform: Affine3A,
        meshes: &mut Vec<Mesh>,
    ) -> Result<(), Fault> {
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
                None => primitive.read(),
            };
            let name = if self.several {
                let number = format!("/{number}");
                // Cut before the number, which tells primitives apart.
                let mut end = name.len().min(255 - number.len());
                while !name.is_char_boundary(end) {
                    end -= 1;
                }
                format!("{}{number}", &name[..end])
            } else {
                text::short(&name).to_owned()
            };
            meshes.push(mesh.with_name(name).with_transform(transform));
        }
        Ok(())
    }
}

/// Says that morph targets are left alone, where any has a weight.
pub(super) fn warn_of_weights(weights: Option<Json<'_>>, warnings: &mut Warnings) {
    let Some(weights) = weights else { return };
    let Ok(items) = weights.items() else { return };
    let any =
        (0..items.len()).any(|i| items.at(i).is_ok_and(|w| w.number().is_ok_and(|w| w != 0.0)));
    if any {
        warnings.add(weights.place(), "morph targets are not applied");
    }
}

/// A name, or nothing where there is none or it is no string: nobody should lose a
/// level to a name.
pub(super) fn name_of(name: Option<Json<'_>>) -> String {
    let Some(name) = name else {
        return String::new();
    };
    name.string().map_or(String::new(), |name| text::short(&name).to_owned())
}
