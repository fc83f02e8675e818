//! What has changed from one level to another: instances, and the meshes of their trees.

use std::collections::HashMap;

use hitscan::geometry::transform_point;
use hitscan::glam::Vec3;
use hitscan::{Aabb, Hit};

use super::content::{Content, Standing, What};
use super::matching::{Matching, matching};
use super::motion::{Motion, Points};
use super::rows::{Change, InstanceRow, MeshRow, MotionRow, kind};
use super::tree_changes::{Part, TreeChanges};
use crate::picture::compared::Kind;
use crate::picture::vector::Vector;

pub(super) struct LevelChanges<'a> {
    /// Before and after.
    pub(super) contents: [&'a Content<'a>; 2],
    pub(super) instances: Vec<InstanceRow>,
    pub(super) meshes: Vec<MeshRow>,
    /// Instances that are the same but for their number, and so for meshes.
    pub(super) same: [usize; 2],
    /// Pairs whose numbers differ: of instances, and of meshes.
    pub(super) renumbered: [usize; 2],
    /// Of each instance before the number of the same one after.
    partner: Vec<Option<usize>>,
    /// Of each instance, in both files.
    parts: [Vec<Part>; 2],
    trees: Vec<TreePair>,
    /// Of each tree, in both files, its place among the pairs.
    pair_of_tree: [Vec<Option<usize>>; 2],
}

struct TreePair {
    after: usize,
    changes: TreeChanges,
}

impl<'a> LevelChanges<'a> {
    pub(super) fn new(contents: [&'a Content<'a>; 2]) -> Self {
        let [before, after] = contents;
        let Matching { pairs, removed, added } =
            matching(&before.instance_keys(), &after.instance_keys());
        let mut changes = Self {
            contents,
            instances: Vec::new(),
            meshes: Vec::new(),
            same: [0; 2],
            renumbered: [pairs.iter().filter(|[one, other]| one != other).count(), 0],
            partner: vec![None; before.instances.len()],
            parts: contents.map(|content| vec![Part::None; content.instances.len()]),
            trees: Vec::new(),
            pair_of_tree: contents.map(|content| vec![None; content.trees.len()]),
        };
        changes.pair_trees(&pairs);
        for numbers in pairs {
            changes.partner[numbers[0]] = Some(numbers[1]);
            let row = changes.instance_row(numbers);
            changes.same[0] += usize::from(row.is_none());
            changes.instances.extend(row);
        }
        for (side, numbers) in [(1, added), (0, removed)] {
            for number in numbers {
                changes.parts[side][number] = Part::Whole;
                changes.instances.push(alone(contents[side], side, number));
            }
        }
        // What matters most comes first.
        changes.instances.sort_by_key(|row| row.change);
        changes.meshes.sort_by_key(|row| row.change);
        changes
    }

    /// Trees with the same content belong together, then those that stand in the same instances. A
    /// tree is in one pair at most, so that all takes time in proportion to the triangles.
    fn pair_trees(&mut self, pairs: &[[usize; 2]]) {
        let [before, after] = self.contents;
        let of_hash: HashMap<u128, usize> =
            after.trees.iter().map(|tree| tree.hash).zip(0..).collect();
        let same = before.trees.iter().map(|tree| of_hash.get(&tree.hash).copied());
        let same = same.enumerate().filter_map(|(one, other)| Some([one, other?]));
        let stand = pairs
            .iter()
            .filter_map(|pair| Some([before.tree_of(pair[0])?, after.tree_of(pair[1])?]));
        for numbers in same.chain(stand) {
            let [one, other] = numbers;
            if self.pair_of_tree[0][one].is_some() || self.pair_of_tree[1][other].is_some() {
                continue;
            }
            for side in [0, 1] {
                self.pair_of_tree[side][numbers[side]] = Some(self.trees.len());
            }
            let mut changes = TreeChanges::new(&before.trees[one], &after.trees[other]);
            let is_scene = before.level.is_scene();
            for mut row in changes.rows.drain(..) {
                row.tree = is_scene.then_some(numbers);
                self.meshes.push(row);
            }
            self.same[1] += changes.same;
            self.renumbered[1] += changes.renumbered;
            self.trees.push(TreePair { after: other, changes });
        }
    }

    /// The row of an instance that is in both files, if it has changed itself.
    fn instance_row(&mut self, numbers: [usize; 2]) -> Option<InstanceRow> {
        let [one, other] = [0, 1].map(|side| &self.contents[side].instances[numbers[side]]);
        let is_same_body = match (one.what, other.what) {
            (What::Tree(before), What::Tree(after)) => {
                let pair = self.pair_of_tree[0][before];
                pair.is_some() && pair == self.pair_of_tree[1][after]
            }
            (before, after) => before == after,
        };
        let is_moved = one.transform != other.transform;
        let motion = if is_moved { self.motion(one, other) } else { None };
        let enabled = [one.is_enabled, other.is_enabled];
        let mut row = InstanceRow {
            change: Change::Changed,
            instance: numbers.map(Some),
            name: other.name.clone(),
            name_before: (one.name != other.name).then(|| one.name.clone()),
            motion: motion.as_ref().map(MotionRow::new),
            stands: (!is_same_body).then(|| [said(one.what), said(other.what)]),
            enabled: (enabled[0] != enabled[1]).then_some(enabled),
            mask: (one.mask != other.mask).then_some([one.mask, other.mask]),
            user_id: (one.user_id != other.user_id).then_some([one.user_id, other.user_id]),
        };
        row.change = match &motion {
            _ if !is_same_body => Change::Changed,
            Some(motion) => Change::of(motion),
            None if is_moved => Change::Stretched,
            None => row.attribute()?,
        };
        if row.change != Change::Renamed {
            for side in [0, 1] {
                self.parts[side][numbers[side]] = Part::All;
            }
        }
        Some(row)
    }

    /// From the corners of a box that moves with an instance. A shift that is lost in their
    /// roundings is found in the transforms.
    fn motion(&self, one: &Standing, other: &Standing) -> Option<Motion> {
        let bounds = match one.what {
            What::Tree(tree) => self.contents[0].trees[tree].bvh.bounds(),
            What::Volume(_) => Aabb::EMPTY,
        };
        let unit = Aabb::from_min_max([-1.0; 3], [1.0; 3]);
        let corners = if bounds.is_empty() { unit } else { bounds }.corners();
        let place = |standing: &Standing, corner: usize| {
            Vector::from(transform_point(&standing.transform, corners[corner]))
        };
        let pair = |corner: usize| [place(one, corner), place(other, corner)];
        let points = Points { count: corners.len(), pair: &pair };
        let shift = || {
            let at = |placed: &Standing| Vector::from(Vec3::from(placed.transform.translation));
            let Vector { x, y, z } = at(other) - at(one);
            let is_shift = one.transform.matrix3 == other.transform.matrix3;
            is_shift.then_some(Motion::Moved { by: [x, y, z] })
        };
        points.motion().or_else(shift).or_else(|| points.mirroring())
    }

    /// Whether there is any change, numbers included.
    pub(super) fn is_any(&self) -> bool {
        !self.instances.is_empty() || !self.meshes.is_empty() || self.renumbered != [0; 2]
    }

    /// The instance and the mesh after of a hit before.
    pub(super) fn partner(&self, hit: &Hit) -> Option<[usize; 2]> {
        let [before, after] = self.contents;
        let instance = before.instance_of(hit);
        let partner = (*self.partner.get(instance)?)?;
        let pair = &self.trees[self.pair_of_tree[0][before.tree_of(instance)?]?];
        let is_pair = after.tree_of(partner) == Some(pair.after);
        let mesh = pair.changes.partner.get(hit.mesh as usize).copied().flatten()?;
        is_pair.then_some([partner, mesh as usize])
    }

    /// What the triangle of a hit in one of the files is, if it is not in the other.
    pub(super) fn kind(&self, side: usize, hit: &Hit) -> Option<Kind> {
        let instance = self.contents[side].instance_of(hit);
        let part = match self.parts[side].get(instance)? {
            Part::None => self.mesh_part(side, instance, hit.mesh as usize)?,
            part => part,
        };
        match part {
            Part::Triangles(numbers) if numbers.binary_search(&hit.triangle).is_err() => None,
            part => part.kind(side),
        }
    }

    /// The part of an instance that is in one file only.
    pub(super) fn instance_part(&self, side: usize, instance: usize) -> &Part {
        &self.parts[side][instance]
    }

    /// The part of a mesh of an instance's tree that is in one file only.
    pub(super) fn mesh_part(&self, side: usize, instance: usize, mesh: usize) -> Option<&Part> {
        let tree = self.contents[side].tree_of(instance)?;
        let pair = self.pair_of_tree[side][tree]?;
        self.trees[pair].changes.parts[side].get(mesh)
    }
}

/// The row of an instance that is in one file only.
fn alone(content: &Content<'_>, side: usize, number: usize) -> InstanceRow {
    let mut instance = [None; 2];
    instance[side] = Some(number);
    InstanceRow {
        change: [Change::Removed, Change::Added][side],
        instance,
        name: content.instances[number].name.clone(),
        name_before: None,
        motion: None,
        stands: None,
        enabled: None,
        mask: None,
        user_id: None,
    }
}

fn said(what: What) -> String {
    match what {
        What::Tree(tree) => format!("tree {tree}"),
        What::Volume(volume) => kind(&volume).to_owned(),
    }
}
