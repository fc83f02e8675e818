//! Nodes that show a mesh become meshes: first all are checked and their memory is added up,
//! then they are made.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::{Affine3A, Vec3};

use super::extras::Extras;
use super::instancing::Copies;
use super::nodes::{Instance, Nodes};
use super::pose::Pose;
use super::primitive::{CheckedMesh, Document, name_of, weights_of};
use super::skin::Skins;
use crate::geometry::is_mirroring;
use crate::import::error::{Result, Warnings};
use crate::import::text::{short, shortened};
use crate::import::work;
use crate::mesh::Mesh;

/// A checked node.
pub(super) struct Placement {
    instance: Instance,
    name: String,
    extras: Extras,
    /// Its own weights of morph targets, which replace those of the mesh.
    weights: Option<Vec<(usize, f64)>>,
    copies: Option<Copies>,
}

/// What decides the contents of a mesh, besides a node's own weights: the glTF mesh, the skin,
/// and whether the skinned mesh is mirrored.
type Shape = (usize, Option<usize>, bool);

pub(super) struct Placer<'a> {
    pub(super) document: Document<'a>,
    skins: Skins<'a>,
    nodes: Nodes<'a>,
    /// By number, and whether a skin is used.
    checked: HashMap<(usize, bool), CheckedMesh>,
    /// The bytes that all checked nodes take.
    pub(super) cost: u64,
    /// Where the primitives of each shape are in the list of meshes.
    made: HashMap<Shape, usize>,
    pub(super) meshes: Vec<Mesh>,
}

impl<'a> Placer<'a> {
    pub(super) fn new(document: Document<'a>, skins: Skins<'a>, nodes: Nodes<'a>) -> Self {
        let (checked, made) = (HashMap::new(), HashMap::new());
        Self { document, skins, nodes, checked, cost: 0, made, meshes: Vec::new() }
    }

    pub(super) fn check(
        &mut self,
        instance: Instance,
        warnings: &mut Warnings,
    ) -> Result<Placement> {
        let document = &mut self.document;
        let json = self.nodes.items.at(instance.node)?;
        let node = json.object()?;
        let mesh = match self.checked.entry((instance.mesh, instance.skin.is_some())) {
            Entry::Occupied(mesh) => mesh.into_mut(),
            Entry::Vacant(entry) => {
                let is_skinned = instance.skin.is_some();
                entry.insert(document.mesh(instance.mesh, is_skinned, warnings)?)
            }
        };
        let node_name = name_of(node.get("name"));
        let name = match (node_name.as_str(), mesh.name.as_str()) {
            ("", "") => json.place().to_owned(),
            ("", name) | (name, "") => name.to_owned(),
            (node, mesh) => format!("{node}/{mesh}"),
        };
        let (accessors, buffers) = (&mut document.accessors, &mut document.buffers);
        let mut copies = match node.get("extensions") {
            Some(extensions) => Copies::open(&extensions, accessors, buffers)?,
            None => None,
        };
        let mut cost = 0_u64;
        if let Some(skin) = instance.skin {
            let nodes = self.nodes.items.len();
            cost = self.skins.open(skin, nodes, accessors, buffers)?;
            cost = cost.saturating_add(mesh.cost_of_skin);
            if copies.take().is_some() {
                let reason = "a skinned mesh is not copied by EXT_mesh_gpu_instancing";
                warnings.add(json.place(), reason);
            }
        }
        let weights = weights_of(node.get("weights"))?;
        let targets = weights.as_ref().unwrap_or(&mesh.weights).len() as u64;
        let copy_count = copies.as_ref().map_or(1, |copies| copies.count as u64);
        for part in [
            mesh.cost_of_target.saturating_mul(targets),
            mesh.cost.max(128).saturating_mul(copy_count),
            cost,
        ] {
            self.cost = self.cost.saturating_add(part);
        }
        let extras = Extras::of(node.get("extras"), warnings).or(mesh.extras);
        Ok(Placement { instance, name, extras, weights, copies })
    }

    /// Appends one mesh for each copy and primitive.
    pub(super) fn make(&mut self, placement: Placement, warnings: &mut Warnings) -> Result<()> {
        let Placement { instance, name, extras, weights, copies } = placement;
        let Instance { mesh, skin, global, .. } = instance;
        let Some(mesh_parts) = self.checked.get(&(mesh, skin.is_some())) else { return Ok(()) };
        let joints = match skin {
            Some(skin) => Some(self.skins.matrices(
                skin,
                &mut self.nodes,
                &self.document.buffers,
                warnings,
            )?),
            None => None,
        };
        // A skin places vertices in the world, whatever the node's transform is. But as in
        // viewers a node that mirrors turns the fronts. The mesh is stored mirrored, so that
        // its transform does both.
        let mirrored = skin.is_some() && is_mirroring(&global.to_affine());
        let skinned_transform =
            Affine3A::from_scale(if mirrored { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE });
        let pose = Pose { weights: weights.as_ref().unwrap_or(&mesh_parts.weights), joints };
        let shape = (mesh, skin, mirrored);
        let mut first = self.made.get(&shape).copied().filter(|_| weights.is_none());

        let mut places = vec![global];
        if let Some(copies) = &copies {
            places = copies.matrices(&self.document.buffers, warnings)?;
            places.iter_mut().for_each(|place| *place = global.after(place));
        }
        for place in places {
            let transform = place.to_affine();
            let start = self.meshes.len();
            for (i, (number, primitive)) in mesh_parts.primitives.iter().enumerate() {
                let is_skinned = primitive.is_skinned();
                let mesh = match first {
                    Some(first) => {
                        let made = self.meshes[first + i].clone();
                        work::count(made.positions.len() * 12 + made.triangle_count() * 16);
                        made
                    }
                    None => {
                        let mut mesh = primitive.read(&pose, &mut self.document, warnings)?;
                        if is_skinned && mirrored {
                            mesh.positions.iter_mut().for_each(|position| position[0] *= -1.0);
                        }
                        mesh
                    }
                };
                let name = if mesh_parts.several {
                    let number = format!("/{number}");
                    format!("{}{number}", shortened(&name, 255 - number.len()))
                } else {
                    short(&name).to_owned()
                };
                let transform = if is_skinned { skinned_transform } else { transform };
                self.meshes.push(extras.apply(mesh.with_name(name).with_transform(transform)));
            }
            first = first.or(Some(start));
        }
        if weights.is_none()
            && let Some(first) = first
        {
            self.made.insert(shape, first);
        }
        Ok(())
    }
}
