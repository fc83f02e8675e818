//! Characters: a capsule that moves along what is in its way, stands, and climbs.
//!
//! [`Bvh::move_and_slide`] and [`Snapshot::move_and_slide`] do what most games want:
//!
//! ```
//! use hitscan::character::MoveOptions;
//! use hitscan::glam::Vec3;
//! use hitscan::{Builder, Capsule, Mesh, Query};
//!
//! // A floor, and a wall at x = 2.
//! let floor = vec![[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]];
//! let wall = vec![[2.0, 0.0, -9.0], [2.0, 0.0, 9.0], [2.0, 9.0, 9.0], [2.0, 9.0, -9.0]];
//! let quad = |corners| Mesh::new(corners, vec![0, 1, 2, 0, 2, 3]);
//! let (bvh, _report) = Builder::new().bake(&[quad(floor), quad(wall)])?;
//!
//! let body = |feet: Vec3| Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4);
//! let (mut feet, mut fall) = (Vec3::new(0.0, 1.0, 0.0), 0.0);
//! for _step in 0..120 {
//!     let motion = Vec3::new(0.05, -fall, 0.01);
//!     let moved = bvh.move_and_slide(body(feet), motion, &MoveOptions::new(), &Query::new());
//!     feet += moved.translation;
//!     fall = if moved.ground.is_some() { 0.0 } else { fall + 9.81 / 3600.0 };
//! }
//! // It has fallen onto the floor and walked to the wall, then along it.
//! let end = Vec3::new(2.0 - 0.42, 0.02, 1.2);
//! assert!((feet - end).length() < 1e-3, "{feet}");
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! [`Bvh::move_and_slide`]: crate::Bvh::move_and_slide
//! [`Snapshot::move_and_slide`]: crate::Snapshot::move_and_slide

mod carry;
mod moved;
mod options;
mod surroundings;
mod walk;
mod world;

pub use moved::{Moved, Touch};
pub use options::MoveOptions;

use glam::Vec3;

use crate::bvh::Bvh;
use crate::geometry::Capsule;
use crate::scene::Snapshot;
use crate::traverse::Query;
use walk::Walk;
use world::World;

impl Bvh {
    /// Moves a character.
    #[must_use]
    pub fn move_and_slide(
        &self,
        body: Capsule,
        motion: impl Into<Vec3>,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Moved {
        walk(World::Tree(self), body, motion.into(), options, query)
    }
}

impl Snapshot {
    /// Moves a character.
    #[must_use]
    pub fn move_and_slide(
        &self,
        body: Capsule,
        motion: impl Into<Vec3>,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Moved {
        walk(World::Scene(self), body, motion.into(), options, query)
    }
}

fn walk(
    world: World<'_>,
    body: Capsule,
    motion: Vec3,
    options: &MoveOptions,
    query: &Query<'_>,
) -> Moved {
    if !is_sound(&body, motion) {
        return Moved::default();
    }
    Walk::new(world, body, options.limits(&body), query).walk(motion)
}

/// Whether the capsule is one, and stays so at the end of a motion.
fn is_sound(body: &Capsule, motion: Vec3) -> bool {
    let end = Capsule { a: body.a + motion, b: body.b + motion, ..*body };
    !body.is_empty() && body.radius.is_finite() && !end.is_empty()
}
