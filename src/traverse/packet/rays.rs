//! Several rays side by side, ready for the kernels.

use super::frustum::Shaft;
use super::interval::Beam;
use super::lanes::{Lanes, Mask, RAYS, Span, load};
use super::slants::Slants;
use super::triangle_test::Facets;
use crate::bvh::{Node, WIDTH};
use crate::simd::Vector;
use crate::traverse::ray::exact_hit::X8;
use crate::traverse::ray::node_test;
use crate::traverse::ray::setup::{BlockRows, PlaneRows, RaySetup};

/// The `t_max` of a ray that is asked nothing more.
pub(crate) const RETIRED: f32 = -1.0;

/// Rays that run much the same way, ready for the kernels: what [`RaySetup`] is for one. No
/// `t_min` is negative, so that nothing is shifted.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) beam: Beam,
    pub(crate) shaft: Shaft,
    /// As in [`RaySetup`], by axis.
    pub(crate) near: PlaneRows,
    pub(crate) far: PlaneRows,
    /// The rays as they are, by axis.
    pub(crate) from: [Lanes; 3],
    pub(crate) dir: [Lanes; 3],
    pub(crate) inv: [Lanes; 3],
    pub(crate) near_add: [Lanes; 3],
    pub(crate) far_add: [Lanes; 3],
    pub(crate) t_min: Lanes,
    pub(crate) t_max: Lanes,

    pub(crate) row: BlockRows,
    /// In the order of the rows.
    pub(crate) slants: Slants,
    /// Of the block that was looked at last.
    pub(crate) facets: Facets,
    pub(crate) shear: [Lanes; 2],
    pub(crate) z_size: Lanes,
    pub(crate) z_inverse: Lanes,
    pub(crate) z_min: Lanes,
}

impl Packet {
    /// Room for rays.
    pub(crate) const ROOM: Self = {
        let lanes = Lanes::ZERO;
        let span = Span { least: 0.0, greatest: 0.0 };
        Self {
            beam: Beam {
                down: [false; 3],
                from: [span; 3],
                inv: [span; 3],
                pad: [0.0; 3],
                t_min: 0.0,
            },
            shaft: Shaft::ROOM,
            near: PlaneRows::NEAR,
            far: PlaneRows::NEAR,
            from: [lanes; 3],
            dir: [lanes; 3],
            inv: [lanes; 3],
            near_add: [lanes; 3],
            far_add: [lanes; 3],
            t_min: lanes,
            t_max: lanes,
            row: BlockRows::BY_LAST_AXIS[0],
            slants: Slants::ROOM,
            facets: Facets::ROOM,
            shear: [lanes; 2],
            z_size: lanes,
            z_inverse: lanes,
            z_min: lanes,
        }
    };

    /// The greatest `t` that counts for any ray.
    #[inline(always)]
    pub(crate) fn ceiling<V: Vector>(&self, isa: V::Isa) -> f32 {
        Span::of::<V>(isa, &self.t_max).greatest
    }

    /// Of a ray, hits past this are of no interest any more.
    #[inline(always)]
    pub(crate) fn set_t_max(&mut self, lane: usize, t_max: f32) {
        // Vectors compare whole numbers, of which minus zero is before all others.
        self.t_max.0[lane] = t_max + 0.0;
    }

    /// The rays from `first` on whose bits are set, counted from the very first, are asked nothing more.
    #[inline(always)]
    pub(crate) fn retire<V: Vector>(&mut self, isa: V::Isa, first: usize, done: Mask) {
        let t_max: V = self.t_max.load(isa, first);
        self.t_max.store(first, t_max.choose(V::splat(isa, RETIRED), (done >> first) as u32));
    }

    /// A bit for each ray that meets a node's child's box.
    #[inline(always)]
    pub(crate) fn meet<V: Vector>(&self, isa: V::Isa, node: &Node, lane: usize) -> Mask {
        let mut mask = 0;
        let near = |k: usize| V::splat(isa, self.near.of(node, k)[lane % WIDTH]);
        let far = |k: usize| V::splat(isa, self.far.of(node, k)[lane % WIDTH]);
        let (near, far) = ([near(0), near(1), near(2)], [far(0), far(1), far(2)]);
        let mut first = 0;
        while first < RAYS {
            let terms = node_test::SlabTerms {
                inv: load(isa, &self.inv, first),
                near_add: load(isa, &self.near_add, first),
                far_add: load(isa, &self.far_add, first),
                t_min: self.t_min.load(isa, first),
            };
            let (_, met) = terms.intersect(near, far, self.t_max.load(isa, first));
            mask |= Mask::from(met) << first;
            first += V::LANES;
        }

        mask
    }

    /// The origins of a row.
    #[inline(always)]
    pub(crate) fn origins(&self, row: usize) -> [&X8<f32>; 3] {
        self.from.each_ref().map(|lanes| lanes.row(row))
    }

    /// The directions of a row.
    #[inline(always)]
    pub(crate) fn dirs(&self, row: usize) -> [&X8<f32>; 3] {
        self.dir.each_ref().map(|lanes| lanes.row(row))
    }

    /// One of the rays by itself.
    pub(crate) fn one(&self, lane: usize) -> RaySetup {
        let all = |lanes: &[Lanes; 3]| [lanes[0].0[lane], lanes[1].0[lane], lanes[2].0[lane], 0.0];
        let from = |k: usize| self.from[self.row.axis(k)].0[lane];
        RaySetup {
            near: self.near,
            far: self.far,
            inv: all(&self.inv),
            near_add: all(&self.near_add),
            far_add: all(&self.far_add),
            shift: 0.0,
            t_min: self.t_min.0[lane],
            row: self.row,
            origin: [from(0), from(1), from(2), 0.0],
            shear: [self.shear[0].0[lane], self.shear[1].0[lane], 0.0, 0.0],
            z_size: self.z_size.0[lane],
            z_inverse: self.z_inverse.0[lane],
            delta: self.shaft.least_delta,
            z_min: self.z_min.0[lane],
        }
    }
}
