//! **hitscan** answers rays against level geometry: *what does this ray hit first, is anything
//! in the way, what lies along this line*. A bounding volume hierarchy is baked once, offline,
//! into a file; the game opens the file and asks.
//!
//! ```
//! use hitscan::{Builder, Bvh, Mesh, Query, Ray};
//!
//! // Bake: meshes in, tree and report out.
//! let quad = vec![[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 5.0]];
//! let floor = Mesh::new(quad, vec![0, 2, 1, 0, 3, 2]).with_name("floor");
//! let (bvh, _report) = Builder::new().bake(&[floor])?;
//!
//! // Ship: the file's bytes are the tree's bytes.
//! let bvh = Bvh::from_bytes(&bvh.to_bytes())?;
//!
//! // Ask: the nearest hit, and a line of sight.
//! let down = Ray::new([1.0, 2.0, 3.0], [0.0, -1.0, 0.0]);
//! let hit = bvh.closest_hit(&down, &Query::new()).expect("the floor is there");
//! assert_eq!((hit.t, hit.mesh), (2.0, 0));
//! assert!(!bvh.any_hit(&Ray::between([0.0, 1.0, 0.0], [3.0, 1.0, 0.0]), &Query::new()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to find what
//!
//! | to | see |
//! |---|---|
//! | bake | [`Builder`], [`Mesh`], [`MeshView`] (over your own buffers), `hitscan::import` (feature `import`) |
//! | ship and open | [`Bvh::save`], [`Bvh::open`], [`BvhView::from_bytes`] (in place), `hitscan::MappedBvh` (mapped, feature `mmap`), [`Bvh::set_user_data`], [`mod@file`] (the format) |
//! | ask | [`Bvh::closest_hit`], [`Bvh::any_hit`], [`Bvh::all_hits`], [`Bvh::closest_hits`] (batches), [`Query`] |
//! | look at a hit | [`Bvh::point`], [`Bvh::normal`], [`Bvh::triangle`], [`Bvh::mesh_name`], [`Bvh::material_name`] |
//! | move | [`Ray::transformed`] (a tree in many places), [`Bvh::refit`] (new vertex positions), [`Bvh::transform`] (the whole tree) |
//! | boxes and rays by themselves | [`geometry`] |
//!
//! # What holds, always
//!
//! These are contracts: they hold in every build and are tested.
//!
//! - **Watertight.** A ray hits a triangle if the exact ray meets the exact closed triangle, unless it runs
//!   in the triangle's plane. No ray slips between triangles that share an edge or a vertex bit for bit.
//! - **The same bits everywhere.** `t`, `u`, `v`, ids and facing are the same on every CPU and
//!   [`InstructionSet`], and equal to brute force over all triangles with [`Triangle::intersect`]. `t`, `u`
//!   and `v` are the exact values, rounded once. Of equally near triangles the lowest (mesh,
//!   triangle) wins, whatever the tree looks like.
//! - **No lost hits.** Boxes are conservative: flat ones, rays in the plane of a face, zero and
//!   negative-zero directions, origins far away.
//! - **No epsilon.** A screw of 0.1 mm and a terrain of 10 km behave alike. A triangle is left out
//!   only if it [has no area](Triangle::is_degenerate); any other is missed only by rays that run
//!   in its plane. All of this holds for every finite coordinate and direction; beyond 3e10, below
//!   1e-6 in extent, and for directions beyond 1e-9 to 1e9 rays are slower. So are those that run exactly through an
//!   edge or a vertex, which takes exact integers: by some 0.1 microseconds for each triangle there.
//! - **Ray units.** `t` is in units of the direction, which need not be of unit length, and the
//!   interval is closed: `t_min <= t <= t_max`; `t_min` may be negative and `t_max` infinite. A ray
//!   with a zero direction, a NaN or an infinity where there must be none, or `t_min > t_max` is a
//!   miss; so is a hit whose `t` would not be finite.
//! - **Stable ids.** A hit names mesh and triangle as the caller numbered them, dropped triangles
//!   counted.
//! - **Deterministic bakes.** The same meshes and options give the same file, byte for byte, with
//!   any number of threads, on any CPU.
//! - **Nothing trusted.** No mesh, ray, file or argument makes safe code panic, hang, overflow a
//!   stack or allocate more than a small multiple of the input. Errors are typed and say where.
//! - **No allocation per ray.** Queries take `&self` and allocate nothing, but for the growth of a
//!   [`HitList`]; [`Bvh`] and [`BvhView`] are `Send + Sync`.
//!
//! The default floating-point environment is assumed. Under flush-to-zero a query is still safe.
//!
//! # Features
//!
//! `parallel` (default): bakes and batches on all cores, by rayon. `mmap`: files mapped and
//! queried in place. `import`: readers for glTF/GLB, OBJ, PLY, STL and OFF. `stats`: queries that count
//! what they look at. `cli`: the `hitscan` binary.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use glam;

mod error;
#[cfg(test)]
mod test_rng;

mod platform;

pub mod bake;
pub mod bvh;
pub mod file;
pub mod geometry;
#[cfg(feature = "import")]
pub mod import;
pub mod mesh;
pub mod query;
mod simd;
mod traverse;

pub use bake::{BadTriangles, BakeReport, Builder, Progress, Stage};
pub use bvh::{BakeSummary, Bvh, BvhView, Metadata, Quality, RefitReport};
pub use error::{
    BakeError, BakeErrorKind, BatchError, BatchErrorKind, InstructionSetError,
    InstructionSetErrorKind, LoadError, LoadErrorKind, RefitError, RefitErrorKind,
};
#[cfg(feature = "mmap")]
pub use file::MappedBvh;
pub use geometry::{Aabb, Face, Obb, Plane, Ray, Sphere, Triangle};
#[cfg(feature = "import")]
pub use import::{Import, ImportError, ImportErrorKind};
pub use mesh::{Indices, Mesh, MeshView, Positions};
#[cfg(feature = "stats")]
pub use query::QueryStats;
pub use query::{Facing, Hit, HitList, Query, RaySoa};
pub use simd::InstructionSet;
