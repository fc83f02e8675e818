//! Records of a fixed number of words: how what is asked and found lies in a file.

use glam::Vec3;

use crate::geometry::{Containment, Face, Feature, Ray};
use crate::traverse::{ClosestPoint, Contact, Hit, InstanceId, Overlap, VolumeHit};

/// What breaks a rule of the format, for a message.
pub(super) type Fault = &'static str;

/// A value that is `N` words of four bytes in a file. There is one way to write a value, and equal
/// words are equal bits.
pub(super) trait Wire<const N: usize>: Sized {
    fn words(&self) -> [u32; N];

    /// The value of these words. What has no value of its own may be given anything:
    /// [`read`] refuses words that are not those of the value.
    fn from_words(words: &[u32; N]) -> Option<Self>;
}

/// Appends words.
pub(super) fn put<const N: usize>(out: &mut Vec<u8>, words: &[u32; N]) {
    out.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
}

/// Appends all values, at once: a batch has thousands.
pub(super) fn put_all<T: Wire<N>, const N: usize>(out: &mut Vec<u8>, values: &[T]) {
    let start = out.len();
    out.resize(start + 4 * N * values.len(), 0);
    for (place, value) in out[start..].chunks_exact_mut(4 * N).zip(values) {
        place.copy_from_slice(value.words().map(u32::to_le_bytes).as_flattened());
    }
}

/// Reads a value; `bytes` are as many as it has.
fn read<T: Wire<N>, const N: usize>(bytes: &[u8]) -> Option<T> {
    let (quads, _) = bytes.as_chunks();
    let words: [u32; N] = std::array::from_fn(|i| u32::from_le_bytes(quads[i]));
    T::from_words(&words).filter(|value| value.words() == words)
}

/// Bytes that are read from the front. What is asked for must be there: nothing is allocated for
/// what is not.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn bytes(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let count = usize::try_from(count).ok().filter(|&count| count <= self.0.len());
        let (taken, rest) = self.0.split_at(count.ok_or("a record is longer than it says")?);
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn words<const N: usize>(&mut self) -> Result<[u32; N], Fault> {
        let (quads, _) = self.bytes(4 * N as u64)?.as_chunks();
        Ok(std::array::from_fn(|i| u32::from_le_bytes(quads[i])))
    }

    pub(super) fn long(&mut self) -> Result<u64, Fault> {
        let [low, high] = self.words()?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    pub(super) fn all<T: Wire<N>, const N: usize>(&mut self, count: u64) -> Result<Vec<T>, Fault> {
        let length = count.checked_mul(4 * N as u64).ok_or("a record has too many values")?;
        let values = self.bytes(length)?.chunks_exact(4 * N).map(read);
        values.collect::<Option<_>>().ok_or("a value breaks the rules of its kind")
    }

    /// All values up to the end.
    pub(super) fn rest<T: Wire<N>, const N: usize>(&mut self) -> Result<Vec<T>, Fault> {
        if !self.0.len().is_multiple_of(4 * N) {
            return Err("a record ends within a value");
        }
        self.all(self.0.len() as u64 / (4 * N as u64))
    }
}

/// Words that are read one after the other.
struct Words<'a>(&'a [u32]);

impl Words<'_> {
    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn float(&mut self) -> Option<f32> {
        self.next().map(f32::from_bits)
    }

    fn point(&mut self) -> Option<Vec3> {
        Some(Vec3::new(self.float()?, self.float()?, self.float()?))
    }

    fn feature(&mut self) -> Option<Feature> {
        let word = self.next()?;
        let number = u8::try_from(word >> 8).ok().filter(|&number| number < 3)?;
        match word & 0xff {
            FACE => Some(Feature::Face),
            EDGE => Some(Feature::Edge(number)),
            VERTEX => Some(Feature::Vertex(number)),
            _ => None,
        }
    }

    fn hit(&self) -> Option<Hit> {
        Hit::from_words(self.0.first_chunk()?)
    }
}

const FACE: u32 = 0;
const EDGE: u32 = 1;
const VERTEX: u32 = 2;

fn feature_word(feature: Feature) -> u32 {
    match feature {
        Feature::Face => FACE,
        Feature::Edge(number) => EDGE | u32::from(number) << 8,
        Feature::Vertex(number) => VERTEX | u32::from(number) << 8,
    }
}

/// The words of all parts, one part behind the other.
fn joined<const N: usize>(parts: &[&[u32]]) -> [u32; N] {
    let mut words = [0; N];
    let mut rest = &mut words[..];
    for part in parts {
        let (place, behind) = rest.split_at_mut(part.len());
        place.copy_from_slice(part);
        rest = behind;
    }
    words
}

fn point_words(point: Vec3) -> [u32; 3] {
    point.to_array().map(f32::to_bits)
}

/// All zeros are no value: each has a word that is not zero.
impl<T: Wire<N>, const N: usize> Wire<N> for Option<T> {
    fn words(&self) -> [u32; N] {
        self.as_ref().map_or([0; N], T::words)
    }

    fn from_words(words: &[u32; N]) -> Option<Self> {
        if *words == [0; N] { Some(None) } else { T::from_words(words).map(Some) }
    }
}

impl Wire<8> for Ray {
    fn words(&self) -> [u32; 8] {
        bytemuck::cast(*self)
    }

    fn from_words(words: &[u32; 8]) -> Option<Self> {
        Some(bytemuck::cast(*words))
    }
}

impl Wire<3> for Vec3 {
    fn words(&self) -> [u32; 3] {
        point_words(*self)
    }

    fn from_words(words: &[u32; 3]) -> Option<Self> {
        Words(words).point()
    }
}

impl Wire<2> for InstanceId {
    fn words(&self) -> [u32; 2] {
        let bits = self.to_bits();
        [bits as u32, (bits >> 32) as u32]
    }

    fn from_words(&[low, high]: &[u32; 2]) -> Option<Self> {
        Self::from_bits(u64::from(high) << 32 | u64::from(low))
    }
}

const FRONT: u32 = 1;
const BACK: u32 = 2;
const HAS_MATERIAL: u32 = 1 << 8;

impl Wire<12> for Hit {
    fn words(&self) -> [u32; 12] {
        let &Self { t, u, v, face, mesh, triangle, user_id, instance, .. } = self;
        let side = match face {
            Face::Front => FRONT,
            Face::Back => BACK,
        };
        let (flag, material) = self.material().map_or((0, 0), |number| (HAS_MATERIAL, number));
        let [t, u, v] = [t, u, v].map(f32::to_bits);
        let [slot, generation] = instance.words();
        let (user_low, user_high) = (user_id as u32, (user_id >> 32) as u32);
        let numbers = [mesh, triangle, user_low, user_high, material];
        let [mesh, triangle, user_low, user_high, material] = numbers;
        [t, u, v, side | flag, mesh, triangle, user_low, user_high, material, 0, slot, generation]
    }

    fn from_words(words: &[u32; 12]) -> Option<Self> {
        let &[t, u, v, flags, mesh, triangle, user_low, user_high, material, _, slot, generation] =
            words;
        let face = match flags & 0xff {
            FRONT => Face::Front,
            BACK => Face::Back,
            _ => return None,
        };
        let [t, u, v] = [t, u, v].map(f32::from_bits);
        Some(Self {
            t,
            u,
            v,
            face,
            has_material: flags & HAS_MATERIAL != 0,
            mesh,
            triangle,
            user_id: u64::from(user_high) << 32 | u64::from(user_low),
            material,
            slot: u32::MAX,
            instance: InstanceId::from_words(&[slot, generation])?,
        })
    }
}

impl Wire<17> for ClosestPoint {
    fn words(&self) -> [u32; 17] {
        let found = [self.distance.to_bits(), feature_word(self.feature)];
        joined(&[&point_words(self.point), &found, &self.hit.words()])
    }

    fn from_words(words: &[u32; 17]) -> Option<Self> {
        let mut words = Words(words);
        Some(Self {
            point: words.point()?,
            distance: words.float()?,
            feature: words.feature()?,
            hit: words.hit()?,
        })
    }
}

impl Wire<13> for Overlap {
    fn words(&self) -> [u32; 13] {
        let containment = match self.containment {
            Containment::Touching => 0,
            Containment::Inside => 1,
        };
        joined(&[&[containment], &self.hit.words()])
    }

    fn from_words(words: &[u32; 13]) -> Option<Self> {
        let mut words = Words(words);
        let containment = match words.next()? {
            0 => Containment::Touching,
            1 => Containment::Inside,
            _ => return None,
        };
        Some(Self { containment, hit: words.hit()? })
    }
}

impl Wire<24> for Contact {
    fn words(&self) -> [u32; 24] {
        let [point, normal, face_normal] =
            [self.point, self.normal, self.face_normal].map(point_words);
        let (feature, depth) = (feature_word(self.feature), self.depth.to_bits());
        let hit = self.hit.words();
        joined(&[&[self.t.to_bits()], &point, &normal, &face_normal, &[feature, depth], &hit])
    }

    fn from_words(words: &[u32; 24]) -> Option<Self> {
        let mut words = Words(words);
        Some(Self {
            t: words.float()?,
            point: words.point()?,
            normal: words.point()?,
            face_normal: words.point()?,
            feature: words.feature()?,
            depth: words.float()?,
            hit: words.hit()?,
        })
    }
}

impl Wire<5> for VolumeHit {
    fn words(&self) -> [u32; 5] {
        let &Self { instance, enter, exit, origin_inside, .. } = self;
        let [slot, generation] = instance.words();
        [slot, generation, enter.to_bits(), exit.to_bits(), u32::from(origin_inside)]
    }

    fn from_words(&[slot, generation, enter, exit, inside]: &[u32; 5]) -> Option<Self> {
        Some(Self {
            instance: InstanceId::from_words(&[slot, generation])?,
            enter: f32::from_bits(enter),
            exit: f32::from_bits(exit),
            origin_inside: inside != 0,
        })
    }
}
