//! The lines of a picture, made tiles.
//!
//! Rays often come line by line, and then only neighbours of the same line are next to each other. A
//! tile of several lines has far less of the level before it than as many rays of one line. Nobody says
//! where lines end, or that there are any: of a few ways to make tiles that is taken whose tiles are the
//! smallest, and one of them is to leave all as it is.

use glam::Vec3;
use smallvec::SmallVec;

use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::query::packet::ROWS;

/// At most so many rows are put in order at a time: a few lines of a picture, if it is not too wide.
const MOST: usize = 512;

/// The bits of a row's number.
const NUMBER: u32 = MOST as u32 - 1;
const _: () = assert!(MOST.is_power_of_two());

/// Every so many steps from row to row one is looked at.
const SAMPLE: usize = 4;

/// Ways to make tiles are compared by so many rows, in the middle.
const PROBE: usize = 4 * ROWS;

/// Rows are sorted along their lines, so many of them at a time go line by line, and every eight are a
/// tile: as many as there are lines make tiles that are one row wide. (None: all stays as it came. Of
/// equally good ones the first is taken: more rows bear more that are out of line.)
const COLUMNS: [Option<usize>; 4] = [None, Some(4 * ROWS), Some(2 * ROWS), Some(ROWS)];

/// A row.
#[derive(Clone, Copy)]
struct Row {
    /// Where it is.
    place: Vec3,
    /// The number of its first ray.
    first: u32,
}

/// Rows as they come.
pub(super) struct Lines {
    rows: SmallVec<[Row; MOST]>,
    /// Which way they go on, on the whole.
    along: Vec3,
    /// Their numbers, below what they are sorted by.
    sorted: SmallVec<[u32; MOST]>,
    /// The numbers of the first rays, tile by tile.
    tiles: SmallVec<[u32; MOST]>,
    /// How far behind their origins rays are looked at.
    way: f32,
}

impl Lines {
    pub(super) fn new(tree: &BvhView<'_>) -> Self {
        let [x, y, z, _] = tree.facts.half;
        Self {
            rows: SmallVec::new(),
            along: Vec3::ZERO,
            sorted: SmallVec::new(),
            tiles: SmallVec::new(),
            // Farther than the tree is large.
            way: 4.0 * x.max(y).max(z),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows.len() == MOST
    }

    /// Takes a row up, which begins with this ray.
    pub(super) fn take(&mut self, first: usize, lead: &Ray) {
        // A point on the ray's line, behind it: rays from one point differ there as their directions
        // do, parallel ones as their origins do, and those to one point as both do.
        let place = lead.origin - lead.dir * (self.way / lead.dir.length());
        if let Some(last) = self.rows.last()
            && self.rows.len() % SAMPLE == 1
        {
            // Each step counts alike: many are along a line, few back to where the next begins.
            self.along += (place - last.place).normalize_or_zero();
        }
        let first = first as u32;
        self.rows.push(Row { place, first });
    }

    /// The numbers of the first rays of all rows, tile by tile. Then there are none.
    pub(super) fn tiles(&mut self) -> &[u32] {
        self.tiles.clear();
        let column = self.best();
        if let Some(column) = column {
            for column in self.sorted.chunks_mut(column) {
                column.sort_unstable_by_key(|&row| row & NUMBER);
            }
            let rows = self
                .sorted
                .iter()
                .map(|&row| self.rows[(row & NUMBER) as usize].first);
            self.tiles.extend(rows);
        } else {
            self.tiles.extend(self.rows.iter().map(|row| row.first));
        }
        self.rows.clear();
        self.along = Vec3::ZERO;
        &self.tiles
    }

    /// The way to make tiles that makes them smallest. Sorts the rows along their lines.
    fn best(&mut self) -> Option<usize> {
        if self.rows.len() < PROBE {
            return None;
        }
        self.sorted.clear();
        let begin = self.rows[0].place;
        self.sorted
            .extend(self.rows.iter().zip(0..).map(|(row, i)| {
                // Bits that compare as numbers do.
                let bits = (row.place - begin).dot(self.along).to_bits();
                let bits = bits ^ ((bits as i32 >> 31) as u32 >> 1 | 1 << 31);
                bits & !NUMBER | i
            }));
        self.sorted.sort_unstable();
        let first = (self.rows.len() - PROBE) / 2 / ROWS * ROWS;
        let size = |&column: &Option<usize>| {
            let mut probe = [0; PROBE];
            for (i, row) in probe.iter_mut().enumerate() {
                *row = match column {
                    Some(_) => self.sorted[first + i] & NUMBER,
                    None => (first + i) as u32,
                };
            }
            if let Some(column) = column {
                probe.chunks_mut(column).for_each(<[u32]>::sort_unstable);
            }
            self.size(&probe)
        };
        let sizes = COLUMNS.map(|column| (size(&column), column));
        let best = sizes.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        best.and_then(|&(_, column)| column)
    }

    /// The size of tiles of these rows, all in all.
    fn size(&self, rows: &[u32; PROBE]) -> f32 {
        let mut sum = 0.0;
        for tile in rows.chunks_exact(ROWS) {
            let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for &row in tile {
                least = least.min(self.rows[row as usize].place);
                greatest = greatest.max(self.rows[row as usize].place);
            }
            sum += (greatest - least).element_sum();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::packet::ROW;
    use crate::{Builder, Bvh, Mesh};

    fn tree() -> Bvh {
        let corners = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 10.0]];
        let mesh = Mesh::new(corners.to_vec(), vec![0, 1, 2]);
        Builder::new().bake(&[mesh]).unwrap().0
    }

    /// Rays from one point, by where they go in a picture of this width.
    fn picture(width: usize, height: usize, roll: f32) -> Vec<Ray> {
        let (across, up) = (
            Vec3::new(roll.cos(), roll.sin(), 0.1),
            Vec3::new(-roll.sin(), roll.cos(), 0.2),
        );
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
        let mut lines = Lines::new(&bvh.view());
        for (i, row) in rays.chunks_exact(ROW).enumerate() {
            assert!(!lines.is_full());
            lines.take(i * ROW, &row[0]);
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
                assert!(
                    4 * squares >= 3 * all,
                    "{width}, {roll}: {squares} of {all}"
                );
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
        assert!(
            tiles(&order)
                .into_iter()
                .eq(rows.map(|row| row * ROW as u32))
        );
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
