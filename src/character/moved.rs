//! What became of a motion.

use glam::Vec3;

use crate::traverse::Hit;

/// What became of a motion: see [`Bvh::move_and_slide`](crate::Bvh::move_and_slide).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// How far the capsule has moved in all: add it to the character's position.
    pub translation: Vec3,
    /// What it stands on at the end. `None` in the air, on what is too steep, and after a motion
    /// that leads upwards.
    pub ground: Option<Touch>,
    /// What was in the way, in order, each triangle and each volume once. The ground is one of them
    /// only if the motion led into it.
    pub touches: Vec<Touch>,
    /// How deep the capsule overlaps something at the end: zero unless it did so at the start and
    /// found no way out, or something that moves has left it no room. Then it is crushed.
    ///
    /// Volumes are solid, but meshes are surfaces. A mesh that has gone so far that the middle of
    /// the capsule is inside is seen by [`ride`](crate::Snapshot::ride) and
    /// [`push`](crate::Snapshot::push), and no longer by
    /// [`move_and_slide`](crate::Snapshot::move_and_slide).
    pub squeezed: f32,
}

/// A place where a capsule touches something, from a skin away.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Touch {
    /// The triangle or the volume. Its `t` is zero; of a triangle `u` and `v` are the weights of
    /// `point`.
    pub hit: Hit,
    /// The point of the triangle that is nearest to the capsule.
    pub point: Vec3,
    /// The direction from there to the capsule, of unit length.
    pub normal: Vec3,
    /// The normal of the triangle's plane, on the side that `normal` leads to.
    pub face_normal: Vec3,
    /// How far the capsule had moved when it touched this.
    pub translation: Vec3,
}
