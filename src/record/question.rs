//! What was asked.

use glam::Vec3;

use super::kind::{Form, Kind};
use super::rays::{put_rays, read_rays};
use super::shapes::{convex, put_shape, read_shape};
use super::wire::{Cursor, Fault, Wire, put, put_all};
use crate::geometry::{ConvexShape, Ray, Shape};
use crate::traverse::{Hit, InstanceId};

/// What a question is about, with the bits that were given.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Asked {
    /// Of questions about rays: one, or those of a batch.
    Rays(Vec<Ray>),
    /// Of questions about points.
    Points {
        /// One, or those of a batch.
        points: Vec<Vec3>,
        /// Zero for [`Kind::Contains`], which has none.
        max_distance: f32,
    },
    /// Of overlaps.
    Shape(Shape),
    /// Of sweeps.
    Motion {
        /// What moves.
        shape: ConvexShape,
        /// How far. Zero for [`Kind::Penetrations`], which has none.
        motion: Vec3,
    },
}

impl Asked {
    /// How many rays, points or shapes.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Rays(rays) => rays.len(),
            Self::Points { points, .. } => points.len(),
            Self::Shape(_) | Self::Motion { .. } => 1,
        }
    }

    pub(super) fn asking(&self) -> Asking<'_> {
        match self {
            Self::Rays(rays) => Asking::Rays(rays),
            Self::Points { points, max_distance } => Asking::Points(points, *max_distance),
            Self::Shape(shape) => Asking::Shape(shape),
            Self::Motion { shape, motion } => Asking::Motion(shape, *motion),
        }
    }

    pub(super) fn read(kind: Kind, count: u32, from: &mut Cursor<'_>) -> Result<Self, Fault> {
        if count != 1 && !kind.is_batch() {
            return Err("a question that is no batch is about more than one, or none");
        }
        let asked = match kind.form() {
            Form::Rays => Self::Rays(read_rays(from, count)?),
            Form::Points => {
                let [max_distance] = from.words()?;
                let points = from.all(count.into())?;
                Self::Points { points, max_distance: f32::from_bits(max_distance) }
            }
            Form::Shape => Self::Shape(read_shape(from)?),
            Form::Motion => {
                let motion = from.words()?.map(f32::from_bits).into();
                Self::Motion { shape: convex(read_shape(from)?)?, motion }
            }
        };
        let has_spare = match &asked {
            Self::Points { max_distance, .. } => {
                kind == Kind::Contains && max_distance.to_bits() != 0
            }
            Self::Motion { motion, .. } => kind == Kind::Penetrations && motion.words() != [0; 3],
            Self::Rays(_) | Self::Shape(_) => false,
        };
        if has_spare { Err("a question has a number that it does not take") } else { Ok(asked) }
    }
}

/// The same, borrowed, as it is written.
#[derive(Clone, Copy)]
pub(super) enum Asking<'a> {
    Rays(&'a [Ray]),
    Points(&'a [Vec3], f32),
    Shape(&'a Shape),
    Motion(&'a ConvexShape, Vec3),
}

impl Asking<'_> {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Rays(rays) => put_rays(out, rays),
            Self::Points(points, max_distance) => {
                put(out, &[max_distance.to_bits()]);
                put_all(out, points);
            }
            Self::Shape(shape) => put_shape(out, shape),
            Self::Motion(shape, motion) => {
                put(out, &motion.words());
                put_shape(out, &shape.into());
            }
        }
    }
}

/// A triangle or a volume that the filter of a question rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rejected {
    /// The index of the ray or point in its batch; 0 where there is one only.
    pub index: u32,
    /// Where the tree of the triangle stands; [`InstanceId::NONE`] in a tree by itself.
    pub instance: InstanceId,
    /// The number of its mesh; `u32::MAX` of a volume.
    pub mesh: u32,
    /// Its number in the mesh; zero of a volume.
    pub triangle: u32,
}

impl Rejected {
    pub(super) fn new(index: usize, hit: &Hit) -> Self {
        let (instance, mesh, triangle) = hit.key();
        Self { index: index as u32, instance, mesh, triangle }
    }
}

impl Wire<5> for Rejected {
    fn words(&self) -> [u32; 5] {
        let [slot, generation] = self.instance.words();
        [self.index, self.mesh, self.triangle, slot, generation]
    }

    fn from_words(&[index, mesh, triangle, slot, generation]: &[u32; 5]) -> Option<Self> {
        let instance = InstanceId::from_words(&[slot, generation])?;
        Some(Self { index, instance, mesh, triangle })
    }
}
