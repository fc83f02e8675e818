//! Ear clipping. Which corner is cut off next follows from the rule alone; the tree and the
//! lists here only save tests whose result is known.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::point_tree::{Point, PointTree, spend};

/// What keeps a convex corner from being an ear: reflex corners inside it, and on its border as
/// stated here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Those at the same point as a corner of the ear do not count: polygons with holes repeat
    /// the points where a hole meets the outline.
    Simple,
    /// For outlines that touch themselves. Those at the same point as a corner of the ear count
    /// if one of their edges leads into the ear or both run along it. Corners without an angle,
    /// where the outline runs back along itself, are ears of no area.
    Touching,
    /// As `Touching`; but corners on the border count only because of their edges.
    Tight,
}

/// The end of a list.
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Ears {
    /// The corners, counter-clockwise.
    pub(super) points: Vec<Point>,
    before: Vec<u32>,
    after: Vec<u32>,
    /// The reflex corners are on. Only they can block an ear.
    reflex: PointTree,
    /// Corners that may be ears. All others are known to be none, until a neighbour or the
    /// corner that blocks them changes.
    candidates: BTreeSet<u32>,
    /// For each corner the list of those that it blocks: its last entry in `blocked`, which
    /// holds a corner and the entry before.
    last_blocked: Vec<u32>,
    blocked: Vec<[u32; 2]>,
    steps_left: Cell<usize>,
}

enum Corner {
    Ear,
    NoEar,
    Blocked(usize),
}

impl Ears {
    /// Clips ears by the first rule while there are any, then by the next. The rest becomes a
    /// fan, also if the steps run out. Returns twice the area of those triangles of the fan that
    /// are reversed.
    pub(super) fn clip(
        &mut self,
        rules: &[Rule],
        steps_per_corner: usize,
        mut emit: impl FnMut([usize; 3]),
    ) -> f64 {
        let n = self.points.len();
        self.before.clear();
        self.before.extend((0..n).map(|i| ((i + n - 1) % n) as u32));
        self.after.clear();
        self.after.extend((0..n).map(|i| ((i + 1) % n) as u32));
        self.reflex.build(&self.points);
        for i in 0..n {
            self.reflex.switch(i, self.is_reflex(i));
        }
        self.last_blocked.clear();
        self.last_blocked.resize(n, NONE);
        self.blocked.clear();

        self.steps_left.set(n.saturating_mul(steps_per_corner));
        let mut left = n;
        let mut first = 0;
        for &rule in rules {
            self.candidates.clear();
            let mut corner = first;
            for _ in 0..left {
                self.candidates.insert(corner as u32);
                corner = self.after[corner] as usize;
            }
            let mut from = first;
            while left > 3 && self.steps_left.get() > 0 {
                let next = self.candidates.range(from as u32..).next();
                let Some(b) = next.or_else(|| self.candidates.first()).map(|&b| b as usize) else {
                    break;
                };
                spend(&self.steps_left, 1);
                self.candidates.remove(&(b as u32));
                let (a, c) = (self.before[b] as usize, self.after[b] as usize);
                from = c;
                match self.judge(b, rule) {
                    Corner::NoEar => {}
                    Corner::Blocked(by) => {
                        self.blocked.push([b as u32, self.last_blocked[by]]);
                        self.last_blocked[by] = self.blocked.len() as u32 - 1;
                    }
                    Corner::Ear => {
                        emit([a, b, c]);
                        self.after[a] = c as u32;
                        self.before[c] = a as u32;
                        self.reflex.switch(b, false);
                        self.unblock(b);
                        for side in [a, c] {
                            self.candidates.insert(side as u32);
                            // Without spikes, a convex corner stays convex.
                            let may_be = self.reflex.is_on(side) || rule != Rule::Simple;
                            self.reflex.switch(side, may_be && self.is_reflex(side));
                            if !self.reflex.is_on(side) || rule != Rule::Simple {
                                self.unblock(side);
                            }
                        }
                        left -= 1;
                        first = c;
                    }
                }
            }
        }

        let mut turned_over = 0.0;
        let mut b = self.after[first] as usize;
        for _ in 0..left - 2 {
            let c = self.after[b] as usize;
            emit([first, b, c]);
            turned_over -= self.orientation([first, b, c]).min(0.0);
            b = c;
        }
        turned_over
    }

    /// Makes candidates of the corners that a corner blocks.
    fn unblock(&mut self, by: usize) {
        let mut entry = std::mem::replace(&mut self.last_blocked[by], NONE);
        while entry != NONE {
            let [corner, before] = self.blocked[entry as usize];
            // A corner that has been cut off is in no way back.
            if self.after[self.before[corner as usize] as usize] == corner {
                self.candidates.insert(corner);
            }
            entry = before;
        }
    }

    fn orientation(&self, [a, b, c]: [usize; 3]) -> f64 {
        orientation(self.points[a], self.points[b], self.points[c])
    }

    fn is_reflex(&self, b: usize) -> bool {
        self.orientation([self.before[b] as usize, b, self.after[b] as usize]) <= 0.0
    }

    pub(super) fn has_given_up(&self) -> bool {
        self.steps_left.get() == 0
    }

    fn judge(&self, b: usize, rule: Rule) -> Corner {
        let (a, c) = (self.before[b] as usize, self.after[b] as usize);
        let ear = [a, b, c].map(|corner| self.points[corner]);
        let angle = orientation(ear[0], ear[1], ear[2]);
        if angle == 0.0 && rule != Rule::Simple && runs_back(ear) {
            return Corner::Ear;
        }
        if angle.is_nan() || angle <= 0.0 {
            return Corner::NoEar;
        }
        let sides = [[ear[0], ear[1]], [ear[1], ear[2]], [ear[2], ear[0]]];
        let least = [0, 1].map(|k| ear[0][k].min(ear[1][k]).min(ear[2][k]));
        let most = [0, 1].map(|k| ear[0][k].max(ear[1][k]).max(ear[2][k]));
        let reaches = |bounds: &[Point; 2]| {
            // A box that is one point of the ear.
            let is_corner = bounds[0] == bounds[1] && ear.contains(&bounds[0]);
            (rule != Rule::Simple || !is_corner)
                && (0..2).all(|k| bounds[0][k] <= most[k] && bounds[1][k] >= least[k])
                && sides.iter().all(|side| reach(*side, bounds))
        };
        let is_left = |p: Point| sides.map(|[from, to]| orientation(from, to, p) > 0.0);
        // Whether an edge leads from a corner in the ear to its inside.
        let leads_in = |v: usize| {
            let inside = is_left(self.points[v]);
            [self.before[v], self.after[v]].into_iter().any(|end| {
                let end = is_left(self.points[end as usize]);
                (0..3).all(|side| inside[side] || end[side])
            })
        };
        // Whether a corner at the ear's own point runs back along both of its sides. Then the
        // ear may lie beyond a bridge without width.
        let runs_along = |v: usize| {
            let [c, a] = [(self.before[v], ear[2]), (self.after[v], ear[0])].map(|(end, p)| {
                let end = self.points[end as usize];
                orientation(p, ear[1], end) == 0.0 && runs_back([p, ear[1], end])
            });
            self.points[v] == ear[1] && a && c
        };
        let blocks = |v: usize| {
            let p = self.points[v];
            let is_in = sides.iter().all(|&[from, to]| orientation(from, to, p) >= 0.0);
            v != a
                && v != c
                && is_in
                && match rule {
                    Rule::Simple => !ear.contains(&p),
                    _ if leads_in(v) => true,
                    _ if runs_along(v) => true,
                    Rule::Touching => !ear.contains(&p),
                    Rule::Tight => false,
                }
        };
        let seed = (b as u32).wrapping_mul(0x9e37_79b1);
        match self.reflex.find(seed, &reaches, &blocks, &self.steps_left) {
            Some(by) => Corner::Blocked(by),
            None => Corner::Ear,
        }
    }
}

/// Positive if the path from `a` over `b` to `c` turns left.
pub(super) fn orientation(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

/// Whether a path of no angle turns round, or stands still.
fn runs_back([a, b, c]: [Point; 3]) -> bool {
    (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) <= 0.0
}

/// Whether a box reaches to the left of a line, or to the line. It is enough to look at its
/// corner farthest to the left: rounding keeps the order, so `orientation` is not larger for
/// another point of the box.
fn reach([from, to]: [Point; 2], [least, most]: &[Point; 2]) -> bool {
    let x = if to[1] >= from[1] { least[0] } else { most[0] };
    let y = if to[0] >= from[0] { most[1] } else { least[1] };
    orientation(from, to, [x, y]) >= 0.0
}
