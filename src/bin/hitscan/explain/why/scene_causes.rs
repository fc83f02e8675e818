//! What stands out in a scene, and what to do about it: all that stands out in its trees, and what
//! comes of how they are placed.
//!
//! All criteria for the latter are here. "In vain" means that a ray asks an instance and finds
//! nothing new there.
//!
//! - Overlapping instances: a ray asks 3 instances or more, 75 % of them in vain, and half of that
//!   is in crowds: in the middle of its way through an instance's box, the ray is in the boxes of 4
//!   others or more.
//! - Tiny trees that stand once: 8 trees or more, each of at most 16 triangles and with one
//!   instance, take 25 % of the times that a ray asks an instance.
//! - Extremely scaled instance: its transform stretches lengths in one direction 10,000 times as
//!   much as in another (so that the boxes of all instances are enlarged), or by more than a
//!   million or less than a millionth; or the rays that ask it are slow, because their numbers in
//!   its tree's coordinates are beyond 3e10, or their direction outside of 1e-9 to 1e9.
//!
//! An instance that cannot be inverted is in no scene: it is refused when it is put in or read.
//!
//! The first two are in order of their share of the triangle tests, with the causes in trees; the
//! last says nothing about it, and comes after them.

use std::collections::BTreeMap;

use hitscan::glam::Affine3A;

use super::causes::{self, Cause};
use super::scene_sample::{SceneSample, Standing};
use crate::level::baked::instance_number;
use crate::terminal::text;

const ENTERED: f64 = 3.0;
const IN_VAIN: f64 = 0.75;
const IN_CROWD: f64 = 0.5;
const TINY_TRIANGLES: u64 = 16;
const TINY_TREES: usize = 8;
const TINY_SHARE: f64 = 0.25;
const UNEVEN: f64 = 1e4;
const LARGE: f64 = 1e6;

/// The causes that stand out, the worst first.
pub(super) fn find(sample: &SceneSample<'_>) -> Vec<Cause> {
    let in_trees = sample.trees.iter().flat_map(|(&tree, of_tree)| {
        causes::find(of_tree).into_iter().map(move |cause| cause.in_tree(tree))
    });
    let mut causes: Vec<Cause> = in_trees.collect();
    causes.extend(overlapping(sample));
    causes.extend(tiny_trees(sample));
    causes.extend(extremely_scaled(sample));
    causes::sort(&mut causes);
    causes
}

fn overlapping(sample: &SceneSample<'_>) -> Option<Cause> {
    let entered = sample.sum(|one| one.entered);
    let (in_vain, in_crowd) = (sample.sum(|one| one.in_vain), sample.sum(|one| one.in_crowd));
    let entered_a_ray = part(entered, sample.rays);
    let stands_out = entered_a_ray >= ENTERED
        && part(in_vain, entered) >= IN_VAIN
        && part(in_crowd, entered) >= IN_CROWD;
    if !stands_out {
        return None;
    }
    let is_crowded = |one: &&Standing<'_>| part(one.in_crowd, one.entered) >= IN_CROWD;
    let crowded: Vec<_> = sample.instances.iter().filter(is_crowded).collect();
    let worst = crowded.iter().rev().max_by_key(|one| one.in_crowd)?;
    let tests: u64 = crowded.iter().map(|one| one.count.tests).sum();
    let share = part(tests, sample.tests());
    let percent = 100.0 * part(in_vain, entered);
    let finding = format!(
        "{} whose boxes lie in each other, such as {}: a ray asks {entered_a_ray:.1} instances, \
         {percent:.0} % of them in vain",
        text::counted(crowded.len(), "instance"),
        name(sample, worst)
    );
    let advice = "bake those that never move relative to each other as one tree: where boxes of \
                  instances overlap, a ray asks one after the other";
    let cause = Cause::new("overlapping instances", finding, advice, share);
    Some(cause.at_instance(instance_number(worst.placed.instance)))
}

fn tiny_trees(sample: &SceneSample<'_>) -> Option<Cause> {
    let mut of_tree = BTreeMap::<u32, Vec<&Standing<'_>>>::new();
    for one in &sample.instances {
        of_tree.entry(one.placed.tree).or_default().push(one);
    }
    let is_tiny =
        |one: &Standing<'_>| one.placed.bvh.metadata().summary.triangles_kept <= TINY_TRIANGLES;
    let tiny: Vec<_> = of_tree
        .into_values()
        .filter_map(|instances| match instances[..] {
            [one] if is_tiny(one) => Some(one),
            _ => None,
        })
        .collect();
    let entered: u64 = tiny.iter().map(|one| one.entered).sum();
    let part_entered = part(entered, sample.sum(|one| one.entered));
    if tiny.len() < TINY_TREES || part_entered < TINY_SHARE {
        return None;
    }
    let worst = tiny.iter().rev().max_by_key(|one| one.entered)?;
    let tests: u64 = tiny.iter().map(|one| one.count.tests).sum();
    let finding = format!(
        "{} of at most {TINY_TRIANGLES} triangles with one instance each, such as {}, take {:.0} % \
         of the times that a ray asks an instance",
        text::counted(tiny.len(), "tree"),
        name(sample, worst),
        100.0 * part_entered
    );
    let advice = "bake those that never move into one tree: to ask an instance takes longer than \
                  to test a few triangles";
    let cause =
        Cause::new("tiny trees that stand once", finding, advice, part(tests, sample.tests()));
    Some(cause.at_instance(instance_number(worst.placed.instance)))
}

fn extremely_scaled(sample: &SceneSample<'_>) -> Option<Cause> {
    let is_extreme = |one: &&Standing<'_>| {
        let [least, greatest] = stretch(&one.placed.transform);
        greatest >= UNEVEN * least || greatest >= LARGE || least <= 1.0 / LARGE || one.slow > 0
    };
    let extreme: Vec<_> = sample.instances.iter().filter(is_extreme).collect();
    let uneven = |one: &Standing<'_>| {
        let [least, greatest] = stretch(&one.placed.transform);
        greatest / least
    };
    let worst = extreme.iter().rev().max_by(|a, b| uneven(a).total_cmp(&uneven(b)))?;
    let [least, greatest] = stretch(&worst.placed.transform);
    let slow: u64 = extreme.iter().map(|one| one.slow).sum();
    let mut finding = format!(
        "{}, such as {}, which stretches lengths by {least:.3e} to {greatest:.3e}",
        text::counted(extreme.len(), "instance"),
        name(sample, worst),
    );
    if slow > 0 {
        let percent = 100.0 * part(slow, sample.sum(|one| one.entered));
        finding += &format!(
            "; where rays ask an instance, the ray's numbers are beyond the fast range in \
             {percent:.0} % of the cases"
        );
    }
    let advice = "bake the model at the size at which it stands: rays are rounded in the \
                  coordinates of its tree, and the boxes of all instances are enlarged for that";
    let cause = Cause::new("extremely scaled instance", finding, advice, 0.0);
    Some(cause.at_instance(instance_number(worst.placed.instance)))
}

/// About the least and the greatest factor by which a transform stretches lengths: from the lengths
/// of its axes, and of the rows of its inverse. In `f64`, where no product overflows.
fn stretch(transform: &Affine3A) -> [f64; 2] {
    let columns = transform.matrix3.to_cols_array().map(f64::from);
    let [a, b, c] = [0, 3, 6].map(|at| [columns[at], columns[at + 1], columns[at + 2]]);
    let cross =
        |[a, b, c]: [f64; 3], [x, y, z]: [f64; 3]| [b * z - c * y, c * x - a * z, a * y - b * x];
    let dot = |[a, b, c]: [f64; 3], [x, y, z]: [f64; 3]| a * x + b * y + c * z;
    let longest =
        |vectors: [[f64; 3]; 3]| vectors.into_iter().map(|v| dot(v, v).sqrt()).fold(0.0, f64::max);
    let determinant = dot(a, cross(b, c)).abs();
    [determinant / longest([cross(b, c), cross(c, a), cross(a, b)]), longest([a, b, c])]
}

fn name(sample: &SceneSample<'_>, one: &Standing<'_>) -> String {
    let (number, name) = (instance_number(one.placed.instance), sample.name(one.placed.instance));
    format!("instance {number} {name}").trim_end().to_owned()
}

fn part(number: u64, of: u64) -> f64 {
    number as f64 / of.max(1) as f64
}
