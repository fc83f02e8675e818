//! The kinds of questions.

use std::fmt;

/// A kind of question: the method that was called, of a tree or a scene.
/// [`Bvh::for_each_hit`](crate::Bvh::for_each_hit) is recorded as [`AllHits`](Self::AllHits), whose
/// hits it goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Kind {
    /// [`Bvh::closest_hit`](crate::Bvh::closest_hit).
    ClosestHit = 1,
    /// [`Bvh::any_hit`](crate::Bvh::any_hit).
    AnyHit = 2,
    /// [`Bvh::all_hits`](crate::Bvh::all_hits).
    AllHits = 3,
    /// [`Bvh::closest_hit_batch`](crate::Bvh::closest_hit_batch).
    ClosestHitBatch = 4,
    /// [`Bvh::any_hit_batch`](crate::Bvh::any_hit_batch).
    AnyHitBatch = 5,
    /// [`Bvh::all_hits_batch`](crate::Bvh::all_hits_batch).
    AllHitsBatch = 6,
    /// [`Bvh::closest_point`](crate::Bvh::closest_point).
    ClosestPoint = 7,
    /// [`Bvh::any_within`](crate::Bvh::any_within).
    AnyWithin = 8,
    /// [`Bvh::all_within`](crate::Bvh::all_within).
    AllWithin = 9,
    /// [`Bvh::closest_point_batch`](crate::Bvh::closest_point_batch).
    ClosestPointBatch = 10,
    /// [`Bvh::any_overlap`](crate::Bvh::any_overlap).
    AnyOverlap = 11,
    /// [`Bvh::all_overlaps`](crate::Bvh::all_overlaps).
    AllOverlaps = 12,
    /// [`Bvh::first_contact`](crate::Bvh::first_contact).
    FirstContact = 13,
    /// [`Bvh::all_contacts`](crate::Bvh::all_contacts).
    AllContacts = 14,
    /// [`Bvh::penetrations`](crate::Bvh::penetrations).
    Penetrations = 15,
    /// [`Bvh::contains`](crate::Bvh::contains).
    Contains = 16,
    /// [`Bvh::signed_distance`](crate::Bvh::signed_distance).
    SignedDistance = 17,
    /// [`Snapshot::all_volume_hits`](crate::Snapshot::all_volume_hits).
    AllVolumeHits = 18,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Rays,
    Points,
    Shape,
    Motion,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::ClosestHit,
        Self::AnyHit,
        Self::AllHits,
        Self::ClosestHitBatch,
        Self::AnyHitBatch,
        Self::AllHitsBatch,
        Self::ClosestPoint,
        Self::AnyWithin,
        Self::AllWithin,
        Self::ClosestPointBatch,
        Self::AnyOverlap,
        Self::AllOverlaps,
        Self::FirstContact,
        Self::AllContacts,
        Self::Penetrations,
        Self::Contains,
        Self::SignedDistance,
        Self::AllVolumeHits,
    ];

    /// The name of the method.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClosestHit => "closest_hit",
            Self::AnyHit => "any_hit",
            Self::AllHits => "all_hits",
            Self::ClosestHitBatch => "closest_hit_batch",
            Self::AnyHitBatch => "any_hit_batch",
            Self::AllHitsBatch => "all_hits_batch",
            Self::ClosestPoint => "closest_point",
            Self::AnyWithin => "any_within",
            Self::AllWithin => "all_within",
            Self::ClosestPointBatch => "closest_point_batch",
            Self::AnyOverlap => "any_overlap",
            Self::AllOverlaps => "all_overlaps",
            Self::FirstContact => "first_contact",
            Self::AllContacts => "all_contacts",
            Self::Penetrations => "penetrations",
            Self::Contains => "contains",
            Self::SignedDistance => "signed_distance",
            Self::AllVolumeHits => "all_volume_hits",
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == code)
    }

    pub(super) fn form(self) -> Form {
        match self {
            Self::ClosestHit
            | Self::AnyHit
            | Self::AllHits
            | Self::ClosestHitBatch
            | Self::AnyHitBatch
            | Self::AllHitsBatch
            | Self::AllVolumeHits => Form::Rays,
            Self::ClosestPoint
            | Self::AnyWithin
            | Self::AllWithin
            | Self::ClosestPointBatch
            | Self::Contains
            | Self::SignedDistance => Form::Points,
            Self::AnyOverlap | Self::AllOverlaps => Form::Shape,
            Self::FirstContact | Self::AllContacts | Self::Penetrations => Form::Motion,
        }
    }

    /// Whether it is about any number of rays or points.
    pub(super) fn is_batch(self) -> bool {
        matches!(
            self,
            Self::ClosestHitBatch
                | Self::AnyHitBatch
                | Self::AllHitsBatch
                | Self::ClosestPointBatch
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_count_from_one() {
        assert!(Kind::ALL.iter().map(|&kind| kind as u8).eq(1..=18));
        for kind in Kind::ALL {
            assert_eq!(Kind::from_code(kind as u8), Some(kind));
        }
        assert_eq!((Kind::from_code(0), Kind::from_code(19)), (None, None));
    }
}
