//! Which rays go together, and what is worked out of them once.

use super::frustum::Shaft;
use super::lanes::{Mask, RAYS, Span};
use super::rays::{Packet, RETIRED};
use super::rows::Rows;
use super::slants::{Focus, Middle};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd::Vector;
use crate::traverse::ray::setup::{AXES, BlockRows, EPSILON, PlaneRows, TINY, larger, power};

/// How far apart directions may be, in units of their largest components.
const SPREAD: f32 = 0.5;
/// How far apart origins may be, in units of half the tree's size.
const APART: f32 = 1.0 / 4.0;
/// How far off rays may come together, in the same units.
const FAR_OFF: f32 = 8.0;

const _: () = assert!(size_of::<Ray>() == 8 * size_of::<f32>());

impl Packet {
    /// Takes those of the rays whose bits are set that run much the same way as the first of them, and
    /// works them out: a bit for each. None, if not even that one is for the kernels, as in
    /// [`set_up_ray`](crate::traverse::ray::setup::prepare), or if it looks behind itself.
    #[inline(always)]
    pub(crate) fn fill<V: Vector>(
        &mut self,
        isa: V::Isa,
        tree: &TreeView<'_>,
        rays: &Rows<'_>,
        asked: Mask,
    ) -> Mask {
        let facts = &tree.facts;
        let first_asked = asked.trailing_zeros() as usize % RAYS;
        let lead = rays.ray(first_asked);
        self.take_up::<V>(isa, rays);
        let (origin, dir) = (lead.origin.to_array(), lead.dir.to_array());
        let sizes = dir.map(f32::abs);
        let axis = if sizes[0] >= sizes[1] && sizes[0] >= sizes[2] {
            0
        } else if sizes[1] >= sizes[2] {
            1
        } else {
            2
        };
        let [x, y, z] = AXES[axis];
        self.row = BlockRows::BY_LAST_AXIS[axis];
        let apart = APART * facts.reach;

        let splat = |x: f32| V::splat(isa, x);
        let zero = splat(0.0);
        let mut like: Mask = 0;
        let mut first = 0;
        while first < RAYS {
            let z_size = self.dir[z].load::<V>(isa, first).abs();
            // Sums pass a NaN on, which a maximum may not.
            let (mut skews, mut ways) = (zero, zero);
            let mut sign = splat(1.0);
            for k in 0..3 {
                let along: V = self.dir[k].load(isa, first);
                let size = along.abs();
                let wide = size.max(z_size.mul(splat(TINY))).flip_sign(along);
                // (An eighth of a rounding more than a division has: all bounds have room for that.)
                let inv = wide.inverse();
                self.inv[k].store(first, inv);
                sign = sign.min(inv.flip_sign(splat(dir[k])));
                let skew = size.mul_sub_from(splat(sizes[z]), z_size.mul(splat(sizes[k])));
                skews = skews.add(skew.abs());
                let way = self.from[k].load::<V>(isa, first).sub(splat(origin[k]));
                ways = ways.add(way.abs());
            }
            let size = self.dir[x].load::<V>(isa, first).abs();
            let size = size.max(self.dir[y].load::<V>(isa, first).abs());
            let (t_min, t_max): (V, V) = (self.t_min.load(isa, first), self.t_max.load(isa, first));
            let good = skews.le(z_size.mul(splat(SPREAD * sizes[z])))
                & ways.le(splat(apart))
                & zero.le(sign)
                & size.le(z_size)
                & splat(1.0 / power(30)).le(z_size)
                & z_size.le(splat(power(30)))
                & zero.le(t_min)
                & t_min.le(t_max);
            let z_inv: V = self.inv[z].load(isa, first);
            self.shear[0].store(first, self.dir[x].load::<V>(isa, first).mul(z_inv));
            self.shear[1].store(first, self.dir[y].load::<V>(isa, first).mul(z_inv));
            self.z_size.store(first, z_size);
            self.z_inverse.store(first, z_inv);
            // A sum of nothing and minus zero is zero.
            self.t_min.store(first, t_min.add(zero));
            like |= Mask::from(good & (u32::MAX >> (32 - V::LANES))) << first;
            first += V::LANES;
        }
        let taken = like & asked;
        if taken >> first_asked & 1 == 0 {
            return 0;
        }
        let last = taken.ilog2() as usize;

        // What the other lanes hold counts for the beam.
        let others = !taken;
        if others != 0 {
            let lanes = self.from.iter_mut().chain(&mut self.inv).chain(&mut self.shear);
            for lanes in lanes.chain([&mut self.t_min]) {
                lanes.set::<V>(isa, others, lanes.0[first_asked]);
            }
            self.t_max.set::<V>(isa, others, RETIRED);
        }
        let (from, inv, shear) = (&self.from, &self.inv, &self.shear);
        let [a, b, c, shear_x] = Span::of_four::<V>(isa, [&from[0], &from[1], &from[2], &shear[0]]);
        self.beam.from = [a, b, c];
        let [a, b, c, shear_y] = Span::of_four::<V>(isa, [&inv[0], &inv[1], &inv[2], &shear[1]]);
        self.beam.inv = [a, b, c];
        let mut scale = 0f32;
        for k in 0..3 {
            scale = larger(scale, facts.size[k] + self.beam.from[k].size());
            self.beam.down[k] = dir[k].is_sign_negative();
        }
        (self.near, self.far) = PlaneRows::of_rays(self.beam.down);
        // As in `set_up_ray`; nothing is NaN, for the directions and origins are not.
        if scale > power(36) || scale < 1.0 / power(20) {
            return 0;
        }

        let pad = 8.0 * EPSILON * scale;
        let mut first = 0;
        while first < RAYS {
            for k in 0..3 {
                let inv: V = self.inv[k].load(isa, first);
                let add = self.from[k].load::<V>(isa, first).mul_sub_from(inv, zero);
                let (size, pad) = (inv.abs(), splat(pad));
                self.near_add[k].store(first, size.mul_sub_from(pad, add));
                self.far_add[k].store(first, size.mul_add(pad, add));
            }
            let z_min = self.t_min.load::<V>(isa, first).mul(self.z_size.load(isa, first));
            self.z_min.store(first, z_min);
            first += V::LANES;
        }
        for k in 0..3 {
            self.beam.pad[k] = pad * self.beam.inv[k].size();
        }
        self.beam.t_min = Span::of::<V>(isa, &self.t_min).least;
        self.set_shaft::<V>(
            isa,
            [x, y, z],
            [shear_x, shear_y],
            [first_asked, last],
            (facts.reach, scale),
        );
        taken
    }

    /// Puts a shaft around the rays: through where two of them are closest, if all others pass there, too. The
    /// tree's half size is `reach`, and no number of its or the rays' is larger than `scale`.
    #[inline(always)]
    fn set_shaft<V: Vector>(
        &mut self,
        isa: V::Isa,
        axes: [usize; 3],
        shears: [Span; 2],
        two: [usize; 2],
        (reach, scale): (f32, f32),
    ) {
        let [x, y, z] = axes;
        let origins = [self.beam.from[x], self.beam.from[y], self.beam.from[z]];
        let from = [&self.from[x], &self.from[y], &self.from[z]];
        let mut through = None;
        if origins.iter().any(|span| span.least != span.greatest) {
            let (one, other) = (self.line(axes, two[0]), self.line(axes, two[1]));
            let point = one.closest_to(&other);
            if (point[2] - one.origin[2]).abs() <= FAR_OFF * reach {
                let middle = Middle::of(point, shears);
                let off = self.slants.set::<V>(isa, &middle, from, &self.shear);
                through = Focus::sharp(point, off, origins);
            }
        }
        self.shaft = Shaft::new(origins, shears, through, scale);
        if through.is_none() {
            self.slants.set::<V>(isa, &self.shaft.middle, from, &self.shear);
        }
    }

    /// A ray by itself.
    #[inline(always)]
    fn line(&self, [x, y, z]: [usize; 3], lane: usize) -> Middle {
        Middle {
            origin: [self.from[x].0[lane], self.from[y].0[lane], self.from[z].0[lane]],
            shear: [self.shear[0].0[lane], self.shear[1].0[lane]],
        }
    }

    /// Puts rays side by side.
    #[inline(always)]
    fn take_up<V: Vector>(&mut self, isa: V::Isa, rays: &Rows<'_>) {
        let mut first = 0;
        while first < RAYS {
            let row = |i: usize, half: usize| {
                V::load_fours(isa, |four| {
                    // Origin and direction, `t_min` and `t_max`: eight numbers.
                    let ray: *const Ray = rays.ray(first + 4 * four + i);
                    // SAFETY: a ray is two fours (see the assertion above), and stays as
                    // long as the rows that lend it.
                    unsafe { &*ray.cast::<[f32; 4]>().add(half) }
                })
            };
            let rows = [row(0, 0), row(1, 0), row(2, 0), row(3, 0)];
            let [a, b, c, d] = V::transpose_fours(rows);
            self.from[0].store(first, a);
            self.from[1].store(first, b);
            self.from[2].store(first, c);
            self.dir[0].store(first, d);
            let rows = [row(0, 1), row(1, 1), row(2, 1), row(3, 1)];
            let [a, b, c, d] = V::transpose_fours(rows);
            self.dir[1].store(first, a);
            self.dir[2].store(first, b);
            self.t_min.store(first, c);
            // As in `set_t_max`.
            self.t_max.store(first, d.add(V::splat(isa, 0.0)));

            first += V::LANES;
        }
    }
}
