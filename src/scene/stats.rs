//! How much of a scene a query looks at.

use super::snapshot::Snapshot;
use crate::geometry::Ray;
use crate::query::{QueryStats, Question};
use crate::simd::{Scalar, Task};
use crate::traverse::{
    AnyInstance, CastInScene, ClosestInstance, CountedInstances, KeepBest, Query, SceneQuery,
};

impl Snapshot {
    /// What a query of one ray tests, as [`Bvh::query_stats`](crate::Bvh::query_stats) counts it:
    /// the nodes of the trees of instances, and all that is tested in each tree that the ray
    /// reaches. The numbers are the same on every machine. They depend on how the instances came to
    /// be where they are, because that shapes the trees of instances.
    ///
    /// ```
    /// use hitscan::query::Question;
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(bvh))?;
    /// let down = Ray::new([0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    /// let stats = scene.commit().query_stats(&down, &Query::new(), Question::ClosestHit);
    /// // The root of the tree of instances, and the root of the tree.
    /// assert_eq!((stats.nodes, stats.blocks, stats.triangles), (2, 1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn query_stats(&self, ray: &Ray, query: &Query<'_>, question: Question) -> QueryStats {
        match question {
            Question::ClosestHit => self.counted::<ClosestInstance>(ray, query).1,
            Question::AnyHit => self.counted::<AnyInstance>(ray, query).1,
        }
    }

    fn counted<K: KeepBest>(&self, ray: &Ray, query: &Query<'_>) -> (K::Answer, QueryStats) {
        let (tops, query) = (&self.tops(), SceneQuery::new(query));
        let kept = CountedInstances::<K>::default();
        let CountedInstances { kept, counts } = CastInScene { tops, ray, query, kept }.run(Scalar);
        (kept.answer(), counts.into())
    }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Vec3};

    use super::*;
    use crate::bake::Builder;
    use crate::mesh::Mesh;
    use crate::scene::{Instance, Scene};
    use crate::test_rng;

    #[test]
    fn a_counted_query_gives_the_answer_of_a_plain_one() {
        let mut state = 6;
        let mut point = || [0; 3].map(|_| test_rng::number(&mut state));
        let soup = Mesh::from_soup((0..300).map(|_| point()).collect());
        let (bvh, _) = Builder::new().bake(&[soup]).unwrap();
        let mut scene = Scene::new();
        for _ in 0..40 {
            let at = Affine3A::from_translation(3.0 * Vec3::from_array(point()));
            scene.insert(Instance::new(bvh.clone()).with_transform(at)).unwrap();
        }
        let now = scene.commit();
        let (mut hits, mut fewer) = (0, 0);
        for _ in 0..200 {
            let ray = Ray::between(3.0 * Vec3::from_array(point()), point());
            let query = Query::new();
            let (hit, closest) = now.counted::<ClosestInstance>(&ray, &query);
            assert_eq!(hit, now.closest_hit(&ray, &query));
            let (found, any) = now.counted::<AnyInstance>(&ray, &query);
            assert_eq!(found, hit.is_some());
            assert!(closest.nodes > 0 && (!found || any.triangles > 0));
            hits += u32::from(found);
            fewer += u32::from(any.triangles < closest.triangles);
        }
        assert!(hits > 50 && fewer > 20, "{hits} {fewer}");
    }

    /// A lone instance costs what its tree costs, and one node of the tree of instances.
    #[test]
    fn a_lone_instance_costs_one_more_node_than_its_tree() {
        let mut state = 7;
        let mut point = || [0; 3].map(|_| test_rng::number(&mut state));
        let soup = Mesh::from_soup((0..900).map(|_| point()).collect());
        let (bvh, _) = Builder::new().bake(&[soup]).unwrap();
        let mut scene = Scene::new();
        scene.insert(Instance::new(bvh.clone())).unwrap();
        let now = scene.commit();
        for _ in 0..100 {
            let ray = Ray::between(point(), point());
            for question in [Question::ClosestHit, Question::AnyHit] {
                let (tree, scene) = (
                    bvh.query_stats(&ray, &Query::new(), question),
                    now.query_stats(&ray, &Query::new(), question),
                );
                // Rays that miss the box of the tree do not enter it.
                let nodes = if scene.nodes == 1 { scene.nodes } else { tree.nodes + 1 };
                assert_eq!(scene, QueryStats { nodes, ..scene });
                assert!(scene.nodes == 1 || scene == QueryStats { nodes, ..tree });
            }
        }
    }
}
