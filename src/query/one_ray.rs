//! One ray at a time.

use std::ops::ControlFlow;

use crate::bvh::{Bvh, TreeView};
use crate::geometry::Ray;
use crate::simd;
use crate::traverse::{
    All, Any, Cast, CastInside, Closest, Collector, Hit, InstanceId, Query, QueryFilter, sort_hits,
};

impl Bvh {
    /// The nearest hit at `t_min <= t <= t_max`, or `None`. Of equally near triangles it is the
    /// one of the lowest mesh, then triangle number.
    ///
    /// Expected time grows with the logarithm of the number of triangles. Nothing is allocated.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let down = Ray::new([0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    /// assert_eq!(bvh.closest_hit(&down, &Query::new()).unwrap().t, 2.0);
    /// let up = Ray::new([0.0, 2.0, 0.0], [0.0, 1.0, 0.0]);
    /// assert_eq!(bvh.closest_hit(&up, &Query::new()), None);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, query: &Query<'_>) -> Option<Hit> {
        let filter = &self.accepted_by(query);
        filter.cast::<Closest<'_>>(0, ray, filter)
    }

    /// Whether there is any hit at `t_min <= t <= t_max`: the question for lines of sight and
    /// shadows, and faster than the nearest hit.
    ///
    /// It is fastest if each ray is similar to the one before it on the same thread. The triangles
    /// that blocked the last ray are then tested first (Haines and Greenberg 1986, "The Light
    /// Buffer").
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// let (guard, player) = ([1.0, 1.0, 0.0], [1.0, 1.0, 3.0]);
    /// assert!(bvh.any_hit(&Ray::between(guard, player), &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, query: &Query<'_>) -> bool {
        let filter = &self.accepted_by(query);
        filter.any(0, ray)
    }

    /// Every hit at `t_min <= t <= t_max`, each triangle once, in order of `t`, then mesh, then
    /// triangle. The list's old contents are replaced, and its memory is reused.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let walls = [3.0, 1.0, 2.0].map(|z| {
    ///     Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]])
    /// });
    /// let (bvh, _report) = Builder::new().bake(&walls)?;
    /// let mut hits = Vec::new();
    /// bvh.all_hits(&Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]), &Query::new(), &mut hits);
    /// assert!(hits.iter().map(|hit| hit.mesh).eq([1, 2, 0]));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    pub fn all_hits(&self, ray: &Ray, query: &Query<'_>, hits: &mut Vec<Hit>) {
        self.accepted_by(query).all(0, ray, hits);
    }

    /// Calls `each` with every hit in order of `t`, then mesh, then triangle, until it breaks.
    ///
    /// The hits are collected in `buffer` and sorted there first; reuse one buffer.
    pub fn for_each_hit(
        &self,
        ray: &Ray,
        query: &Query<'_>,
        buffer: &mut Vec<Hit>,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) {
        self.all_hits(ray, query, buffer);
        let _ = buffer.iter().try_for_each(each);
    }

    /// The hits that a query accepts. A query for volumes finds none in a tree.
    #[inline]
    pub(super) fn accepted_by<'a>(&'a self, query: &'a Query<'_>) -> QueryFilter<'a> {
        let has_any = query.targets.has_triangles();
        QueryFilter::new(if has_any { self.view() } else { &TreeView::EMPTY }, query)
    }

    /// The same for the question of this index in a batch.
    pub(super) fn accepted_in_batch<'a>(
        &'a self,
        query: &'a Query<'_>,
        index: usize,
    ) -> QueryFilter<'a> {
        QueryFilter::in_instance(self.view(), query, (InstanceId::NONE, index), None)
    }
}

impl QueryFilter<'_> {
    /// `index` is the ray's index in its batch.
    pub(super) fn all(&self, index: usize, ray: &Ray, hits: &mut Vec<Hit>) {
        hits.clear();
        let take = &mut |hit| hits.push(hit);
        let input = (self, take as &mut dyn FnMut(Hit));
        let cast = CastInside(Cast::<All<'_>> { input, tree: self.tree, ray, index });
        simd::run(self.query.isa, cast);
        sort_hits(hits);
    }

    /// Casts a ray with the query's instruction set.
    #[inline(always)]
    pub(super) fn any(&self, index: usize, ray: &Ray) -> bool {
        self.cast::<Any<'_>>(index, ray, self)
    }

    #[inline(always)]
    fn cast<V: Collector>(&self, index: usize, ray: &Ray, input: V::Input) -> V::Output {
        simd::run(self.query.isa, Cast::<V> { input, tree: self.tree, ray, index })
    }
}

#[cfg(test)]
impl TreeView<'_> {
    pub(crate) fn query_filter<'a>(&'a self, query: &'a Query<'_>) -> QueryFilter<'a> {
        QueryFilter::new(self, query)
    }
}
