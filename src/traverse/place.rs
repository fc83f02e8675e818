//! Where a tree stands in the world, for questions about points and shapes.
//!
//! These see triangles as they are in the world: the tree's corners, moved in `f64` and rounded
//! once. So their answers are exact for any transform. A walk goes through the tree as it was
//! baked, with the question in its coordinates; the triangles of leaf blocks are moved.

#[cfg(test)]
pub(crate) mod bounds;

use std::ops::ControlFlow;

use super::walk::LeafTest;
use crate::array::Each;
use crate::bvh::{Facts, LANES, LeafBlock, UNUSED_COORDINATE};
use crate::geometry::{Corners, Feature, InstanceTransform, is_finite, max};
use crate::simd::Isa;

/// Where a tree stands.
///
/// **Lemma 93 (triangles in the world).** Let `e = 2^-24`, and `S` the [size](Self::size). A corner
/// in the world is off the corner of the tree, moved without rounding, by at most `1.01 e S` on
/// each axis: it is rounded to `f32`, and before that in `f64` by some 2^-53 of `S`. A number below
/// the range of `f32` is off by 2^-150 more: half of [`LEAST`], which near the origin, or in a tree
/// whose numbers are that small, is all that counts. So each point of the triangle in the world
/// belongs to a point of the tree's triangle that is moved to within that distance of it: with the
/// same weights.
/// The boxes of the leaf blocks that have a triangle, or parts of it, hold all of its points.
pub(crate) struct Place<'a> {
    transform: &'a InstanceTransform,
    facts: &'a Facts,
    is_mirrored: bool,
    /// No corner of the tree has a larger coordinate in the world, on any axis.
    reach: [f64; 3],
}

/// The least `f32` above zero. No rounding to `f32` is off by more than half of it where the number
/// is too small for bounds in parts of itself.
pub(super) const LEAST: f64 = f32::from_bits(1) as f64;

/// Half a unit in the last place of 1.
const EPSILON: f64 = 1.0 / (1 << 24) as f64;

impl<'a> Place<'a> {
    /// For a tree of these facts.
    pub(crate) fn new(transform: &'a InstanceTransform, facts: &'a Facts) -> Self {
        let (rows, to) = (transform.rows(), transform.translation());
        let reach = [0, 1, 2].each(|k| {
            let product = |j: usize| f64::from(rows[k][j].abs()) * f64::from(facts.size[j]);
            // The factor covers the roundings of these sums.
            (product(0) + product(1) + product(2) + f64::from(to[k].abs())) * (1.0 + EPSILON)
        });
        Self { transform, facts, is_mirrored: transform.is_mirroring(), reach }
    }

    pub(crate) fn transform(&self) -> &InstanceTransform {
        self.transform
    }

    pub(crate) fn reach(&self) -> [f64; 3] {
        self.reach
    }

    /// The largest coordinate of a corner in the world, and of the translation, or more.
    pub(crate) fn size(&self) -> f64 {
        max(self.reach[0], max(self.reach[1], self.reach[2]))
    }

    /// How far a point of the tree may be, on each axis, from where the
    /// [inverse](InstanceTransform::point_to_local) takes its point of the triangle in the world.
    /// The other points that go through the inverse have coordinates up to `size`.
    ///
    /// **Lemma 94 (points in the tree).** Let `B` be the inverse in `f64`, `c` the translation, `w`
    /// a point of the triangle in the world, `v` its point of the tree, and `S` at least the size
    /// of both. Then `v` is off `B (w - c)` by at most `|B| (E, E, E)`, where `E` is `1.25 e S +
    /// 2^-149`. Proof: by Lemma 93, `v` is off the exact inverse of `w - c` by `|A^-1|` times
    /// `1.01 e S + 2^-150`. Each number of `B` is within 2^-29 of the same number of `A^-1`, and
    /// `w - c` is at most `2 S`: that is `e S / 16`. The sums in `f64` take some 2^-51 more.
    pub(crate) fn error_in_tree(&self, size: f64) -> [f64; 3] {
        let (error, [a, b, c]) = (self.error(size), self.transform.inverse());
        [0, 1, 2].each(|k| (a[k].abs() + b[k].abs() + c[k].abs()) * error)
    }

    /// The error of Lemma 94 in the world.
    pub(crate) fn error(&self, size: f64) -> f64 {
        1.25 * EPSILON * max(size, self.size()) + LEAST
    }

    /// A box in the tree's coordinates around a box of the world, but for the errors of Lemma 94.
    pub(crate) fn box_to_local(&self, [min, max]: [[f32; 3]; 2]) -> [[f64; 3]; 2] {
        let to = self.transform.translation().each(f64::from);
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for (j, column) in self.transform.inverse().iter().enumerate() {
            let sides = [min[j], max[j]].each(|side| f64::from(side) - to[j]);
            for k in 0..3 {
                let [a, b] = sides.each(|side| column[k] * side);
                low[k] += a.min(b);
                high[k] += a.max(b);
            }
        }
        [low, high]
    }

    /// A box in the world around all points of triangles there whose points of the tree are in a
    /// box: the moved box, with room for the error of Lemma 93 and for the roundings of the sums,
    /// which are some 2^-51 of `reach`.
    pub(crate) fn box_to_world(&self, [min, max]: [[f32; 3]; 2]) -> [[f64; 3]; 2] {
        let (rows, to) = (self.transform.rows(), self.transform.translation());
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let (mut error, mut sides) = (1.25 * EPSILON * self.reach[k] + LEAST, [0.0; 2]);
            for j in 0..3 {
                let element = f64::from(rows[k][j]);
                let [a, b] = [min[j], max[j]].each(|x| element * f64::from(x));
                sides = [sides[0] + a.min(b), sides[1] + a.max(b)];
            }
            sides = sides.each(|side| side + f64::from(to[k]));
            match self.axis_alone(k) {
                // Numbers stay what they are, but for their sign.
                Some(j) if rows[k][j].abs() == 1.0 && to[k] == 0.0 => error = 0.0,
                // All corners have the same number, rounded like any other.
                Some(j) if self.facts.min[j] == self.facts.max[j] => {
                    (error, sides) = (0.0, sides.each(|side| f64::from(side as f32)));
                }
                _ => {}
            }
            (low[k], high[k]) = (sides[0] - error, sides[1] + error);
        }
        [low, high]
    }

    /// The axis of the tree that alone decides where a point is along this one of the world.
    fn axis_alone(&self, k: usize) -> Option<usize> {
        let row = self.transform.rows()[k];
        (0..3).find(|&j| row[(j + 1) % 3] == 0.0 && row[(j + 2) % 3] == 0.0)
    }

    /// Factors for the axes of the tree: no vector of it becomes shorter in the world than it is
    /// with its coordinates multiplied by these.
    ///
    /// **Lemma 95 (stretched axes).** Let `A` be the linear part, `a_i` its columns, and `C` the
    /// matrix of the cosines between them. Then `|A x|^2` is the sum of `C_ij |a_i| x_i |a_j| x_j`,
    /// at least `l` times the sum of `(|a_i| x_i)^2`, where `l` is the least eigenvalue of `C`.
    /// That is no less than 1 minus the largest sum of the other cosines of a column (Gershgorin,
    /// 1931). And the three add up to 3, so that the product of the other two is at most 9/4: `l`
    /// is no less than 4/9 of their product, the determinant. For scaled axes that are turned
    /// together, `C` is 1, and the factors are exact. Roundings: some 2^-51 in the cosines, 2^-50
    /// in the root of the determinant, which is the volume of the columns at unit length.
    pub(crate) fn stretch(&self) -> [f64; 3] {
        let columns = self.transform.linear();
        let length = columns.each(|[x, y, z]| (x * x + y * y + z * z).sqrt());
        let [a, b, c] = [0, 1, 2].each(|i| columns[i].each(|x| x / length[i]));
        let dot = |[x, y, z]: [f64; 3], [u, v, w]: [f64; 3]| (x * u + y * v + z * w).abs();
        let (ab, bc, ca) = (dot(a, b), dot(b, c), dot(c, a));
        let by_cosines = 1.0 - SPARE - max(ab + ca, max(ab + bc, bc + ca));
        let volume = a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        let volume = max(volume.abs() - SPARE, 0.0);
        let least = max(by_cosines, 4.0 / 9.0 * volume * volume).sqrt();
        length.each(|length| length * least)
    }

    /// The triangles of a leaf block in the world. Those with a coordinate that is too large for
    /// `f32` are left out.
    #[inline(always)]
    pub(crate) fn block(&self, block: &LeafBlock) -> LeafBlock {
        let (rows, to) = (self.transform.rows(), self.transform.translation());
        let mut moved = LeafBlock { vertex: LeafBlock::EMPTY.vertex, id: block.id };
        for (which, [x, y, z]) in block.vertex.iter().enumerate() {
            let target = if self.is_mirrored { (3 - which) % 3 } else { which };
            for k in 0..3 {
                let ([a, b, c], to) = (rows[k].each(f64::from), f64::from(to[k]));
                let row = &mut moved.vertex[target][k];
                for lane in 0..LANES {
                    let [x, y, z] = [x[lane], y[lane], z[lane]].each(f64::from);
                    row[lane] = (((a * x + b * y) + c * z) + to) as f32;
                }
            }
        }
        if self.size() >= f64::from(f32::MAX) {
            leave_out_infinite(&mut moved);
        }
        moved
    }

    /// A triangle in the world.
    pub(crate) fn corners(&self, corners: &Corners) -> Corners {
        let [a, b, c] =
            corners.each(|corner| self.transform.point_to_world(corner.into()).to_array());
        if self.is_mirrored { [a, c, b] } else { [a, b, c] }
    }

    /// Weights and feature of a triangle in the world, in the order of its corners in the tree.
    pub(crate) fn in_order_of_tree(
        &self,
        [u, v]: [f32; 2],
        feature: Feature,
    ) -> ([f32; 2], Feature) {
        if self.is_mirrored { ([v, u], feature.mirrored()) } else { ([u, v], feature) }
    }
}

/// More than the roundings of cosines and volumes.
const SPARE: f64 = 1.0 / (1u64 << 46) as f64;

#[cold]
#[inline(never)]
fn leave_out_infinite(block: &mut LeafBlock) {
    for lane in 0..LANES {
        if !is_finite(&block.corners(lane)) {
            block.set_corners(lane, &[[f32::from_bits(UNUSED_COORDINATE); 3]; 3]);
        }
    }
}

/// A test of leaf blocks that is given their triangles in the world, if the tree stands elsewhere
/// than it was baked. (Two walks, with and without, would be twice the code.)
pub(crate) struct InWorld<'a, L>(pub(crate) Option<&'a Place<'a>>, pub(crate) L);

impl<I: Isa, C, L: LeafTest<I, C>> LeafTest<I, C> for InWorld<'_, L> {
    #[inline(always)]
    fn test(&self, isa: I, block: &LeafBlock, index: u32, collector: &mut C) -> ControlFlow<()> {
        let moved;
        let block = match self.0 {
            None => block,
            Some(place) => {
                moved = place.block(block);
                &moved
            }
        };
        self.1.test(isa, block, index, collector)
    }
}
