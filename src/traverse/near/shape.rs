//! Which triangle is nearest to a shape. Plain code, without SIMD types: most of the time goes into
//! the distances of single triangles.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::array::Each;
use crate::bvh::{LEAF, Node, ROOT, WIDTH};
use crate::geometry::{
    Aabb, Feature, NearShape, TOLERANCE, Triangle, TriangleDistance, max, max_abs, round_down,
    round_up, to_f32,
};
use crate::traverse::collect::QueryFilter;
use crate::traverse::found::Found;
use crate::traverse::hit::Hit;
use crate::traverse::place::Place;

/// The triangle that is nearest to a shape that was asked about, and where the two are nearest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShapeDistance {
    /// How far the shape is from the triangle, rounded: zero if they touch, and only then.
    pub distance: f32,
    /// The point of the triangle that is nearest to the shape, rounded. If they touch, it is a
    /// point that both have.
    pub point: Vec3,
    /// The point of the shape that is nearest to the triangle, rounded. If they touch, it is
    /// `point`.
    pub on_shape: Vec3,
    /// The part of the triangle that `point` is on, in the caller's order of vertices:
    /// [`Bvh::feature_points`](crate::Bvh::feature_points) gives its points.
    pub feature: Feature,
    /// The triangle. Here `t` is the distance, `u` and `v` are the weights of `point`, and `face`
    /// is the side of the triangle's plane that the middle of the shape is on: the front if it is
    /// in the plane.
    pub hit: Hit,
}

/// More than the roundings of a distance in `f32`, in parts of it.
const SLACK: f32 = 1.0 / (1 << 20) as f32;

/// Two simple shapes around a shape: all that is within a radius of a box.
///
/// **Lemma 118 (boxes near a shape).** No triangle is left out whose distance is within the bound
/// when it is rounded. Proof: by Lemma 117, the distance is off by no more than [`TOLERANCE`] of
/// the largest number, for which there is twice as much room around the shape. A box along the axes
/// has numbers above twice the `size` of triangles only where it is farther away than half of
/// them, so that [`SLACK`] is more than that. A gap, the sum of three squares and its root take
/// some 2^-22 of themselves, or are too small for `f32`, and then zero will do.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    /// The box around the core, and the radius.
    core: ([[f32; 3]; 2], f32),
    /// A ball that holds all of the shape: its center and its radius.
    ball: ([[f32; 3]; 2], f32),
}

/// How far a box is away, or less.
#[derive(Clone, Copy, Default)]
struct Gap {
    least: f32,
    /// From the middle of the shape: boxes that are near to it come first.
    order: f32,
}

impl Gap {
    /// Also false for NaN, of boxes without end.
    fn is_beyond(self, bound: f32) -> bool {
        self.least > bound
    }
}

impl Around {
    /// For triangles, or boxes of trees, with coordinates up to `size`.
    pub(crate) fn new(shape: &NearShape, size: [f64; 3]) -> Self {
        let room = 4.0 * TOLERANCE * max(shape.size(), max_abs(size));
        let widened = |[low, high]: [[f64; 3]; 2]| {
            [low.each(|x| round_down(x - room)), high.each(|x| round_up(x + room))]
        };
        let (bounds, radius) = shape.core();
        let (middle, reach) = shape.ball();
        Self {
            core: (widened(bounds), round_up(radius)),
            ball: (widened([middle; 2]), round_up(reach)),
        }
    }

    /// How far the boxes of a node's children are away.
    #[inline]
    fn gaps_of_children(&self, node: &Node, place: Option<&Place<'_>>) -> [Gap; WIDTH] {
        let mut gaps = [Gap::default(); WIDTH];
        let Some(place) = place else {
            let of_four = |planes: &[f32; WIDTH], four: usize| {
                Vec4::from_array(planes.as_chunks::<4>().0[four])
            };
            for (four, gaps) in gaps.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let planes = |of: &[[f32; WIDTH]; 3]| of.refs().each(|row| of_four(row, four));
                let bounds = [planes(&node.min), planes(&node.max)];
                let [core, ball] = [&self.core, &self.ball].each(|&(around, radius)| {
                    let distance = distance(around.each(|side| side.each(Vec4::splat)), bounds);
                    (distance * (1.0 - SLACK) - Vec4::splat(radius)).to_array()
                });
                for (lane, gap) in gaps.iter_mut().enumerate() {
                    *gap = Gap { least: larger(core[lane], ball[lane]), order: ball[lane] };
                }
            }
            return gaps;
        };
        for (lane, gap) in gaps.iter_mut().enumerate().take(node.len()) {
            let Aabb { min, max } = node.bounds(lane);
            let [low, high] = place.box_to_world([min.to_array(), max.to_array()]);
            *gap = self.gap_of([low.each(round_down), high.each(round_up)]);
        }
        gaps
    }

    #[inline]
    fn gap_of(&self, bounds: [[f32; 3]; 2]) -> Gap {
        let bounds = bounds.each(|side| side.each(Vec4::splat));
        let [core, ball] = [&self.core, &self.ball].each(|&(around, radius)| {
            let distance = distance(around.each(|side| side.each(Vec4::splat)), bounds);
            distance.x * (1.0 - SLACK) - radius
        });
        Gap { least: larger(core, ball), order: ball }
    }
}

/// The larger of two; the first if one is NaN.
fn larger(one: f32, other: f32) -> f32 {
    if other > one { other } else { one }
}

/// The distances of four pairs of boxes, or less.
#[inline]
fn distance([low, high]: [[Vec4; 3]; 2], [min, max]: [[Vec4; 3]; 2]) -> Vec4 {
    let (mut sum, mut most) = (Vec4::ZERO, Vec4::ZERO);
    for k in 0..3 {
        let (after, before) = (min[k] - high[k], low[k] - max[k]);
        // Zero for NaN, of boxes without end.
        let gap = Vec4::select(after.cmpgt(before), after, before);
        let gap = Vec4::select(gap.cmpgt(Vec4::ZERO), gap, Vec4::ZERO);
        sum += gap * gap;
        most = Vec4::select(gap.cmpgt(most), gap, most);
    }
    // Where squares are too large, the largest gap will do.
    Vec4::select(sum.cmplt(Vec4::INFINITY), Vec4::from_array(sum.to_array().each(f32::sqrt)), most)
}

/// Nodes and leaf blocks that are left to visit, and how far away they are.
type Waiting = SmallVec<[(Gap, u32); 128]>;

/// Calls `visit` with the leaves whose boxes may be within a bound, about the nearest first. It
/// gives the bound from then on.
pub(crate) fn for_each_near(
    nodes: &[Node],
    place: Option<&Place<'_>>,
    around: &Around,
    mut bound: f32,
    visit: &mut dyn FnMut(u32) -> f32,
) {
    let mut waiting = Waiting::new();
    if !nodes.is_empty() {
        waiting.push((Gap::default(), ROOT));
    }
    while let Some((gap, child)) = waiting.pop() {
        if gap.is_beyond(bound) {
            continue;
        }
        if child & LEAF != 0 {
            bound = visit(child & !LEAF);
            continue;
        }
        let node = &nodes[child as usize];
        let gaps = around.gaps_of_children(node, place);
        let first = waiting.len();
        let near = (0..node.len()).filter(|&lane| !gaps[lane].is_beyond(bound));
        waiting.extend(near.map(|lane| (gaps[lane], node.child[lane])));
        // The nearest last: it is taken first.
        waiting[first..]
            .sort_unstable_by(|(a, i), (b, j)| b.order.total_cmp(&a.order).then(j.cmp(i)));
    }
}

/// A question about a shape: which triangle is nearest.
pub(crate) struct ShapeQuery<'a> {
    pub(crate) filter: &'a QueryFilter<'a>,
    pub(crate) shape: &'a NearShape,
}

impl ShapeQuery<'_> {
    /// The nearest triangle, if it is no farther away than `bound`: of equally near ones the one
    /// with the lowest numbers.
    pub(crate) fn nearest(&self, mut bound: f32) -> Option<ShapeDistance> {
        let QueryFilter { tree, place, .. } = *self.filter;
        let mut best: Option<(Found, TriangleDistance)> = None;
        let around = Around::new(self.shape, self.size());
        for_each_near(tree.nodes, place, &around, bound, &mut |index| {
            let block = &tree.blocks[index as usize];
            for lane in 0..block.len() {
                let is_lower = |than: &Found| block.id[lane] < than.id;
                // Nothing is nearer than what touches.
                if bound == 0.0 && best.as_ref().is_some_and(|(other, _)| !is_lower(other)) {
                    continue;
                }
                let found = Found::new(block, index, lane).moved(place);
                let [a, b, c] = found.corners;
                let Aabb { min, max } = Triangle::new(a, b, c).bounds();
                if around.gap_of([min.to_array(), max.to_array()]).is_beyond(bound) {
                    continue;
                }
                let Some(near) = self.shape.to_triangle(&found.corners, bound) else { continue };
                let is_nearer = best
                    .as_ref()
                    .is_none_or(|(other, at)| near.distance < at.distance || is_lower(other));
                if is_nearer && self.accepts(&found, &near) {
                    bound = near.distance;
                    best = Some((found, near));
                }
            }
            bound
        });
        let (found, near) = best?;
        self.report(&found, &near)
    }

    /// The largest coordinates of triangles, or more.
    fn size(&self) -> [f64; 3] {
        self.filter.place.map_or_else(|| self.filter.tree.facts.sizes(), Place::reach)
    }

    fn accepts(&self, found: &Found, near: &TriangleDistance) -> bool {
        let is_in_front = || found.is_in_front(self.shape.center().to_array());
        let report = || Some(self.report(found, near)?.hit);
        self.filter.accepts_hit(0, found.id, is_in_front, report)
    }

    /// The result in the user's numbers.
    fn report(&self, found: &Found, near: &TriangleDistance) -> Option<ShapeDistance> {
        let at = (near.distance, near.weights, near.feature);
        let (hit, feature) = found.report(self.filter, self.shape.center().to_array(), at)?;
        let [point, on_shape] = [near.point, near.on_shape].each(to_f32);
        Some(ShapeDistance { distance: near.distance, point, on_shape, feature, hit })
    }
}
