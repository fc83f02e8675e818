//! The lines of a picture, made tiles.
//!
//! Rays often come line by line, and then only neighbours of the same line are next to each other. A
//! tile of several lines has far less of the level before it than as many rays of one line. Nobody says
//! where lines end, or that there are any: of a few ways to make tiles that is taken whose tiles are the
//! smallest, and one of them is to leave all as it is.

use glam::Vec3;
use smallvec::SmallVec;

use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::packet::{ROW, ROWS};

/// At most so many rows are put in order at a time: a few lines of a picture, if it is not too wide.
const MOST: usize = 1024;

/// Every so many steps from row to row one is looked at: a prime, for lines often have a round number of them.
const SAMPLE: usize = 13;

/// Stretches that lines are cut into: several a row, so that columns can be told apart.
const STRETCHES: usize = 1024;

/// Rows are put in columns across their lines, so many of them in one, and every eight of a column, line by
/// line, are a tile: as many as there are lines make tiles that are one row wide. (None: all stays as it
/// came. Of equally good ones the first is taken: more rows bear more that are out of line.)
const COLUMNS: [Option<usize>; 4] = [None, Some(4 * ROWS), Some(2 * ROWS), Some(ROWS)];

/// The most columns.
const MOST_COLUMNS: usize = MOST / ROWS;

/// Ways to make tiles are compared by so many rows, in the middle,
const PROBE: usize = 4 * ROWS;

/// and again every so many times: what was best is likely to be so again.
const AGAIN: u32 = 8;

/// The places of rows in some order.
type Order = [u16; MOST];

/// Rows as they come.
pub(crate) struct Lines {
    /// The numbers of their first rays.
    firsts: SmallVec<[u32; MOST]>,
    /// Where they are.
    places: SmallVec<[Vec3; MOST]>,
    /// Which stretch of its line each is in.
    stretches: SmallVec<[u16; MOST]>,
    /// The numbers of the first rays, tile by tile.
    tiles: SmallVec<[u32; MOST]>,
    /// How far behind their origins rays are looked at.
    way: f32,
    /// So often rows were put in order.
    times: u32,
    /// The way to make tiles that was best.
    column: Option<usize>,
}

impl Lines {
    pub(crate) fn new(tree: &TreeView<'_>) -> Self {
        Self {
            firsts: SmallVec::new(),
            places: SmallVec::new(),
            stretches: SmallVec::new(),
            tiles: SmallVec::new(),
            // Farther than the tree is large.
            way: 4.0 * tree.facts.reach,
            times: 0,
            column: None,
        }
    }

    /// Whether there may be no room for a tile's rows.
    pub(crate) fn is_full(&self) -> bool {
        self.firsts.len() + ROWS > MOST
    }

    /// Takes rows up, one after the other, of which the first begins with the ray of this number.
    pub(crate) fn take<'a>(&mut self, first: usize, rows: impl Iterator<Item = &'a [Ray]>) {
        for (i, row) in rows.enumerate() {
            let lead = &row[0];
            // A point on the ray's line, behind it: rays from one point differ there as their directions
            // do, parallel ones as their origins do, and those to one point as both do.
            let place = lead.origin - lead.dir * (self.way / lead.dir.length());
            self.firsts.push((first + i * ROW) as u32);
            self.places.push(place);
        }
    }

    /// The numbers of the first rays of all rows, tile by tile. Then there are none.
    pub(crate) fn tiles(&mut self) -> &[u32] {
        self.tiles.clear();
        if let Some(order) = self.order() {
            let order = order.iter().take(self.firsts.len());
            self.tiles.extend(order.map(|&row| self.firsts[usize::from(row)]));
        } else {
            self.tiles.extend_from_slice(&self.firsts);
        }
        self.firsts.clear();
        self.places.clear();
        &self.tiles
    }

    /// The order of rows that makes tiles smallest, if not that which they came in.
    fn order(&mut self) -> Option<Order> {
        if self.firsts.len() < PROBE {
            return None;
        }
        let compare = self.times.is_multiple_of(AGAIN);
        self.times += 1;
        if !compare && self.column.is_none() {
            return None;
        }
        let counts = self.stretch();
        if compare {
            let sizes = COLUMNS.map(|column| (self.sample(&counts, column), column));
            let best = sizes.iter().min_by(|a, b| a.0.total_cmp(&b.0));
            self.column = best.and_then(|&(_, column)| column);
        }
        self.column.map(|column| self.columns(&counts, column))
    }

    /// Finds the stretch of each row: how many are in each.
    fn stretch(&mut self) -> [u16; STRETCHES] {
        // Each step counts alike: many are along a line, few back to where the next begins.
        let steps = self.places.windows(2).step_by(SAMPLE);
        let along: Vec3 = steps.map(|two| (two[1] - two[0]).normalize_or_zero()).sum();
        let begin = self.places[0];
        let mut ways = [0f32; MOST];
        let (mut least, mut greatest) = (f32::INFINITY, f32::NEG_INFINITY);
        for (way, place) in ways.iter_mut().zip(&self.places) {
            *way = (*place - begin).dot(along);
            least = least.min(*way);
            greatest = greatest.max(*way);
        }
        let scale = STRETCHES as f32 / (greatest - least);
        let mut counts = [0; STRETCHES];
        self.stretches.clear();
        let ways = &ways[..self.places.len()];
        self.stretches.extend(ways.iter().map(|way| {
            // (Whatever is no number is in the first.)
            let stretch = (((way - least) * scale) as u16).min(STRETCHES as u16 - 1);
            counts[usize::from(stretch)] += 1;
            stretch
        }));
        counts
    }

    /// Rows column by column, so many in each: each column has those of some stretches, line by line; of
    /// every other column the last line comes first, so that tiles with rows of two are of neighbours.
    fn columns(&self, counts: &[u16; STRETCHES], column: usize) -> Order {
        let mut column_of = [0u16; STRETCHES];
        let mut sizes = [0u16; MOST_COLUMNS];
        let mut before = 0;
        for (column_of, count) in column_of.iter_mut().zip(counts) {
            *column_of = (before >> column.trailing_zeros()) % MOST_COLUMNS as u16;
            sizes[usize::from(*column_of)] += count;
            before += count;
        }
        // Where each column's next row goes, and which way on from there.
        let mut next = [(0u16, 0i16); MOST_COLUMNS];
        let mut begin = 0;
        for (i, (next, size)) in next.iter_mut().zip(sizes).enumerate() {
            let end = begin + size;
            *next = if i % 2 == 0 { (begin, 1) } else { (end.wrapping_sub(1), -1) };
            begin = end;
        }
        let mut order = [0; MOST];
        for (&stretch, row) in self.stretches.iter().zip(0..) {
            let (next, step) = &mut next[usize::from(column_of[usize::from(stretch)])];
            order[usize::from(*next) % MOST] = row;
            *next = next.wrapping_add_signed(*step);
        }
        order
    }

    /// The size of some tiles, all in all, if they are made this way.
    fn sample(&self, counts: &[u16; STRETCHES], column: Option<usize>) -> f32 {
        let first = (self.places.len() - PROBE) / 2 / ROWS * ROWS;
        match column {
            Some(column) => self.size(&self.columns(counts, column)[first..][..PROBE]),
            None => {
                let rows: [u16; PROBE] = std::array::from_fn(|i| (first + i) as u16);
                self.size(&rows)
            }
        }
    }

    /// The size of tiles of these rows, all in all.
    fn size(&self, rows: &[u16]) -> f32 {
        let mut sum = 0.0;
        for tile in rows.chunks_exact(ROWS) {
            let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for &row in tile {
                least = least.min(self.places[usize::from(row)]);
                greatest = greatest.max(self.places[usize::from(row)]);
            }
            sum += (greatest - least).element_sum();
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

    /// Rays from one point, by where they go in a picture of this width.
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

    fn tiles(rays: &[Ray]) -> Vec<u32> {
        let bvh = tree();
        let mut lines = Lines::new(bvh.view());
        for (i, block) in rays.chunks(RAYS).enumerate() {
            assert!(!lines.is_full());
            lines.take(i * RAYS, block.chunks_exact(ROW));
        }
        let tiles = lines.tiles().to_vec();
        assert!(lines.tiles().is_empty());
        tiles
    }

    /// Every row, once.
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
                let tiles = tiles(&rays);
                // (Where lines are bent, the last rows of one column are among the next one's.)
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
        let tiles = tiles(&rays);
        for tile in tiles.chunks(ROWS) {
            let columns = tile.iter().map(|&row| row as usize % 2048 / ROW);
            let (first, last) = (columns.clone().min().unwrap(), columns.max().unwrap());
            assert_eq!(last - first, 3, "{tile:?}");
        }
        assert_all(tiles, &rays);
    }

    #[test]
    fn what_comes_as_tiles_stays_so() {
        let rays = picture(256, 16, 0.2);
        let mut order = Vec::new();
        for tile in 0..64 {
            let (x, y) = (tile % 32 * ROW, tile / 32 * ROWS);
            for line in y..y + ROWS {
                order.extend_from_slice(&rays[line * 256 + x..][..ROW]);
            }
        }
        let rows = 0..(rays.len() / ROW) as u32;
        assert!(tiles(&order).into_iter().eq(rows.map(|row| row * ROW as u32)));
    }

    #[test]
    fn no_ray_is_lost_whatever_it_is() {
        let odd = [f32::NAN, f32::INFINITY, 0.0, 1e-40, 3e38, -1.0];
        let mut rays = picture(256, 16, 0.4);
        for (i, ray) in rays.iter_mut().step_by(3).enumerate() {
            ray.dir[i % 3] = odd[i % 6];
            ray.origin[i / 3 % 3] *= odd[i / 7 % 6];
        }
        assert_all(tiles(&rays), &rays);
        for (ray, x) in [([0.0; 3], 0.0), ([1.0; 3], f32::NAN)] {
            let rays = vec![Ray::new(ray, [x; 3]); 4096];
            assert_all(tiles(&rays), &rays);
        }
        for rows in 0..40 {
            let rays = &picture(64, 8, 0.4)[..rows * ROW];
            assert_all(tiles(rays), rays);
        }
    }
}
