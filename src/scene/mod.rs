//! Scenes: trees that stand in many places, and move; and volumes.
//!
//! A level is one tree. Doors, lifts, vehicles and crates are others, each baked once and placed as
//! often as needed. A [`Scene`] knows where, and its snapshots answer questions as a
//! [`Bvh`](crate::Bvh) does. To move an instance moves its box, and no triangle.
//!
//! ```
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::scene::{Instance, Scene};
//! use hitscan::{Builder, Mesh, Query, Ray};
//!
//! let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
//! let (level, _report) = Builder::new().bake(&[floor])?;
//! let plate = Mesh::from_soup(vec![[-1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, -1.0]]);
//! let (lift, _report) = Builder::new().bake(&[plate])?;
//!
//! let mut scene = Scene::new();
//! scene.insert(Instance::new(level))?;
//! let lift = scene.insert(Instance::new(lift).with_user_id(7))?;
//! let down = Ray::new([0.0, 5.0, -0.5], [0.0, -1.0, 0.0]);
//! for frame in 0..4 {
//!     let height = Affine3A::from_translation(Vec3::Y * frame as f32);
//!     scene.set_transform(lift, height)?;
//!     let now = scene.commit();
//!     let hit = now.closest_hit(&down, &Query::new()).unwrap();
//!     assert_eq!(hit.t, 5.0 - frame as f32);
//!     if frame > 0 {
//!         assert_eq!(now.user_id(hit.instance), Some(7));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Commits and snapshots
//!
//! Changes take effect together at [`Scene::commit`]. It returns a [`Snapshot`], and questions are
//! asked of that: from any thread, while the owner of the scene goes on. A question never sees half
//! a change. A snapshot is a cheap handle; it shares what has not changed with those before it.
//!
//! # Rewind
//!
//! A server that checks a shot wants to know what its player saw, some ticks ago. So it keeps the
//! snapshots of the last ticks, and asks the right one:
//!
//! ```
//! use std::collections::VecDeque;
//!
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::scene::{Instance, Scene, Snapshot};
//! use hitscan::{Builder, Mesh, Query, Ray};
//!
//! let target = Mesh::from_soup(vec![[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 1.0, 5.0]]);
//! let (target, _report) = Builder::new().bake(&[target])?;
//! let mut scene = Scene::new();
//! let target = scene.insert(Instance::new(target))?;
//! let mut ticks: VecDeque<Snapshot> = VecDeque::new();
//! for tick in 0..200 {
//!     scene.set_transform(target, Affine3A::from_translation(Vec3::X * tick as f32))?;
//!     ticks.push_back(scene.commit());
//!     if ticks.len() > 128 {
//!         ticks.pop_front();
//!     }
//! }
//! // A shot at where the target was 30 ticks ago.
//! let shot = Ray::new([169.3, 0.3, 0.0], [0.0, 0.0, 1.0]);
//! assert!(ticks[ticks.len() - 1 - 30].any_hit(&shot, &Query::new()));
//! assert!(!ticks[ticks.len() - 1].any_hit(&shot, &Query::new()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The example `rewind` does so for 64 players in a level, and prints the memory of a tick.
//!
//! # Points and shapes
//!
//! Questions about points and shapes (the triangles near a point, the triangles that touch a shape,
//! the contact that stops it on its way) see triangles as they are **in the world**. A corner of
//! the tree is moved to `((x * a + y * b) + z * c) + t`, where `a`, `b` and `c` are the columns of
//! the transform and `t` is its translation: in `f64`, then each coordinate is rounded once to
//! `f32`. If the transform mirrors, the second and third corner change places, so that the front
//! stays the front. [`Snapshot::triangle`] gives this triangle.
//!
//! For these triangles all answers are as exact as the answers of a tree, whatever the transform
//! is: it may shear, mirror, and scale each axis differently. Distances, points, normals and depths
//! are measured in the world. A triangle that loses its area in the rounding is the segment or
//! point that remains. One with a coordinate beyond the range of `f32` is not there.
//!
//! Rays go another way: a ray is asked in the coordinates of each tree. So a hit and a contact of
//! the same place may differ by the rounding of a coordinate.
//!
//! # Trees that are refitted
//!
//! A character whose skin bends is an instance whose tree is [refitted](crate::Bvh::refit) in each
//! frame. [`Scene::replace`] then puts the tree in its own place: the instance keeps its handle and
//! gets a new box, in constant time, and the commit takes what a move takes.
//!
//! Snapshots share memory with the trees that they show, and never change. So a refit of a handle
//! whose memory a snapshot or the scene holds copies the tree first. Two handles that take turns
//! avoid that: when one is refitted, the other one is shown.
//!
//! ```
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::scene::{Instance, Scene};
//! use hitscan::{Builder, Bvh, Mesh, Query, Ray};
//!
//! let mut skin = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
//! let (mut next, _report) = Builder::new().bake(&[skin.clone()])?;
//! // With memory of its own, which a clone has not.
//! let mut other = Bvh::from_bytes(&next.to_bytes())?;
//! let mut scene = Scene::new();
//! let character = scene.insert(Instance::new(other.clone()))?;
//! for frame in 1..4 {
//!     skin.transform = Affine3A::from_translation(Vec3::Z * frame as f32);
//!     next.refit(&[skin.view()])?; // in place: no snapshot shows it
//!     scene.replace(character, &next)?;
//!     let now = scene.commit();
//!     std::mem::swap(&mut next, &mut other);
//!
//!     let shot = Ray::new([0.0, 0.5, -9.0], [0.0, 0.0, 1.0]);
//!     let hit = now.closest_hit(&shot, &Query::new()).unwrap();
//!     assert_eq!((hit.instance, hit.t), (character, 9.0 + frame as f32));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Who keeps snapshots, to [rewind](#rewind), keeps a tree for each: then a copy is what each frame
//! needs, and one handle is enough. A tree that stands at many instances is one tree: to refit a
//! handle of it changes none of them, and [`Scene::replace`] changes the one instance that it is
//! told. The others show the tree as it was. Replace each, by clones of the refitted handle, and
//! they share one tree again.
//!
//! # Volumes
//!
//! A trigger has no triangles, and an object that is picked by a click, or a player who is shot at,
//! may have more than are needed. So an instance may also be a
//! [`Volume`](crate::geometry::Volume): a box, an oriented box, a sphere or a capsule. It has all
//! that other instances have: a transform, a mask, a name, a handle.
//!
//! ```
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::scene::{Instance, Scene};
//! use hitscan::{Aabb, Capsule, Query, Ray, Sphere, Targets};
//!
//! let mut scene = Scene::new();
//! let crate_box = Aabb::from_min_max([-0.5, 0.0, -0.5], [0.5, 1.0, 0.5]);
//! let at = Affine3A::from_translation(Vec3::new(0.0, 0.0, 4.0)) * Affine3A::from_rotation_y(0.3);
//! let crate_1 = scene.insert(Instance::new(crate_box).with_transform(at))?;
//! let alarm = scene.insert(Instance::new(Sphere::new([0.0, 0.0, 8.0], 3.0)).with_mask(2))?;
//! let now = scene.commit();
//!
//! // What a click picks, of triangles and of the volumes of a layer.
//! let click = Ray::new([0.0, 0.5, 0.0], [0.0, 0.0, 1.0]);
//! let both = Query::new().targets(Targets::Both);
//! let picked = now.closest_hit(&click, &both.mask(1)).unwrap();
//! assert_eq!(picked.instance, crate_1);
//! // Which triggers a character is in.
//! let mut entered = Vec::new();
//! let body = Capsule::new([1.0, 0.5, 5.5], [1.0, 1.5, 5.5], 0.5);
//! now.all_overlaps(body, &Query::new().targets(Targets::Volumes).mask(2), &mut entered);
//! assert_eq!(entered[0].hit.instance, alarm);
//! // How far a character can go.
//! let stop = now.first_contact(body, [-4.0, 0.0, -1.5], &both.mask(1)).unwrap();
//! assert_eq!(stop.hit.instance, crate_1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whether a question meets triangles, volumes or both is a choice of its query:
//! [`Query::targets`](crate::Query::targets). By default it meets triangles only: a trigger stops
//! no ray. One instance is left out by [`Query::except`](crate::Query::except): a shooter does not
//! hit himself. [`Snapshot::all_volume_hits`] gives the whole part of a ray that is in each volume.
//!
//! **Volumes are solid.** A ray that starts in one hits it at `t_min`; a point inside is its own
//! closest point, at the distance zero; a shape inside overlaps it, and the way out leads out of
//! all of it. Answers have the same types as for triangles: [`Hit`](crate::Hit) says how it tells
//! of a volume. The feature is always the face.
//!
//! **Exactness.** Rays are as [`Volume::ray_interval`](crate::geometry::Volume::ray_interval) says,
//! overlaps as [`Shape::overlaps`](crate::geometry::Shape::overlaps). Distances, times of contacts
//! and depths are computed in `f64` and rounded once. A shape that moves touches a volume if it
//! gets as near as 2^-40 of the largest coordinate of both, or of the motion, if that is larger.
//! The normal of a contact leads from the volume to the shape; `face_normal` is the normal of the
//! face of a box that the point is on, and of other volumes the same as `normal`. So the two differ
//! where a shape touches an edge of a box. Of several ways out that are as short, the first of
//! these is told: along the normals of the faces of the volume, of the shape, across edges of both.
//! Of a box along the axes that moves, only the part within 65,536 times the largest coordinate of
//! the volume counts.
//!
//! Answers of triangles and volumes are compared as they are reported, then by handle.
//!
//! Answers are those for the volume **in the world**, which [`Snapshot::world_volume`] gives:
//!
//! - A box becomes an oriented box with the instance's transform, without any rounding.
//! - An oriented box gets the product of both transforms, computed in `f64`, each number rounded
//!   once. It must be a transform that an instance can have: see
//!   [`Singular`](crate::SceneErrorKind::Singular).
//! - The center of a sphere and the ends of a capsule are moved as corners of triangles are. The
//!   radius is multiplied with the largest factor by which the transform stretches a length, and
//!   rounded. So a sphere stays a sphere: one that is stretched holds what becomes of it, but for
//!   these roundings, and more.
//!
//! **Which volumes there can be.** A volume must hold a point, and all its numbers must be finite:
//! as it is given, and in the world. So no minimum is above its maximum, and no radius is negative.
//! Boxes may be flat and radii zero: a surface belongs to its volume. This is checked whenever a
//! volume is put in, replaced, moved or read from a file; one that breaks the rule is refused, with
//! [`InvalidVolume`](crate::SceneErrorKind::InvalidVolume). A shape that is *asked* about may be
//! anything: one that holds no point, or has a NaN, touches nothing.
//!
//! # Files
//!
//! [`Scene::save`] writes a scene with its trees and volumes into one file, [`Scene::open`] reads
//! it; [`file`](mod@file) says more. `Scene::bake_import` (feature `import`) makes a scene of a
//! glTF model whose meshes repeat.
//!
//! # Guarantees
//!
//! All that is promised for a [`Bvh`](crate::Bvh) holds for rays within an instance, in the
//! coordinates of its tree, and for points and shapes in the world:
//! [what to expect](crate::what_to_expect). Answers depend on the instances and their
//! handles alone: not on how they came to be where they are, the instruction set or the number of
//! threads.

pub mod file;

#[cfg(feature = "import")]
mod bake;
mod body;
mod build;
mod closed;
#[cfg(feature = "record")]
mod content;
mod inside;
mod instance;
mod instance_tree;
mod levels;
mod motion;
mod nearest;
mod overlap;
mod patch;
mod query;
#[allow(clippy::module_inception, reason = "it holds the type of this name")]
mod scene;
mod slots;
mod snap;
mod snapshot;
#[cfg(feature = "stats")]
mod stats;
mod sweep;
mod trees;
mod volume_query;
mod volumes;

pub use body::Body;
#[cfg(feature = "record")]
pub(crate) use content::Standing;
pub use instance::Instance;
pub use scene::Scene;
pub use snapshot::Snapshot;
