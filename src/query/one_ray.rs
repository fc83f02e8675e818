//! One ray at a time.

use std::ops::ControlFlow;

use crate::bvh::Bvh;
#[cfg(test)]
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd;
#[cfg(test)]
use crate::traverse::Filter;
use crate::traverse::{
    All, Any, Cast, CastInside, Closest, Collector, Hit, HitFilter, HitList, Query, QueryFilter,
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
    #[inline]
    pub fn closest_hit<F: HitFilter>(&self, ray: &Ray, query: &Query<F>) -> Option<Hit> {
        self.accepted_by(query).closest(ray)
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
    #[inline]
    pub fn any_hit<F: HitFilter>(&self, ray: &Ray, query: &Query<F>) -> bool {
        self.accepted_by(query).any(ray)
    }

    /// Every hit at `t_min <= t <= t_max`, each triangle once, in order of `t`, then mesh, then
    /// triangle. The list's old contents are replaced, and its memory is reused.
    ///
    /// ```
    /// use hitscan::{Builder, HitList, Mesh, Query, Ray};
    ///
    /// let walls = [3.0, 1.0, 2.0].map(|z| {
    ///     Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]])
    /// });
    /// let (bvh, _report) = Builder::new().bake(&walls)?;
    /// let mut hits = HitList::new();
    /// bvh.all_hits(&Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]), &Query::new(), &mut hits);
    /// assert!(hits.iter().map(|hit| hit.mesh).eq([1, 2, 0]));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[inline]
    pub fn all_hits<F: HitFilter>(&self, ray: &Ray, query: &Query<F>, hits: &mut HitList) {
        self.accepted_by(query).all(0, ray, hits);
    }

    /// Calls `each` with every hit in order of `t`, then mesh, then triangle, until it breaks.
    ///
    /// The hits are collected in `buffer` and sorted there first; reuse one buffer.
    pub fn for_each_hit<F: HitFilter>(
        &self,
        ray: &Ray,
        query: &Query<F>,
        buffer: &mut HitList,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) {
        self.all_hits(ray, query, buffer);
        let _ = buffer.iter().try_for_each(each);
    }

    /// The hits that a query accepts, without the type of its filter.
    #[inline]
    pub(super) fn accepted_by<'a, F: HitFilter>(&'a self, query: &'a Query<F>) -> QueryFilter<'a> {
        QueryFilter::new(self.view(), &query.options, query.hit_filter())
    }
}

/// Nothing here depends on the type of a user's filter: kernels are compiled in this crate only.
impl QueryFilter<'_> {
    fn closest(&self, ray: &Ray) -> Option<Hit> {
        self.cast::<Closest<'_>>(0, ray, self)
    }

    fn any(&self, ray: &Ray) -> bool {
        self.cast::<Any<'_>>(0, ray, self)
    }

    /// `index` is the ray's index in its batch.
    pub(super) fn all(&self, index: usize, ray: &Ray, hits: &mut HitList) {
        hits.clear();
        let take = &mut |hit| hits.hits.push(hit);
        let input = (self, take as &mut dyn FnMut(Hit));
        let cast = CastInside(Cast::<All<'_>> { input, tree: self.tree, ray, index });
        simd::run(self.query.isa, cast);
        hits.sort();
    }

    /// Casts a ray with the query's instruction set.
    #[inline(always)]
    fn cast<V: Collector>(&self, index: usize, ray: &Ray, input: V::Input) -> V::Output {
        simd::run(self.query.isa, Cast::<V> { input, tree: self.tree, ray, index })
    }
}

#[cfg(test)]
impl TreeView<'_> {
    pub(crate) fn query_filter<'a>(&'a self, query: &'a Query) -> QueryFilter<'a> {
        QueryFilter::new(self, &query.options, Filter::None)
    }
}
