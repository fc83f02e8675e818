//! Many unlike rays in flight.

use std::mem::MaybeUninit;

use super::cast::Cast;
use super::leaf::{self, Glance};
use super::look::look;
use super::prepare::{Prepared, larger, lesser, prepare};
use super::slabs::Slabs;
use super::visitor::Visitor;
use crate::bvh::{BvhView, LEAF, LeafBlock, Node, ROOT, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Heap, Isa, Task, Vector};

/// Rays in flight.
pub(crate) const FLIGHTS: usize = 48;
/// Subtrees that a ray may put off.
const ROOM: usize = 128;
/// What lies below the last of them.
const DONE: u32 = 1 << 30;

#[repr(C, align(64))]
struct Flight {
    keys: [u32; ROOM + WIDTH],
    children: [u32; ROOM + WIDTH],
    prepared: Prepared,
    t_max: f32,
    z_max: f32,
    glance: Glance,
    top: u32,
    next: u32,
    number: u32,
}

pub(crate) struct Wave {
    flights: [MaybeUninit<Flight>; FLIGHTS],
}

impl Wave {
    pub(crate) const ROOM: Self = Self {
        flights: [const { MaybeUninit::uninit() }; FLIGHTS],
    };
}

struct Queue {
    slots: [u8; FLIGHTS + 8],
    len: usize,
}

impl Queue {
    fn new() -> Self {
        Self { slots: [0; FLIGHTS + 8], len: 0 }
    }
    #[inline(always)]
    fn push_if(&mut self, slot: u8, really: bool) {
        unsafe { *self.slots.get_unchecked_mut(self.len) = slot };
        self.len += usize::from(really);
    }
}

#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Visitor<Input: Copy> + Copy, const PREFETCH: bool>(
    tree: &BvhView<'_>,
    rays: &[Ray],
    input: V::Input,
    wave: &mut Wave,
    results: &mut [V::Output],
) {
    let mut visitors = [const { MaybeUninit::<V>::uninit() }; FLIGHTS];
    let (mut nodes, mut leaves, mut hits, mut done, mut free) =
        (Queue::new(), Queue::new(), Queue::new(), Queue::new(), Queue::new());
    for slot in (0..FLIGHTS).rev() {
        free.push_if(slot as u8, true);
    }
    let mut fresh = 0;
    let (node_base, block_base) = (tree.nodes.as_ptr(), tree.blocks.as_ptr());
    let ahead = |next: u32| {
        if PREFETCH {
            let leaf = next & LEAF != 0;
            let index = (next & !LEAF & !DONE) as usize;
            let node = unsafe { node_base.cast::<u8>().wrapping_add(index * size_of::<Node>()) };
            let block = block_base.cast::<u8>().wrapping_add(index * size_of::<LeafBlock>());
            let at = if leaf { block } else { node };
            for line in 0..7 {
                unsafe { I::Heap::prefetch(at.wrapping_add(64 * line)) };
            }
        }
    };
    loop {
        while free.len > 0 && fresh < rays.len() {
            let slot = free.slots[free.len - 1] as usize;
            let flight = &mut wave.flights[slot];
            let to = flight.as_mut_ptr();
            unsafe {
                let ray = &rays[fresh];
                let prepared = &mut *(&raw mut (*to).prepared).cast::<MaybeUninit<Prepared>>();
                I::Heap::prefetch((&raw const results[fresh]).cast());
                if prepare::<I::Point>(tree, ray, prepared) {
                    free.len -= 1;
                    visitors[slot].write(V::new(input, ray.t_max));
                    (*to).keys[0] = 0;
                    (*to).children[0] = DONE;
                    (*to).top = 1;
                    (*to).next = ROOT;
                    (*to).number = fresh as u32;
                    (*to).z_max = z_max(&(*to).prepared, ray.t_max);
                    (*to).t_max = ray.t_max + (*to).prepared.shift;
                    nodes.push_if(slot as u8, true);
                } else {
                    results[fresh] = Cast::<V> { tree, ray, input }.run::<I>();
                }
            }
            fresh += 1;
        }
        // Nodes.
        let count = nodes.len;
        nodes.len = 0;
        for i in 0..count {
            let slot = nodes.slots[i];
            unsafe {
                let flight = wave.flights.get_unchecked_mut(slot as usize).assume_init_mut();
                let node = tree.nodes.get_unchecked(flight.next as usize);
                let slabs = Slabs::<I::Node>::new(&flight.prepared);
                let mut enter = [0f32; WIDTH];
                let mask = slabs.meet(node, flight.t_max, &mut enter);
                let top = flight.top as usize;
                let keys = flight.keys.as_mut_ptr().add(top);
                let children = flight.children.as_mut_ptr().add(top);
                if V::ORDERED {
                    I::Heap::push::<true>(&enter, &node.child, mask, keys, children);
                } else {
                    I::Heap::push::<false>(&enter, &node.child, mask, keys, children);
                }
                let top = top + mask.count_ones() as usize - 1;
                let next = *flight.children.get_unchecked(top);
                flight.next = next;
                flight.top = top as u32;
                ahead(next);
                let class = next >> 30;
                nodes.push_if(slot, class == 0);
                leaves.push_if(slot, class >= 2);
                done.push_if(slot, class == 1);
                if top > ROOM {
                    unimplemented!();
                }
            }
        }
        // Leaves.
        let count = leaves.len;
        leaves.len = 0;
        let width = <<I::Heap as Heap>::Eights as Vector>::LANES / 8;
        leaves.slots[count] = leaves.slots[count.max(1) - 1];
        let mut i = 0;
        while i < count {
            unsafe {
                let slots: [u8; 2] = std::array::from_fn(|k| leaves.slots[i + k]);
                let flights = slots.map(|slot| wave.flights.get_unchecked(slot as usize).as_ptr());
                let blocks = flights.map(|flight| {
                    tree.blocks.as_ptr().add(((*flight).next & !LEAF) as usize)
                });
                macro_rules! each {
                    ($($x:tt)*) => { I::Heap::splat_eights(|k| (*flights[k]).$($x)*) };
                }
                let terms = leaf::Terms {
                    origin: [each!(prepared.origin[0]), each!(prepared.origin[1]), each!(prepared.origin[2])],
                    shear: [each!(prepared.shear[0]), each!(prepared.shear[1])],
                    z_sign: each!(prepared.z_sign),
                    z_inverse: each!(prepared.z_inverse),
                    z_min: each!(prepared.z_min),
                    z_max: each!(z_max),
                    delta: each!(prepared.delta),
                };
                macro_rules! row {
                    ($which:literal, $axis:literal) => {
                        I::Heap::load_eights(|k| {
                            let rows = (&raw const (*blocks[k]).vertex[$which]).cast::<f32>();
                            rows.add((*flights[k]).prepared.row[$axis] as usize)
                        })
                    };
                }
                let corners = [
                    [row!(0, 0), row!(0, 1), row!(0, 2)],
                    [row!(1, 0), row!(1, 1), row!(1, 2)],
                    [row!(2, 0), row!(2, 1), row!(2, 2)],
                ];
                let Some(verdict) = leaf::judge::<_, false>(&terms, corners) else { unreachable!() };
                let mut least = [0f32; 16];
                let mut most = [0f32; 16];
                verdict.least.store(least.as_mut_ptr());
                verdict.most.store(most.as_mut_ptr());
                for k in 0..width.min(count - i) {
                    let flight = &mut *flights[k].cast_mut();
                    let slot = slots[k];
                    let may = verdict.may >> (8 * k) & 0xff;
                    flight.glance.may = may;
                    flight.glance.vague = verdict.vague >> (8 * k) & 0xff;
                    flight.glance.sure = verdict.sure >> (8 * k) & 0xff;
                    flight.glance.least.copy_from_slice(&least[8 * k..8 * k + 8]);
                    flight.glance.most.copy_from_slice(&most[8 * k..8 * k + 8]);
                    let top = flight.top - 1;
                    let next = *flight.children.get_unchecked(top as usize);
                    let class = if may == 0 { next >> 30 } else { 4 };
                    flight.next = if class < 4 { next } else { flight.next };
                    flight.top = if class < 4 { top } else { flight.top };
                    ahead(next);
                    nodes.push_if(slot, class == 0);
                    leaves.push_if(slot, class & 6 == 2);
                    done.push_if(slot, class == 1);
                    hits.push_if(slot, class == 4);
                }
            }
            i += width;
        }
        // Hits.
        for i in 0..hits.len {
            let slot = hits.slots[i];
            unsafe {
                let flight = wave.flights.get_unchecked_mut(slot as usize).assume_init_mut();
                let visitor = visitors.get_unchecked_mut(slot as usize).assume_init_mut();
                let index = flight.next & !LEAF;
                let block = tree.blocks.get_unchecked(index as usize);
                let mut top = flight.top as usize;
                let ray = rays.get_unchecked(flight.number as usize);
                if look(ray, block, index, &flight.glance, visitor) {
                    if V::ORDERED {
                        flight.t_max = visitor.t_max() + flight.prepared.shift;
                        flight.z_max = z_max(&flight.prepared, visitor.t_max());
                        top = 1 + I::Heap::keep(
                            flight.keys.as_mut_ptr().add(1),
                            flight.children.as_mut_ptr().add(1),
                            top - 1,
                            flight.t_max,
                        );
                    }
                } else {
                    top = 1;
                }
                top -= 1;
                let next = *flight.children.get_unchecked(top);
                flight.next = next;
                flight.top = top as u32;
                ahead(next);
                let class = next >> 30;
                nodes.push_if(slot, class == 0);
                leaves.push_if(slot, class >= 2);
                done.push_if(slot, class == 1);
            }
        }
        hits.len = 0;
        // Done.
        if done.len >= 16 || nodes.len + leaves.len == 0 {
            unsafe {
                let flights = &wave.flights;
                let visitors = done.slots[..done.len].iter().map(|&slot| {
                    let slot = slot as usize;
                    let number = flights.get_unchecked(slot).assume_init_ref().number as usize;
                    (number, visitors.get_unchecked(slot).assume_init_ref())
                });
                V::finish_all::<I>(visitors, rays, results);
            }
            for i in 0..done.len {
                free.push_if(done.slots[i], true);
            }
            done.len = 0;
        }
        if fresh == rays.len() && free.len == FLIGHTS {
            return;
        }
    }
}

#[inline(always)]
fn z_max(prepared: &Prepared, t_max: f32) -> f32 {
    larger(lesser(t_max * prepared.z_size, prepared.z_clamp), -prepared.z_clamp)
}
