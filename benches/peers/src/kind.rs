//! The kinds of rays, made once a scene and given to every peer alike.

use hitscan_levels::Level;

use crate::many;
use crate::peer::{Peer, Ray};
use crate::rays::{bounce, primary, shadow, shuffle, surface_points};
use crate::scenes::Scene;

/// A kind of rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From pinhole cameras, in scan-line order: the closest hit.
    Primary,
    /// One diffuse bounce from where those hit, in the same order: the closest hit.
    Bounce,
    /// The same bounces, shuffled: the closest hit.
    Random,
    /// From where the primary rays hit to the light: is anything in the way?
    Shadow,
    /// From there to random points of a sphere above the level: is anything in the way?
    Soft(LightRadius),
    /// The same for the sphere of 5 %, shuffled.
    SoftShuffled,
    /// Four short rays from where each primary ray hits: is anything near?
    Occlusion,
    /// Between pairs of points on surfaces: is anything in the way?
    Sight,
    /// The same, shuffled.
    SightShuffled,
    /// A grid of parallel rays straight down: the closest hit.
    Ground,
    /// Around points in the air: the closest hit.
    Probe,
}

/// The radius of an area light, in thousandths of the level's diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightRadius(pub u32);

/// The kinds that are measured unless others are asked for.
pub const BASIC: [Kind; 4] = [Kind::Primary, Kind::Bounce, Kind::Random, Kind::Shadow];

/// An area light: a point, then larger and larger spheres.
const SOFT: [Kind; 5] = [
    Kind::Soft(LightRadius(0)),
    Kind::Soft(LightRadius(5)),
    Kind::Soft(LightRadius(20)),
    SOFT_5,
    Kind::Soft(LightRadius(150)),
];

const SOFT_5: Kind = Kind::Soft(LightRadius(50));

/// All other kinds.
const MANY: [Kind; 6] = [
    Kind::Occlusion,
    Kind::Sight,
    Kind::Ground,
    Kind::Probe,
    Kind::SoftShuffled,
    Kind::SightShuffled,
];

impl Kind {
    pub fn name(self) -> String {
        let name = match self {
            Self::Primary => "primary",
            Self::Bounce => "bounce",
            Self::Random => "random",
            Self::Shadow => "shadow",
            Self::Soft(LightRadius(radius)) => return format!("soft-{}", f64::from(radius) / 10.0),
            Self::SoftShuffled => "soft-shuffled",
            Self::Occlusion => "ao",
            Self::Sight => "sight",
            Self::SightShuffled => "sight-shuffled",
            Self::Ground => "ground",
            Self::Probe => "probe",
        };
        name.to_owned()
    }

    /// The kinds that a name on the command line stands for.
    pub fn named(name: &str) -> Option<Vec<Self>> {
        match name {
            "soft" => Some(SOFT.to_vec()),
            "many" => Some([&SOFT[..], &MANY].concat()),
            _ => {
                let mut all = BASIC.iter().chain(&SOFT).chain(&MANY);
                all.find(|kind| kind.name() == name).map(|&kind| vec![kind])
            }
        }
    }

    /// Whether the question is if anything is hit, and not what is hit first.
    pub fn asks_any(self) -> bool {
        match self {
            Self::Primary | Self::Bounce | Self::Random | Self::Ground | Self::Probe => false,
            Self::Shadow
            | Self::Soft(_)
            | Self::SoftShuffled
            | Self::Occlusion
            | Self::Sight
            | Self::SightShuffled => true,
        }
    }

    /// The rays of this kind.
    pub fn rays(self, level: &Level, scene: &Scene, tracer: &mut dyn Peer) -> Vec<Ray> {
        let primary = primary(&scene.views);
        let points = |tracer: &mut dyn Peer| surface_points(level, &primary, tracer);
        match self {
            Self::Primary => primary,
            Self::Bounce => bounce(&points(tracer)),
            Self::Random => shuffled(Self::Bounce.rays(level, scene, tracer)),
            Self::Shadow => shadow(&points(tracer), scene.light),
            Self::Soft(LightRadius(radius)) => {
                many::soft(level, &points(tracer), f64::from(radius) / 1000.0)
            }
            Self::SoftShuffled => shuffled(SOFT_5.rays(level, scene, tracer)),
            Self::Occlusion => many::occlusion(level, &points(tracer)),
            Self::Sight => many::sight(&points(tracer)),
            Self::SightShuffled => shuffled(Self::Sight.rays(level, scene, tracer)),
            Self::Ground => many::ground(level),
            Self::Probe => many::probe(&primary, tracer),
        }
    }
}

fn shuffled(mut rays: Vec<Ray>) -> Vec<Ray> {
    shuffle(&mut rays);
    rays
}
