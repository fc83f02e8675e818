//! Files of scenes held against their specification.

mod doors;
mod invariants;
mod specification;

use glam::{Affine3A, Vec3};

use super::header::{Header, trees_start};
use super::instances::InstanceRecord;
use super::trees::TreeRecord;
use super::volumes::VolumeRecord;
use crate::bake::Builder;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Capsule, Obb, Sphere, Volume};
use crate::mesh::Mesh;
use crate::scene::instance::Instance;
use crate::scene::scene::Scene;

/// A tree of some triangles.
fn tree(triangles: usize) -> Bvh {
    let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i % 3) as f32 + 0.5];
    let mesh = Mesh::from_soup((0..3 * triangles).map(corner).collect()).with_name("rows");
    Builder::new().bake(&[mesh]).unwrap().0
}

fn at(x: f32) -> Affine3A {
    let turn = Affine3A::from_rotation_y(x);
    let scale = Affine3A::from_scale(Vec3::new(1.0, -2.0, 0.5));
    Affine3A::from_translation(Vec3::new(10.0 * x, 0.0, -x)) * turn * scale
}

/// Two trees in five instances, of which two have no name, and one is disabled. Then a volume of
/// each kind, the box without a name and flat.
fn scene() -> Scene {
    let (one, other) = (tree(20), tree(3));
    let mut scene = Scene::new();
    for (i, name) in ["door", "", "Tür", "", "door"].into_iter().enumerate() {
        let bvh = if i == 2 { other.clone() } else { one.clone() };
        let instance = Instance::new(bvh).with_transform(at(i as f32)).with_name(name);
        let instance = instance.with_mask(1 << i).with_user_id(u64::MAX - i as u64);
        let id = scene.insert(instance).unwrap();
        if i == 3 {
            scene.disable(id).unwrap();
        }
    }
    for (i, volume) in volumes().into_iter().enumerate() {
        let name = ["", "ball", "player", "Tür"][i];
        let instance = Instance::new(volume).with_transform(at(0.5 - i as f32)).with_name(name);
        scene.insert(instance.with_user_id(i as u64)).unwrap();
    }
    scene
}

fn volumes() -> [Volume; 4] {
    let bounds = Aabb::from_min_max([-1.0, 2.0, -0.5], [3.0, 2.5, 1.0]);
    [
        Aabb { min: bounds.min.with_y(2.5), ..bounds }.into(),
        Sphere::new([1.0, 2.0, 3.0], 0.75).into(),
        Capsule::new([0.0, 0.5, 0.0], [0.0, 1.5, 0.25], 0.4).into(),
        Obb::from_transform(&at(0.3), bounds).unwrap().into(),
    ]
}

/// A file in its parts, to be changed and put together again with the right checksums.
#[derive(Clone)]
struct Parts {
    trees: Vec<TreeRecord>,
    instances: Vec<InstanceRecord>,
    volumes: Vec<VolumeRecord>,
    names: Vec<u8>,
    embedded: Vec<u8>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let header = Header::parse(bytes).unwrap();
        let section = |number: usize| {
            let (offset, length) = header.place(number);
            &bytes[offset as usize..][..length as usize]
        };
        Self {
            trees: bytemuck::pod_collect_to_vec(section(0)),
            instances: bytemuck::pod_collect_to_vec(section(1)),
            volumes: bytemuck::pod_collect_to_vec(section(2)),
            names: section(3).to_vec(),
            embedded: bytes[header.trees_start() as usize..].to_vec(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let sections: [&[u8]; 4] = [
            bytemuck::cast_slice(&self.trees),
            bytemuck::cast_slice(&self.instances),
            bytemuck::cast_slice(&self.volumes),
            &self.names,
        ];
        let start = trees_start(sections.map(<[u8]>::len));
        let header = Header::of(sections, start + self.embedded.len() as u64);
        let mut bytes = bytemuck::bytes_of(&header).to_vec();
        for section in sections {
            bytes.resize(bytes.len().next_multiple_of(64), 0);
            bytes.extend(section);
        }
        bytes.resize(start as usize, 0);
        bytes.extend(&self.embedded);
        bytes
    }
}
