//! The surfaces of hits: what many hits have in common is written once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::wire::{Wire, put, put_all};
use crate::geometry::Face;
use crate::traverse::{Hit, InstanceId};

const FRONT: u32 = 1;
const BACK: u32 = 2;
const HAS_MATERIAL: u32 = 1 << 8;

/// A side of a part of a mesh with one material, where it stands: a hit without its place on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Surface {
    face: Face,
    mesh: u32,
    material: Option<u32>,
    user_id: u64,
    instance: InstanceId,
}

impl Surface {
    pub(super) fn of(hit: &Hit) -> Self {
        let &Hit { face, mesh, user_id, instance, .. } = hit;
        Self { face, mesh, material: hit.material(), user_id, instance }
    }

    /// The hit at this place on it.
    pub(super) fn hit(&self, [t, u, v]: [f32; 3], triangle: u32) -> Hit {
        let &Self { face, mesh, material, user_id, instance } = self;
        let (has_material, material) = (material.is_some(), material.unwrap_or_default());
        let slot = u32::MAX;
        Hit { t, u, v, face, has_material, mesh, triangle, user_id, material, slot, instance }
    }
}

impl Wire<7> for Surface {
    fn words(&self) -> [u32; 7] {
        let side = match self.face {
            Face::Front => FRONT,
            Face::Back => BACK,
        };
        let (flag, material) = self.material.map_or((0, 0), |number| (HAS_MATERIAL, number));
        let (user_low, user_high) = (self.user_id as u32, (self.user_id >> 32) as u32);
        let [slot, generation] = self.instance.words();
        [side | flag, self.mesh, user_low, user_high, material, slot, generation]
    }

    fn from_words(words: &[u32; 7]) -> Option<Self> {
        let &[flags, mesh, user_low, user_high, material, slot, generation] = words;
        let face = match flags & 0xff {
            FRONT => Face::Front,
            BACK => Face::Back,
            _ => return None,
        };
        Some(Self {
            face,
            mesh,
            material: (flags & HAS_MATERIAL != 0).then_some(material),
            user_id: u64::from(user_high) << 32 | u64::from(user_low),
            instance: InstanceId::from_words(&[slot, generation])?,
        })
    }
}

impl Surface {
    /// A hash of what tells surfaces of one tree or scene apart. They come from the caller's own
    /// trees, so they are not chosen to collide.
    fn quick_hash(&self) -> u64 {
        let material = self.material.unwrap_or_default();
        let one = u64::from(self.mesh) << 32 | u64::from(material);
        let other = u64::from(self.instance.slot) << 1 | u64::from(self.face == Face::Back);
        // Odd numbers with bits all over: 2^64 divided by the golden ratio, and by its square.
        let mixed = one.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ other.wrapping_mul(0x61c8_8646_80b5_83eb).rotate_left(32);
        mixed ^ mixed >> 32
    }
}

/// Equal surfaces have equal hashes.
impl Hash for Surface {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.quick_hash());
    }
}

/// Takes a hash as it is.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Surfaces in the order in which they come, each once, and their numbers.
pub(super) struct Surfaces {
    list: Vec<Surface>,
    numbers: HashMap<Surface, u32, BuildHasherDefault<AsIs>>,
    /// By some bits of the hash, the number of the last one: most hits find theirs here.
    recent: [u32; RECENT],
}

const RECENT: usize = 64;

impl Surfaces {
    pub(super) fn new() -> Self {
        Self { list: Vec::new(), numbers: HashMap::default(), recent: [0; RECENT] }
    }

    /// The number of the surface of a hit.
    pub(super) fn number_of(&mut self, hit: &Hit) -> u32 {
        let surface = Surface::of(hit);
        let recent = &mut self.recent[surface.quick_hash() as usize % RECENT];
        if self.list.get(*recent as usize) != Some(&surface) {
            let next = self.list.len() as u32;
            *recent = *self.numbers.entry(surface).or_insert(next);
            if *recent == next {
                self.list.push(surface);
            }
        }
        *recent
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put(out, &[self.list.len() as u32]);
        put_all(out, &self.list);
    }

    /// The bytes of a surface's number, if there are `count` of them.
    pub(super) fn number_width(count: usize) -> usize {
        match count {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}
