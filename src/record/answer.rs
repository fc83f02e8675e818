//! What was found.

use std::fmt;

use super::hits::{put_list, put_lists, put_options};
use super::kind::Kind;
use super::wire::{Cursor, Fault, put, put_all, put_found};
use crate::error::{InsideError, InsideErrorKind};
use crate::traverse::{ClosestPoint, Contact, Hit, Overlap, PointLocation, VolumeHit};

/// An answer. A question that is no batch has a list of one where a batch has one for each ray or
/// point.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// Of [`Kind::ClosestHit`] and its batch.
    ClosestHits(Vec<Option<Hit>>),
    /// Of all kinds whose answer is yes or no.
    Found(Vec<bool>),
    /// Of [`Kind::AllHits`] and its batch.
    Hits(Vec<Vec<Hit>>),
    /// Of [`Kind::ClosestPoint`] and its batch.
    ClosestPoints(Vec<Option<ClosestPoint>>),
    /// Of [`Kind::AllWithin`].
    Near(Vec<ClosestPoint>),
    /// Of [`Kind::AllOverlaps`].
    Overlaps(Vec<Overlap>),
    /// Of [`Kind::FirstContact`] (none or one), [`Kind::AllContacts`] and [`Kind::Penetrations`].
    Contacts(Vec<Contact>),
    /// Of [`Kind::Contains`].
    Location(PointLocation),
    /// Of [`Kind::SignedDistance`].
    Distance(Option<f32>),
    /// Of [`Kind::Contains`] and [`Kind::SignedDistance`] where a mesh is not closed.
    #[non_exhaustive]
    Refused {
        /// Why.
        kind: InsideErrorKind,
        /// The mesh.
        mesh: u32,
    },
    /// Of [`Kind::AllVolumeHits`].
    VolumeHits(Vec<VolumeHit>),
}

/// The words of an answer of [`Kind::Contains`] or [`Kind::SignedDistance`]: a form and two more.
const LOCATION: u32 = 0;
const DISTANCE: u32 = 1;
const REFUSED: u32 = 2;

const LOCATIONS: [PointLocation; 3] =
    [PointLocation::Inside, PointLocation::OnSurface, PointLocation::Outside];
const REFUSALS: [InsideErrorKind; 4] = [
    InsideErrorKind::Open,
    InsideErrorKind::MixedWinding,
    InsideErrorKind::Hidden,
    InsideErrorKind::DoubleSided,
];

fn number_of<T: PartialEq>(all: &[T], one: &T) -> u32 {
    all.iter().position(|other| other == one).map_or(u32::MAX, |at| at as u32)
}

impl Answer {
    pub(super) fn of_location(answer: &Result<PointLocation, InsideError>) -> Self {
        match answer {
            Ok(location) => Self::Location(*location),
            Err(error) => Self::Refused { kind: error.kind(), mesh: error.mesh() },
        }
    }

    pub(super) fn of_distance(answer: &Result<Option<f32>, InsideError>) -> Self {
        match answer {
            Ok(distance) => Self::Distance(*distance),
            Err(error) => Self::Refused { kind: error.kind(), mesh: error.mesh() },
        }
    }

    /// Whether both are the same, bit for bit: minus zero is not zero.
    ///
    /// ```
    /// use hitscan::record::Answer;
    ///
    /// let [zero, minus_zero] = [0.0, -0.0].map(|x| Answer::Distance(Some(x)));
    /// assert!(zero == minus_zero && !zero.has_bits_of(&minus_zero));
    /// ```
    #[must_use]
    pub fn has_bits_of(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.to_bytes() == other.to_bytes()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        bytes
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::ClosestHits(hits) => put_options(out, hits),
            Self::Found(found) => put_found(out, found),
            Self::Hits(lists) => put_lists(out, lists),
            Self::ClosestPoints(points) => put_options(out, points),
            Self::Near(near) => put_list(out, near),
            Self::Overlaps(overlaps) => put_list(out, overlaps),
            Self::Contacts(contacts) => put_list(out, contacts),
            Self::Location(location) => put(out, &[LOCATION, number_of(&LOCATIONS, location), 0]),
            Self::Distance(distance) => {
                let bits = distance.map_or(0, f32::to_bits);
                put(out, &[DISTANCE, u32::from(distance.is_some()), bits]);
            }
            Self::Refused { kind, mesh } => {
                put(out, &[REFUSED, number_of(&REFUSALS, kind), *mesh]);
            }
            Self::VolumeHits(hits) => put_all(out, hits),
        }
    }

    pub(super) fn read(kind: Kind, count: u32, from: &mut Cursor<'_>) -> Result<Self, Fault> {
        let count = u64::from(count);
        let one_at_most = |length: usize| match length {
            0 | 1 => Ok(()),
            _ => Err("a question for the first has several answers"),
        };
        let answer = match kind {
            Kind::ClosestHit | Kind::ClosestHitBatch => Self::ClosestHits(from.options(count)?),
            Kind::AnyHit | Kind::AnyHitBatch | Kind::AnyWithin | Kind::AnyOverlap => {
                Self::Found(from.bits(count)?)
            }
            Kind::AllHits | Kind::AllHitsBatch => Self::Hits(from.lists(count)?),
            Kind::ClosestPoint | Kind::ClosestPointBatch => {
                Self::ClosestPoints(from.options(count)?)
            }
            Kind::AllWithin => Self::Near(from.list()?),
            Kind::AllOverlaps => Self::Overlaps(from.list()?),
            Kind::FirstContact | Kind::AllContacts | Kind::Penetrations => {
                let contacts: Vec<Contact> = from.list()?;
                if kind == Kind::FirstContact {
                    one_at_most(contacts.len())?;
                }
                Self::Contacts(contacts)
            }
            Kind::Contains | Kind::SignedDistance => read_inside(kind, from.words()?)?,
            Kind::AllVolumeHits => Self::VolumeHits(from.rest()?),
        };
        if from.0.is_empty() { Ok(answer) } else { Err("a record has bytes to spare") }
    }

    /// How many lists, and how long the longest may be: where a difference is looked for.
    pub(super) fn places(&self) -> Vec<(usize, usize)> {
        let of_each = |count: usize| (0..count).map(|item| (item, 0)).collect();
        let of_list = |count: usize| (0..count).map(|entry| (0, entry)).collect();
        match self {
            Self::ClosestHits(hits) => of_each(hits.len()),
            Self::Found(found) => of_each(found.len()),
            Self::ClosestPoints(points) => of_each(points.len()),
            Self::Hits(lists) => {
                let entries = |(item, hits): (usize, &Vec<Hit>)| {
                    (0..hits.len()).map(move |entry| (item, entry))
                };
                lists.iter().enumerate().flat_map(entries).collect()
            }
            Self::Near(near) => of_list(near.len()),
            Self::Overlaps(overlaps) => of_list(overlaps.len()),
            Self::Contacts(contacts) => of_list(contacts.len()),
            Self::VolumeHits(hits) => of_list(hits.len()),
            Self::Location(_) | Self::Distance(_) | Self::Refused { .. } => vec![(0, 0)],
        }
    }

    /// The answer with nothing but what is in one place: an entry of the list of a ray or a point.
    pub(super) fn at(&self, (item, entry): (usize, usize)) -> Self {
        fn one<T: Clone>(all: &[T], at: usize) -> Vec<T> {
            all.get(at).cloned().into_iter().collect()
        }
        match self {
            Self::ClosestHits(hits) => Self::ClosestHits(one(hits, item)),
            Self::Found(found) => Self::Found(one(found, item)),
            Self::Hits(lists) => {
                let hits = lists.get(item).map(|hits| one(hits, entry));
                Self::Hits(vec![hits.unwrap_or_default()])
            }
            Self::ClosestPoints(points) => Self::ClosestPoints(one(points, item)),
            Self::Near(near) => Self::Near(one(near, entry)),
            Self::Overlaps(overlaps) => Self::Overlaps(one(overlaps, entry)),
            Self::Contacts(contacts) => Self::Contacts(one(contacts, entry)),
            Self::VolumeHits(hits) => Self::VolumeHits(one(hits, entry)),
            Self::Location(_) | Self::Distance(_) | Self::Refused { .. } => self.clone(),
        }
    }
}

fn read_inside(kind: Kind, [form, number, value]: [u32; 3]) -> Result<Answer, Fault> {
    let at = number as usize;
    let answer = match (form, kind) {
        (LOCATION, Kind::Contains) => LOCATIONS.get(at).map(|&location| Answer::Location(location)),
        (DISTANCE, Kind::SignedDistance) => {
            Some(Answer::Distance((number == 1).then(|| f32::from_bits(value))))
        }
        (REFUSED, _) => REFUSALS.get(at).map(|&kind| Answer::Refused { kind, mesh: value }),
        _ => None,
    };
    answer.ok_or("an answer about the inside breaks the rules of its kind")
}

/// All that was found, on one line.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Debug>(f: &mut fmt::Formatter<'_>, all: &[T]) -> fmt::Result {
            match all {
                [] => f.write_str("nothing"),
                [one] => write!(f, "{one:?}"),
                all => write!(f, "{all:?}"),
            }
        }
        match self {
            Self::ClosestHits(hits) => match hits.as_slice() {
                [Some(hit)] => write!(f, "{hit:?}"),
                [None] => f.write_str("no hit"),
                hits => list(f, hits),
            },
            Self::ClosestPoints(points) => match points.as_slice() {
                [Some(point)] => write!(f, "{point:?}"),
                [None] => f.write_str("no point"),
                points => list(f, points),
            },
            Self::Hits(lists) => match lists.as_slice() {
                [hits] => list(f, hits),
                lists => list(f, lists),
            },
            Self::Found(found) => match found.as_slice() {
                [true] => f.write_str("yes"),
                [false] => f.write_str("no"),
                found => list(f, found),
            },
            Self::Near(near) => list(f, near),
            Self::Overlaps(overlaps) => list(f, overlaps),
            Self::Contacts(contacts) => list(f, contacts),
            Self::VolumeHits(hits) => list(f, hits),
            Self::Location(location) => write!(f, "{location:?}"),
            Self::Distance(Some(distance)) => write!(f, "{distance:?}"),
            Self::Distance(None) => f.write_str("no distance"),
            Self::Refused { kind, mesh } => write!(f, "refused: mesh {mesh}, {kind:?}"),
        }
    }
}
