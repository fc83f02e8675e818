//! References to triangles, boxed: what the split works on.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use super::clip::Lanes;
use super::pass::Pass;
use crate::geometry::half_area;
use crate::parallel;

/// Sets from this size on are worth more than one thread.
pub(super) const CHUNK: usize = 1 << 15;

/// A reference to a triangle and the box of what it stands for: the whole triangle, or the part
/// of it that a spatial split left. Two times sixteen bytes, of which four numbers are compared at a
/// time.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Prim {
    pub(crate) min: [f32; 3],
    /// Which of the kept triangles it is.
    pub(crate) index: u32,
    pub(crate) max: [f32; 3],
    pad: u32,
}

impl Prim {
    /// A reference to a whole triangle.
    pub(crate) fn new(index: u32, corners: &[[f32; 3]; 3]) -> Self {
        let mut prim = Self::empty(index);
        for corner in corners {
            prim.extend(corner);
        }
        prim
    }

    /// A reference to no part of a triangle.
    pub(super) fn empty(index: u32) -> Self {
        Self {
            min: [f32::INFINITY; 3],
            index,
            max: [f32::NEG_INFINITY; 3],
            pad: 0,
        }
    }

    #[inline(always)]
    pub(super) fn extend(&mut self, point: &[f32; 3]) {
        for k in 0..3 {
            self.min[k] = lesser(self.min[k], point[k]);
            self.max[k] = greater(self.max[k], point[k]);
        }
    }

    /// The part in another reference's box, if there is one.
    #[inline(always)]
    pub(super) fn within(mut self, other: &Self) -> Option<Self> {
        for k in 0..3 {
            self.min[k] = greater(self.min[k], other.min[k]);
            self.max[k] = lesser(self.max[k], other.max[k]);
        }
        (0..3).all(|k| self.min[k] <= self.max[k]).then_some(self)
    }

    /// By triangle, then by which part of it.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_part = |a: &[f32; 3], b: &[f32; 3]| {
            let axes = (0..3).map(|k| a[k].total_cmp(&b[k]));
            axes.fold(Ordering::Equal, Ordering::then)
        };
        let by_min = || by_part(&self.min, &other.min);
        let by_max = || by_part(&self.max, &other.max);
        let by_triangle = self.index.cmp(&other.index);
        by_triangle.then_with(by_min).then_with(by_max)
    }

    /// Its box.
    #[inline(always)]
    pub(super) fn lanes(&self) -> Lanes {
        let [min, max] = bytemuck::cast(*self);
        Lanes { min, max }
    }

    /// Twice the middle of its box on an axis.
    #[inline(always)]
    pub(super) fn centroid(&self, axis: usize) -> f32 {
        middle(self.min[axis], self.max[axis])
    }
}

/// Twice the middle: what is done with centroids is the same for all of them doubled, and to halve
/// the smallest numbers takes some processors a hundred times as long as to add them. (Beyond 2^127
/// sums are infinite, and sets are halved by count.)
#[inline(always)]
fn middle(low: f32, high: f32) -> f32 {
    low + high
}

/// The lesser of two numbers, the first of equals. (Not `f32::min`, which may return either of two
/// zeros of different sign.)
#[inline(always)]
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The greater of two numbers, the first of equals.
#[inline(always)]
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// The box of a set of references, and of their centroids.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
    /// Of [`Prim::centroid`]s: doubled.
    pub(super) centroid_min: [f32; 3],
    pub(super) centroid_max: [f32; 3],
}

impl Extent {
    pub(super) fn of(prims: &[Prim], pass: Pass<'_, '_>) -> Self {
        let of = |prims: &[Prim]| Self::of_some(pass.over(prims));
        parallel::fold(prims, CHUNK, of, Self::merge)
    }

    fn of_some(prims: &[Prim]) -> Self {
        // Four lanes, of which the last is spare: its zeros are for the centroids, since what lies
        // there are no numbers to reckon with.
        let (mut min, mut max) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        let (mut centroid_min, mut centroid_max) = (min, max);
        for prim in prims {
            let [x, y, z] = prim.min;
            let low = [x, y, z, 0.0];
            let [x, y, z] = prim.max;
            let high = [x, y, z, 0.0];
            for k in 0..4 {
                let centroid = middle(low[k], high[k]);
                min[k] = lesser(min[k], low[k]);
                max[k] = greater(max[k], high[k]);
                centroid_min[k] = lesser(centroid_min[k], centroid);
                centroid_max[k] = greater(centroid_max[k], centroid);
            }
        }
        let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
        Self {
            min: three(min),
            max: three(max),
            centroid_min: three(centroid_min),
            centroid_max: three(centroid_max),
        }
    }

    /// What `count` references cost that each may be anywhere in it.
    pub(super) fn cost(&self, count: usize) -> f64 {
        half_area(&self.min, &self.max) * count as f64
    }

    fn merge(mut self, other: Self) -> Self {
        for k in 0..3 {
            self.min[k] = lesser(self.min[k], other.min[k]);
            self.max[k] = greater(self.max[k], other.max[k]);
            self.centroid_min[k] = lesser(self.centroid_min[k], other.centroid_min[k]);
            self.centroid_max[k] = greater(self.centroid_max[k], other.centroid_max[k]);
        }
        self
    }
}

/// Some references and their box. The fourth lanes are spare: with them, four numbers are compared
/// at a time.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Group {
    min: [f32; 4],
    max: [f32; 4],
    pub(super) count: u32,
}

impl Group {
    pub(super) const EMPTY: Self = Self {
        min: [f32::INFINITY; 4],
        max: [f32::NEG_INFINITY; 4],
        count: 0,
    };

    /// Takes in the box of a reference, without counting it.
    #[inline(always)]
    pub(super) fn extend(&mut self, prim: &Prim) {
        let [min, max]: &[[f32; 4]; 2] = bytemuck::cast_ref(prim);
        self.extend_lanes(min, max);
    }

    /// Takes in a box, whose fourth numbers are spare.
    #[inline(always)]
    pub(super) fn extend_lanes(&mut self, min: &[f32; 4], max: &[f32; 4]) {
        for k in 0..4 {
            self.min[k] = lesser(self.min[k], min[k]);
            self.max[k] = greater(self.max[k], max[k]);
        }
    }

    /// Takes in a reference.
    #[inline(always)]
    pub(super) fn add(&mut self, prim: &Prim) {
        self.extend(prim);
        self.count += 1;
    }

    /// Takes in another group.
    #[inline(always)]
    pub(super) fn merge(&mut self, other: &Self) {
        self.extend_lanes(&other.min, &other.max);
        self.count += other.count;
    }

    /// Half the area times the references, its part in the surface area heuristic; 0 for nothing.
    #[inline(always)]
    pub(super) fn cost(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            let [min, max] = [&self.min, &self.max].map(|lanes| [lanes[0], lanes[1], lanes[2]]);
            half_area(&min, &max) * f64::from(self.count)
        }
    }

    /// The same box, and so many references.
    pub(super) fn with_count(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// Half the surface area that it shares with another group.
    pub(super) fn overlap(&self, other: &Self) -> f64 {
        let min = [0, 1, 2].map(|k| greater(self.min[k], other.min[k]));
        let max = [0, 1, 2].map(|k| lesser(self.max[k], other.max[k]));
        if (0..3).any(|k| min[k] > max[k]) {
            return 0.0;
        }
        half_area(&min, &max)
    }
}
