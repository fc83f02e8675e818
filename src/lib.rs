//! **hitscan** answers questions about level geometry: *what does this ray hit first, is anything
//! in the way, what lies along this line, what lies near this point*. A bounding volume hierarchy
//! is baked once, offline, into a file; the game opens the file and asks.
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
//! | type | what it is |
//! |---|---|
//! | [`Bvh`] | a baked tree, which answers queries; a clone shares its memory |
//! | [`Ray`] | an origin, a direction and an interval |
//! | [`Query`] | which sides, meshes and hits count |
//! | [`Hit`] | what a ray meets, in the caller's own numbers |
//! | [`Builder`] | bakes [`Mesh`]es, or [`MeshView`]s over your own buffers, into a tree |
//!
//! | to | see |
//! |---|---|
//! | bake | [`Builder::bake`], `hitscan::import` (feature `import`) |
//! | bake only what has changed | [`Builder::content_hash`], [`Bvh::content_hash`] |
//! | ship and open | [`Bvh::save`], [`Bvh::open`], [`Bvh::from_owner`], [`mod@file`] |
//! | ask about rays | [`Bvh::closest_hit`], [`Bvh::any_hit`], [`Bvh::all_hits`], [`mod@query`] |
//! | ask about many rays | [`Bvh::closest_hit_batch`], [`Bvh::any_hit_batch`], [`mod@query`] |
//! | ask what lies near | [`Bvh::closest_point`], [`Bvh::any_within`], [`Bvh::all_within`] |
//! | ask how far a shape is from anything | [`Bvh::closest_to_shape`] |
//! | ask what a shape touches | [`Bvh::all_overlaps`], [`Bvh::any_overlap`], [`Shape`] |
//! | ask what stops a shape | [`Bvh::first_contact`], [`Bvh::all_contacts`], [`ConvexShape`] |
//! | ask what stops a shape that turns | [`Bvh::first_contact_turning`] |
//! | move a character | [`Bvh::move_and_slide`], [`mod@character`] |
//! | write a controller of your own | [`Bvh::penetrations`], [`slide`](geometry::slide) |
//! | ask about many shapes | [`Bvh::first_contact_batch`], [`Bvh::any_overlap_batch`] |
//! | ask whether a point is inside | [`Bvh::contains`], [`Bvh::signed_distance`] |
//! | look at a hit | [`Bvh::point`], [`Bvh::normal`], [`Bvh::triangle`], [`Bvh::mesh_name`] |
//! | know which edge or corner is near or touched | [`Bvh::feature_points`] |
//! | cast on from a hit | [`Bvh::ray_from`] (bounces, ambient occlusion, shadows) |
//! | pick, select and label on the screen | [`Camera`](geometry::Camera), [`Ray::from_screen`] |
//! | snap to vertices and edges | [`Bvh::snap`], [`Bvh::edges`] |
//! | select whole meshes, know their boxes | [`Bvh::all_mesh_overlaps`], [`Bvh::mesh_bounds`] |
//! | ask what no other call answers | [`Bvh::visit`] |
//! | read triangles back | [`Bvh::triangles`], [`Bvh::mesh_triangles`], [`Bvh::mesh_triangle`] |
//! | find the call for a game's question | [`mod@query`] (ground heights, obstacles, cameras) |
//! | know edges, seams and rounding | [what to expect](mod@what_to_expect) |
//! | place trees in many places, and move them | [`Scene`], [`Snapshot`], [`mod@scene`] |
//! | meet players, crates and triggers | [`Query::targets`], [volumes](mod@scene#volumes) |
//! | ship and open a scene | [`Scene::save`], [`Scene::open`], [`mod@scene::file`] |
//! | move the triangles of a tree | [`Bvh::refit`], [`Bvh::refit_mesh`], [`Bvh::apply_transform`] |
//! | change a tree | [`Bvh::set_mask`] (doors), [`Bvh::set_user_data`] |
//! | record questions, and ask them again | `hitscan::record` (feature `record`) |
//! | bake light maps, know what sees what | `hitscan::visibility` (feature `visibility`) |
//! | know why a ray ends, or misses a triangle | `hitscan::explain` (feature `stats`) |
//! | use it with Bevy, or another maths library | [with Bevy](mod@with_bevy) |
//! | use it in a browser | [in a browser](mod@in_a_browser) |
//! | use boxes, spheres, capsules and rays without a tree | [`geometry`] |
//!
//! # What holds, always
//!
//! These are contracts: they hold in every build and are tested.
//!
//! - **Watertight.** A ray that meets a triangle, its edges included, hits it, unless the ray runs
//!   in the triangle's plane. This is decided without rounding; only the ends of its interval are
//!   compared with a rounded number, the `t` that is reported. No ray slips between triangles that
//!   share vertices with identical bits.
//! - **The same bits everywhere.** `t`, `u`, `v`, ids and facing are the same on every CPU and
//!   [`InstructionSet`], and equal to brute force over all triangles with [`Triangle::intersect`].
//!   `t`, `u` and `v` are the exact values, rounded once. Of equally near triangles the lowest
//!   (mesh, triangle) wins, whatever the tree looks like.
//! - **Exact distances and overlaps.** Which triangle is nearest to a point, whether it is within a
//!   distance, and whether it touches a shape, also one that moves, is decided without rounding,
//!   and so is whether a point is inside; a distance is the exact value, rounded once. In scenes
//!   that holds for [the triangles in the world](mod@scene#points-and-shapes).
//! - **No lost hits.** Box tests never lose a hit: not for flat boxes, rays in the plane of a face,
//!   zero and negative-zero direction components, or origins far away.
//! - **No epsilon.** A screw of 0.1 mm and a terrain of 10 km behave alike. A triangle is skipped
//!   only if it [has no area](Triangle::is_degenerate); any other is missed only by rays that run
//!   in its plane. This holds for every finite coordinate and direction. Rays are slower where
//!   coordinates are beyond 3e10, where a tree is smaller than 1e-6, and where directions are
//!   outside 1e-9 to 1e9. A ray that passes exactly through an edge or a vertex takes about 0.1
//!   microseconds longer for each such triangle, and one that starts nearer to a triangle's plane
//!   than a millionth of the triangle's size up to some microseconds.
//! - **Ray units.** `t` is in units of the direction, which need not be of unit length, and the
//!   interval is closed: `t_min <= t <= t_max`, where `t` is the reported number, the exact value
//!   rounded once; `t_min` may be negative and `t_max` infinite. A ray with a zero direction, a
//!   NaN, an infinite origin or direction, or `t_min > t_max` is a miss; so is a hit whose `t`
//!   would not be finite.
//! - **Stable ids.** A hit names mesh and triangle as the caller numbered them, counting skipped
//!   triangles.
//! - **Deterministic bakes.** The same meshes and options give the same file, byte for byte, with
//!   any number of threads, on any CPU.
//! - **Nothing trusted.** No mesh, ray, file or argument makes safe code panic (except where rayon
//!   cannot start), hang, overflow a stack or allocate more than a small multiple of the input.
//!   Errors are typed and say where.
//! - **No allocation per ray.** Queries take `&self` and allocate nothing, except when the
//!   caller's list grows, for data that is kept from the first call on, or for the short lists of
//!   [`Bvh::move_and_slide`]. A batch of shuffled rays in a tree larger than the caches takes a
//!   hundred KB on each thread while it runs. [`Bvh`] is `Send + Sync`.
//!
//! On `wasm32-unknown-unknown`, [in a browser](mod@in_a_browser), there are no threads, files or
//! clock. All that needs none works there, bakes included, with the same bytes.
//!
//! Set no other rounding mode on the calling thread. With flush-to-zero on, queries stay
//! memory-safe, but hits may differ.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `parallel` (default) | bakes and batches on the threads of the rayon pool |
//! | `mmap` | `Bvh::open_mapped`: files mapped into memory and used in place |
//! | `import` | `hitscan::import`: readers for glTF/GLB, OBJ, PLY, STL and OFF |
//! | `draco` | Draco compression in glTF |
//! | `record` | `hitscan::record`: questions and answers recorded to a file, and asked again |
//! | `stats` | counts of what queries look at; `hitscan::explain`: why a ray ends, a tree's boxes |
//! | `cli` | the `hitscan` command |
//! | `visibility` | `hitscan::visibility`: what sees what, ambient occlusion, hits of texels |
//! | `scalar` | plain code as an [`InstructionSet`] where every CPU has vectors, to compare with |
//!
//! # In your `Cargo.toml`
//!
//! Debug builds are slow unless this crate is optimized in them:
//!
//! ```toml
//! [profile.dev.package.hitscan]
//! opt-level = 3
//! overflow-checks = false
//! debug-assertions = false
//! ```
//!
//! Batches then take as long as in a release build. With the first line alone they take 1.5 to 2
//! times as long.
//!
//! On x86-64 this crate holds code for SSE2, AVX2 and AVX-512, and chooses at run time. A binary is
//! smaller, and builds faster, without AVX-512 (`--cfg hitscan_no_avx512` in `RUSTFLAGS`) or with
//! SSE2 alone (`--cfg hitscan_no_avx2`).

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use glam;

mod array;
mod error;
#[cfg(test)]
mod test_rng;
#[cfg(test)]
mod test_work;

mod platform;

// rustdoc lists the methods of `Bvh` in the order of the modules: what a game asks comes first.
pub mod query;

pub mod scene;

pub mod character;

pub mod file;

pub mod bake;
pub mod bvh;
#[cfg(feature = "stats")]
pub mod explain;
pub mod geometry;
#[cfg(feature = "import")]
pub mod import;
pub mod in_a_browser;
pub mod mesh;
#[cfg(feature = "record")]
pub mod record;
mod simd;
mod traverse;
#[cfg(feature = "visibility")]
pub mod visibility;
pub mod what_to_expect;
pub mod with_bevy;
mod world;

#[doc(inline)]
pub use bake::{BadTriangles, BakeReport, Builder, Progress, Stage};
#[doc(inline)]
pub use bvh::{BakeSummary, Bvh, Metadata, Quality, RefitReport};
pub use error::{
    BakeError, BakeErrorKind, BatchError, BatchErrorKind, HullError, HullErrorKind, InsideError,
    InsideErrorKind, InstructionSetError, InstructionSetErrorKind, LoadError, LoadErrorKind,
    RayFileError, RayFileErrorKind, RefitError, RefitErrorKind, SceneError, SceneErrorKind,
};
#[cfg(feature = "record")]
#[doc(inline)]
pub use error::{RecordingError, RecordingErrorKind};
#[cfg(feature = "visibility")]
#[doc(inline)]
pub use error::{VisibilityError, VisibilityErrorKind};
#[doc(inline)]
pub use geometry::{
    Aabb, Capsule, Containment, ConvexHull, ConvexShape, Face, Feature, Frustum, Obb, Plane, Ray,
    Shape, Sphere, Triangle,
};
#[cfg(feature = "import")]
#[doc(inline)]
pub use import::{Import, ImportError, ImportErrorKind};
#[doc(inline)]
pub use mesh::{Indices, Mesh, MeshView, Positions};
#[doc(inline)]
pub use query::{
    ClosestPoint, Contact, Facing, Hit, InstanceId, Layers, Overlap, PointLocation, Query,
    ShapeDistance, StartContacts, Targets, TurningContact, TurningEnd, VolumeHit,
};
pub use scene::{Scene, Snapshot};
pub use simd::InstructionSet;
