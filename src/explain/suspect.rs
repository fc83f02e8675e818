//! The triangle or mesh that is not the answer, and where it is asked about.

use crate::bvh::Bvh;
use crate::geometry::Triangle;
use crate::traverse::{Facing, Hit, InstanceId, Query};
use crate::world::World;

/// Which triangles are meant: in a tree, of no instance; all of a mesh, or one.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) instance: InstanceId,
    pub(super) mesh: u32,
    pub(super) triangle: Option<u32>,
}

impl Place {
    pub(super) fn in_tree(mesh: u32, triangle: Option<u32>) -> Self {
        Self { instance: InstanceId::NONE, mesh, triangle }
    }
}

/// Why a query sees none of the triangles that are meant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unseen {
    NoInstance,
    NoMesh,
    NoTriangle { triangles: u32 },
    Skipped,
    InstanceMask { mask: u32 },
    MeshMask { mask: u32 },
}

/// The triangles that are meant, some of which the query's layers show.
pub(super) struct Suspect<'a> {
    world: World<'a>,
    bvh: &'a Bvh,
    place: Place,
}

impl<'a> Suspect<'a> {
    pub(super) fn find(world: World<'a>, place: Place, query: &Query<'_>) -> Result<Self, Unseen> {
        let Place { instance, mesh, triangle } = place;
        let (bvh, instance_mask) = match world {
            World::Tree(bvh) => (bvh, u32::MAX),
            World::Scene(now) => {
                let found = now.bvh(instance).zip(now.instance_mask(instance));
                found.ok_or(Unseen::NoInstance)?
            }
        };
        let record = bvh.view().meshes.get(mesh as usize).ok_or(Unseen::NoMesh)?;
        let triangles = record.triangle_count;
        if triangle.unwrap_or(0) >= triangles {
            return Err(Unseen::NoTriangle { triangles });
        }
        let is_there = match triangle {
            Some(triangle) => bvh.slot(record.first_triangle + triangle).is_some(),
            None => bvh.mesh_triangles(mesh).next().is_some(),
        };
        match () {
            () if !is_there => Err(Unseen::Skipped),
            () if matches!(world, World::Scene(_)) && instance_mask & query.mask == 0 => {
                Err(Unseen::InstanceMask { mask: instance_mask })
            }
            () if record.mask & query.mask == 0 => Err(Unseen::MeshMask { mask: record.mask }),
            () => Ok(Self { world, bvh, place }),
        }
    }

    /// Whether a hit is on one of the triangles.
    pub(super) fn is_on(&self, hit: &Hit) -> bool {
        let Place { instance, mesh, triangle } = self.place;
        (hit.instance, hit.mesh) == (instance, mesh)
            && triangle.is_none_or(|triangle| hit.triangle == triangle)
    }

    /// Asks about these triangles alone: as the query, and if they have no answer then, without its
    /// filter, and without its facing too. Gives the first answer, and what refused it.
    pub(super) fn alone<T>(
        &self,
        query: &Query<'_>,
        ask: impl Fn(&Query<'_>) -> Option<T>,
    ) -> Option<(T, Option<Refused>)> {
        let is_on = |hit: &Hit| self.is_on(hit);
        let accepted = |hit: &Hit| self.is_on(hit) && query.accepts(hit);
        let sided = Query::new().mask(query.mask).instruction_set(query.isa).facing(query.facing);
        let first = ask(&sided.filter(&accepted)).map(|found| (found, None));
        let second = || Some((ask(&sided.filter(&is_on))?, Some(Refused::ByFilter)));
        let third = || Some((self.unrefused(query, &ask)?, Some(Refused::ByFacing)));
        first.or_else(second).or_else(third)
    }

    /// Asks about these triangles alone, whatever the query's filter and facing refuse.
    pub(super) fn unrefused<T>(
        &self,
        query: &Query<'_>,
        ask: impl Fn(&Query<'_>) -> Option<T>,
    ) -> Option<T> {
        let is_on = |hit: &Hit| self.is_on(hit);
        let plain = Query::new().mask(query.mask).instruction_set(query.isa);
        ask(&plain.facing(Facing::Both).filter(&is_on))
    }

    /// The triangles with their numbers, in the world, but for those beyond the range of `f32`.
    pub(super) fn triangles(&self) -> Vec<(u32, Triangle)> {
        let Place { instance, mesh, triangle } = self.place;
        let in_world = |one: Triangle| match self.world {
            World::Tree(_) => Some(one),
            World::Scene(now) => now.triangle_to_world(instance, &one),
        };
        let of_mesh = self.bvh.mesh_triangles(mesh).map(|one| (one.triangle, one.vertices));
        let one = |number| Some((number, self.bvh.mesh_triangle(mesh, number)?));
        let triangles: Vec<_> = match triangle {
            Some(number) => one(number).into_iter().collect(),
            None => of_mesh.collect(),
        };
        let triangles = triangles.into_iter();
        let triangles = triangles.filter_map(|(number, one)| Some((number, in_world(one)?)));
        let is_finite = |one: &Triangle| [one.v0, one.v1, one.v2].iter().all(|v| v.is_finite());
        triangles.filter(|(_, one)| is_finite(one)).collect()
    }
}

/// The part of a query that refuses an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    ByFilter,
    ByFacing,
}

/// Turns [`Unseen`] into the public reasons of the same names.
macro_rules! from_unseen {
    ($reason:ident) => {
        impl From<Unseen> for $reason {
            fn from(unseen: Unseen) -> Self {
                match unseen {
                    Unseen::NoInstance => Self::NoInstance,
                    Unseen::NoMesh => Self::NoMesh,
                    Unseen::NoTriangle { triangles } => Self::NoTriangle { triangles },
                    Unseen::Skipped => Self::Skipped,
                    Unseen::InstanceMask { mask } => Self::InstanceMask { mask },
                    Unseen::MeshMask { mask } => Self::MeshMask { mask },
                }
            }
        }
    };
}
pub(super) use from_unseen;
