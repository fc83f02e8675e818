//! Scenes in files (`.hscn`), and the specification of the format.
//!
//! A scene's file holds its trees, each once, its volumes, and where they stand. A tree is
//! embedded, or it is a file of its own (`.hbvh`) beside the scene's, which names it.
//!
//! | way in | trees | checks |
//! |---|---|---|
//! | [`Scene::open`](crate::Scene::open) | in memory of their own | all |
//! | [`Scene::read_from`](crate::Scene::read_from): any reader | in memory of their own | all |
//! | [`Scene::from_bytes`](crate::Scene::from_bytes): bytes | in memory of their own | all |
//! | [`Scene::from_owner`](crate::Scene::from_owner): aligned bytes, any owner | in place | all |
//!
//! The ways out are [`Scene::save`](crate::Scene::save),
//! [`Scene::save_with_references`](crate::Scene::save_with_references),
//! [`Scene::write_to`](crate::Scene::write_to) and [`Scene::to_bytes`](crate::Scene::to_bytes).
//!
//! ```
//! use hitscan::glam::{Affine3A, Vec3};
//! use hitscan::scene::Instance;
//! use hitscan::{Builder, Mesh, Query, Ray, Scene};
//!
//! let door = Mesh::from_soup(vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
//! let (door, _report) = Builder::new().bake(&[door])?;
//! let mut scene = Scene::new();
//! for i in 0..4 {
//!     let at = Affine3A::from_translation(Vec3::new(0.0, 0.0, 5.0 + i as f32));
//!     let instance = Instance::new(door.clone()).with_transform(at);
//!     scene.insert(instance.with_name(format!("door_{i}")))?;
//! }
//! let bytes = scene.to_bytes(); // or `scene.save("level.hscn")?`
//!
//! let mut scene = Scene::from_bytes(&bytes)?;
//! let ray = Ray::new([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
//! let hit = scene.snapshot().closest_hit(&ray, &Query::new()).unwrap();
//! assert_eq!((hit.t, scene.snapshot().name(hit.instance)), (5.0, Some("door_0")));
//! let door_0 = scene.find("door_0").unwrap();
//! scene.disable(door_0)?;
//! assert_eq!(scene.commit().closest_hit(&ray, &Query::new()).unwrap().t, 6.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Handles
//!
//! Instances are written in the order of their handles, and read into a new scene in that order. A
//! scene from which nothing was ever removed gives its instances the same handles again. In any
//! case their order is the same, so all questions have the same answers but for the handles
//! themselves. [`Scene::instances`](crate::Scene::instances) gives them in that order, and
//! [`Scene::find`](crate::Scene::find) finds one by its name.
//!
//! A scene is written as it is, committed or not. A scene that was read is committed.
//!
//! # The format
//!
//! Everything is **little-endian**; floats are IEEE 754; `u32`, `u64`, `f32` have their usual
//! sizes. All offsets below are in bytes. This page and [the page on trees](mod@crate::file) are
//! the whole format: a reader in another language needs nothing else.
//!
//! # Header
//!
//! | offset | type | field | value |
//! |---:|---|---|---|
//! | 0 | 8 bytes | magic | `89 48 53 43 4e 0d 0a 1a` (`\x89HSCN\r\n\x1a`) |
//! | 8 | `u32` | endianness word | `0x04030201` (bytes `01 02 03 04`) |
//! | 12 | `u32` | format version | 2 |
//! | 16 | `u64` | header checksum | xxh3-64 of bytes 24 to *header length* |
//! | 24 | `u32` | header length | 200: header and section table |
//! | 28 | `u32` | section count | 4 |
//! | 32 | `u64` | total length | of the whole file, embedded trees included |
//! | 40 | 4 × 40 bytes | section table | one entry per section, in order |
//!
//! An entry of the section table, at 40 + 40 × index, is [as in the file of a
//! tree](mod@crate::file#header), and so is the checksum of a section, made piece by piece.
//!
//! # Sections
//!
//! | kind | element size | section |
//! |---:|---:|---|
//! | 1 | 32 | trees |
//! | 2 | 72 | instances |
//! | 3 | 80 | volumes |
//! | 4 | 1 | names: UTF-8 |
//!
//! Each is there, in this order, even if it is empty. The first starts at 256, every other at the
//! first multiple of 64 at or behind the end of the one before it. Then come the embedded trees, in
//! the order of their records, the first at such a multiple too, and each other where the one
//! before it ends. The file ends with the last of them, or, if there is none, at the first multiple
//! of 64 at or behind the end of the names. So there is only **one valid file for a scene** whose
//! trees are all embedded: for a file that passed all checks, `to_bytes` gives the same bytes back.
//!
//! **A tree** (32 bytes):
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u32` | `kind`: 1, embedded; 2, a file beside the scene's |
//! | 4 | `u32` | `name_length`: in bytes, of the file's name; 0 for an embedded tree |
//! | 8 | `u64` | `offset`: of an embedded tree in this file; 0 for a file |
//! | 16 | `u64` | `length`: in bytes, of the tree's file |
//! | 24 | `u64` | `checksum`: the header checksum of the tree's file, its bytes 16 to 24 |
//!
//! An embedded tree is all the bytes of such a file. Its header checksum covers its other
//! checksums, and so everything in it.
//!
//! **An instance** (72 bytes), in the order of handles:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | 3 × 3 `f32` | `linear`: three columns, to each of which an axis of the tree goes |
//! | 36 | 3 `f32` | `translation` |
//! | 48 | `u32` | `body`: the number of its tree's record, or of its volume's |
//! | 52 | `u32` | `mask`: layers |
//! | 56 | `u64` | `user_id`: the caller's number |
//! | 64 | `u32` | `flags`: bit 0, it is disabled; bit 1, its body is a volume |
//! | 68 | `u32` | `name_length`: in bytes; 0: it has no name |
//!
//! **A volume** (80 bytes), in the order of the instances that have one:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u32` | `kind`: 1, a box; 2, an oriented box; 3, a sphere; 4, a capsule |
//! | 4 | `u32` | `zero`: 0 |
//! | 8 | 18 `f32` | `numbers`: as many as the kind has, the rest zero |
//!
//! The numbers of a box are its minimum and its maximum, three each; of an oriented box its map,
//! three columns and a translation, then minimum and maximum before it is mapped; of a sphere its
//! center and radius; of a capsule the ends of its segment and its radius.
//!
//! **The names** are the names of the files of trees, in the order of trees, then the names of
//! instances, in the order of instances, one behind the other and with nothing between them.
//!
//! # Invariants
//!
//! An error names the one that does not hold.
//!
//! - **I1** The header's fields have the values above.
//! - **I2** The section table is as above: kinds, element sizes, length = count × element size,
//!   offsets without gap or overlap.
//! - **I3** At most 2³⁰ instances, no more trees nor volumes than instances, 2⁴⁷ bytes of
//!   names.
//! - **I4** The file is exactly *total length* bytes long, and every checksum is right.
//! - **I5** Every byte of padding, behind the table and behind each section, is zero.
//! - **I6** The lengths of all names add up to the section's length; each name is UTF-8, an
//!   instance's of at most 65,535 bytes.
//! - **I7** A tree's kind is 1 or 2, and its other fields are as above: embedded trees have no
//!   names, lie where they should and end with the file; files have offset 0 and a name as I8 says.
//! - **I8** The name of a tree's file has 1 to 255 bytes, none of `/`, `\` and `:` and no control
//!   characters (U+0000 to U+001F, U+007F to U+009F), and is neither `.` nor `..`. (So it is in the
//!   folder of the scene's file.)
//! - **I9** No two trees have the same length and checksum.
//! - **I10** An embedded tree is a sound file of [trees](mod@crate::file), of this length and this
//!   header checksum. So is a file beside; a reader that does not have it refuses the scene.
//! - **I11** An instance's tree is the number of a record. Trees are in the order in which
//!   instances first use them, and each is used.
//! - **I12** An instance has no other flags than those above.
//! - **I13** An instance's numbers are finite and its map can be inverted, in this sense. With the
//!   columns `a`, `b`, `c` of `linear`, all in `f64`: let `x = b × c`, `y = c × a`, `z = a × b`,
//!   each component a product minus a product; `d = a·x`, added up in order; `inverse` the matrix
//!   whose rows are `x`, `y` and `z`, each number divided by `d`. For each row `i` of `linear`, the
//!   sum of `|linear[i][k]| (|inverse[k][0]| + |inverse[k][1]| + |inverse[k][2]|)` over `k = 0, 1,
//!   2`, added up in order, is at most 2²⁰. The largest absolute value of the nine numbers is at
//!   least 2⁻⁶⁰ and at most 2⁶⁰.
//! - **I14** A volume's kind is one of the above, and all that is not used is zero, bit by bit. Its
//!   numbers are finite. No number of a box's minimum is above the same number of its maximum, and
//!   no radius is negative. The determinant of an oriented box's map, I13's `d`, is not zero.
//! - **I15** The number of an instance's volume is the number of instances with volumes before it,
//!   and there are no other volumes.
//! - **I16** A box around a volume in the world (see [Volumes](crate::scene#volumes)), rounded
//!   outwards, has finite numbers. The map of an oriented box in the world can be inverted in the
//!   sense of I13.
//!
//! Checksums detect damage, not forgery: what a scene refers to may be replaced by someone who
//! wants to.
//!
//! # Order of validation
//!
//! 1. The header: magic, endianness word, version, its checksum.
//! 2. I1 to I3: the place and size of every section, without overflow.
//! 3. The file's length (I4), padding (I5), then the checksums of sections (I4).
//! 4. Trees and names (I6 to I9), then instances (I11, I12, I15), then volumes (I14).
//! 5. The trees themselves (I10), one after the other; then where instances are (I13, I16).
//!
//! A reader from a stream allocates as bytes arrive, never what the header asks for. A file beside
//! is opened only if it is a file of the length that the scene states.
//!
//! # Versions
//!
//! The format version goes up with every change of what a file's bytes mean; embedded trees have a
//! version of their own. [What holds for trees](mod@crate::file#versions) holds for scenes.

// In the order in which rustdoc lists their methods.
mod read;
mod write;

mod header;
mod instances;
mod kind;
mod names;
mod trees;
mod volumes;

#[cfg(test)]
mod tests;

pub use kind::{FORMAT_VERSION, is_scene};
