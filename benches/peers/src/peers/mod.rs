//! The peers: hitscan itself, Embree, and the Rust crates of `native/`.

pub mod embree;
pub mod native;
pub mod ours;

use std::time::Duration;

use crate::peer::{Peer, Triangle};

/// Builds a peer over a scene's triangles.
pub type Build = Box<dyn Fn(&[Triangle]) -> Box<dyn Peer>>;

/// What a measurement is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// hitscan.
    Ours,
    /// Can be the *best peer*: one ray at a time, in its fast mode.
    Peer,
    /// Another mode of a peer: robust, or in packets.
    OtherMode,
}

/// What can be measured, before it is built over a scene.
pub struct Entrant {
    pub name: String,
    /// Its version and options.
    pub version: String,
    pub role: Role,
    pub build: Build,
}

/// Builds over a scene's triangles and throws it away; the time of the building alone.
pub type Bake = Box<dyn Fn(&[Triangle]) -> Duration>;

/// How something is built, for the time that it takes.
pub struct Bakery {
    pub name: String,
    /// Its version and options.
    pub version: String,
    pub bake: Bake,
}
