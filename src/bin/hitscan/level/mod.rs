//! A tree or a scene: what questions are asked of.

pub(crate) mod baked;
pub(crate) mod edge_uses;
pub(crate) mod in_world;
pub(crate) mod islands;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::query::{QueryStats, Question};
use hitscan::{
    Aabb, BatchError, Bvh, ClosestPoint, Contact, ConvexShape, Hit, InsideError, InstanceId,
    Layers, Overlap, PointLocation, Query, Ray, Scene,
};

#[derive(Clone, Copy)]
pub(crate) enum Level<'a> {
    Tree(&'a Bvh),
    /// As it was last committed.
    Scene(&'a Scene),
}

/// A tree that stands somewhere.
pub(crate) struct Placed<'a> {
    pub(crate) instance: InstanceId,
    /// The number of the tree: some instances may share it.
    pub(crate) tree: u32,
    pub(crate) transform: Affine3A,
    pub(crate) bvh: &'a Bvh,
}

impl<'a> Level<'a> {
    pub(crate) fn is_scene(self) -> bool {
        matches!(self, Self::Scene(_))
    }

    /// The trees that rays can hit; of a tree itself alone.
    pub(crate) fn trees(self) -> Vec<Placed<'a>> {
        let (instance, transform) = (InstanceId::NONE, Affine3A::IDENTITY);
        match self {
            Self::Tree(bvh) => vec![Placed { instance, tree: 0, transform, bvh }],
            Self::Scene(scene) => {
                let now = scene.snapshot();
                let placed = |instance| {
                    let tree = scene.tree_number(instance).ok()?;
                    let (transform, bvh) = (now.transform(instance)?, now.bvh(instance)?);
                    Some(Placed { instance, tree, transform, bvh })
                };
                now.instances().filter_map(placed).collect()
            }
        }
    }

    /// The box of all triangles; empty if there are none.
    pub(crate) fn bounds(self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for placed in self.trees() {
            bounds.extend_box(&placed.bvh.bounds().transformed(&placed.transform));
        }
        bounds
    }

    /// The tree of a hit; `None` for a hit of something else.
    pub(crate) fn tree_of(self, hit: &Hit) -> Option<&'a Bvh> {
        match self {
            Self::Tree(bvh) => Some(bvh),
            Self::Scene(scene) => scene.snapshot().bvh(hit.instance),
        }
    }

    /// The tree of a hit, and the ray in its coordinates.
    pub(crate) fn local(self, hit: &Hit, ray: &Ray) -> Option<(&'a Bvh, Ray)> {
        match self {
            Self::Tree(bvh) => Some((bvh, *ray)),
            Self::Scene(scene) => {
                let now = scene.snapshot();
                Some((now.bvh(hit.instance)?, now.local_ray(hit.instance, ray)?))
            }
        }
    }

    pub(crate) fn mesh_name(self, hit: &Hit) -> Option<&'a str> {
        match self {
            Self::Tree(bvh) => bvh.mesh_name(hit.mesh),
            Self::Scene(scene) => scene.snapshot().mesh_name(hit),
        }
    }

    pub(crate) fn material_name(self, hit: &Hit) -> Option<&'a str> {
        match self {
            Self::Tree(bvh) => bvh.material_name(hit.material()?),
            Self::Scene(scene) => scene.snapshot().material_name(hit),
        }
    }
}

/// Trees and scenes answer the same questions, under the same names.
macro_rules! questions {
    ($($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Level<'_> {
            $(pub(crate) fn $name(self, $($arg: $type),*) -> $answer {
                match self {
                    Self::Tree(bvh) => bvh.$name($($arg),*),
                    Self::Scene(scene) => scene.snapshot().$name($($arg),*),
                }
            })*
        }
    };
}
questions! {
    any_hit(ray: &Ray, query: &Query<'_>) -> bool;
    closest_hit(ray: &Ray, query: &Query<'_>) -> Option<Hit>;
    all_hits(ray: &Ray, query: &Query<'_>, hits: &mut Vec<Hit>) -> ();
    any_hit_batch(rays: &[Ray], query: &Query<'_>, hits: &mut [bool]) -> Result<(), BatchError>;
    closest_hit_batch(
        rays: &[Ray], query: &Query<'_>, hits: &mut [Option<Hit>]
    ) -> Result<(), BatchError>;
    any_within(point: Vec3, distance: f32, query: &Query<'_>) -> bool;
    closest_point(point: Vec3, distance: f32, query: &Query<'_>) -> Option<ClosestPoint>;
    all_within(
        point: Vec3, distance: f32, query: &Query<'_>, near: &mut Vec<ClosestPoint>
    ) -> ();
    closest_point_batch(
        points: &[Vec3], distance: f32, query: &Query<'_>, near: &mut [Option<ClosestPoint>]
    ) -> Result<(), BatchError>;
    contains(point: Vec3, layers: Layers) -> Result<PointLocation, InsideError>;
    signed_distance(
        point: Vec3, distance: f32, layers: Layers
    ) -> Result<Option<f32>, InsideError>;
    any_overlap(shape: &ConvexShape, query: &Query<'_>) -> bool;
    all_overlaps(shape: &ConvexShape, query: &Query<'_>, overlaps: &mut Vec<Overlap>) -> ();
    first_contact(shape: &ConvexShape, motion: Vec3, query: &Query<'_>) -> Option<Contact>;
    all_contacts(
        shape: &ConvexShape, motion: Vec3, query: &Query<'_>, contacts: &mut Vec<Contact>
    ) -> ();
    penetrations(shape: &ConvexShape, query: &Query<'_>, contacts: &mut Vec<Contact>) -> ();
    query_stats(ray: &Ray, query: &Query<'_>, question: Question) -> QueryStats;
    normal(hit: &Hit) -> Option<Vec3>;
}
