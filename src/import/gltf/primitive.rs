//! glTF meshes and their primitives, in two steps. First they are checked and their memory is
//! added up. When it is known that all of them together are not too large, they are read.

use super::accessor::{Accessor, Accessors, Use};
use super::buffers::Buffers;
#[cfg(feature = "draco")]
use super::draco::Draco;
#[cfg(not(feature = "draco"))]
use super::extensions::DECOMPRESS;
use super::extras::Extras;
use super::json::{Items, Json, Object};
use super::pose::{Deformation, Pose};
use crate::import::ImportErrorKind::Invalid;
#[cfg(not(feature = "draco"))]
use crate::import::ImportErrorKind::Unsupported;
use crate::import::error::{ImportError, Result, Warnings};
use crate::import::text::short;
use crate::import::work;
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
    deformation: Deformation,
    place: String,
}

/// A glTF mesh whose parts have been checked.
pub(super) struct CheckedMesh {
    pub(super) name: String,
    pub(super) extras: Extras,
    /// With their numbers in the file.
    pub(super) primitives: Vec<(usize, Primitive)>,
    /// Whether the names of its primitives need numbers.
    pub(super) several: bool,
    /// Its own weights of morph targets.
    pub(super) weights: Vec<(usize, f64)>,
    /// Bytes of memory for each instance.
    pub(super) cost: u64,
    /// Bytes that each morph target reads.
    pub(super) cost_of_target: u64,
    /// Bytes that the skin reads.
    pub(super) cost_of_skin: u64,
}

/// The parts of a document that nodes and primitives refer to.
pub(super) struct Document<'a> {
    pub(super) meshes: Items<'a>,
    pub(super) accessors: Accessors<'a>,
    pub(super) materials: usize,
    pub(super) buffers: Buffers<'a>,
    #[cfg(feature = "draco")]
    pub(super) draco: Draco,
}

impl<'a> Document<'a> {
    pub(super) fn mesh(
        &mut self,
        index: usize,
        is_skinned: bool,
        warnings: &mut Warnings,
    ) -> Result<CheckedMesh> {
        let mesh = self.meshes.at(index)?;
        let object = mesh.object()?;
        let list = object.get("primitives").ok_or_else(|| mesh.missing("primitives"))?.items()?;
        let mut checked = CheckedMesh {
            name: name_of(object.get("name")),
            extras: Extras::of(object.get("extras"), warnings),
            primitives: Vec::new(),
            several: list.len() > 1,
            weights: weights_of(object.get("weights"))?.unwrap_or_default(),
            cost: 0,
            cost_of_target: 0,
            cost_of_skin: 0,
        };
        for (number, primitive) in list.iter().enumerate() {
            if let Some(primitive) = self.primitive(&primitive?, is_skinned, warnings)? {
                let vertices = primitive.positions.count() as u64;
                let influences = primitive.deformation.influences.len() as u64;
                checked.cost = checked.cost.saturating_add(primitive.cost());
                checked.cost_of_target += vertices * 12 + 64;
                checked.cost_of_skin += vertices * influences * 8;
                checked.primitives.push((number, primitive));
            }
        }
        Ok(checked)
    }

    fn primitive(
        &mut self,
        json: &Json<'a>,
        is_skinned: bool,
        warnings: &mut Warnings,
    ) -> Result<Option<Primitive>> {
        let object = json.object()?;
        let mode = object.get("mode");
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
        let place = object.get("attributes").ok_or_else(|| json.missing("attributes"))?;
        let attributes = place.object()?;
        let Some(reference) = attributes.reference("POSITION") else {
            warnings.add(place.place(), "no POSITION; the primitive is skipped");
            return Ok(None);
        };
        let positions = self.accessors.open(&reference, &mut self.buffers, Use::Positions)?;
        let indices = match object.reference("indices") {
            Some(reference) => {
                Some(self.accessors.open(&reference, &mut self.buffers, Use::Indices)?)
            }
            None => None,
        };
        let draco = object.get("extensions").map(|e| e.member("KHR_draco_mesh_compression"));
        let draco = draco.transpose()?.flatten();
        let material = object.reference("material").map_or(Ok(None), |material| {
            let number = material.size()?;
            let material_there = (number < self.materials as u64).then_some(number as u32);
            if material_there.is_none() {
                let count = self.materials;
                let reason =
                    format_args!("{number}, but the file has {count} materials; none is used");
                warnings.add(material.place(), reason);
            }
            Ok(material_there)
        })?;
        let mut deformation = Deformation::default();
        for target in Items::of(object.get("targets"))?.iter() {
            let reference = target?.object()?.reference("POSITION");
            let number = reference.map(|reference| self.accessors.number(&reference));
            deformation.targets.push(number.transpose()?);
        }
        if is_skinned {
            deformation.influences = self.influences(&attributes, positions.count())?;
            if deformation.influences.is_empty() {
                let reason = "no JOINTS_0 or no WEIGHTS_0, so the node places it, not the skin";
                warnings.add(place.place(), reason);
            }
        }
        let place = json.place().to_owned();
        let mut primitive = Primitive { mode, positions, indices, material, deformation, place };
        if let Some(draco) = draco
            && !primitive.positions.has_data()
        {
            self.decompress(&draco, &mut primitive)?;
        }
        let left = primitive.corners() % 3;
        if mode == Mode::Triangles && left > 0 {
            let reason = format_args!("the last {left} of its corners make no triangle");
            warnings.add(json.place(), reason);
        }
        Ok(Some(primitive))
    }

    #[cfg(not(feature = "draco"))]
    fn decompress(&mut self, draco: &Json<'a>, _: &mut Primitive) -> Result<()> {
        let reason = format_args!(
            "the primitive is compressed with Draco, which is not supported{DECOMPRESS}"
        );
        Err(draco.error(Unsupported, reason))
    }

    #[cfg(feature = "draco")]
    fn decompress(&mut self, draco: &Json<'a>, primitive: &mut Primitive) -> Result<()> {
        let buffers = &mut self.buffers;
        let stream = self.draco.open(draco, buffers)?;
        primitive.mode = Mode::Triangles;
        primitive.indices = Some(self.draco.indices(&stream, buffers));
        let mut fill = |accessor: &mut Accessor, name: &str, wanted| {
            *accessor = self.draco.fill(*accessor, name, wanted, &stream, buffers)?;
            Ok(())
        };
        fill(&mut primitive.positions, "POSITION", Use::Positions)?;
        for (set, pair) in primitive.deformation.influences.iter_mut().enumerate() {
            fill(&mut pair.0, &format!("JOINTS_{set}"), Use::Joints)?;
            fill(&mut pair.1, &format!("WEIGHTS_{set}"), Use::Weights)?;
        }
        Ok(())
    }

    /// All pairs of joints and weights.
    fn influences(
        &mut self,
        attributes: &Object<'a>,
        vertices: usize,
    ) -> Result<Vec<(Accessor, Accessor)>> {
        let mut influences = Vec::new();
        loop {
            let set = influences.len();
            let joints = attributes.reference(&format!("JOINTS_{set}"));
            let weights = attributes.reference(&format!("WEIGHTS_{set}"));
            let (Some(joints), Some(weights)) = (joints, weights) else { return Ok(influences) };
            let joints = self.accessors.open(&joints, &mut self.buffers, Use::Joints)?;
            let weights = self.accessors.open(&weights, &mut self.buffers, Use::Weights)?;
            joints.has_at_least(vertices, "vertices")?;
            weights.has_at_least(vertices, "vertices")?;
            influences.push((joints, weights));
        }
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

    /// Whether a skin places it, instead of the node.
    pub(super) fn is_skinned(&self) -> bool {
        !self.deformation.influences.is_empty()
    }

    pub(super) fn read(
        &self,
        pose: &Pose<'_>,
        document: &mut Document<'_>,
        warnings: &mut Warnings,
    ) -> Result<Mesh> {
        let (accessors, buffers) = (&mut document.accessors, &mut document.buffers);
        let (stored, place) = (&self.positions, &self.place);
        let posed = self.deformation.apply(pose, stored, place, accessors, buffers, warnings)?;
        let mut positions = match posed {
            Some(positions) => positions,
            None => stored.positions(buffers)?,
        };
        let corners = self.indices.map(|indices| indices.indices(buffers)).transpose()?;
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
        work::count(self.triangles() * 16);
        Ok(mesh)
    }
}

/// The weights of morph targets that are not zero.
pub(super) fn weights_of(weights: Option<Json<'_>>) -> Result<Option<Vec<(usize, f64)>>> {
    let Some(weights) = weights else { return Ok(None) };
    let mut all = Vec::new();
    for (target, weight) in weights.items()?.iter().enumerate() {
        let weight = weight?.number()?;
        if weight != 0.0 {
            all.push((target, weight));
        }
    }
    Ok(Some(all))
}

/// A name. It is empty if there is none or it is not a string: a wrong name should not cost
/// the whole file.
pub(super) fn name_of(name: Option<Json<'_>>) -> String {
    let name = name.and_then(|name| name.string().ok());
    name.map_or(String::new(), |name| short(&name).to_owned())
}
