//! Finds corners of a polygon in a triangle without a look at all of them.

use std::cell::Cell;
use std::ops::Range;

use crate::import::work;

pub(super) type Point = [f64; 2];

/// Takes steps from those that are left.
pub(super) fn spend(left: &Cell<usize>, steps: usize) {
    work::count(steps);
    left.set(left.get().saturating_sub(steps));
}

/// A tree over the corners of a polygon (a k-d tree). Corners are switched on and off.
///
/// The root of `lo..hi` is the corner in the middle, `order[(lo + hi) / 2]`; its children are
/// the halves at both sides.
#[derive(Default)]
pub(super) struct PointTree {
    order: Vec<u32>,
    /// Where each corner is in `order`.
    place: Vec<u32>,
    is_on: Vec<bool>,
    /// For each root the smallest and the largest coordinates of its corners, and the number
    /// of those that are on.
    boxes: Vec<[Point; 2]>,
    on: Vec<u32>,
}

impl PointTree {
    /// Builds the tree with all corners off.
    pub(super) fn build(&mut self, points: &[Point]) {
        let n = points.len();
        self.order.clear();
        self.order.extend(0..n as u32);
        self.boxes.clear();
        self.boxes.resize(n, [[0.0; 2]; 2]);
        self.split(points, 0, n);
        self.place.resize(n, 0);
        for (place, &corner) in self.order.iter().enumerate() {
            self.place[corner as usize] = place as u32;
        }
        self.on.clear();
        self.on.resize(n, 0);
        self.is_on.clear();
        self.is_on.resize(n, false);
    }

    fn split(&mut self, points: &[Point], lo: usize, hi: usize) {
        if lo == hi {
            return;
        }
        work::count(hi - lo);
        let part = &mut self.order[lo..hi];
        let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        for &corner in &*part {
            for (k, value) in points[corner as usize].into_iter().enumerate() {
                bounds[0][k] = bounds[0][k].min(value);
                bounds[1][k] = bounds[1][k].max(value);
            }
        }
        let axis = usize::from(bounds[1][1] - bounds[0][1] > bounds[1][0] - bounds[0][0]);
        let middle = usize::midpoint(lo, hi);
        let key = |corner: &u32| points[*corner as usize][axis];
        part.select_nth_unstable_by(middle - lo, |a, b| key(a).total_cmp(&key(b)));
        self.boxes[middle] = bounds;
        self.split(points, lo, middle);
        self.split(points, middle + 1, hi);
    }

    pub(super) fn is_on(&self, corner: usize) -> bool {
        self.is_on[corner]
    }

    pub(super) fn switch(&mut self, corner: usize, on: bool) {
        if self.is_on[corner] == on {
            return;
        }
        self.is_on[corner] = on;
        let place = self.place[corner] as usize;
        let (mut lo, mut hi) = (0, self.order.len());
        loop {
            let middle = usize::midpoint(lo, hi);
            if on {
                self.on[middle] += 1;
            } else {
                self.on[middle] -= 1;
            }
            match place.cmp(&middle) {
                std::cmp::Ordering::Less => hi = middle,
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => lo = middle + 1,
            }
        }
    }

    /// Looks for a corner that is on and that `is_wanted`, in the boxes that `reaches` accepts.
    /// The boxes looked at are taken from `steps_left`. If several are found, `seed` chooses:
    /// where many ask for the same corners, each corner should be the answer to few.
    pub(super) fn find(
        &self,
        seed: u32,
        reaches: &impl Fn(&[Point; 2]) -> bool,
        is_wanted: &impl Fn(usize) -> bool,
        steps_left: &Cell<usize>,
    ) -> Option<usize> {
        self.find_in(0..self.order.len(), seed, reaches, is_wanted, steps_left)
    }

    fn find_in(
        &self,
        range: Range<usize>,
        seed: u32,
        reaches: &impl Fn(&[Point; 2]) -> bool,
        is_wanted: &impl Fn(usize) -> bool,
        steps_left: &Cell<usize>,
    ) -> Option<usize> {
        let middle = usize::midpoint(range.start, range.end);
        if range.is_empty() || self.on[middle] == 0 {
            return None;
        }
        spend(steps_left, 1);
        if !reaches(&self.boxes[middle]) {
            return None;
        }
        let mut halves = [range.start..middle, middle + 1..range.end];
        if seed & 1 == 1 {
            halves.reverse();
        }
        let find = |half| self.find_in(half, seed.rotate_right(1), reaches, is_wanted, steps_left);
        halves.into_iter().find_map(find).or_else(|| {
            let corner = self.order[middle] as usize;
            (self.is_on[corner] && is_wanted(corner)).then_some(corner)
        })
    }
}
