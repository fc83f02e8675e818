//! Nodes that show a mesh become meshes: first all are checked and their memory is added up,
//! then they are made.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use glam::{Affine3A, Vec3};

use super::extras::Extras;
use super::instancing::Copies;
use super::matrix::Matrix;
use super::nodes::{Instance, Nodes};
use super::pose::Pose;
use super::primitive::{CheckedMesh, Document, name_of, weights_of};
use super::skin::Skins;
use crate::geometry::{InstanceTransform, is_mirroring};
use crate::import::ImportErrorKind::TooLarge;
use crate::import::error::{Result, Warnings};
use crate::import::instances::ImportedInstance;
use crate::import::text::{short, shortened};
use crate::import::work;
use crate::mesh::Mesh;

/// A checked node.
pub(super) struct Placement {
    instance: Instance,
    name: String,
    extras: Extras,
    /// Its own weights of morph targets, which replace the mesh's weights.
    weights: Option<Vec<(usize, f64)>>,
    copies: Option<Copies>,
    /// Bytes that are read for its pose.
    cost_of_pose: u64,
    /// Bytes that each of its copies takes.
    cost_of_copy: u64,
}

impl Placement {
    fn count(&self) -> u64 {
        self.copies.as_ref().map_or(1, |copies| copies.count as u64)
    }

    /// Whether its mesh is the same as the mesh of other such nodes, but for the transform.
    fn can_repeat(&self) -> bool {
        self.instance.skin.is_none() && self.weights.is_none()
    }
}

/// What decides the contents of a mesh, besides a node's own weights: the glTF mesh, the skin,
/// and whether the skinned mesh is mirrored.
type Shape = (usize, Option<usize>, bool);

/// Bytes that a place of a repeated mesh takes, besides its name.
const COST_OF_PLACE: u64 = size_of::<ImportedInstance>() as u64;

pub(super) struct Placer<'a> {
    pub(super) document: Document<'a>,
    skins: Skins<'a>,
    nodes: Nodes<'a>,
    /// By number, and whether a skin is used.
    checked: HashMap<(usize, bool), CheckedMesh>,
    /// Where the primitives of each shape are in the list of meshes.
    made: HashMap<Shape, usize>,
    /// The meshes that are kept once, and where they are in `repeated` once they are made.
    kept: HashMap<usize, Option<usize>>,
    /// Bytes that what could not be kept once may take.
    spare: u64,
    pub(super) meshes: Vec<Mesh>,
    pub(super) repeated: Vec<Vec<Mesh>>,
    pub(super) instances: Vec<ImportedInstance>,
}

impl<'a> Placer<'a> {
    pub(super) fn new(document: Document<'a>, skins: Skins<'a>, nodes: Nodes<'a>) -> Self {
        Self {
            document,
            skins,
            nodes,
            checked: HashMap::new(),
            made: HashMap::new(),
            kept: HashMap::new(),
            spare: 0,
            meshes: Vec::new(),
            repeated: Vec::new(),
            instances: Vec::new(),
        }
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
        let mut cost_of_pose = 0_u64;
        if let Some(skin) = instance.skin {
            let nodes = self.nodes.items.len();
            cost_of_pose = self.skins.open(skin, nodes, accessors, buffers)?;
            cost_of_pose = cost_of_pose.saturating_add(mesh.cost_of_skin);
            if copies.take().is_some() {
                let reason = "a skinned mesh is not copied by EXT_mesh_gpu_instancing";
                warnings.add(json.place(), reason);
            }
        }
        let weights = weights_of(node.get("weights"))?;
        let targets = weights.as_ref().unwrap_or(&mesh.weights).len() as u64;
        let targets = mesh.cost_of_target.saturating_mul(targets);
        let cost_of_pose = cost_of_pose.saturating_add(targets);
        let cost_of_copy = mesh.cost.max(128);
        let extras = Extras::of(node.get("extras"), warnings).or(mesh.extras);
        Ok(Placement { instance, name, extras, weights, copies, cost_of_pose, cost_of_copy })
    }

    /// Decides that meshes that are there more than once are kept once.
    pub(super) fn keep_repeats(&mut self, placements: &[Placement]) {
        let mut counts = HashMap::new();
        for placement in placements.iter().filter(|placement| placement.can_repeat()) {
            let count: &mut u64 = counts.entry(placement.instance.mesh).or_default();
            *count = count.saturating_add(placement.count());
        }
        let repeated = counts.into_iter().filter(|&(_, count)| count > 1);
        self.kept = repeated.map(|(mesh, _)| (mesh, None)).collect();
    }

    fn is_kept(&self, placement: &Placement) -> bool {
        placement.can_repeat() && self.kept.contains_key(&placement.instance.mesh)
    }

    /// The bytes that all meshes and places take.
    pub(super) fn cost(&self, placements: &[Placement]) -> u64 {
        let mut counted = HashSet::new();
        placements.iter().fold(0, |cost: u64, placement| {
            let copies = if !self.is_kept(placement) {
                placement.cost_of_copy.saturating_mul(placement.count())
            } else {
                let place = COST_OF_PLACE + placement.name.len() as u64;
                let is_first = counted.insert(placement.instance.mesh);
                let mesh = if is_first { placement.cost_of_copy } else { 0 };
                mesh.saturating_add(place.saturating_mul(placement.count()))
            };
            cost.saturating_add(placement.cost_of_pose).saturating_add(copies)
        })
    }

    /// Makes what all placements show, which may take that many bytes more than
    /// [`cost`](Self::cost).
    pub(super) fn make_all(
        &mut self,
        placements: Vec<Placement>,
        spare: u64,
        warnings: &mut Warnings,
    ) -> Result<()> {
        self.spare = spare;
        for placement in placements {
            match self.is_kept(&placement) {
                true => self.place(placement, warnings)?,
                false => self.make(placement, warnings)?,
            }
        }
        Ok(())
    }

    /// Appends one mesh for each copy and primitive.
    fn make(&mut self, placement: Placement, warnings: &mut Warnings) -> Result<()> {
        let Placement { instance, name, extras, weights, copies, .. } = placement;
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

        for place in places(global, copies.as_ref(), &self.document, warnings)? {
            let transform = place.to_affine();
            let start = self.meshes.len();
            for (i, (number, primitive)) in mesh_parts.primitives.iter().enumerate() {
                let is_skinned = primitive.is_skinned();
                let mesh = match first {
                    Some(first) => copied(&self.meshes[first + i]),
                    None => {
                        let mut mesh = primitive.read(&pose, &mut self.document, warnings)?;
                        if is_skinned && mirrored {
                            mesh.positions.iter_mut().for_each(|position| position[0] *= -1.0);
                        }
                        mesh
                    }
                };
                let name = part_name(&name, *number, mesh_parts.several);
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

    /// Appends a place for each copy, and the mesh if it is the first.
    fn place(&mut self, placement: Placement, warnings: &mut Warnings) -> Result<()> {
        let Placement { instance, name, extras, copies, cost_of_copy, .. } = placement;
        let Instance { node, mesh, global, .. } = instance;
        let Some(parts) = self.checked.get(&(mesh, false)) else { return Ok(()) };
        let repeated = match self.kept.get(&mesh) {
            Some(&Some(number)) => number,
            _ => {
                let pose = Pose { weights: &parts.weights, joints: None };
                let of_mesh = match parts.name.as_str() {
                    "" => self.document.meshes.at(mesh)?.place().to_owned(),
                    name => name.to_owned(),
                };
                let mut meshes = Vec::with_capacity(parts.primitives.len());
                for (number, primitive) in &parts.primitives {
                    let made = primitive.read(&pose, &mut self.document, warnings)?;
                    let made = made.with_name(part_name(&of_mesh, *number, parts.several));
                    meshes.push(parts.extras.apply_user_id(made));
                }
                self.repeated.push(meshes);
                self.kept.insert(mesh, Some(self.repeated.len() - 1));
                self.repeated.len() - 1
            }
        };
        for place in places(global, copies.as_ref(), &self.document, warnings)? {
            let transform = place.to_affine();
            if InstanceTransform::new(&transform).is_ok() {
                let name = short(&name).to_owned();
                let (mask, user_id) = (extras.mask(), extras.user_id());
                let instance = ImportedInstance { repeated, transform, name, mask, user_id };
                self.instances.push(instance);
                continue;
            }
            let Some(spare) = self.spare.checked_sub(cost_of_copy) else {
                let reason = "copies that cannot be placed as instances take too many bytes";
                return Err(self.nodes.items.at(node)?.error(TooLarge, reason));
            };
            self.spare = spare;
            for (made, (number, _)) in self.repeated[repeated].iter().zip(&parts.primitives) {
                let made = copied(made).with_name(part_name(&name, *number, parts.several));
                self.meshes.push(extras.apply(made.with_transform(transform)));
            }
        }
        Ok(())
    }
}

/// The transforms of a node's copies.
fn places(
    global: Matrix,
    copies: Option<&Copies>,
    document: &Document<'_>,
    warnings: &mut Warnings,
) -> Result<Vec<Matrix>> {
    let Some(copies) = copies else { return Ok(vec![global]) };
    let mut places = copies.matrices(&document.buffers, warnings)?;
    places.iter_mut().for_each(|place| *place = global.after(place));
    Ok(places)
}

fn copied(mesh: &Mesh) -> Mesh {
    work::count(mesh.positions.len() * 12 + mesh.triangle_count() * 16);
    mesh.clone()
}

/// The name of a primitive's mesh.
fn part_name(name: &str, number: usize, several: bool) -> String {
    if several {
        let number = format!("/{number}");
        format!("{}{number}", shortened(name, 255 - number.len()))
    } else {
        short(name).to_owned()
    }
}
