//! What questions look at, for tools.

use border::{Fault, Kind, answer, block, input, output};
use hitscan::explain::{Below, Child, End, Entry, Outcome, Step, Tested};
use hitscan::query::Question;
use hitscan::{Aabb, Query, Ray};

use crate::asked;
use crate::batch::room;
use crate::options::ray;

/// For each ray in the input, eight numbers each: puts out how many nodes and leaf blocks the
/// question for its nearest hit looks at. Gives the number of rays.
#[unsafe(no_mangle)]
extern "C" fn ray_costs(handle: u32) -> i32 {
    let input = input::take();
    let result = asked::with_tree(handle, |tree| {
        let rays: &[Ray] = input.values()?;
        let mut costs = room(rays.len(), 0)?;
        for (ray, cost) in rays.iter().zip(&mut costs) {
            let stats = tree.query_stats(ray, &Query::new(), Question::ClosestHit);
            *cost = stats.nodes + stats.blocks;
        }
        output::put_words(costs);
        Ok(rays.len() as u32)
    });
    input::give_back(input);
    answer(result)
}

/// Puts out the boxes of a depth, six numbers each. Gives their number.
#[unsafe(no_mangle)]
extern "C" fn boxes_at(handle: u32, depth: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| {
        // Below the last level there is nothing, and no more to go through.
        let boxes = tree.boxes_at(depth.min(1 << 10));
        let mut words = output::words();
        words.try_reserve(6 * boxes.len()).map_err(|_| Fault::memory("the boxes"))?;
        words.extend(boxes.iter().flat_map(|one| bounds(&one.bounds)));
        output::put_words(words);
        Ok(boxes.len() as u32)
    }))
}

/// Puts out the steps of the ray in the block: see `src/walk.js`. Gives their number, and writes to
/// the block why the walk ends, and how many boxes were left out.
#[unsafe(no_mangle)]
extern "C" fn walk(handle: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| {
        let walk = tree.explain(&ray(block::numbers(0)), &Query::new(), Question::ClosestHit);
        let mut words = output::words();
        for step in &walk.steps {
            match step {
                Step::Node { node, depth, children } => {
                    words.extend([0, *node, *depth, children.len() as u32]);
                    words.extend(children.iter().flat_map(child));
                }
                Step::Block { block, depth, triangles } => {
                    words.extend([1, *block, *depth, triangles.len() as u32]);
                    words.extend(triangles.iter().flat_map(tested));
                }
                _ => return Err(Fault::new(Kind::Argument, "a step of another kind")),
            }
        }
        output::put_words(words);
        let (end, left_out) = match walk.end {
            End::InvalidRay => (0, 0),
            End::EmptyTree => (1, 0),
            End::NothingNearer { left_out } => (2, left_out),
            End::IntervalOver => (3, 0),
            _ => (4, 0),
        };
        block::write(0, &[end, left_out]);
        Ok(walk.steps.len() as u32)
    }))
}

fn child(child: &Child) -> [u32; 10] {
    let (kind, number) = match child.below {
        Below::Node(node) => (0, node),
        Below::Block(block) => (1, block),
    };
    let (entry, t) = match child.entry {
        Entry::Enters { t } => (0, t),
        Entry::PastBest { t } => (1, t),
        Entry::OutsideInterval { enter, .. } => (2, enter),
        _ => (3, f32::NAN),
    };
    let [a, b, c, d, e, f] = bounds(&child.bounds);
    [a, b, c, d, e, f, kind, number, entry, t.to_bits()]
}

fn tested(tested: &Tested) -> [u32; 13] {
    let (outcome, t) = match tested.outcome {
        Outcome::Best { t } => (0, t),
        Outcome::Farther { t } => (1, t),
        Outcome::Again { t } => (2, t),
        Outcome::Refused { t, .. } => (3, t),
        Outcome::OutsideInterval { t } => (4, t),
        _ => (5, f32::NAN),
    };
    let mut words = [tested.mesh, tested.triangle, outcome, t.to_bits(), 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let corners = [tested.vertices.v0, tested.vertices.v1, tested.vertices.v2];
    for (i, corner) in corners.iter().enumerate() {
        words[4 + 3 * i..7 + 3 * i].copy_from_slice(&corner.to_array().map(f32::to_bits));
    }
    words
}

fn bounds(bounds: &Aabb) -> [u32; 6] {
    let Aabb { min, max } = bounds;
    [min.x, min.y, min.z, max.x, max.y, max.z].map(f32::to_bits)
}
