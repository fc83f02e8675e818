//! The hash that tells whether a tree or a scene is the same again.

use xxhash_rust::xxh3::xxh3_64;

use super::shapes::numbers_of;
use super::wire::{Wire, put};
use crate::bvh::Bvh;
use crate::file::checksum;
use crate::geometry::{Shape, Volume};
use crate::scene::{Snapshot, Standing};
use crate::world::World;

/// The hash of all that answers depend on, the same on every machine.
///
/// Of a tree these are its nodes, leaf blocks, meshes and materials as they are now, also after a
/// [refit](Bvh::refit), but not its names, nor the caller's data. Of a scene it is what it shows:
/// for each instance the handle, the mask, the transform, and the tree or the volume. It does not
/// matter which changes led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// Of a tree.
    Tree(u64),
    /// Of a scene.
    Scene(u64),
}

impl Content {
    /// Of a tree or a scene. A tree is read once, and again after it has changed; a scene takes
    /// time in proportion to the instances that it shows.
    ///
    /// ```
    /// use hitscan::record::Content;
    /// use hitscan::{Builder, Bvh, Mesh};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (mut bvh, _report) = Builder::new().bake(&[wall])?;
    /// let same = Bvh::from_bytes(&bvh.to_bytes())?;
    /// assert_eq!(Content::of(&bvh), Content::of(&same));
    /// bvh.set_mask(0, 1);
    /// assert_ne!(Content::of(&bvh), Content::of(&same));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of<'a>(world: impl Into<World<'a>>) -> Self {
        match world.into() {
            World::Tree(bvh) => Self::Tree(hash_of_tree(bvh)),
            World::Scene(snapshot) => Self::Scene(hash_of_scene(snapshot)),
        }
    }

    /// The number.
    #[must_use]
    pub fn hash(self) -> u64 {
        let (Self::Tree(hash) | Self::Scene(hash)) = self;
        hash
    }
}

/// Kept by the tree until it changes.
fn hash_of_tree(bvh: &Bvh) -> u64 {
    bvh.answers_hash(|bvh| {
        let [_metadata, nodes, blocks, meshes, materials, _user] = bvh.view().sections();
        let sections = [nodes, blocks, meshes, materials];
        let checksums = sections.map(|section| checksum(section).to_le_bytes());
        xxh3_64(checksums.as_flattened())
    })
}

fn hash_of_scene(snapshot: &Snapshot) -> u64 {
    let mut bytes = Vec::new();
    for instance in snapshot.shown() {
        put(&mut bytes, &instance.id.words());
        put(&mut bytes, &[instance.mask]);
        put(&mut bytes, &instance.transform.map(f32::to_bits));
        match instance.stands {
            Standing::Tree(bvh) => {
                put(&mut bytes, &[0]);
                bytes.extend_from_slice(&hash_of_tree(bvh).to_le_bytes());
            }
            Standing::Volume(volume) => {
                let (kind, numbers) = numbers_of(&shape_of(volume));
                put(&mut bytes, &[kind]);
                for number in numbers {
                    put(&mut bytes, &[number.to_bits()]);
                }
            }
        }
    }
    xxh3_64(&bytes)
}

fn shape_of(volume: &Volume) -> Shape {
    match *volume {
        Volume::Aabb(bounds) => bounds.into(),
        Volume::Obb(obb) => obb.into(),
        Volume::Sphere(sphere) => sphere.into(),
        Volume::Capsule(capsule) => capsule.into(),
    }
}
