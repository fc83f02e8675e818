//! Which triangle is nearest to a shape. Plain code, without SIMD types: most of the time goes into
//! the distances of single triangles.

use glam::{Vec3, Vec4};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::array::Each;
use crate::bvh::{LEAF, Node, ROOT, WIDTH};
use crate::geometry::{
    Aabb, Feature, NearShape, TOLERANCE, TriangleDistance, max, max_abs, round_down, round_up,
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

/// Boxes are left out that are farther away than a bound by more than this, in parts of the square
/// of the distance: more than the roundings of squares in `f32`.
const SLACK: f32 = 1.0 / (1 << 20) as f32;

/// Whether a box is farther away than a bound.
fn is_far(square: f32, bound: f32) -> bool {
    square * (1.0 - SLACK) > bound * bound + f32::MIN_POSITIVE
}

/// A box around a shape, with room for what distances are off by.
///
/// **Lemma 118 (boxes near a shape).** No triangle is left out whose distance is within the bound
/// when it is rounded. Proof: by Lemma 117, the distance is off by no more than [`TOLERANCE`] of
/// the largest number, for which there is twice as much room around the shape. A box along the axes
/// has numbers above twice the `size` of triangles only where it is farther away than half of
/// them, so that [`SLACK`] is more than that. A gap and the sum of three squares take some 2^-22 of
/// themselves, or less than `f32::MIN_POSITIVE`.
#[derive(Clone, Copy)]
pub(crate) struct Around([[f32; 3]; 2]);

impl Around {
    /// For triangles, or boxes of trees, with coordinates up to `size`.
    pub(crate) fn new(shape: &NearShape, size: [f64; 3]) -> Self {
        let room = 4.0 * TOLERANCE * max(shape.size(), max_abs(size));
        let [low, high] = shape.bounds();
        Self([low.each(|x| round_down(x - room)), high.each(|x| round_up(x + room))])
    }

    /// The squares of how far the boxes of a node's children are away, or less.
    #[inline]
    fn to_children(self, node: &Node, place: Option<&Place<'_>>) -> [f32; WIDTH] {
        let mut squares = [0.0; WIDTH];
        match place {
            None => {
                let [low, high] = self.0.each(|side| side.each(Vec4::splat));
                let of_four = |planes: &[f32; WIDTH], four: usize| {
                    Vec4::from_array(planes.as_chunks::<4>().0[four])
                };
                for (four, squares) in squares.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    let mut sum = Vec4::ZERO;
                    for k in 0..3 {
                        let after = of_four(&node.min[k], four) - high[k];
                        let before = low[k] - of_four(&node.max[k], four);
                        // Zero for NaN, of boxes without end.
                        let gap = Vec4::select(after.cmpgt(before), after, before);
                        let gap = Vec4::select(gap.cmpgt(Vec4::ZERO), gap, Vec4::ZERO);
                        sum += gap * gap;
                    }
                    *squares = sum.to_array();
                }
            }
            Some(place) => {
                for (lane, square) in squares.iter_mut().enumerate().take(node.len()) {
                    let Aabb { min, max } = node.bounds(lane);
                    let [low, high] = place.box_to_world([min.to_array(), max.to_array()]);
                    *square = self.to_box([low.each(round_down), high.each(round_up)]);
                }
            }
        }
        squares
    }

    /// The square of how far a box is away, or less.
    #[inline]
    fn to_box(self, [min, max]: [[f32; 3]; 2]) -> f32 {
        let [low, high] = self.0;
        (0..3).fold(0.0, |sum, k| {
            let (after, before) = (min[k] - high[k], low[k] - max[k]);
            let gap = if after > before { after } else { before };
            let gap = if gap > 0.0 { gap } else { 0.0 };
            sum + gap * gap
        })
    }
}

/// What is left to visit: the square of its distance, and a node or leaf block.
type Waiting = SmallVec<[(f32, u32); 128]>;

/// Calls `visit` with the leaves whose boxes may be within a bound, about the nearest first. It
/// gives the bound from then on.
pub(crate) fn for_each_near(
    nodes: &[Node],
    place: Option<&Place<'_>>,
    around: Around,
    mut bound: f32,
    visit: &mut dyn FnMut(u32) -> f32,
) {
    let mut waiting = Waiting::new();
    if !nodes.is_empty() {
        waiting.push((0.0, ROOT));
    }
    while let Some((square, child)) = waiting.pop() {
        if is_far(square, bound) {
            continue;
        }
        if child & LEAF != 0 {
            bound = visit(child & !LEAF);
            continue;
        }
        let node = &nodes[child as usize];
        let squares = around.to_children(node, place);
        let first = waiting.len();
        for lane in 0..node.len() {
            if !is_far(squares[lane], bound) {
                waiting.push((squares[lane], node.child[lane]));
            }
        }
        // The nearest last: it is taken first.
        waiting[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    }
}

/// A question about a shape: which triangle is nearest.
pub(crate) struct ShapeQuery<'a> {
    pub(crate) filter: &'a QueryFilter<'a>,
    pub(crate) shape: &'a NearShape,
}

impl ShapeQuery<'_> {
    /// The nearest triangle, if it is no farther away than `bound`; of equally near ones the lowest.
    pub(crate) fn nearest(&self, mut bound: f32) -> Option<ShapeDistance> {
        let QueryFilter { tree, place, .. } = *self.filter;
        let mut best: Option<(Found, TriangleDistance)> = None;
        let around = Around::new(self.shape, self.size());
        for_each_near(tree.nodes, place, around, bound, &mut |index| {
            let block = &tree.blocks[index as usize];
            for lane in 0..block.len() {
                let found = Found::new(block, index, lane).moved(place);
                let is_lower = |than: &Found| found.id < than.id;
                let least = found.corners.iter().fold([f32::INFINITY; 3], |least, corner| {
                    [0, 1, 2].each(|k| least[k].min(corner[k]))
                });
                let greatest = found.corners.iter().fold([f32::NEG_INFINITY; 3], |most, corner| {
                    [0, 1, 2].each(|k| most[k].max(corner[k]))
                });
                if is_far(around.to_box([least, greatest]), bound) {
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
        let [point, on_shape] =
            [near.point, near.on_shape].each(|point| Vec3::from(point.each(|x| x as f32)));
        Some(ShapeDistance { distance: near.distance, point, on_shape, feature, hit })
    }
}
