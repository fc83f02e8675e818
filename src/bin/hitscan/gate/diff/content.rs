//! What a baked file holds, in one form for trees and scenes: a tree is a scene with one instance.

use hitscan::bvh::MeshInfo;
use hitscan::geometry::Volume;
use hitscan::glam::Affine3A;
use hitscan::scene::Body;
use hitscan::{Bvh, Hit, Triangle};
use xxhash_rust::xxh3::Xxh3;

use super::matching::Key;
use crate::level::Level;
use crate::level::baked::{Baked, instance_number, trees_of};

pub(super) struct Content<'a> {
    pub(super) level: Level<'a>,
    pub(super) trees: Vec<Tree<'a>>,
    /// In the order of their numbers.
    pub(super) instances: Vec<Standing>,
}

pub(super) struct Tree<'a> {
    pub(super) bvh: &'a Bvh,
    pub(super) meshes: Vec<Mesh<'a>>,
    /// A hash of names and triangles.
    pub(super) hash: u128,
}

pub(super) struct Mesh<'a> {
    pub(super) name: &'a str,
    pub(super) info: MeshInfo,
    /// A hash of all triangles with their numbers.
    pub(super) hash: u128,
}

/// A tree or a volume that stands somewhere.
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) what: What,
    pub(super) transform: Affine3A,
    pub(super) mask: u32,
    pub(super) user_id: u64,
    pub(super) is_enabled: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum What {
    /// By its number.
    Tree(usize),
    Volume(Volume),
}

impl<'a> Content<'a> {
    /// Of a file that was just opened. Takes time in proportion to the triangles.
    pub(super) fn new(baked: &'a Baked) -> Self {
        let level = baked.level();
        match baked {
            Baked::Tree(bvh) => {
                let here = Standing {
                    name: String::new(),
                    what: What::Tree(0),
                    transform: Affine3A::IDENTITY,
                    mask: u32::MAX,
                    user_id: 0,
                    is_enabled: true,
                };
                Self { level, trees: vec![Tree::new(bvh)], instances: vec![here] }
            }
            Baked::Scene(scene) => {
                let instances = scene.instances().filter_map(|id| {
                    let instance = scene.instance(id).ok()?;
                    let what = match instance.body {
                        Body::Volume(volume) => What::Volume(volume),
                        _ => What::Tree(scene.tree_number(id).ok()? as usize),
                    };
                    Some(Standing {
                        name: instance.name,
                        what,
                        transform: instance.transform,
                        mask: instance.mask,
                        user_id: instance.user_id,
                        is_enabled: scene.is_enabled(id).unwrap_or_default(),
                    })
                });
                let instances = instances.collect();
                let trees = trees_of(scene).into_iter().map(Tree::new).collect();
                Self { level, trees, instances }
            }
        }
    }

    /// The number of the instance that was hit.
    pub(super) fn instance_of(&self, hit: &Hit) -> usize {
        match self.level {
            Level::Tree(_) => 0,
            Level::Scene(_) => instance_number(hit.instance) as usize,
        }
    }

    /// The tree that an instance shows; `None` for a volume, and where there is no instance.
    pub(super) fn tree_of(&self, instance: usize) -> Option<usize> {
        match self.instances.get(instance)?.what {
            What::Tree(tree) => Some(tree),
            What::Volume(_) => None,
        }
    }

    pub(super) fn instance_keys(&self) -> Vec<Key<'_>> {
        let key = |standing: &'_ Standing| {
            let mut hash = Xxh3::new();
            match &standing.what {
                What::Tree(tree) => hash.update(&self.trees[*tree].hash.to_le_bytes()),
                // Its numbers are printed with all digits that they need.
                What::Volume(volume) => hash.update(format!("{volume:?}").as_bytes()),
            }
            let kind = hash.digest128();
            let transform = standing.transform.to_cols_array().map(f32::to_le_bytes);
            hash.update(transform.as_flattened());
            (kind, hash.digest128())
        };
        let keys = self.instances.iter().map(|standing| {
            let (kind, content) = key(standing);
            Key { name: &standing.name, kind, content }
        });
        keys.collect()
    }
}

impl<'a> Tree<'a> {
    fn new(bvh: &'a Bvh) -> Self {
        let mut hash = Xxh3::new();
        let meshes = (0..bvh.mesh_count()).filter_map(|mesh| {
            let name = bvh.mesh_name(mesh).unwrap_or_default();
            let mesh = Mesh { name, info: bvh.mesh(mesh)?, hash: hash_of(bvh, mesh) };
            hash.update(name.as_bytes());
            hash.update(&mesh.hash.to_le_bytes());
            Some(mesh)
        });
        let meshes = meshes.collect();
        Self { bvh, meshes, hash: hash.digest128() }
    }

    pub(super) fn mesh_keys(&self) -> Vec<Key<'_>> {
        let keys = self.meshes.iter().map(|mesh| Key {
            name: mesh.name,
            kind: mesh.info.triangles.into(),
            content: mesh.hash,
        });
        keys.collect()
    }
}

fn hash_of(bvh: &Bvh, mesh: u32) -> u128 {
    let mut hash = Xxh3::new();
    for found in bvh.mesh_triangles(mesh) {
        let Triangle { v0, v1, v2 } = found.vertices;
        hash.update(&found.triangle.to_le_bytes());
        for corner in [v0, v1, v2] {
            // Adding zero turns minus zero into zero.
            hash.update((corner + 0.0).to_array().map(f32::to_le_bytes).as_flattened());
        }
    }
    hash.digest128()
}
