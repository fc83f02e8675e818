//! The walk for rays and trees whose numbers are too large or too small for `f32` bounds.
//!
//! It gives the same answers with `f64` bounds, for all finite coordinates, at a tenth of the
//! speed. It is plain code, the same for every instruction set.

use crate::array::Each;
use crate::bvh::{LANES, LEAF, MAX_DEPTH, Node, TreeView, UNUSED_ID, WIDTH};
use crate::geometry::Ray;
use crate::traverse::collect::{Collector, offer_exact};

/// Walks through a valid tree, with any ray.
#[cold]
#[inline(never)]
pub(crate) fn walk<V: Collector>(tree: &TreeView<'_>, ray: &Ray, collector: &mut V) {
    if !ray.is_castable() || tree.nodes.is_empty() {
        return;
    }
    let slab_test = SlabTestF64::new(tree, ray);
    let mut stack = [0u32; MAX_DEPTH as usize * (WIDTH - 1) + 1];
    let mut top = 1;
    while top > 0 {
        top -= 1;
        let child = stack[top];
        if child & LEAF == 0 {
            let node = &tree.nodes[child as usize];
            collector.on_node(node);
            for lane in (0..WIDTH).rev() {
                if slab_test.entry(node, lane, collector.bound()).is_some() {
                    stack[top] = node.child[lane];
                    top += 1;
                }
            }
        } else {
            let index = child & !LEAF;
            let block = &tree.blocks[index as usize];
            collector.on_block(block);
            for lane in 0..LANES as u32 {
                let used = block.id[lane as usize] != UNUSED_ID;
                if used && !offer_exact(ray, block, index, lane, collector) {
                    return;
                }
            }
        }
    }
}

/// The slab test (Lemma 21) in `f64`, in which sums and products of a few `f32` neither overflow
/// nor underflow.
pub(crate) struct SlabTestF64 {
    origin: [f64; 3],
    inv: [f64; 3],
    pad: [f64; 3],
    t_min: f64,
}

impl SlabTestF64 {
    pub(crate) fn new(tree: &TreeView<'_>, ray: &Ray) -> Self {
        let origin = ray.origin.to_array().each(f64::from);
        let dir = ray.dir.to_array().each(f64::from);
        let largest = dir.iter().fold(0f64, |a, d| a.max(d.abs()));
        let mut scale = 0f64;
        for k in 0..3 {
            let bound = f64::from(tree.facts.size[k]);
            scale = scale.max(bound + origin[k].abs());
        }
        let least = largest / (1u64 << 40) as f64;
        let inv = dir.each(|d| 1.0 / if d.abs() < least { least.copysign(d) } else { d });
        // The hit's own `t` is rounded to `f32`: by a part of itself, or by half of the smallest
        // number that there is.
        let rounding = f64::from(f32::from_bits(1));
        let pad = inv.each(|inv| scale * inv.abs() / (1u64 << 21) as f64 + rounding);
        Self { origin, inv, pad, t_min: f64::from(ray.t_min) }
    }

    /// Where the ray enters a child's box, if it hits it at `t_min <= t <= t_max`.
    pub(crate) fn entry(&self, node: &Node, lane: usize, t_max: f32) -> Option<f64> {
        let (mut enter, mut exit) = (self.t_min, f64::from(t_max));
        for k in 0..3 {
            let a = (f64::from(node.min[k][lane]) - self.origin[k]) * self.inv[k];
            let b = (f64::from(node.max[k][lane]) - self.origin[k]) * self.inv[k];
            // The planes of an unused lane are the wrong way round and must stay so.
            let (near, far) = if self.inv[k] < 0.0 { (b, a) } else { (a, b) };
            enter = enter.max(near - self.pad[k]);
            exit = exit.min(far + self.pad[k]);
        }
        (enter <= exit).then_some(enter)
    }
}
