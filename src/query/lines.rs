//! The lines of a picture, made tiles.
//!
//! Rays often come line by line, and then only neighbours of the same line are next to each other. A
//! tile of several lines has far less of the level before it than as many rays of one line. Nobody says
//! where lines end, or that there are any: of a few ways to make tiles that is taken whose tiles are the
//! smallest, and one of them is to leave all as it is.

use glam::Vec3A;
use smallvec::SmallVec;

use super::packet::RAYS;
use crate::bvh::BvhView;
use crate::geometry::Ray;

/// Rays of a row: neighbours of the same line, one after the other.
pub(crate) const ROW: usize = 8;

/// Rows of a tile.
pub(super) const TILE: usize = RAYS / ROW;

/// At most so many rows are put in order at a time: a few lines of a picture, if it is not too wide.
const MOST: usize = 512;

/// Ways to make tiles are compared by so many rows, in the middle.
const PROBE: usize = 4 * TILE;

/// Rows are sorted along their lines, so many of them at a time go line by line, and every eight are a
/// tile: as many as there are lines make tiles that are one row wide. (None: all stays as it came.)
const COLUMNS: [Option<usize>; 4] = [None, Some(TILE), Some(2 * TILE), Some(4 * TILE)];

/// Rows as they come.
pub(super) struct Lines {
    /// The numbers of their first rays.
    rows: SmallVec<[u32; MOST]>,
    /// Where each of them is.
    places: SmallVec<[Vec3A; MOST]>,
    /// Which way they go on, on the whole.
    along: Vec3A,
    /// Their numbers, below what they are sorted by.
    sorted: SmallVec<[u64; MOST]>,
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
            places: SmallVec::new(),
            along: Vec3A::ZERO,
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
        let place = Vec3A::from(lead.origin - lead.dir * (self.way / lead.dir.length()));
        if let Some(&last) = self.places.last() {
            // Each step counts alike: many are along a line, few back to where the next begins.
            self.along += (place - last).normalize_or_zero();
        }
        self.rows.push(first as u32);
        self.places.push(place);
    }

    /// The numbers of the first rays of all rows, tile by tile. Then there are none.
    pub(super) fn tiles(&mut self) -> &[u32] {
        self.tiles.clear();
        let column = self.best();
        if let Some(column) = column {
            for column in self.sorted.chunks_mut(column) {
                column.sort_unstable_by_key(|&row| row as u32);
            }
            let rows = self
                .sorted
                .iter()
                .map(|&row| self.rows[row as u32 as usize]);
            self.tiles.extend(rows);
        } else {
            self.tiles.extend_from_slice(&self.rows);
        }
        self.rows.clear();
        self.places.clear();
        self.along = Vec3A::ZERO;
        &self.tiles
    }

    /// The way to make tiles that makes them smallest. Sorts the rows along their lines.
    fn best(&mut self) -> Option<usize> {
        if self.rows.len() < PROBE {
            return None;
        }
        self.sorted.clear();
        for (i, place) in self.places.iter().enumerate() {
            // Bits that compare as numbers do.
            let bits = place.dot(self.along).to_bits();
            let bits = bits ^ ((bits as i32 >> 31) as u32 >> 1 | 1 << 31);
            self.sorted.push(u64::from(bits) << 32 | i as u64);
        }
        self.sorted.sort_unstable();
        let first = (self.rows.len() - PROBE) / 2 / TILE * TILE;
        let size = |&column: &Option<usize>| {
            let mut probe = [0; PROBE];
            for (i, row) in probe.iter_mut().enumerate() {
                *row = match column {
                    Some(_) => self.sorted[first + i] as u32,
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
        for tile in rows.chunks_exact(TILE) {
            let (mut least, mut greatest) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            for &row in tile {
                least = least.min(self.places[row as usize]);
                greatest = greatest.max(self.places[row as usize]);
            }
            sum += (greatest - least).element_sum();
        }
        sum
    }
}
