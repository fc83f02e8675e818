//! Several rays side by side, worked out once.

use super::beam::Beam;
use crate::bvh::{BvhView, LANES, LeafBlock, Node, WIDTH};
use crate::geometry::Ray;
use crate::query::leaf;
use crate::query::prepare::{
    AXES, EPSILON, FAR, NEAR, Prepared, ROWS, TINY, larger, least_delta, power,
};
use crate::query::slabs;
use crate::simd::{Point, Vector};

const _: () = assert!(size_of::<Ray>() == 8 * size_of::<f32>());

/// The most rays in a packet.
pub(crate) const RAYS: usize = 32;

/// A number of each ray.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [f32; RAYS]);

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; RAYS]);

    /// # Safety
    /// As for [`Vector`]; `first + V::LANES <= RAYS`.
    #[inline(always)]
    pub(super) unsafe fn load<V: Vector>(&self, first: usize) -> V {
        // SAFETY: the caller vouches for the CPU and for `first`.
        unsafe { V::load(self.0.as_ptr().add(first)) }
    }

    /// # Safety
    /// As for [`load`](Self::load).
    #[inline(always)]
    unsafe fn store<V: Vector>(&mut self, first: usize, numbers: V) {
        // SAFETY: the caller vouches for the CPU and for `first`.
        unsafe { numbers.store(self.0.as_mut_ptr().add(first)) }
    }
}

/// # Safety
/// As for [`Lanes::load`].
#[inline(always)]
unsafe fn load<V: Vector>(lanes: &[Lanes; 3], first: usize) -> [V; 3] {
    // SAFETY: the caller vouches for it.
    unsafe {
        [
            lanes[0].load(first),
            lanes[1].load(first),
            lanes[2].load(first),
        ]
    }
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) least: f32,
    pub(super) greatest: f32,
}

impl Span {
    /// The greatest size of them.
    #[inline(always)]
    fn size(self) -> f32 {
        larger(self.least.abs(), self.greatest.abs())
    }

    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn of<V: Vector>(lanes: &Lanes) -> Self {
        // SAFETY: the caller vouches for the CPU; packets are a whole number of vectors.
        unsafe {
            let mut least: V = lanes.load(0);
            let mut greatest = least;
            let mut first = V::LANES;
            while first < RAYS {
                let numbers: V = lanes.load(first);
                least = least.min(numbers);
                greatest = greatest.max(numbers);
                first += V::LANES;
            }
            Self {
                least: fold(least, |a, b| if b < a { b } else { a }),
                greatest: fold(greatest, |a, b| if b > a { b } else { a }),
            }
        }
    }
}

/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn fold<V: Vector>(numbers: V, pick: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0f32; RAYS];
    // SAFETY: the caller vouches for the CPU; vectors are no longer than packets.
    unsafe { numbers.store(lanes.as_mut_ptr()) };
    let mut half = V::LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = pick(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// How far apart directions may be, in units of their largest components.
const SPREAD: f32 = 0.25;
/// How far apart origins may be, in units of the tree's size.
const APART: f32 = 1.0 / 16.0;

/// The `t_max` of a ray that is asked nothing more.
pub(super) const RETIRED: f32 = -1.0;

/// Rays that run much the same way, ready for the kernels: what [`Prepared`] is for one. No
/// `t_min` is negative, so that nothing is shifted.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(super) beam: Beam,
    /// As in [`Prepared`], by axis.
    near: [u32; 3],
    far: [u32; 3],
    /// The rays as they are, by axis.
    from: [Lanes; 3],
    dir: [Lanes; 3],
    inv: [Lanes; 3],
    near_add: [Lanes; 3],
    far_add: [Lanes; 3],
    t_min: Lanes,
    pub(super) t_max: Lanes,

    row: [u32; 3],
    /// In the order of the rows.
    origin: [Lanes; 3],
    shear: [Lanes; 2],
    z_sign: f32,
    z_size: Lanes,
    z_inverse: Lanes,
    z_min: Lanes,
    delta: f32,
    z_clamp: f32,
}

impl Packet {
    /// Room for rays.
    pub(crate) const ROOM: Self = {
        let lanes = Lanes::ZERO;
        let span = Span {
            least: 0.0,
            greatest: 0.0,
        };
        Self {
            beam: Beam {
                down: [false; 3],
                from: [span; 3],
                inv: [span; 3],
                pad: [0.0; 3],
                t_min: 0.0,
            },
            near: [0; 3],
            far: [0; 3],
            from: [lanes; 3],
            dir: [lanes; 3],
            inv: [lanes; 3],
            near_add: [lanes; 3],
            far_add: [lanes; 3],
            t_min: lanes,
            t_max: lanes,
            row: [0; 3],
            origin: [lanes; 3],
            shear: [lanes; 2],
            z_sign: 0.0,
            z_size: lanes,
            z_inverse: lanes,
            z_min: lanes,
            delta: 0.0,
            z_clamp: 0.0,
        }
    };

    /// Takes as many of the first `RAYS` rays as run much the same way as the very first, in a row,
    /// and works them out. None, if not even that one is for the kernels, as in
    /// [`prepare`](crate::query::prepare::prepare), or if it looks behind itself.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(crate) unsafe fn fill<P: Point, V: Vector>(
        &mut self,
        tree: &BvhView<'_>,
        rays: &[Ray],
    ) -> usize {
        let facts = &tree.facts;
        let lead = &rays[0];
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            match rays.first_chunk() {
                Some(rays) => self.take_up::<P>(rays),
                // The spare lanes are like the first, but they are asked nothing.
                None => self.take_up::<P>(&std::array::from_fn(|i| *rays.get(i).unwrap_or(lead))),
            }
        }
        let sizes = lead.dir.abs();
        let axis = if sizes.x >= sizes.y && sizes.x >= sizes.z {
            0
        } else if sizes.y >= sizes.z {
            1
        } else {
            2
        };
        let [x, y, z] = AXES[axis].map(|axis| axis as usize);
        self.row = ROWS[axis];
        self.z_sign = 1f32.copysign(lead.dir[z]);
        let apart = APART * larger(facts.half[0], larger(facts.half[1], facts.half[2]));

        // SAFETY: the caller vouches for the CPU; packets are a whole number of vectors.
        unsafe {
            let splat = |x: f32| V::splat(x);
            let zero = splat(0.0);
            let mut like = 0;
            let mut first = 0;
            while first < RAYS {
                let z_size = self.dir[z].load::<V>(first).abs();
                // Sums pass a NaN on, which a maximum may not.
                let (mut skews, mut ways) = (zero, zero);
                let mut sign = splat(1.0);
                for k in 0..3 {
                    let along: V = self.dir[k].load(first);
                    let size = along.abs();
                    let wide = size.max(z_size.mul(splat(TINY))).flip_sign(along);
                    let inv = splat(1.0).div(wide);
                    self.inv[k].store(first, inv);
                    sign = sign.min(inv.flip_sign(splat(lead.dir[k])));
                    let skew = size.mul_sub_from(splat(sizes[z]), z_size.mul(splat(sizes[k])));
                    skews = skews.add(skew.abs());
                    let way = self.from[k].load::<V>(first).sub(splat(lead.origin[k]));
                    ways = ways.add(way.abs());
                }
                let size = self.dir[x].load::<V>(first).abs();
                let size = size.max(self.dir[y].load::<V>(first).abs());
                let (t_min, t_max): (V, V) = (self.t_min.load(first), self.t_max.load(first));
                let good = skews.le(z_size.mul(splat(SPREAD * sizes[z])))
                    & ways.le(splat(apart))
                    & zero.le(sign)
                    & size.le(z_size)
                    & splat(1.0 / power(30)).le(z_size)
                    & z_size.le(splat(power(30)))
                    & zero.le(t_min)
                    & t_min.le(t_max);
                let z_inv: V = self.inv[z].load(first);
                self.shear[0].store(first, self.dir[x].load::<V>(first).mul(z_inv));
                self.shear[1].store(first, self.dir[y].load::<V>(first).mul(z_inv));
                self.z_size.store(first, z_size);
                self.z_inverse.store(first, z_inv.abs());
                // A sum of nothing and minus zero is zero.
                self.t_min.store(first, t_min.add(zero));
                like |= u64::from(good & (u32::MAX >> (32 - V::LANES))) << first;
                first += V::LANES;
            }
            let taken = rays.len().min((!like).trailing_zeros() as usize);
            if taken == 0 {
                return 0;
            }

            // What the spare lanes hold counts for the beam.
            let lanes = self.from.iter_mut().chain(&mut self.inv);
            for lanes in lanes.chain([&mut self.t_min]) {
                for lane in taken..RAYS {
                    lanes.0[lane] = lanes.0[0];
                }
            }
            for lane in taken..RAYS {
                self.t_max.0[lane] = RETIRED;
            }
            let (mut scale, mut reach) = (0f32, 0f32);
            for k in 0..3 {
                let origins = Span::of::<V>(&self.from[k]);
                scale = larger(scale, facts.size[k] + origins.size());
                let center = facts.center[k];
                let way = larger(origins.greatest - center, center - origins.least);
                reach = larger(reach, way + facts.half[k]);
                let down = lead.dir[k].is_sign_negative();
                let (near, far) = (NEAR[k], FAR[k]);
                (self.near[k], self.far[k]) = if down { (far, near) } else { (near, far) };
                self.beam.down[k] = down;
                self.beam.from[k] = origins;
                self.beam.inv[k] = Span::of::<V>(&self.inv[k]);
            }
            let slack = 1.0 + 8.0 * EPSILON;
            let (scale, reach) = (scale * slack, reach * slack);
            // As in `prepare`; nothing is NaN, for the directions and origins are not.
            if scale > power(36) || reach < 1.0 / power(20) {
                return 0;
            }

            self.origin = [self.from[x], self.from[y], self.from[z]];
            let pad = 8.0 * EPSILON * scale;
            self.delta = least_delta(reach);
            self.z_clamp = 2.0 * reach;
            let mut first = 0;
            while first < RAYS {
                for k in 0..3 {
                    let inv: V = self.inv[k].load(first);
                    let add = self.from[k].load::<V>(first).mul_sub_from(inv, zero);
                    let pads = inv.abs().mul(splat(pad));
                    self.near_add[k].store(first, add.sub(pads));
                    self.far_add[k].store(first, add.add(pads));
                }
                let z_min = self.t_min.load::<V>(first).mul(self.z_size.load(first));
                self.z_min.store(first, z_min.min(splat(self.z_clamp)));
                first += V::LANES;
            }
            for k in 0..3 {
                self.beam.pad[k] = pad * self.beam.inv[k].size();
            }
            self.beam.t_min = Span::of::<V>(&self.t_min).least;
            taken
        }
    }

    /// Puts rays side by side.
    ///
    /// # Safety
    /// As for [`Point`].
    #[inline(always)]
    unsafe fn take_up<P: Point>(&mut self, rays: &[Ray; RAYS]) {
        let numbers = (&raw const *rays).cast::<f32>();
        for lane in (0..RAYS).step_by(4) {
            // SAFETY: the caller vouches for the CPU. A ray is eight numbers: origin, direction,
            // `t_min` and `t_max`; packets are a whole number of fours.
            unsafe {
                let half = |i: usize| P::load(numbers.add(8 * lane + 4 * i));
                let [a, b, c, d] = P::transpose([half(0), half(2), half(4), half(6)]);
                a.store(self.from[0].0.as_mut_ptr().add(lane));
                b.store(self.from[1].0.as_mut_ptr().add(lane));
                c.store(self.from[2].0.as_mut_ptr().add(lane));
                d.store(self.dir[0].0.as_mut_ptr().add(lane));
                let [a, b, c, d] = P::transpose([half(1), half(3), half(5), half(7)]);
                a.store(self.dir[1].0.as_mut_ptr().add(lane));
                b.store(self.dir[2].0.as_mut_ptr().add(lane));
                c.store(self.t_min.0.as_mut_ptr().add(lane));
                d.store(self.t_max.0.as_mut_ptr().add(lane));
            }
        }
    }

    /// The greatest `t` that counts for any ray.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn ceiling<V: Vector>(&self) -> f32 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { Span::of::<V>(&self.t_max).greatest }
    }

    /// A bit for each ray that meets a node's child's box.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn meet<V: Vector>(&self, node: &Node, lane: usize) -> u32 {
        let planes = node.planes().as_flattened().as_ptr();
        let mut mask = 0;
        // SAFETY: the caller vouches for the CPU; the lane and a packet's rows are in the node, and
        // packets are a whole number of vectors.
        unsafe {
            let plane = |row: u32| V::splat(*planes.add(row as usize + lane % WIDTH));
            let near = [
                plane(self.near[0]),
                plane(self.near[1]),
                plane(self.near[2]),
            ];
            let far = [plane(self.far[0]), plane(self.far[1]), plane(self.far[2])];
            let mut first = 0;
            while first < RAYS {
                let terms = slabs::Terms {
                    inv: load(&self.inv, first),
                    near_add: load(&self.near_add, first),
                    far_add: load(&self.far_add, first),
                    t_min: self.t_min.load(first),
                };
                let (_, met) = terms.meet(near, far, self.t_max.load(first));
                mask |= met << first;
                first += V::LANES;
            }
        }
        mask
    }

    /// The vertices in a lane of a block, each number in every lane, in the order of the rows.
    ///
    /// # Safety
    /// As for [`Vector`]; the packet is a filled one.
    #[inline(always)]
    pub(super) unsafe fn corners<V: Vector>(&self, block: &LeafBlock, lane: u32) -> [[V; 3]; 3] {
        let lane = lane as usize % LANES;
        // SAFETY: the caller vouches for the CPU; a filled packet's rows are in the block.
        unsafe {
            let number = |rows: &[[f32; LANES]; 3], k: usize| {
                let rows = rows.as_flattened().as_ptr();
                V::splat(*rows.add(self.row[k] as usize + lane))
            };
            let corner = |which: usize| {
                let rows = &block.vertex[which];
                [number(rows, 0), number(rows, 1), number(rows, 2)]
            };
            [corner(0), corner(1), corner(2)]
        }
    }

    /// The terms of the triangle test, of the rays from `first` on.
    ///
    /// # Safety
    /// As for [`Vector`]; `first + V::LANES <= RAYS`.
    #[inline(always)]
    pub(super) unsafe fn terms<V: Vector>(&self, first: usize) -> leaf::Terms<V> {
        // SAFETY: the caller vouches for the CPU and for `first`.
        unsafe {
            let clamp = V::splat(self.z_clamp);
            let z_max = self.t_max.load::<V>(first).mul(self.z_size.load(first));
            leaf::Terms {
                origin: load(&self.origin, first),
                shear: [self.shear[0].load(first), self.shear[1].load(first)],
                z_sign: V::splat(self.z_sign),
                z_inverse: self.z_inverse.load(first),
                z_min: self.z_min.load(first),
                z_max: z_max.min(clamp),
                delta: V::splat(self.delta),
            }
        }
    }

    /// One of the rays by itself.
    pub(super) fn one(&self, lane: usize) -> Prepared {
        let all = |lanes: &[Lanes; 3]| [lanes[0].0[lane], lanes[1].0[lane], lanes[2].0[lane], 0.0];
        let rows = |rows: &[u32; 3]| [rows[0], rows[1], rows[2], 0];
        Prepared {
            near: rows(&self.near),
            far: rows(&self.far),
            inv: all(&self.inv),
            near_add: all(&self.near_add),
            far_add: all(&self.far_add),
            shift: 0.0,
            t_min: self.t_min.0[lane],
            row: self.row,
            origin: [0, 1, 2].map(|k| self.origin[k].0[lane]),
            shear: [self.shear[0].0[lane], self.shear[1].0[lane], 0.0, 0.0],
            z_sign: self.z_sign,
            z_size: self.z_size.0[lane],
            z_inverse: self.z_inverse.0[lane],
            delta: self.delta,
            z_min: self.z_min.0[lane],
            z_clamp: self.z_clamp,
        }
    }
}
