//! What sees what, and how open points are: for light bakers, and for audio.
//!
//! | question | call |
//! |---|---|
//! | Which of these points see which of those? | [`Bvh::visibility`], [`Snapshot::visibility`] |
//! | How much of the sky over a point is blocked? | [`Bvh::occlusion`], [`Snapshot::occlusion`] |
//! | Where on its triangle is a texel? | [`Bvh::hit_at`], [`Snapshot::hit_at`] |
//!
//! The first two cast millions of rays in one call, on all threads with the feature `parallel`.
//! Their answers are the same bits with any number of threads and any instruction set. Each has a
//! twin that reports progress and can be stopped.
//!
//! A texel of a light map is a point of a triangle. No ray found it, so [`Bvh::hit_at`] makes the
//! hit, and [`Bvh::ray_from`] lets rays leave from there:
//!
//! ```
//! use hitscan::glam::Vec3;
//! use hitscan::{Builder, Mesh, Query};
//!
//! let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
//! let roof = Mesh::from_soup(vec![[-9.0, 3.0, -9.0], [9.0, 3.0, -9.0], [0.0, 3.0, 0.0]]);
//! let (bvh, _report) = Builder::new().bake(&[floor, roof])?;
//!
//! // A texel of the floor, below the roof.
//! let texel = bvh.hit_at(0, 0, 0.2, 0.4).expect("the triangle is there");
//! let point = bvh.point(&texel).unwrap();
//!
//! // Direct light: is the lamp in sight? `dir` keeps its length, so `t` is 1 at the lamp.
//! let lamp = Vec3::new(0.0, 2.0, 0.0);
//! let to_lamp = bvh.ray_from(&texel, lamp - point).unwrap().with_range(0.0, 1.0);
//! assert!(!bvh.any_hit(&to_lamp, &Query::new()));
//!
//! // The sky within five units: some of it is hidden by the roof.
//! let sky = bvh.ray_from(&texel, bvh.normal(&texel).unwrap()).unwrap().with_range(0.0, 5.0);
//! let occlusion = bvh.occlusion(&[sky], 64, &Query::new());
//! assert!(occlusion[0] > 0.3 && occlusion[0] < 0.9);
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! # A point and a normal, but no triangle
//!
//! [`Bvh::closest_point`] finds the triangle. Where two faces lie back to back, or a thin wall has
//! two sides, take the one whose front agrees with the normal, by a filter:
//!
//! ```
//! use hitscan::glam::Vec3;
//! use hitscan::{Builder, Hit, Mesh, Query};
//!
//! // Two faces in one plane: the front of the first is up, the front of the second is down.
//! let up = Mesh::from_soup(vec![[-1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, -1.0]]);
//! let down = Mesh::from_soup(vec![[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]]);
//! let (bvh, _report) = Builder::new().bake(&[up, down])?;
//!
//! let (point, normal) = (Vec3::new(0.0, 0.01, 0.0), Vec3::NEG_Y);
//! let agrees = |hit: &Hit| bvh.normal(hit).is_some_and(|front| front.dot(normal) > 0.0);
//! let query = Query::new().filter(&agrees);
//! let near = bvh.closest_point(point, 0.1, &query).expect("a face is near");
//! assert_eq!(near.hit.mesh, 1);
//! let ray = bvh.ray_from(&near.hit, normal).unwrap();
//! assert!(!bvh.any_hit(&ray, &Query::new()));
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! [`Bvh::visibility`]: crate::Bvh::visibility
//! [`Bvh::occlusion`]: crate::Bvh::occlusion
//! [`Bvh::hit_at`]: crate::Bvh::hit_at
//! [`Bvh::ray_from`]: crate::Bvh::ray_from
//! [`Bvh::closest_point`]: crate::Bvh::closest_point
//! [`Snapshot::visibility`]: crate::Snapshot::visibility
//! [`Snapshot::occlusion`]: crate::Snapshot::occlusion
//! [`Snapshot::hit_at`]: crate::Snapshot::hit_at

mod batch;
mod hemisphere;
mod matrix;
mod occlusion;
mod watch;

pub use matrix::Visibility;
