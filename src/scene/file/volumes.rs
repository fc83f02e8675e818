//! The records of volumes.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3};

use super::kind::SCENE;
use crate::error::LoadError;
use crate::geometry::{Aabb, Capsule, Obb, Sphere, Volume};

/// A volume, as it lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct VolumeRecord {
    pub(super) kind: u32,
    pub(super) zero: u32,
    /// As many as the kind has; the others are zero.
    pub(super) numbers: [f32; 18],
}

const _: () = assert!(size_of::<VolumeRecord>() == 80);

const AABB: u32 = 1;
const OBB: u32 = 2;
const SPHERE: u32 = 3;
const CAPSULE: u32 = 4;

impl VolumeRecord {
    pub(super) fn of(volume: &Volume) -> Self {
        let mut numbers = [0.0; 18];
        let mut fill = |parts: &[&[f32]]| {
            for (number, x) in numbers.iter_mut().zip(parts.iter().copied().flatten()) {
                *number = *x;
            }
        };
        let kind = match volume {
            Volume::Aabb(Aabb { min, max }) => {
                fill(&[min.as_ref(), max.as_ref()]);
                AABB
            }
            Volume::Obb(obb) => {
                let Aabb { min, max } = obb.local_box();
                fill(&[&obb.transform().to_cols_array(), min.as_ref(), max.as_ref()]);
                OBB
            }
            Volume::Sphere(Sphere { center, radius }) => {
                fill(&[center.as_ref(), &[*radius]]);
                SPHERE
            }
            Volume::Capsule(Capsule { a, b, radius }) => {
                fill(&[a.as_ref(), b.as_ref(), &[*radius]]);
                CAPSULE
            }
        };
        Self { kind, zero: 0, numbers }
    }

    /// The volume of a record, if it is one.
    fn volume(&self) -> Option<Volume> {
        let numbers = &self.numbers;
        let point = |at: usize| Vec3::from_slice(&numbers[at..]);
        let bounds = |at: usize| Aabb { min: point(at), max: point(at + 3) };
        let volume = match self.kind {
            AABB => bounds(0).into(),
            OBB => {
                let transform = Affine3A::from_cols_slice(&numbers[..12]);
                Obb::from_transform(&transform, bounds(12))?.into()
            }
            SPHERE => Sphere::new(point(0), numbers[3]).into(),
            CAPSULE => Capsule::new(point(0), point(3), numbers[6]).into(),
            _ => return None,
        };
        // So all unused numbers are zero.
        let same = Self::of(&volume);
        (bytemuck::bytes_of(&same) == bytemuck::bytes_of(self)).then_some(volume)
    }
}

/// The volumes of all records (I14).
pub(super) fn check_volumes(records: &[VolumeRecord]) -> Result<Vec<Volume>, LoadError> {
    let volume = |(number, record): (usize, &VolumeRecord)| {
        let invalid = |message| SCENE.invalid("I14", format!("volume {number}: {message}"));
        let volume = record.volume();
        let volume = volume.ok_or_else(|| invalid("it is none, or has numbers to spare"))?;
        volume.checked().map_err(|fault| invalid(fault.rule()))?;
        Ok(volume)
    };
    records.iter().enumerate().map(volume).collect()
}
