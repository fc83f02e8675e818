//! A step of a character, of trees and scenes.

use glam::Vec3;

use super::moved::Moved;
use super::options::{MoveOptions, is_sound};
use super::walk::Walk;
use crate::bvh::Bvh;
use crate::geometry::Capsule;
use crate::scene::Snapshot;
use crate::traverse::Query;
use crate::world::World;

impl Bvh {
    /// Moves a character by a step: along walls, up and down slopes and stairs, not through
    /// anything. [`character`](crate::character) shows it at work.
    ///
    /// The capsule goes to the place that is nearest to the end of the motion, as far as walls,
    /// floors and ceilings let it, and keeps a [skin](MoveOptions::skin) away from them. If it
    /// overlaps something at the start, or is nearer than half a skin, it is pushed out first, at
    /// most by four radii and not through anything else.
    ///
    /// - **On the ground** a downward motion counts as none, so it stands still on slopes. Ground
    ///   is what is no [steeper](MoveOptions::steepest) than allowed; the edge of a
    ///   [step](MoveOptions::step_height); and a place between steep walls that leaves no way
    ///   down. Up and down slopes and stairs it moves ahead as fast as on the flat, to half a
    ///   percent. At the end it follows the ground down, by up to
    ///   [`ground_snap`](MoveOptions::ground_snap).
    /// - **In the air** it falls onto ground and goes on along it, and slides down what is steeper.
    /// - **A motion that leads upwards**, a jump, bends along everything, and leaves the ground.
    ///
    /// The query says which triangles count, and [`Moved`] what became of it. Nothing moves if the
    /// capsule is empty or the motion not finite, or a number is beyond 2^60.
    ///
    /// Where nothing is in the way this takes about as long as four sweeps of such a capsule. A
    /// motion that bends more than 16 times, as one of many radii along a curved wall, ends early.
    /// Short lists of near surfaces are allocated.
    ///
    /// ```
    /// use hitscan::character::MoveOptions;
    /// use hitscan::glam::Vec3;
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// // A floor with a step of 0.2 at x = 1.
    /// let quad = |x0: f32, x1: f32, y0: f32, y1: f32| {
    ///     let corners = vec![[x0, y0, -9.0], [x0, y0, 9.0], [x1, y1, 9.0], [x1, y1, -9.0]];
    ///     Mesh::new(corners, vec![0, 1, 2, 0, 2, 3])
    /// };
    /// let [low, riser] = [quad(-9.0, 1.0, 0.0, 0.0), quad(1.0, 1.0, 0.0, 0.2)];
    /// let (bvh, _report) = Builder::new().bake(&[low, riser, quad(1.0, 9.0, 0.2, 0.2)])?;
    ///
    /// let body = |feet: Vec3| Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4);
    /// let walk = |options: &MoveOptions| {
    ///     let mut feet = Vec3::ZERO;
    ///     for _step in 0..60 {
    ///         let motion = [0.05, 0.0, 0.0];
    ///         let moved = bvh.move_and_slide(body(feet), motion, options, &Query::new());
    ///         feet += moved.translation;
    ///         assert!(moved.ground.is_some());
    ///     }
    ///     feet
    /// };
    /// assert!((walk(&MoveOptions::new()) - Vec3::new(3.0, 0.22, 0.0)).length() < 0.02);
    /// assert!(walk(&MoveOptions::new().step_height(0.1)).x < 1.0);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn move_and_slide(
        &self,
        body: Capsule,
        motion: impl Into<Vec3>,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Moved {
        move_and_slide(World::Tree(self), body, motion.into(), options, query)
    }
}

impl Snapshot {
    /// Moves a character by a step, as [`Bvh::move_and_slide`](crate::Bvh::move_and_slide), among
    /// the triangles [in the world](crate::scene#points-and-shapes). The instances stand still
    /// meanwhile: [`ride`](Self::ride) and [`push`](Self::push) are for those that have moved since
    /// the frame before.
    ///
    /// ```
    /// use hitscan::character::MoveOptions;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let tile = vec![[0.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 0.0, 4.0], [4.0, 0.0, -4.0]];
    /// let tile = Mesh::new(tile, vec![0, 1, 2, 0, 2, 3]);
    /// let (tile, _report) = Builder::new().bake(&[tile])?;
    /// let mut scene = Scene::new();
    /// let mut place = |x: f32| {
    ///     let at = Affine3A::from_translation(Vec3::X * x);
    ///     scene.insert(Instance::new(tile.clone()).with_transform(at))
    /// };
    /// let (_left, right) = (place(-4.0)?, place(0.0)?);
    /// // From one tile to the next.
    /// let body = Capsule::new([-1.0, 0.5, 0.0], [-1.0, 1.5, 0.0], 0.5);
    /// let (options, query) = (MoveOptions::new(), Query::new());
    /// let moved = scene.commit().move_and_slide(body, [2.0, 0.0, 0.0], &options, &query);
    /// assert_eq!(moved.translation.x, 2.0);
    /// assert_eq!(moved.ground.map(|ground| ground.hit.instance), Some(right));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn move_and_slide(
        &self,
        body: Capsule,
        motion: impl Into<Vec3>,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Moved {
        move_and_slide(World::Scene(self), body, motion.into(), options, query)
    }
}

fn move_and_slide(
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
