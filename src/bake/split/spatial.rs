//! Sets of references parted by a plane that cuts triangles in two: spatial splits (Stich,
//! Friedrich and Dietrich 2009, "Spatial Splits in Bounding Volume Hierarchies").

use glam::Vec4;

use super::super::areas::AreaScale;
use super::super::bounds::Bounds;
use super::super::no_memory;
use super::super::pass::{PIECE_LEN, Pass};
use super::super::prim_ref::{PrimRef, move_to};
use super::super::triangles::InputTriangle;
use super::binned::ROUND_TO_INT;
use super::clip::cut;
use super::sah::{self, BestPlane, Bins, Side};
use super::spatial_bins::TriangleSections;
use crate::platform::parallel;

/// SpatialGrid an axis is cut into.
const SPATIAL_BINS: usize = 16;

/// Sets from this size on are looked at through a sample first.
const SAMPLE_AXES_FROM: usize = 256;
/// References that one thread cuts at a time: few, since each may lie in all slabs.
const CUT_CHUNK: usize = 1 << 12;

/// Where to part a set: what of a triangle is below goes left, the rest right.
pub(super) struct SpatialSplit {
    pub(super) place: BestPlane,
    at: f32,
}

/// How many references have gone to either side of a plane.
pub(super) struct Partition {
    pub(super) left: usize,
    pub(super) right: usize,
    /// Places that the left side has; the right side begins behind them.
    pub(super) left_places: usize,
}

impl Partition {
    /// Shares out `places`: those to spare in proportion to the references.
    pub(super) fn new(places: usize, left: usize, right: usize) -> Self {
        let spare = places - left - right;
        // One alone is not parted any more.
        let share = match (left, right) {
            (1, _) => 0,
            _ => (spare as u64 * left as u64 / (left + right) as u64) as usize,
        };
        Self { left, right, left_places: left + share }
    }
}

impl SpatialSplit {
    /// The plane of least cost; the first of equals. `None` if no plane has something on
    /// both sides.
    pub(super) fn best(
        prims: &[PrimRef],
        bounds: &Bounds,
        kept: &[InputTriangle],
        pass: Pass<'_, '_>,
    ) -> Option<Self> {
        let areas = AreaScale::within(bounds)?;
        let mut slabs = SpatialGrid::new(bounds);
        if prims.len() >= SAMPLE_AXES_FROM {
            slabs.choose_axes(prims);
        }
        let fill = |prims: &[PrimRef]| fill(pass.over(prims), &slabs, kept);
        let filled = parallel::fold(prims, CUT_CHUNK, fill, merge);
        let place = sah::cheapest(&[0, 1, 2], &filled, &areas)?;
        let at = slabs.at[place.axis][place.bin];
        Some(Self { place, at })
    }

    /// Parts the first `count` of `prims`, the rest of which is spare room. The left side comes
    /// to lie at the front and the right side behind the left side's share of the room left.
    /// A triangle that would be cut stays whole on one side where that is cheaper or there is
    /// no more room; one of which no point is in its box is gone. `None` if all fell to one side:
    /// the references are then in another order, and some may have become smaller. `None`, too, if
    /// the bake is not to go on.
    pub(super) fn part(
        &self,
        prims: &mut [PrimRef],
        count: usize,
        kept: &[InputTriangle],
        pass: Pass<'_, '_>,
    ) -> Option<Partition> {
        let (axis, at) = (self.place.axis, self.at);
        // Those wholly below, those across, those wholly above.
        let (mut across, mut next, mut above) = (0, 0, count);
        while next < above {
            let seen = next + count - above;
            if seen.is_multiple_of(PIECE_LEN) && !pass.advance_over(0) {
                return None;
            }
            let (min, max) = (prims[next].min[axis], prims[next].max[axis]);
            if min < at && max <= at {
                prims.swap(across, next);
                across += 1;
                next += 1;
            } else if min >= at {
                above -= 1;
                prims.swap(next, above);
            } else {
                next += 1;
            }
        }

        let mut spare = prims.len() - count;
        let mut sides = Sides { left: self.place.left, right: self.place.right };
        let mut to_right = Vec::new();
        if let Err(error) = to_right.try_reserve_exact(above - across) {
            pass.fail(no_memory("triangles across a plane", error));
            return None;
        }
        let mut left = across;
        for i in across..above {
            if i.is_multiple_of(CUT_CHUNK) && !pass.advance_over(0) {
                return None;
            }
            let prim = prims[i];
            let choice = sides.choose(&prim, spare > 0);
            let parts = match choice {
                SplitChoice::Left => [Some(prim), None],
                SplitChoice::Right => [None, Some(prim)],
                SplitChoice::Both => cut(&prim, &kept[prim.index as usize].corners, axis, at),
            };
            if let [Some(_), Some(_)] = parts {
                spare -= 1;
            }
            if let Some(part) = parts[0] {
                prims[left] = part;
                left += 1;
            }
            to_right.extend(parts[1]);
        }
        let right = to_right.len() + count - above;
        if left == 0 || right == 0 {
            let begin = above - to_right.len();
            prims[begin..above].copy_from_slice(&to_right);
            return None;
        }
        let parted = Partition::new(prims.len(), left, right);
        let (begin, end) = (parted.left_places, parted.left_places + to_right.len());
        move_to(prims, above..count, end, pass);
        prims[begin..end].copy_from_slice(&to_right);
        Some(parted)
    }
}

/// What the two sides of a plane would hold.
struct Sides {
    left: Side,
    right: Side,
}

enum SplitChoice {
    Left,
    Right,
    Both,
}

impl Sides {
    /// Whether a triangle across the plane is better cut or left whole on one side (section 4.4 of
    /// the paper). Counts say what the sides hold with all triangles cut that have not been
    /// chosen for.
    fn choose(&mut self, prim: &PrimRef, may_cut: bool) -> SplitChoice {
        let bounds = Bounds::of(prim);
        let wide = |side: &Side| Side { bounds: side.bounds.merged(&bounds), ..*side };
        let fewer = |side: &Side| Side { count: side.count.saturating_sub(1), ..*side };
        let (wide_left, wide_right) = (wide(&self.left), wide(&self.right));
        let (less_left, less_right) = (fewer(&self.left), fewer(&self.right));
        let both = self.left.cost() + self.right.cost();
        let only_left = wide_left.cost() + less_right.cost();
        let only_right = less_left.cost() + wide_right.cost();
        if may_cut && both < only_left && both < only_right {
            SplitChoice::Both
        } else if only_left <= only_right {
            self.left = wide_left;
            self.right = less_right;
            SplitChoice::Left
        } else {
            self.left = less_left;
            self.right = wide_right;
            SplitChoice::Right
        }
    }
}

/// Where the planes between the slabs are.
struct SpatialGrid {
    /// `at[axis][i]` is the lower end of slab `i`.
    at: [[f32; SPATIAL_BINS + 1]; 3],
    origin: Vec4,
    scale: Vec4,
    /// Which axes are worth the work.
    axes: [bool; 3],
}

impl SpatialGrid {
    fn new(bounds: &Bounds) -> Self {
        let mut slabs = Self {
            at: [[0.0; SPATIAL_BINS + 1]; 3],
            origin: Vec4::from_array(bounds.min),
            scale: Vec4::ZERO,
            axes: [true; 3],
        };
        for k in 0..3 {
            // In `f64`, where no width overflows.
            let (min, max) = (f64::from(bounds.min[k]), f64::from(bounds.max[k]));
            for (i, at) in slabs.at[k].iter_mut().enumerate() {
                *at = (min + (max - min) * (i as f64 / SPATIAL_BINS as f64)) as f32;
            }
            let scale = (SPATIAL_BINS as f64 / (max - min)) as f32;
            slabs.scale[k] = if scale.is_finite() { scale } else { 0.0 };
        }
        slabs
    }

    /// Leaves out axes along which some references, taken evenly, reach over more than half of the
    /// slabs on average: so much would a plane have to cut, and so long it would take to find out.
    fn choose_axes(&mut self, prims: &[PrimRef]) {
        const SAMPLE: usize = 64;
        let mut spans = [0; 3];
        for i in 0..SAMPLE {
            let [first, last] = self.spans(&prims[i * prims.len() / SAMPLE]);
            for axis in 0..3 {
                spans[axis] += last[axis].saturating_sub(first[axis]) as usize;
            }
        }
        self.axes = spans.map(|span| 2 * span <= SAMPLE * SPATIAL_BINS);
    }

    /// The first and the last slab that the reference is in on each axis; the fourth are spare.
    /// What is in a slab by a thousandth does not count, whatever the roundings: so it is with
    /// those that end at a plane.
    #[inline(always)]
    fn spans(&self, prim: &PrimRef) -> [[u32; 4]; 2] {
        let Bounds { min, max } = Bounds::of(prim);
        let slab = |ends: [f32; 4], slack: f32| -> [u32; 4] {
            let at = (Vec4::from_array(ends) - self.origin) * self.scale;
            let at = (at + Vec4::splat(slack - 0.5)).max(Vec4::ZERO);
            let at = at.min(Vec4::splat((SPATIAL_BINS - 1) as f32));
            bytemuck::cast((at + Vec4::splat(ROUND_TO_INT)).to_array())
        };
        [slab(min, 1.0 / 1024.0), slab(max, -1.0 / 1024.0)]
    }
}

/// What begins, lies and ends in the slabs of the three axes.
fn fill(prims: &[PrimRef], slabs: &SpatialGrid, kept: &[InputTriangle]) -> [Bins<SPATIAL_BINS>; 3] {
    let mut filled = [Bins::EMPTY; 3];
    let mut whole = [UnsplitBins::EMPTY; 3];
    // First what lies in one slab, and then what has to be chopped, so that few branches depend on
    // which it is.
    for prims in prims.chunks(BATCH) {
        let mut across = [Straddler::default(); 3 * BATCH];
        let mut count = 0;
        for (i, prim) in prims.iter().enumerate() {
            let bounds = Bounds::of(prim);
            let [firsts, lasts] = slabs.spans(prim);
            for axis in 0..3 {
                if !slabs.axes[axis] {
                    continue;
                }
                let first = firsts[axis] as usize % SPATIAL_BINS;
                let last = lasts[axis] as usize % SPATIAL_BINS;
                let is_across = first < last;
                across[count] = Straddler {
                    prim: i as u8,
                    axis: axis as u8,
                    first: first as u8,
                    last: last as u8,
                };
                count += usize::from(is_across);
                let slab = (first + usize::from(is_across) * SPATIAL_BINS).min(SPATIAL_BINS);
                whole[axis].boxes[slab].merge(&bounds);
                whole[axis].counts[slab] += 1;
            }
        }
        for across in &across[..count] {
            let prim = &prims[usize::from(across.prim)];
            let bins = &mut filled[usize::from(across.axis)];
            across.bin_parts(prim, slabs, kept, bins);
        }
    }
    for (bins, whole) in filled.iter_mut().zip(&whole) {
        for slab in 0..SPATIAL_BINS {
            bins.boxes[slab].merge(&whole.boxes[slab]);
            bins.entries[slab] += whole.counts[slab];
            bins.exits[slab] += whole.counts[slab];
        }
    }
    filled
}

/// References that are looked at before those across planes among them are chopped.
const BATCH: usize = 64;

/// What lies in one slab; what does not comes behind the last.
#[derive(Clone, Copy)]
struct UnsplitBins {
    boxes: [Bounds; SPATIAL_BINS + 1],
    counts: [u32; SPATIAL_BINS + 1],
}

impl UnsplitBins {
    const EMPTY: Self =
        Self { boxes: [Bounds::EMPTY; SPATIAL_BINS + 1], counts: [0; SPATIAL_BINS + 1] };
}

/// A reference that lies across planes of an axis.
#[derive(Clone, Copy, Default)]
struct Straddler {
    /// Its number among some.
    prim: u8,
    axis: u8,
    first: u8,
    last: u8,
}

impl Straddler {
    /// Puts its parts into the slabs.
    #[inline(always)]
    fn bin_parts(
        &self,
        prim: &PrimRef,
        slabs: &SpatialGrid,
        kept: &[InputTriangle],
        bins: &mut Bins<SPATIAL_BINS>,
    ) {
        let axis = usize::from(self.axis);
        let first = usize::from(self.first);
        let corners = &kept[prim.index as usize].corners;
        let planes = &slabs.at[axis][first..usize::from(self.last) + 2];
        let (mut begin, mut end) = (None, first);
        TriangleSections::new(corners, axis).parts(&Bounds::of(prim), planes, |slab, part| {
            bins.boxes[first + slab].merge(part);
            begin.get_or_insert(first + slab);
            end = first + slab;
        });
        if let Some(begin) = begin {
            bins.entries[begin] += 1;
            bins.exits[end] += 1;
        }
    }
}

fn merge(
    mut filled: [Bins<SPATIAL_BINS>; 3],
    others: [Bins<SPATIAL_BINS>; 3],
) -> [Bins<SPATIAL_BINS>; 3] {
    for (bins, others) in filled.iter_mut().zip(&others) {
        bins.merge(others);
    }
    filled
}
