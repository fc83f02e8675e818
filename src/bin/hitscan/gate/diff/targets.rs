//! Where there are changes: boxes around them, in both levels.

use hitscan::Aabb;
use hitscan::geometry::transform_point;
use hitscan::glam::{Affine3A, Vec3};

use super::level_changes::LevelChanges;
use super::tree_changes::{Part, boxes};
use crate::picture::compared::Kind;
use crate::random::Random;

/// All that is in one of the files only.
pub(super) struct Targets {
    placed: Vec<Target>,
    trees: Vec<ChangedTree>,
}

struct Target {
    transform: Affine3A,
    /// The place of its tree in the list, which instances may share.
    tree: usize,
}

struct ChangedTree {
    /// Each holds a triangle.
    parts: Vec<ChangedPart>,
    whole: Aabb,
}

/// A mesh, or a tree as a whole.
struct ChangedPart {
    kind: Kind,
    /// One for all of it, or one for each triangle that has changed.
    boxes: Vec<Aabb>,
    whole: Aabb,
}

impl Targets {
    pub(super) fn new(changes: &LevelChanges<'_>) -> Self {
        let mut targets = Self { placed: Vec::new(), trees: Vec::new() };
        for side in [0, 1] {
            targets.add(changes, side);
        }
        targets
    }

    fn add(&mut self, changes: &LevelChanges<'_>, side: usize) {
        let content = changes.contents[side];
        // The places of each tree: with its meshes that have changed, and as a whole in each way.
        let mut places = vec![[None; 3]; content.trees.len()];
        for (number, instance) in content.instances.iter().enumerate() {
            let Some(tree) = content.tree_of(number).filter(|_| instance.is_enabled) else {
                continue;
            };
            let part = changes.instance_part(side, number);
            let way = match part {
                Part::Whole => 2,
                Part::All => 1,
                Part::None | Part::Triangles(_) => 0,
            };
            let place = *places[tree][way].get_or_insert_with(|| {
                let bvh = content.trees[tree].bvh;
                let parts = match part.kind(side) {
                    Some(kind) => vec![ChangedPart::new(kind, vec![bvh.bounds()])],
                    None => {
                        let meshes = 0..content.trees[tree].meshes.len();
                        let parts = meshes.filter_map(|mesh| {
                            let part = changes.mesh_part(side, number, mesh)?;
                            Some(ChangedPart::new(part.kind(side)?, boxes(bvh, mesh, part)))
                        });
                        parts.collect()
                    }
                };
                self.trees.push(ChangedTree::new(parts));
                self.trees.len() - 1
            });
            if !self.trees[place].parts.is_empty() {
                self.placed.push(Target { transform: instance.transform, tree: place });
            }
        }
    }

    /// From a point around one of the boxes, no farther away than the box is large, to a point in
    /// it. Instances are chosen first, then meshes: a mesh of which many triangles have changed
    /// does not outweigh all others.
    pub(super) fn line(&self, random: &mut Random) -> Option<[Vec3; 2]> {
        if self.placed.is_empty() {
            return None;
        }
        let Target { transform, tree } = &self.placed[random.below(self.placed.len())];
        let parts = &self.trees[*tree].parts;
        let ChangedPart { boxes, .. } = &parts[random.below(parts.len())];
        let bounds = &boxes[random.below(boxes.len())];
        let around = bounds.expanded(Vec3::splat(bounds.size().max_element()));
        let ends = [random.point_in(&around), random.point_in(bounds)];
        Some(ends.map(|end| transform_point(transform, end)))
    }

    /// A box around each mesh, or around a tree that has changed as a whole: in the world, what was
    /// before first.
    pub(super) fn boxes(&self) -> impl Iterator<Item = (Kind, Aabb)> {
        self.placed.iter().flat_map(|Target { transform, tree }| {
            let parts = self.trees[*tree].parts.iter();
            parts.map(|part| (part.kind, part.whole.transformed(transform)))
        })
    }

    /// The box of all; empty if nothing has changed.
    pub(super) fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for Target { transform, tree } in &self.placed {
            bounds.extend_box(&self.trees[*tree].whole.transformed(transform));
        }
        bounds
    }
}

impl ChangedTree {
    fn new(mut parts: Vec<ChangedPart>) -> Self {
        parts.retain(|part| !part.whole.is_empty());
        let whole = whole(parts.iter().map(|part| &part.whole));
        Self { parts, whole }
    }
}

impl ChangedPart {
    fn new(kind: Kind, boxes: Vec<Aabb>) -> Self {
        Self { kind, whole: whole(boxes.iter()), boxes }
    }
}

fn whole<'a>(boxes: impl Iterator<Item = &'a Aabb>) -> Aabb {
    let mut whole = Aabb::EMPTY;
    boxes.for_each(|one| whole.extend_box(one));
    whole
}
