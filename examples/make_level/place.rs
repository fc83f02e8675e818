//! Where a part stands: a scale, then a rotation, then a translation, as a glTF node has them.

use glam::{Vec3, vec3};

use crate::maths::Rotation;

/// Built by chaining: `at(4.0, 0.0, 2.0).yaw(0.25).scaled(0.5)`.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: Vec3,
    pub(crate) rotation: Rotation,
    pub(crate) scale: Vec3,
}

/// Upright, unscaled, at a point.
pub(crate) fn at(x: f32, y: f32, z: f32) -> Place {
    Place { at: vec3(x, y, z), rotation: Rotation::NONE, scale: Vec3::ONE }
}

/// A unit-long part (along x) stretched from one point to another.
pub(crate) fn between(from: Vec3, to: Vec3) -> Place {
    let along = to - from;
    Place { at: from, rotation: Rotation::aim(along), scale: vec3(along.length(), 1.0, 1.0) }
}

impl Place {
    /// Turned about the upright axis, counter-clockwise from above, by a number of turns.
    pub(crate) fn yaw(self, turns: f32) -> Place {
        self.about(Vec3::Y, turns)
    }

    /// Turned about its own x axis.
    pub(crate) fn pitch(self, turns: f32) -> Place {
        self.about(Vec3::X, turns)
    }

    /// Turned about its own z axis.
    pub(crate) fn roll(self, turns: f32) -> Place {
        self.about(Vec3::Z, turns)
    }

    fn about(self, axis: Vec3, turns: f32) -> Place {
        Place { rotation: self.rotation.after(Rotation::about(axis, turns)), ..self }
    }

    /// The same size in every direction.
    pub(crate) fn scaled(self, by: f32) -> Place {
        self.stretched(by, by, by)
    }

    /// A size for each axis; a negative one mirrors.
    pub(crate) fn stretched(self, x: f32, y: f32, z: f32) -> Place {
        Place { scale: self.scale * vec3(x, y, z), ..self }
    }

    /// A point of the part, as placed.
    pub(crate) fn point(&self, p: Vec3) -> Vec3 {
        self.at + self.rotation.turn(p * self.scale)
    }

    /// Whether left and right are swapped.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.scale.x * self.scale.y * self.scale.z < 0.0
    }
}
