//! What has a hit: a hit itself, a point found, an overlap, a contact.

use glam::Vec3;

use super::wire::Wire;
use crate::geometry::{Containment, Feature};
use crate::traverse::{ClosestPoint, Contact, Hit, Overlap};

/// A hit with `N` words more. In a list the words of all come first, then the hits.
pub(super) trait WithHit<const N: usize>: Sized {
    fn hit(&self) -> &Hit;

    fn words(&self) -> [u32; N];

    fn new(words: &[u32; N], hit: Hit) -> Option<Self>;
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

impl WithHit<0> for Hit {
    fn hit(&self) -> &Hit {
        self
    }

    fn words(&self) -> [u32; 0] {
        []
    }

    fn new(_: &[u32; 0], hit: Hit) -> Option<Self> {
        Some(hit)
    }
}

impl WithHit<5> for ClosestPoint {
    fn hit(&self) -> &Hit {
        &self.hit
    }

    fn words(&self) -> [u32; 5] {
        joined(&[&self.point.words(), &[self.distance.to_bits(), feature_word(self.feature)]])
    }

    fn new(words: &[u32; 5], hit: Hit) -> Option<Self> {
        let mut words = Words(words);
        Some(Self {
            point: words.point()?,
            distance: words.float()?,
            feature: words.feature()?,
            hit,
        })
    }
}

impl WithHit<1> for Overlap {
    fn hit(&self) -> &Hit {
        &self.hit
    }

    fn words(&self) -> [u32; 1] {
        [match self.containment {
            Containment::Touching => 0,
            Containment::Inside => 1,
        }]
    }

    fn new(&[containment]: &[u32; 1], hit: Hit) -> Option<Self> {
        let containment = match containment {
            0 => Containment::Touching,
            1 => Containment::Inside,
            _ => return None,
        };
        Some(Self { containment, hit })
    }
}

impl WithHit<12> for Contact {
    fn hit(&self) -> &Hit {
        &self.hit
    }

    fn words(&self) -> [u32; 12] {
        let [point, normal, face_normal] =
            [self.point, self.normal, self.face_normal].map(|point| point.words());
        let (feature, depth) = (feature_word(self.feature), self.depth.to_bits());
        joined(&[&[self.t.to_bits()], &point, &normal, &face_normal, &[feature, depth]])
    }

    fn new(words: &[u32; 12], hit: Hit) -> Option<Self> {
        let mut words = Words(words);
        Some(Self {
            t: words.float()?,
            point: words.point()?,
            normal: words.point()?,
            face_normal: words.point()?,
            feature: words.feature()?,
            depth: words.float()?,
            hit,
        })
    }
}
