//! Explanations: what a query looks at, and why a triangle is not the answer, as plain data.
//!
//! | question | call |
//! |---|---|
//! | What does this ray look at, step by step? | [`Bvh::explain`], [`Snapshot::explain`] |
//! | Which boxes does the tree have at a depth, to draw them? | [`Bvh::boxes_at`] |
//! | Why does this ray not hit that triangle? | [`Bvh::why_not`], [`Snapshot::why_not`] |
//! | Why does it hit nothing of that mesh? | [`Bvh::why_not_mesh`], [`Snapshot::why_not_mesh`] |
//! | Why is it not the nearest to this point? | [`Bvh::why_not_nearest`] |
//! | Why does it not stop this moving shape? | [`Bvh::why_not_contact`] |
//!
//! The last two are also there for meshes, [`Bvh::why_not_nearest_mesh`] and
//! [`Bvh::why_not_contact_mesh`], and in scenes, [`Snapshot::why_not_nearest`] and
//! [`Snapshot::why_not_contact`].
//!
//! Whether something is hit is decided as in every query, without rounding. The distances that come
//! with the reasons are rounded. With [`Query::targets`](crate::Query::targets) for both, a volume
//! may be nearer; a query for volumes alone is explained as one for both. The steps of a ray are
//! its steps among triangles. These calls are for tools and for a game's debug drawing: they
//! allocate, and are slower than queries.
//!
//! ```
//! use hitscan::explain::WhyNot;
//! use hitscan::query::Question;
//! use hitscan::{Builder, Mesh, Query, Ray};
//!
//! let wall = |z: f32| Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]]);
//! let (bvh, _report) = Builder::new().bake(&[wall(5.0), wall(2.0)])?;
//! let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
//!
//! // The first wall is behind the second.
//! let WhyNot::Nearer { t, by } = bvh.why_not(&ray, &Query::new(), 0, 0) else { panic!() };
//! assert_eq!((t, by.mesh, by.t), (5.0, 1, 2.0));
//! // Beside the wall, half a unit past its last edge.
//! let beside = Ray::new([-0.5, 1.0, 0.0], [0.0, 0.0, 1.0]);
//! let WhyNot::OutsideEdge { edge, distance, .. } = bvh.why_not(&beside, &Query::new(), 1, 0)
//! else {
//!     panic!()
//! };
//! assert_eq!((edge, distance), (2, 0.5));
//!
//! let walk = bvh.explain(&ray, &Query::new(), Question::ClosestHit);
//! assert_eq!(walk.steps.len(), 2); // The root, and a leaf block of both walls.
//! assert_eq!(walk.hit.map(|hit| hit.t), Some(2.0));
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! [`Bvh::explain`]: crate::Bvh::explain
//! [`Bvh::boxes_at`]: crate::Bvh::boxes_at
//! [`Bvh::why_not`]: crate::Bvh::why_not
//! [`Bvh::why_not_mesh`]: crate::Bvh::why_not_mesh
//! [`Bvh::why_not_nearest`]: crate::Bvh::why_not_nearest
//! [`Bvh::why_not_nearest_mesh`]: crate::Bvh::why_not_nearest_mesh
//! [`Bvh::why_not_contact`]: crate::Bvh::why_not_contact
//! [`Bvh::why_not_contact_mesh`]: crate::Bvh::why_not_contact_mesh
//! [`Snapshot::explain`]: crate::Snapshot::explain
//! [`Snapshot::why_not_nearest`]: crate::Snapshot::why_not_nearest
//! [`Snapshot::why_not_contact`]: crate::Snapshot::why_not_contact
//! [`Snapshot::why_not`]: crate::Snapshot::why_not
//! [`Snapshot::why_not_mesh`]: crate::Snapshot::why_not_mesh

mod boxes;
mod contact;
mod in_scene;
mod nearest;
mod scene_walk;
mod suspect;
mod walk;
mod why_not;

pub use self::boxes::{Below, TreeBox};
pub use self::contact::{Gap, WhyNotContact};
pub use self::nearest::WhyNotNearest;
pub use self::scene_walk::{SceneBelow, SceneChild, SceneStep, SceneWalk};
pub use self::walk::{Child, End, Entry, Outcome, Step, Tested, Walk};
pub use self::why_not::{MeshWhyNot, WhyNot};
pub use crate::traverse::Refusal;
