//! The default pose of a primitive: its morph targets by their weights, then its skin.
//!
//! Positions are added up in `f64` in the order of the file and rounded to `f32` once.

use super::accessor::{Accessor, Accessors, Use};
use super::buffers::Buffers;
use super::matrix::Matrix;
use crate::import::error::{Result, Warnings};

/// What moves the vertices of a mesh.
pub(super) struct Pose<'p> {
    /// Numbers of morph targets, each with a weight that is not zero.
    pub(super) weights: &'p [(usize, f64)],
    /// The joints of the skin.
    pub(super) joints: Option<&'p [Matrix]>,
}

/// What a primitive has for poses.
#[derive(Default)]
pub(super) struct Deformation {
    /// For each morph target the accessor of its positions, if it has any.
    pub(super) targets: Vec<Option<usize>>,
    /// Pairs of joints and weights.
    pub(super) influences: Vec<(Accessor, Accessor)>,
}

impl Deformation {
    /// The positions in this pose; `None` if they are as stored.
    pub(super) fn apply<'a>(
        &self,
        pose: &Pose<'_>,
        positions: &Accessor,
        place: &str,
        accessors: &mut Accessors<'a>,
        buffers: &mut Buffers<'a>,
        warnings: &mut Warnings,
    ) -> Result<Option<Vec<[f32; 3]>>> {
        let joints = pose.joints.filter(|_| !self.influences.is_empty());
        let target =
            |&(target, weight): &(usize, f64)| Some(((*self.targets.get(target)?)?, weight));
        let mut targets = pose.weights.iter().filter_map(target).peekable();
        if joints.is_none() && targets.peek().is_none() {
            return Ok(None);
        }
        let count = positions.count();
        let mut moved = positions.numbers(buffers, count)?;
        for (target, weight) in targets {
            let target = accessors.numbered(target, buffers, Use::Positions)?;
            target.has_at_least(count, "vertices")?;
            for (position, offset) in moved.iter_mut().zip(target.numbers::<3>(buffers, count)?) {
                for axis in 0..3 {
                    position[axis] += weight * offset[axis];
                }
            }
        }
        if let Some(joints) = joints {
            self.skin(&mut moved, joints, place, buffers, warnings)?;
        }
        Ok(Some(moved.into_iter().map(|position| position.map(|x| x as f32)).collect()))
    }

    /// Weights are divided by their sum. A vertex without weights follows its first joint.
    fn skin(
        &self,
        positions: &mut [[f64; 3]],
        joints: &[Matrix],
        place: &str,
        buffers: &Buffers<'_>,
        warnings: &mut Warnings,
    ) -> Result<()> {
        let count = positions.len();
        let mut sums = vec![([0.0; 3], 0.0); count];
        let mut wrong = 0;
        for (numbers, weights) in &self.influences {
            let numbers = numbers.numbers::<4>(buffers, count)?;
            let weights = weights.numbers::<4>(buffers, count)?;
            for (vertex, (sum, total)) in sums.iter_mut().enumerate() {
                for (joint, weight) in numbers[vertex].into_iter().zip(weights[vertex]) {
                    if weight == 0.0 {
                        continue;
                    }
                    let Some(joint) = joints.get(joint as usize) else {
                        wrong += 1;
                        continue;
                    };
                    let moved = joint.point(positions[vertex]);
                    for axis in 0..3 {
                        sum[axis] += weight * moved[axis];
                    }
                    *total += weight;
                }
            }
        }
        if wrong > 0 {
            let there = joints.len();
            let reason =
                format_args!("{wrong} joint numbers are ignored: the skin has {there} joints");
            warnings.add(place, reason);
        }
        let unweighted = sums.iter().filter(|(_, total)| *total == 0.0).count();
        let mut first = Vec::new();
        if unweighted > 0 {
            let reason =
                format_args!("{unweighted} vertices without weights follow their first joint");
            warnings.add(place, reason);
            first = self.influences[0].0.numbers::<4>(buffers, count)?;
        }
        for (vertex, (sum, total)) in sums.into_iter().enumerate() {
            if total != 0.0 {
                positions[vertex] = sum.map(|x| x / total);
            } else if let Some(joint) = joints.get(first[vertex][0] as usize) {
                positions[vertex] = joint.point(positions[vertex]);
            }
        }
        Ok(())
    }
}
