//! The vertices and edges near a ray: what a cursor snaps to.

use std::fmt;
use std::ops::ControlFlow;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::best_first::{BoxVisitor, visit_boxes};
use super::collect::QueryFilter;
use super::found::Found;
use super::hit::Hit;
use super::instance_id::InstanceId;
use crate::array::Each;
use crate::geometry::{Aabb, Feature, InCone, PreparedCone, Ray, RayCone, is_finite, to_f64};

/// A vertex or a point of an edge that a cursor snaps to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Snap {
    /// The point: a vertex with its bits, or a point of an edge, rounded.
    pub point: Vec3,
    /// Its distance from the ray's line.
    pub distance: f32,
    /// The same in parts of the cone's radius there: 0 on the line, 1 at the cone's surface. For a
    /// cone of some pixels it is the distance on the screen.
    pub closeness: f32,
    /// The vertex or the edge, in the caller's order of vertices:
    /// [`Bvh::feature_points`](crate::Bvh::feature_points) gives its points.
    pub feature: Feature,
    /// The triangle; of several that have the vertex or the edge, the lowest. Here `t` is the place
    /// along the ray that the point is nearest to, `u` and `v` are the weights of the point, and
    /// `face` is the side of the triangle's plane that the ray's origin is on.
    pub hit: Hit,
}

/// What a cursor may snap to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Snaps {
    /// The vertex that is nearest to the ray, as measured by the cone.
    pub vertex: Option<Snap>,
    /// The nearest point of an edge. It is at least as near as the vertex, if that may be snapped
    /// to by an edge too.
    pub edge: Option<Snap>,
}

impl Snaps {
    /// As editors choose: the vertex, or if there is none the point of an edge.
    #[must_use]
    pub fn vertex_first(&self) -> Option<Snap> {
        self.vertex.or(self.edge)
    }
}

/// Whether a cursor snaps to what lies behind a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hidden {
    /// It does, as in a picture of lines.
    #[default]
    Found,
    /// It does not: between the point and where it is seen from there must be no triangle that
    /// the query accepts.
    ///
    /// Triangles within a 4,096th of the way in front of the point do not hide it, for it is
    /// rounded.
    LeftOut,
}

/// Accepts a vertex or an edge of a triangle.
type Features<'f> = &'f (dyn Fn(&Hit, Feature) -> bool + Sync);

/// Which vertices and edges a cursor snaps to. The default: all, also those behind surfaces.
#[derive(Clone, Copy, Default)]
pub struct SnapOptions<'f> {
    hidden: Hidden,
    features: Option<Features<'f>>,
}

impl<'f> SnapOptions<'f> {
    /// All vertices and edges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same for what lies behind surfaces. Default: [`Hidden::Found`].
    #[must_use]
    pub fn hidden(self, hidden: Hidden) -> Self {
        Self { hidden, ..self }
    }

    /// The same for vertices and edges that this accepts: it is told of a triangle, as
    /// [`Snap::hit`], and its vertex or edge. [`Edges::is_hard`](crate::query::Edges::is_hard)
    /// leaves out the diagonals of quads.
    #[must_use]
    pub fn features(self, accepts: &'f (dyn Fn(&Hit, Feature) -> bool + Sync)) -> Self {
        Self { features: Some(accepts), ..self }
    }
}

impl fmt::Debug for SnapOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnapOptions")
            .field("hidden", &self.hidden)
            .field("features", &self.features.is_some())
            .finish()
    }
}

/// The search for the nearest vertex and edge, in one tree or several.
pub(crate) struct SnapSearch<'a> {
    cone: PreparedCone,
    /// Where sides of triangles are seen from.
    origin: Vec3,
    options: &'a SnapOptions<'a>,
    /// Whether a ray meets anything.
    is_blocked: &'a dyn Fn(&Ray) -> bool,
    vertex: Option<Best>,
    edge: Option<Best>,
}

/// The best so far.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    t: f64,
    key: Key,
    snap: Snap,
}

/// Different for each feature: of equally good ones the lowest wins.
type Key = ((InstanceId, u32, u32), u8);

impl<'a> SnapSearch<'a> {
    /// `None` if the cone holds nothing.
    pub(crate) fn new(
        cone: &RayCone,
        options: &'a SnapOptions<'a>,
        is_blocked: &'a dyn Fn(&Ray) -> bool,
    ) -> Option<Self> {
        let (origin, cone) = (cone.ray.origin, PreparedCone::new(cone)?);
        Some(Self { cone, origin, options, is_blocked, vertex: None, edge: None })
    }

    pub(crate) fn snaps(&self) -> Snaps {
        let snap = |best: Option<Best>| best.map(|best| best.snap);
        Snaps { vertex: snap(self.vertex), edge: snap(self.edge) }
    }

    /// Searches a tree.
    pub(crate) fn search(&mut self, filter: &QueryFilter<'_>) {
        visit_boxes(filter.tree.nodes, &mut InTree { search: self, filter });
    }

    /// The order of a box, if a point of it may be better than the best.
    pub(super) fn enter(&self, sides: [[f64; 3]; 2]) -> Option<f32> {
        let least = self.cone.least_score(sides)?;
        let is_too_far = match (&self.vertex, &self.edge) {
            (Some(vertex), Some(edge)) => least > vertex.score && least > edge.score,
            _ => false,
        };
        (!is_too_far).then_some(least as f32)
    }

    fn offer(&mut self, filter: &QueryFilter<'_>, found: &Found) {
        if !filter.accepts_mesh(found.id) {
            return;
        }
        let corners = found.corners.each(Vec3::from_array);
        for k in 0..3 {
            let weight = |corner: usize| f32::from(u8::from(k == corner));
            if let Some(seen) = self.cone.point(corners[k]) {
                let on = (Feature::Vertex(k as u8), [weight(1), weight(2)]);
                self.vertex = self.better(self.vertex, filter, found, &seen, on);
            }
            // In an order that all triangles of the edge agree on.
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let is_ordered = from.to_array() <= to.to_array();
            let ends = if is_ordered { [from, to] } else { [to, from] };
            if let Some(seen) = self.cone.segment(ends) {
                let along = if is_ordered { seen.along } else { 1.0 - seen.along };
                let mut weights = [0.0; 3];
                weights[k] = (1.0 - along) as f32;
                weights[(k + 1) % 3] = along as f32;
                let on = (Feature::Edge(k as u8), [weights[1], weights[2]]);
                self.edge = self.better(self.edge, filter, found, &seen, on);
            }
        }
    }

    /// The better of the best and a feature that the cone has seen, with the weights of its point.
    fn better(
        &self,
        best: Option<Best>,
        filter: &QueryFilter<'_>,
        found: &Found,
        seen: &InCone,
        (feature, weights): (Feature, [f32; 2]),
    ) -> Option<Best> {
        let &InCone { score, distance, t, point, .. } = seen;
        let is_worse = best.is_some_and(|best| (best.score, best.t) < (score, t));
        if is_worse || !(t as f32).is_finite() {
            return best;
        }
        let on_triangle = (t as f32, weights, feature);
        let reported = found.report(filter, self.origin.to_array(), on_triangle);
        let Some((hit, feature)) = reported else { return best };
        let (Feature::Vertex(number) | Feature::Edge(number)) = feature else { return best };
        let key = (hit.key(), number);
        if best.is_some_and(|best| (best.score, best.t, best.key) <= (score, t, key)) {
            return best;
        }
        let is_in_front = || found.is_in_front(self.origin.to_array());
        let is_accepted = filter.accepts_hit(0, found.id, is_in_front, || Some(hit))
            && self.options.features.is_none_or(|accepts| accepts(&hit, feature));
        let is_hidden = || {
            self.options.hidden == Hidden::LeftOut
                && (self.is_blocked)(&self.cone.line_of_sight(seen))
        };
        if !is_accepted || is_hidden() {
            return best;
        }
        let (distance, closeness) = (distance as f32, score as f32);
        Some(Best { score, t, key, snap: Snap { point, distance, closeness, feature, hit } })
    }
}

/// A search in a tree.
struct InTree<'a, 's> {
    search: &'a mut SnapSearch<'s>,
    filter: &'a QueryFilter<'a>,
}

impl BoxVisitor for InTree<'_, '_> {
    fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
        let sides = [bounds.min, bounds.max];
        self.search.enter(match self.filter.place {
            Some(place) => place.box_to_world(sides.each(|side| side.to_array())),
            None => sides.each(to_f64),
        })
    }

    fn leaf(&mut self, number: u32) -> ControlFlow<()> {
        let filter = self.filter;
        let block = &filter.tree.blocks[number as usize];
        for lane in 0..block.len() {
            let found = Found::new(block, number, lane).moved(filter.place);
            if is_finite(&found.corners) {
                self.search.offer(filter, &found);
            }
        }
        ControlFlow::Continue(())
    }
}
