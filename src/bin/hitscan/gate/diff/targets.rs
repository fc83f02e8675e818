//! Where there are changes: boxes around them, in both levels.

use hitscan::Aabb;
use hitscan::geometry::transform_point;
use hitscan::glam::{Affine3A, Vec3};

use super::level_changes::LevelChanges;
use super::tree_changes::{Part, boxes};
use crate::picture::compared::Kind;
use crate::random::Random;

/// What is in one of the files only.
pub(super) struct Targets {
    placed: Vec<Target>,
    /// By their places: what has changed in a tree, which instances may share.
    trees: Vec<Vec<Changed>>,
}

struct Target {
    transform: Affine3A,
    /// The place of its tree.
    tree: usize,
}

/// A mesh, or a tree as a whole.
struct Changed {
    kind: Kind,
    /// One for all of it, or one for each triangle that has changed.
    boxes: Vec<Aabb>,
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
                let changed = match part.kind(side) {
                    Some(kind) => vec![Changed { kind, boxes: vec![bvh.bounds()] }],
                    None => {
                        let meshes = 0..content.trees[tree].meshes.len();
                        let parts = meshes.filter_map(|mesh| {
                            let part = changes.mesh_part(side, number, mesh)?;
                            let boxes = boxes(bvh, mesh, part);
                            Some(Changed { kind: part.kind(side)?, boxes })
                        });
                        parts.collect()
                    }
                };
                let has_boxes = |changed: &Changed| changed.boxes.iter().any(|b| !b.is_empty());
                self.trees.push(changed.into_iter().filter(has_boxes).collect());
                self.trees.len() - 1
            });
            if !self.trees[place].is_empty() {
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
        let meshes = &self.trees[*tree];
        let Changed { boxes, .. } = &meshes[random.below(meshes.len())];
        let bounds = &boxes[random.below(boxes.len())];
        let around = bounds.expanded(Vec3::splat(bounds.size().max_element()));
        let ends = [random.point_in(&around), random.point_in(bounds)];
        Some(ends.map(|end| transform_point(transform, end)))
    }

    /// A box around each mesh, or around a tree that has changed as a whole: in the world, what was
    /// before first.
    pub(super) fn boxes(&self) -> impl Iterator<Item = (Kind, Aabb)> {
        self.placed.iter().flat_map(|Target { transform, tree }| {
            self.trees[*tree].iter().map(|Changed { kind, boxes }| {
                let mut whole = Aabb::EMPTY;
                boxes.iter().for_each(|one| whole.extend_box(one));
                (*kind, whole.transformed(transform))
            })
        })
    }

    /// The box of all; empty if nothing has changed.
    pub(super) fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        self.boxes().for_each(|(_, one)| bounds.extend_box(&one));
        bounds
    }
}
