//! Characters: a capsule that slides along what is in its way, stands, climbs, rides and is pushed.
//!
//! [`Bvh::move_and_slide`] and [`Snapshot::move_and_slide`] move one by a step:
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
//! assert!((feet - Vec3::new(1.58, 0.02, 1.2)).length() < 0.02, "{feet}");
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! A jump is a motion that leads upwards. The fall is the caller's: it grows while
//! [`Moved::ground`] is `None`.
//!
//! # What moves in a scene
//!
//! In each frame, after the commit, a character is first carried by what it stands on, then pushed
//! by what moves towards it, then moves itself:
//!
//! ```
//! use hitscan::character::MoveOptions;
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::scene::{Instance, Scene};
//! use hitscan::{Builder, Capsule, Mesh, Query};
//!
//! let quad = |corners| Mesh::new(corners, vec![0, 1, 2, 0, 2, 3]);
//! let plate = vec![[-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, -2.0]];
//! let (plate, _report) = Builder::new().bake(&[quad(plate)])?;
//! let gate = vec![[0.0, 0.0, -2.0], [0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [0.0, 3.0, -2.0]];
//! let (gate, _report) = Builder::new().bake(&[quad(gate)])?;
//! let mut scene = Scene::new();
//! let lift = scene.insert(Instance::new(plate))?;
//! let gate = scene.insert(Instance::new(gate))?;
//!
//! let (options, query) = (MoveOptions::new(), Query::new());
//! let body = |feet: Vec3| Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4);
//! let (mut feet, mut ground) = (Vec3::new(0.0, 0.02, 0.0), Some(lift));
//! let at = |x: f32, y: f32| Affine3A::from_translation(Vec3::new(x, y, 0.0));
//! scene.set_transform(gate, at(-5.0, 0.0))?;
//! let mut before = scene.commit();
//! for frame in 1..=60 {
//!     // The lift rises, and the gate comes along, faster than a character is wide.
//!     let height = 0.05 * frame as f32;
//!     scene.set_transform(lift, at(0.0, height))?;
//!     scene.set_transform(gate, at((2.0 * frame as f32 - 5.0).min(0.5), height))?;
//!     let now = scene.commit();
//!     if let Some(ground) = ground {
//!         feet += now.ride(&before, ground, body(feet), &options, &query).translation;
//!     }
//!     feet += now.push(&before, gate, body(feet), &options, &query).translation;
//!     let moved = now.move_and_slide(body(feet), Vec3::ZERO, &options, &query);
//!     feet += moved.translation;
//!     ground = moved.ground.map(|ground| ground.hit.instance);
//!     assert_eq!((ground, moved.squeezed), (Some(lift), 0.0));
//!     before = now;
//! }
//! assert!((feet - Vec3::new(0.92, 3.02, 0.0)).length() < 0.02, "{feet}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Snapshot::motion_since`] tells how an instance has turned, and [`Snapshot::carried`] where a
//! point of it has gone. [`Moved::squeezed`] of the three says that no room is left: then the
//! character is crushed. Example `moving_platforms` carries one.
//!
//! # Players and crates
//!
//! With [`Query::targets`] [volumes](crate::scene#volumes) stop a character as triangles do, carry
//! and push him: nothing has to be baked for a player or a crate. Who moves leaves his own volume
//! out:
//!
//! ```
//! use hitscan::character::MoveOptions;
//! use hitscan::glam::Vec3;
//! use hitscan::scene::{Instance, Scene};
//! use hitscan::{Aabb, Capsule, Query, Targets};
//!
//! let mut scene = Scene::new();
//! let body = Capsule::new([0.0, 0.4, 0.0], [0.0, 1.4, 0.0], 0.4);
//! let player = scene.insert(Instance::new(body))?;
//! let crate_box = Aabb::from_min_max([2.0, 0.0, -1.0], [3.0, 1.0, 1.0]);
//! let crate_1 = scene.insert(Instance::new(crate_box))?;
//! let now = scene.commit();
//!
//! let query = Query::new().targets(Targets::Both).except(player);
//! let moved = now.move_and_slide(body, 4.0 * Vec3::X, &MoveOptions::new(), &query);
//! assert_eq!(moved.touches[0].hit.instance, crate_1);
//! assert!((moved.translation - 1.58 * Vec3::X).length() < 1e-4, "{moved:?}");
//! # Ok::<(), hitscan::SceneError>(())
//! ```
//!
//! # What holds
//!
//! - **Nothing goes through anything.** A capsule that overlaps nothing at the start overlaps
//!   nothing at the end, however far it moves, and passed none on the way.
//! - **It comes to rest** in corners and between pillars, and stands still on slopes, to the last
//!   bit. It needs no free distance at the start: it may touch, or overlap a little.
//! - **The same bits everywhere**, as for all questions.
//! - **No unit of length**: what is not set depends on the radius.
//!
//! What it is made of is public: [`Bvh::penetrations`] gives planes, [`slide`] bends a motion along
//! them, and [`Bvh::first_contact`] with [`StartContacts::Opposed`] says how far a way is free.
//!
//! [`Bvh::move_and_slide`]: crate::Bvh::move_and_slide
//! [`Query::targets`]: crate::Query::targets
//! [`Bvh::penetrations`]: crate::Bvh::penetrations
//! [`Bvh::first_contact`]: crate::Bvh::first_contact
//! [`Snapshot::move_and_slide`]: crate::Snapshot::move_and_slide
//! [`Snapshot::motion_since`]: crate::Snapshot::motion_since
//! [`Snapshot::carried`]: crate::Snapshot::carried
//! [`StartContacts::Opposed`]: crate::StartContacts::Opposed
//! [`slide`]: crate::geometry::slide

mod carry;
mod move_and_slide;
mod moved;
mod options;
mod surroundings;
mod walk;

pub use moved::{Moved, Touch};
pub use options::MoveOptions;
