//! Orders rows of coherent rays so that a picture's lines become tiles.
//!
//! Rays often come line by line, and then only rays of the same line follow each other. A tile of
//! several lines needs a much smaller part of the level than as many rays of one line. The caller
//! does not say how long lines are, or whether there are any. So a few orders are compared by the
//! size of the tiles that they make. The given order is one of them.

use glam::Vec3;
use smallvec::SmallVec;

use crate::array::Each;
use crate::bvh::Facts;
use crate::geometry::Ray;
use crate::traverse::packet::{ROW, ROWS};

/// The most rows that are ordered at a time: some lines of a picture, if it is not too wide.
const MAX_ROWS: usize = 1024;

/// Every 13th step from row to row is sampled. A prime, because lines often have a round length.
const SAMPLE_STEP: usize = 13;

/// Lines are cut into this many segments: several per row, so that columns can be told apart.
const SEGMENTS: usize = 1024;

/// The orders that are compared, by the rows per column: columns run across the lines, and every
/// eight rows of a column are a tile. As many rows as lines make tiles one row wide. `None` is the
/// given order. Of equally good ones the first wins, because taller columns tolerate more rows that
/// are out of line.
const COLUMN_HEIGHTS: [Option<usize>; 4] = [None, Some(4 * ROWS), Some(2 * ROWS), Some(ROWS)];

const GIVEN_ORDER: [u16; MAX_ROWS] = {
    let mut order = [0; MAX_ROWS];
    let mut row = 0;
    while row < MAX_ROWS {
        order[row] = row as u16;
        row += 1;
    }
    order
};

/// The most columns.
const MAX_COLUMNS: usize = MAX_ROWS / ROWS;

/// Orders are compared by this many rows in the middle.
const COMPARED_ROWS: usize = 4 * ROWS;

/// Orders are compared every eighth time. In between, the best one is likely to stay the best.
const COMPARE_INTERVAL: u32 = 8;

/// The positions of rows in some order.
type Order = [u16; MAX_ROWS];

/// Collects rows and orders them.
pub(crate) struct Tiles {
    /// The indices of the rows' first rays.
    firsts: SmallVec<[u32; MAX_ROWS]>,
    /// A point for each row (see [`push`](Self::push)).
    points: SmallVec<[Vec3; MAX_ROWS]>,
    /// The segment of its line that each row is in.
    segments: SmallVec<[u16; MAX_ROWS]>,
    /// The rows' first rays, tile by tile.
    ordered: SmallVec<[u32; MAX_ROWS]>,
    /// How far behind the origins the points are.
    distance: f32,
    /// How many times rows have been ordered.
    times: u32,
    /// The best column height.
    height: Option<usize>,
}

impl Tiles {
    pub(crate) fn new(facts: &Facts) -> Self {
        Self {
            firsts: SmallVec::new(),
            points: SmallVec::new(),
            segments: SmallVec::new(),
            ordered: SmallVec::new(),
            // Larger than the tree.
            distance: 4.0 * facts.reach,
            times: 0,
            height: None,
        }
    }

    /// Whether the rows of another tile may not fit.
    pub(crate) fn is_full(&self) -> bool {
        self.firsts.len() + ROWS > MAX_ROWS
    }

    /// Adds consecutive rows. `first` is the index of their first ray.
    pub(crate) fn push<'a>(&mut self, first: usize, rows: impl Iterator<Item = &'a [Ray]>) {
        for (i, row) in rows.enumerate() {
            let lead = &row[0];
            // A point of the ray's line behind its origin. These points differ as directions do for
            // rays from one point, as origins do for parallel rays, and as both do for rays to one
            // point.
            let point = lead.origin - lead.dir * (self.distance / lead.dir.length());
            self.firsts.push((first + i * ROW) as u32);
            self.points.push(point);
        }
    }

    /// Removes all rows. Returns the indices of their first rays, tile by tile.
    pub(crate) fn take_ordered(&mut self) -> &[u32] {
        self.ordered.clear();
        if let Some(order) = self.order() {
            let order = order.iter().take(self.firsts.len());
            self.ordered.extend(order.map(|&row| self.firsts[usize::from(row)]));
        } else {
            self.ordered.extend_from_slice(&self.firsts);
        }
        self.firsts.clear();
        self.points.clear();
        &self.ordered
    }

    /// The order that makes the smallest tiles, if it is not the given one.
    fn order(&mut self) -> Option<Order> {
        if self.firsts.len() < COMPARED_ROWS {
            return None;
        }
        let compare = self.times.is_multiple_of(COMPARE_INTERVAL);
        self.times += 1;
        if !compare && self.height.is_none() {
            return None;
        }
        let counts = self.find_segments();
        if compare {
            let sizes = COLUMN_HEIGHTS.each(|height| (self.sampled_size(&counts, height), height));
            let best = sizes.iter().min_by(|a, b| a.0.total_cmp(&b.0));
            self.height = best.and_then(|&(_, height)| height);
        }
        self.height.map(|height| self.columns(&counts, height))
    }

    /// Finds the segment of each row. Returns how many rows each segment has.
    fn find_segments(&mut self) -> [u16; SEGMENTS] {
        // All steps weigh the same: many go along a line, few go back to where the next one begins.
        let steps = self.points.windows(2).step_by(SAMPLE_STEP);
        let along: Vec3 = steps.map(|two| (two[1] - two[0]).normalize_or_zero()).sum();
        let begin = self.points[0];
        let mut positions = [0f32; MAX_ROWS];
        let (mut min, mut max) = (f32::INFINITY, f32::NEG_INFINITY);
        for (position, point) in positions.iter_mut().zip(&self.points) {
            *position = (*point - begin).dot(along);
            min = min.min(*position);
            max = max.max(*position);
        }
        let scale = SEGMENTS as f32 / (max - min);
        let mut counts = [0; SEGMENTS];
        self.segments.clear();
        let positions = &positions[..self.points.len()];
        self.segments.extend(positions.iter().map(|position| {
            // NaN goes to the first segment.
            let segment = (((position - min) * scale) as u16).min(SEGMENTS as u16 - 1);
            counts[usize::from(segment)] += 1;
            segment
        }));
        counts
    }

    /// Orders rows by columns of this height. Each column has the rows of some segments, line by
    /// line. Every second column runs from the last line to the first, so that a tile with rows of
    /// two columns has neighbors.
    fn columns(&self, counts: &[u16; SEGMENTS], height: usize) -> Order {
        let mut column_of = [0u16; SEGMENTS];
        let mut sizes = [0u16; MAX_COLUMNS];
        let mut before = 0;
        for (column_of, count) in column_of.iter_mut().zip(counts) {
            *column_of = (before >> height.trailing_zeros()) % MAX_COLUMNS as u16;
            sizes[usize::from(*column_of)] += count;
            before += count;
        }
        // The position of each column's next row, and the step to the one after it.
        let mut next = [(0u16, 0i16); MAX_COLUMNS];
        let mut begin = 0;
        for (i, (next, size)) in next.iter_mut().zip(sizes).enumerate() {
            let end = begin + size;
            *next = if i % 2 == 0 { (begin, 1) } else { (end.wrapping_sub(1), -1) };
            begin = end;
        }
        let mut order = [0; MAX_ROWS];
        for (&segment, row) in self.segments.iter().zip(0..) {
            let (next, step) = &mut next[usize::from(column_of[usize::from(segment)])];
            order[usize::from(*next) % MAX_ROWS] = row;
            *next = next.wrapping_add_signed(*step);
        }
        order
    }

    /// The total size of some tiles, with columns of this height or in the given order.
    fn sampled_size(&self, counts: &[u16; SEGMENTS], height: Option<usize>) -> f32 {
        let order = match height {
            Some(height) => self.columns(counts, height),
            None => GIVEN_ORDER,
        };
        let first = (self.points.len() - COMPARED_ROWS) / 2 / ROWS * ROWS;
        let mut sum = 0.0;
        for tile in order[first..][..COMPARED_ROWS].chunks_exact(ROWS) {
            let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for &row in tile {
                min = min.min(self.points[usize::from(row)]);
                max = max.max(self.points[usize::from(row)]);
            }
            sum += (max - min).element_sum();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::Builder;
    use crate::bvh::Bvh;
    use crate::mesh::Mesh;
    use crate::traverse::packet::RAYS;

    fn tree() -> Bvh {
        let corners = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 10.0]];
        let mesh = Mesh::new(corners.to_vec(), vec![0, 1, 2]);
        Builder::new().bake(&[mesh]).unwrap().0
    }

    /// The rays of a picture of this size, all from one point, line by line.
    fn picture(width: usize, height: usize, roll: f32) -> Vec<Ray> {
        let (across, up) =
            (Vec3::new(roll.cos(), roll.sin(), 0.1), Vec3::new(-roll.sin(), roll.cos(), 0.2));
        let part = |i: usize| (i as f32 + 0.5) / width as f32 - 0.5;
        (0..width * height)
            .map(|i| {
                let dir =
                    Vec3::new(0.3, 0.4, -1.0) + across * part(i % width) + up * part(i / width);
                Ray::new([1.0, 2.0, 20.0], dir)
            })
            .collect()
    }

    fn tiles_of(rays: &[Ray]) -> Vec<u32> {
        let bvh = tree();
        let mut collected = Tiles::new(&bvh.view().facts);
        for (i, block) in rays.chunks(RAYS).enumerate() {
            assert!(!collected.is_full());
            collected.push(i * RAYS, block.chunks_exact(ROW));
        }
        let tiles = collected.take_ordered().to_vec();
        assert!(collected.take_ordered().is_empty());
        tiles
    }

    /// Asserts that every row is there once.
    fn assert_all(mut tiles: Vec<u32>, rays: &[Ray]) {
        tiles.sort_unstable();
        let rows = 0..(rays.len() / ROW) as u32;
        assert!(tiles.into_iter().eq(rows.map(|row| row * ROW as u32)));
    }

    #[test]
    fn lines_of_a_picture_become_squares() {
        for (width, height) in [(256, 16), (512, 8), (128, 32), (64, 32)] {
            for roll in [0.0, 0.3, 2.0] {
                let rays = picture(width, height, roll);
                let tiles = tiles_of(&rays);
                // Where lines are slanted, the last rows of a column are in the next one.
                let squares = tiles.chunks(ROWS).filter(|tile| {
                    let columns = tile.iter().map(|&row| row as usize % width);
                    let lines = tile.iter().map(|&row| row as usize / width);
                    let (first, last) = (lines.clone().min(), lines.max());
                    columns.clone().min() == columns.max() && last == first.map(|line| line + 7)
                });
                let (squares, all) = (squares.count(), tiles.len() / ROWS);
                assert!(4 * squares >= 3 * all, "{width}, {roll}: {squares} of {all}");
                assert_all(tiles, &rays);
            }
        }
    }

    #[test]
    fn a_few_wide_lines_become_wide_tiles() {
        let rays = picture(2048, 2, 0.1);
        let tiles = tiles_of(&rays);
        for tile in tiles.chunks(ROWS) {
            let columns = tile.iter().map(|&row| row as usize % 2048 / ROW);
            let (first, last) = (columns.clone().min().unwrap(), columns.max().unwrap());
            assert_eq!(last - first, 3, "{tile:?}");
        }
        assert_all(tiles, &rays);
    }

    #[test]
    fn rays_that_come_as_tiles_keep_their_order() {
        let rays = picture(256, 16, 0.2);
        let mut order = Vec::new();
        for tile in 0..64 {
            let (x, y) = (tile % 32 * ROW, tile / 32 * ROWS);
            for line in y..y + ROWS {
                order.extend_from_slice(&rays[line * 256 + x..][..ROW]);
            }
        }
        let rows = 0..(rays.len() / ROW) as u32;
        assert!(tiles_of(&order).into_iter().eq(rows.map(|row| row * ROW as u32)));
    }

    #[test]
    fn no_ray_is_lost_whatever_its_values() {
        let special = [f32::NAN, f32::INFINITY, 0.0, 1e-40, 3e38, -1.0];
        let mut rays = picture(256, 16, 0.4);
        for (i, ray) in rays.iter_mut().step_by(3).enumerate() {
            ray.dir[i % 3] = special[i % 6];
            ray.origin[i / 3 % 3] *= special[i / 7 % 6];
        }
        assert_all(tiles_of(&rays), &rays);
        for (ray, x) in [([0.0; 3], 0.0), ([1.0; 3], f32::NAN)] {
            let rays = vec![Ray::new(ray, [x; 3]); 4096];
            assert_all(tiles_of(&rays), &rays);
        }
        for rows in 0..40 {
            let rays = &picture(64, 8, 0.4)[..rows * ROW];
            assert_all(tiles_of(rays), rays);
        }
    }
}
