//! How much of the tree a query looks at.

use crate::bvh::Bvh;
use crate::geometry::Ray;
use crate::simd::{Scalar, Task};
use crate::traverse::{Any, Cast, Closest, Collector, Counted, Query, VisitCounts};

/// What a query of one ray tests, in a traversal that tests one node after the other and remembers
/// no earlier ray. So it depends on the tree and the ray alone.
///
/// With AVX2 and AVX-512 an ordinary query may test up to three nodes side by side. It then tests
/// about 10 % more nodes in less time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryStats {
    /// Nodes, each with the boxes of up to sixteen children.
    pub nodes: u32,
    /// Leaf blocks.
    pub blocks: u32,
    /// Triangles in those: up to eight each.
    pub triangles: u32,
}

/// The question whose cost [`Bvh::query_stats`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The question of [`Bvh::closest_hit`].
    ClosestHit,
    /// The question of [`Bvh::any_hit`].
    AnyHit,
}

impl Bvh {
    /// What a query of one ray tests. It is counted in plain order and with plain code, whatever
    /// [`InstructionSet`](crate::InstructionSet) the query names: the numbers are the same on every
    /// machine.
    ///
    /// ```
    /// use hitscan::query::Question;
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let down = Ray::new([0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    /// let stats = bvh.query_stats(&down, &Query::new(), Question::ClosestHit);
    /// assert_eq!((stats.nodes, stats.blocks, stats.triangles), (1, 1, 1));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn query_stats(&self, ray: &Ray, query: &Query<'_>, question: Question) -> QueryStats {
        let query_filter = &self.accepted_by(query);
        match question {
            Question::ClosestHit => self.counted::<Closest<'_>>(ray, query_filter).1,
            Question::AnyHit => self.counted::<Any<'_>>(ray, query_filter).1,
        }
    }

    fn counted<V: Collector>(&self, ray: &Ray, input: V::Input) -> (V::Output, QueryStats) {
        let cast = Cast::<Counted<V, false>> { tree: self.view(), ray, index: 0, input };
        let (output, counts) = cast.run(Scalar);
        (output, counts.into())
    }
}

impl From<VisitCounts> for QueryStats {
    fn from(VisitCounts { nodes, blocks, triangles }: VisitCounts) -> Self {
        Self { nodes, blocks, triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::Builder;
    use crate::mesh::Mesh;
    use crate::simd::InstructionSet;
    use crate::test_rng;

    #[test]
    fn a_counted_query_gives_the_answer_of_a_plain_one() {
        let mut state = 5;
        let mut point = || [0; 3].map(|_| test_rng::number(&mut state));
        let soup = Mesh::from_soup((0..600).map(|_| point()).collect());
        let (bvh, _) = Builder::new().bake(&[soup]).unwrap();
        let rays: Vec<Ray> = (0..100).map(|_| Ray::between(point(), point())).collect();
        let mut hits = 0;
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            let query_filter = &bvh.view().query_filter(&query);
            for ray in &rays {
                let (hit, _) = bvh.counted::<Closest<'_>>(ray, query_filter);
                assert_eq!(hit, bvh.closest_hit(ray, &query));
                let (found, _) = bvh.counted::<Any<'_>>(ray, query_filter);
                assert_eq!(found, hit.is_some());
                hits += u32::from(found);
            }
        }
        assert!(hits > 50);
    }
}
