//! A tree or a scene, for those who do not mind which.

use hitscan::glam::Affine3A;
use hitscan::query::{QueryStats, Question};
use hitscan::{Aabb, Bvh, Hit, InstanceId, Query, Ray, Scene};

use super::vector::Vector;

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

    pub(crate) fn closest_hits(self, rays: &[Ray], query: &Query<'_>, hits: &mut [Option<Hit>]) {
        let cast = match self {
            Self::Tree(bvh) => bvh.closest_hit_batch(rays, query, hits),
            Self::Scene(scene) => scene.snapshot().closest_hit_batch(rays, query, hits),
        };
        cast.expect("a place for the hit of each ray");
    }

    pub(crate) fn any_hits(self, rays: &[Ray], query: &Query<'_>, found: &mut [bool]) {
        let cast = match self {
            Self::Tree(bvh) => bvh.any_hit_batch(rays, query, found),
            Self::Scene(scene) => scene.snapshot().any_hit_batch(rays, query, found),
        };
        cast.expect("a place for the answer to each ray");
    }

    pub(crate) fn all_hits(self, ray: &Ray, query: &Query<'_>, hits: &mut Vec<Hit>) {
        match self {
            Self::Tree(bvh) => bvh.all_hits(ray, query, hits),
            Self::Scene(scene) => scene.snapshot().all_hits(ray, query, hits),
        }
    }

    pub(crate) fn query_stats(
        self,
        ray: &Ray,
        query: &Query<'_>,
        question: Question,
    ) -> QueryStats {
        match self {
            Self::Tree(bvh) => bvh.query_stats(ray, query, question),
            Self::Scene(scene) => scene.snapshot().query_stats(ray, query, question),
        }
    }

    /// The normal of a hit in the world, to the triangle's front.
    pub(crate) fn normal(self, hit: &Hit) -> Vector {
        let normal = match self {
            Self::Tree(bvh) => bvh.normal(hit),
            Self::Scene(scene) => scene.snapshot().normal(hit),
        };
        normal.unwrap_or_default().into()
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
