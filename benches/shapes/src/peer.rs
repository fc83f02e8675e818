//! What is asked, and of whom.

use hitscan_levels::Level;

/// A kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The distance to the closest point, from anywhere in the level's box.
    ClosestAnywhere,
    /// The same from near a surface.
    ClosestNear,
    /// Whether a sphere touches anything.
    SphereOverlap,
    /// Whether a cube touches anything.
    BoxOverlap,
    /// The time at which a sphere that moves touches something.
    SphereCast,
    /// The same for an upright capsule.
    CapsuleCast,
    /// The same for a cube.
    BoxCast,
    /// The same for a cube in any position.
    TurnedBoxCast,
    /// The same for a sphere that touches something at the start.
    CastFromTouch,
    /// The distance to the closest point, from far away: from ten to 1e30 times the level's size.
    ClosestFar,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::ClosestAnywhere,
        Self::ClosestNear,
        Self::SphereOverlap,
        Self::BoxOverlap,
        Self::SphereCast,
        Self::CapsuleCast,
        Self::BoxCast,
        Self::TurnedBoxCast,
        Self::CastFromTouch,
        Self::ClosestFar,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClosestAnywhere => "closest point, anywhere",
            Self::ClosestNear => "closest point, near a surface",
            Self::SphereOverlap => "sphere overlap",
            Self::BoxOverlap => "box overlap",
            Self::SphereCast => "sphere cast",
            Self::CapsuleCast => "capsule cast",
            Self::BoxCast => "box cast",
            Self::TurnedBoxCast => "turned box cast",
            Self::CastFromTouch => "sphere cast that starts in touch",
            Self::ClosestFar => "closest point, far away",
        }
    }
}

/// The quaternion of what is not turned.
pub const NO_TURN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Where a question is asked.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The point, or the shape's center.
    pub at: [f32; 3],
    /// How the shape moves.
    pub motion: [f32; 3],
    /// How a turned box is turned: a quaternion of unit length, the real part last.
    pub turn: [f32; 4],
}

/// The sizes of shapes, the same for all cases of a level.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Of spheres and capsules; half the edge of a cube.
    pub radius: f32,
    /// Half the length of a capsule's segment.
    pub half_height: f32,
}

/// One that answers.
pub trait Peer {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Answers a kind of question: a distance, a time (infinite: nothing is touched), or for an
    /// overlap zero or one. False, and nothing written, if this peer has no such question.
    fn ask(&self, kind: Kind, sizes: Sizes, cases: &[Case], answers: &mut [f32]) -> bool;
}

/// Makes a peer of a level; an error says why there is none.
pub type Build = Box<dyn Fn(&Level) -> Result<Box<dyn Peer>, String>>;
