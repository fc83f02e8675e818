//! Questions and answers, recorded to a file and asked again (feature `record`).
//!
//! A game records a frame that went wrong. Elsewhere, on another machine, with another version of
//! the game or of this crate, all of its questions are asked again, and the first answer that has
//! other bits is found: `hitscan replay frame.hrays level.hbvh`, or
//! [`Recording::first_difference`].
//!
//! ```
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::record::{Keep, Recording, Ring};
//! use hitscan::scene::{Instance, Scene};
//! use hitscan::{Builder, Capsule, Hit, Mesh, Query, Ray};
//!
//! let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
//! let (level, _report) = Builder::new().bake(&[floor])?;
//! let mut scene = Scene::new();
//! let lift = scene.insert(Instance::new(level))?;
//!
//! // The last ten frames are kept.
//! let ring = Ring::new(Keep::Frames(10));
//! let mut recorder = ring.recorder();
//! let mut now = scene.commit();
//! for frame in 0..30 {
//!     scene.set_transform(lift, Affine3A::from_translation(Vec3::Y * frame as f32))?;
//!     now = scene.commit();
//!     recorder.set_frame(frame);
//!     let shots = recorder.with_tag("shots").wrap(&now);
//!     let _hit = shots.closest_hit(&Ray::new([0.0, 99.0, 0.0], Vec3::NEG_Y), &Query::new());
//!     let moves = shots.with_tag("moves");
//!     let body = Capsule::new([0.0, 40.5, 0.0], [0.0, 41.5, 0.0], 0.5);
//!     let not_me = |hit: &Hit| hit.user_id != 7;
//!     let _stop = moves.first_contact(body, [0.0, -50.0, 0.0], &Query::new().filter(&not_me));
//! }
//!
//! // Something goes wrong.
//! let mut bytes = Vec::new(); // or a file: `ring.save("frame.hrays")`
//! ring.write_to(&mut bytes)?;
//! let recording = Recording::from_bytes(bytes)?;
//! assert_eq!(recording.records().count(), 20);
//! // The lift was elsewhere before the last frame.
//! let difference = recording.first_difference(&now)?.expect("it was");
//! assert_eq!((difference.frame, &*difference.tag), (20, "shots"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is recorded
//!
//! [`Recorder::wrap`] gives a handle that answers as the tree or the snapshot does, and writes
//! down what was asked and found: the kind of question, the sides and layers, all numbers with
//! their bits, and a [hash](Content) of what was asked. Nothing else in the crate pays for it. A
//! handle has a tag and a frame number, and may be cloned for each thread: records of several
//! threads come in any order, each whole. A batch of more than 1,024 rays or points becomes several
//! records, in order. One that is refused, because its slices differ in length, is not recorded.
//!
//! [`Recorder::to_writer`] writes to a file as the game runs, on a thread of its own. A [`Ring`]
//! keeps the last frames or bytes in memory, to be saved.
//!
//! # Filters
//!
//! A filter is code of the game, which a file cannot hold. So a record has the triangles that the
//! filter rejected, by instance, mesh and triangle, and is asked again with a filter that rejects
//! exactly these. It gives the same answer with any instruction set, though each asks the filter
//! about other triangles, in another order:
//!
//! - **A question for the first** (hit, point or contact) has an order of triangles that no
//!   instruction set changes. Each triangle that comes before the answer was asked about and
//!   rejected, or it would be the answer. So it is rejected again. The answer itself was not. What
//!   comes after it does not matter, accepted or not. If there was no answer, all triangles were
//!   asked about and rejected.
//! - **A question whether there is any** was answered with yes because a triangle was accepted:
//!   it is not among those rejected. It was answered with no after all were rejected.
//! - **A question for all** asks about each triangle.
//!
//! This needs what [`Query::filter`](crate::Query::filter) asks for: a filter that depends on
//! nothing but the hit.
//!
//! # What is compared
//!
//! A replay compares answers bit for bit. In a scene that includes the handles of instances. A
//! scene that was saved and opened again has its handles in the order of the file: they are the
//! same as before if no instance was removed before it was saved.
//!
//! # The format
//!
//! A file (`.hrays`) is a header and blocks. Everything is **little-endian**; floats are IEEE 754.
//! All offsets are in bytes, and nothing is aligned. From here on this page is the whole format. A
//! file may end at any byte: blocks that are whole are valid.
//!
//! **The header** (16 bytes): the magic `89 48 52 41 59 0d 0a 1a` (`\x89HRAY\r\n\x1a`), then a
//! `u32`, the format version 2, and a `u32`, zero.
//!
//! **A block**, of which the next begins where one ends:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u64` | checksum: xxh3-64 of the block's bytes from 8 to its end |
//! | 8 | `u64` | length of the entries in bytes |
//! | 16 | `u64` | number of the first record: at least the last one's of the block before, plus 1 |
//! | 24 | `u32` | how many records |
//! | 28 | `u32` | zero |
//! | 32 | | entries: contexts and records, one behind the other |
//!
//! **A context** says who asked, and of what. Those of a block are numbered from 0, and come before
//! the records that name them:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u64` | length of the entry in bytes |
//! | 8 | `u8` | 0 |
//! | 9 | `u8` | what was asked: 0, a tree; 1, a scene |
//! | 10 | `u8` | length of the tag, at most 64 |
//! | 11 | 5 bytes | zero |
//! | 16 | `u64` | frame |
//! | 24 | `u64` | hash of what was asked |
//! | 32 | | tag, in UTF-8 |
//!
//! **A record:**
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u64` | length of the entry in bytes |
//! | 8 | `u8` | kind, as below |
//! | 9 | `u8` | facing: 0, both sides; 1, front; 2, back |
//! | 10 | `u8` | contacts at the start of a motion: 0, all; 1, those that it opposes |
//! | 11 | `u8` | targets: 0, triangles; 1, volumes; 2, both; and 4 if an instance is not |
//! | 12 | `u32` | mask |
//! | 16 | `u32` | number of the context |
//! | 20 | `u32` | count: of rays or points in a batch, at most 1,024; otherwise 1 |
//! | 24 | `u64` | how many triangles and volumes were rejected |
//! | 32 | `u64` | the instance that is not seen, if there is one |
//! | | | what was rejected, in order: `u32` index in the batch, mesh, triangle; `u64` instance |
//! | | | what was asked, then what was found, up to the end of the entry |
//!
//! | kind | question | asked | found |
//! |---:|---|---|---|
//! | 1, 4 | `closest_hit`, its batch | rays | bits: which have a hit; hits of those |
//! | 2, 5 | `any_hit`, its batch | rays | bits |
//! | 3, 6 | `all_hits`, its batch | rays | for each a `u64`, the number of hits; hits of all |
//! | 7, 10 | `closest_point`, its batch | points | bits: which have one; points found |
//! | 8 | `any_within` | points | bits |
//! | 9 | `all_within` | points | `u64` number; points found |
//! | 11 | `any_overlap` | shape | bits |
//! | 12 | `all_overlaps` | shape | `u64` number; overlaps |
//! | 13 to 15 | `first_contact`, `all_contacts`, `penetrations` | motion | `u64` number; contacts |
//! | 16, 17 | `contains`, `signed_distance` | points | inside |
//! | 18 | `all_volume_hits` | rays | volume hits |
//!
//! | part | fields |
//! |---|---|
//! | bits | one for each ray, point or question, the first is the least of a byte; then zeros |
//! | points | `f32` distance (16: zero); for each `f32` x, y, z |
//! | shape | `u32` kind; `u32` count of numbers; `f32` numbers |
//! | motion | `f32` x, y, z (15: zero); shape of kind 1 to 5 |
//! | points found | for each `f32` x, y, z, distance; feature; then hits |
//! | overlaps | for each `u32` 0, touching; 1, inside; then hits |
//! | contacts | for each 48 bytes, as below; then hits |
//! | feature | `u8` 0, face; 1, edge; 2, vertex; `u8` its number, of a face 0; 2 zeros |
//! | volume hit | `u64` instance; `f32` enter, exit; `u32` 1 if the origin is inside |
//!
//! **A contact** (48 bytes) is `f32` t, the point x, y, z, the normal x, y, z, the normal of the
//! face x, y, z; feature; `f32` depth.
//!
//! **Rays** are written column by column. A `u8` has a bit for each column: 1, origin; 2,
//! direction; 4, range. It is set if there are rays, and all have the same bits there: then the
//! column has the numbers of one ray, and otherwise of each. The columns are `f32` origin x, y, z;
//! `f32` direction x, y, z; `f32` `t_min`, `t_max`.
//!
//! **Hits** are, one behind the other: for each its place, `f32` t, u, v and `u32` triangle; a
//! `u32`, the number of surfaces; the surfaces, each once, in the order in which the hits need
//! them; for each hit the number of its surface, counted from 0: a `u8` if there are at most
//! 256 surfaces, a `u16` if at most 65,536, and otherwise a `u32`.
//!
//! **A surface** (28 bytes):
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u8` | side: 1, front; 2, back |
//! | 1 | `u8` | 1 if there is a material, or 0 |
//! | 2 | 2 bytes | zero |
//! | 4 | `u32` | mesh |
//! | 8 | `u64` | user id of the mesh |
//! | 16 | `u32` | material; zero without |
//! | 20 | `u64` | instance: [`InstanceId::to_bits`](crate::InstanceId::to_bits) |
//!
//! **Inside** is three `u32`. A location: 0; 0, inside, 1, on the surface, or 2, outside; 0. A
//! distance: 1; 1, or 0 if there is none; the `f32`. A refusal: 2; 0, open, 1, mixed winding, 2,
//! hidden, or 3, double-sided; the mesh.
//!
//! | kind of shape | numbers |
//! |---:|---|
//! | 1 | box: minimum, maximum |
//! | 2 | oriented box: columns of the matrix, translation; minimum and maximum before the map |
//! | 3 | sphere: center, radius |
//! | 4 | capsule: ends, radius |
//! | 5 | hull: its points, at most 64 |
//! | 6 | frustum: six planes (normal, offset), eye |
//! | 7 | triangle: corners |
//!
//! There is one way to write a record, and a reader refuses any other. A hull has no points
//! inside, none twice and no minus zero.
//!
//! The hash of a tree is the xxh3-64 of four checksums, made as in [`file`](crate::file): of nodes,
//! leaf blocks, mesh table and materials. The hash of a scene is the xxh3-64 of its instances in
//! the order of their handles, each `u64` handle, `u32` mask, 12 `f32` (columns of the matrix,
//! translation), then `u32` 0 and the `u64` hash of the tree, or kind and numbers of the shape of
//! its volume in the world.

mod answer;
mod block;
mod content;
mod hits;
mod kind;
mod note;
mod question;
mod rays;
mod reading;
mod recorded;
mod recorder;
mod replay;
mod shapes;
mod sink;
mod surfaces;
mod watch;
mod wire;
mod with_hit;
mod writing;

pub use crate::world::World;
pub use answer::Answer;
pub use content::Content;
pub use kind::Kind;
pub use question::{Asked, Rejected};
pub use reading::{Record, Recording};
pub use recorded::{Recordable, Recorded};
pub use recorder::{MOST_TAG_BYTES, Recorder, Ring};
pub use replay::Difference;
pub use sink::Keep;
