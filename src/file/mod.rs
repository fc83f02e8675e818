//! Baked trees in files (`.hbvh`) and in memory, and the specification of the format.
//!
//! # Ways in
//!
//! All give the same [`Bvh`](crate::Bvh), and check everything, except where the last
//! column says otherwise.
//!
//! | way in | where the tree is | checks |
//! |---|---|---|
//! | [`Bvh::open`](crate::Bvh::open) | in memory of its own | all |
//! | [`Bvh::read_from`](crate::Bvh::read_from): any reader | in memory of its own | all |
//! | [`Bvh::from_bytes`](crate::Bvh::from_bytes): bytes anywhere | in memory of its own | all |
//! | [`Bvh::from_owner`](crate::Bvh::from_owner): aligned bytes, any owner | in place | all |
//! | `unsafe` `Bvh::open_mapped` (feature `mmap`): a mapped file | in place | all |
//! | `unsafe` [`Bvh::from_owner_unchecked`](crate::Bvh::from_owner_unchecked) | in place | header |
//! | `unsafe` `Bvh::open_mapped_unchecked` (feature `mmap`) | in place | header |
//!
//! The ways out are [`Bvh::save`](crate::Bvh::save), [`Bvh::write_to`](crate::Bvh::write_to),
//! [`Bvh::to_bytes`](crate::Bvh::to_bytes), and serde. Rays have files too: [`read_rays`] and
//! [`write_rays`]. So have [scenes](crate::scene::file), in which many trees stand.
//!
//! ```
//! use hitscan::{Builder, Bvh, LoadErrorKind, Mesh};
//!
//! let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
//! let (bvh, _report) = Builder::new().bake(&[wall])?;
//! let mut bytes = bvh.to_bytes();
//! assert!(Bvh::from_bytes(&bytes)? == bvh);
//!
//! bytes[600] ^= 1; // in a node
//! assert_eq!(Bvh::from_bytes(&bytes).unwrap_err().kind(), LoadErrorKind::Checksum);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The format
//!
//! A file is a baked tree as it lies in memory, behind a header that identifies the
//! format and shows whether the bytes are intact. Everything is **little-endian**; floats are
//! IEEE 754; `u32`, `u64`, `f32` have their usual sizes. All offsets below are in bytes.
//! From here on this page is the whole format: a reader in another language needs nothing else.
//!
//! # Header
//!
//! | offset | type | field | value |
//! |---:|---|---|---|
//! | 0 | 8 bytes | magic | `89 48 42 56 48 0d 0a 1a` (`\x89HBVH\r\n\x1a`) |
//! | 8 | `u32` | endianness word | `0x04030201` (bytes `01 02 03 04`) |
//! | 12 | `u32` | format version | 7 |
//! | 16 | `u64` | header checksum | xxh3-64 of bytes 24 to *header length* |
//! | 24 | `u32` | metadata codec | 1: bincode 2, see below |
//! | 28 | `u32` | tree layout | 1: nodes of sixteen `f32` boxes, leaf blocks of eight triangles |
//! | 32 | `u32` | header length | 304: header and section table |
//! | 36 | `u32` | section count | 6 |
//! | 40 | `u64` | total length | of the whole file |
//! | 48 | `u64` | source hash | xxh3-64 of the metadata's `sources` field as encoded |
//! | 56 | `u64` | content hash | the builder's hash of its input; 0: unknown; not checked |
//! | 64 | 6 × 40 bytes | section table | one entry per section, in order |
//!
//! An entry of the section table, at 64 + 40 × index:
//!
//! | offset | type | field | value |
//! |---:|---|---|---|
//! | 0 | `u32` | kind | as below |
//! | 4 | `u32` | element size | as below |
//! | 8 | `u64` | offset | of the section from the file's start |
//! | 16 | `u64` | length | in bytes, without padding |
//! | 24 | `u64` | count | of elements |
//! | 32 | `u64` | checksum | xxh3-64 of the section's bytes, without padding |
//!
//! xxh3-64 is `XXH3_64bits` of xxHash with seed 0 and the default secret. A section's checksum
//! is made piece by piece, so that threads can share the work: the section is cut into pieces of
//! 286,720 bytes, the last of which may be shorter (an empty section has none); the xxh3-64 of
//! each, a `u64`, are concatenated, and the checksum is the xxh3-64 of these bytes.
//!
//! # Sections
//!
//! | kind | element size | section |
//! |---:|---:|---|
//! | 1 | 1 | metadata |
//! | 2 | 448 | nodes |
//! | 3 | 320 | leaf blocks |
//! | 4 | 40 | mesh table |
//! | 5 | 4 | materials: a `u32` for each triangle as the caller numbers them |
//! | 6 | 1 | user data: bytes of the caller's own, which nothing here looks into |
//!
//! Each is there, in this order, even if it is empty. The first starts at 320, every other at
//! the first multiple of 64 at or behind the end of the one before it; the file ends at the
//! first multiple of 64 at or behind the end of the last. So there is only **one valid file for a
//! tree**: for a file that passed all checks, `to_bytes` gives the same bytes back.
//!
//! **Metadata** ([`Metadata`]) is one record, its fields one behind the other without padding:
//! a text is its length in bytes (`u64`) and UTF-8; a list is its count (`u64`) and its
//! elements. (bincode 2.0 calls this `standard().with_little_endian()
//! .with_fixed_int_encoding()`.) The fields: `builder` (text);
//! `quality` (`u32`; 0: fast, 1: balanced, 2: best); `spatial_budget` (`f64`, any number);
//! `sources` (list of: text `name`, `u64` `hash`); `mesh_names` and `material_names` (lists of
//! texts); then the bake summary: `u64` `triangles_in`, `triangles_kept`, `references`,
//! `skipped_degenerate`, `skipped_non_finite`, `skipped_out_of_range`, `nodes`, `leaves`, `u32`
//! `depth`, `f64` `sah_cost`, `u64` `tree_bytes`.
//!
//! **A node** (448 bytes) has sixteen lanes, each a box and a child:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | 3 × 16 `f32` | `min`: sixteen x, sixteen y, sixteen z |
//! | 192 | 3 × 16 `f32` | `max`: the same |
//! | 384 | 16 `u32` | `child`: a node's index; or a leaf block's, with bit 31 set |
//!
//! Node 0 is the root. An unused lane has `min` +inf, `max` -inf, `child` 0.
//!
//! **A leaf block** (320 bytes) has eight lanes, each a triangle:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | 3 × 3 × 8 `f32` | vertices: by vertex, then axis, then lane |
//! | 288 | 8 `u32` | `id`: its mesh's `first_triangle` plus its number in the mesh |
//!
//! An unused lane has coordinates with the bits `0x7fc00000` (NaN) and `id` `0xffffffff`.
//!
//! **A mesh** (40 bytes), in the caller's order:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | `u32` | `first_triangle`: triangles in all meshes before it, skipped ones counted |
//! | 4 | `u32` | `triangle_count`: the same for this mesh |
//! | 8 | `u32` | `vertex_count`: in the caller's buffer |
//! | 12 | `u32` | `mask`: layers |
//! | 16 | `u64` | `user_id`: the caller's number |
//! | 24 | `u64` | `index_hash`: xxh3-64 of the indices as `u32` |
//! | 32 | `u32` | `flags`: bit 0, vertices 1 and 2 are swapped; bit 1, there are materials |
//! | 36 | `u32` | reserved: 0 |
//!
//! # Invariants
//!
//! An error names the one that does not hold.
//!
//! - **I1** The header's fields have the values above.
//! - **I2** The section table is as above: kinds, element sizes, length = count × element
//!   size, offsets and total length without gap or overlap.
//! - **I3** At most 2²⁸ bytes of metadata, 2²⁸ - 1 nodes, 2²⁹ - 1 leaf blocks,
//!   2³² - 1 meshes, 2³² - 1 materials, 2⁴⁰ bytes of user data.
//! - **I4** The file is exactly *total length* bytes long, and every checksum is right.
//! - **I5** Every byte of padding, behind the table and behind each section, is zero.
//! - **I6** The metadata is one record as above and fills its section; texts are UTF-8; there
//!   is one name for each mesh; there may be any number of material names; the header's source
//!   hash is the hash of its sources.
//! - **I7** The summary's `triangles_in` (I8's total), `triangles_kept` (different ids in leaf
//!   blocks), `references` (used lanes of leaf blocks), `nodes`, `leaves` (leaf blocks), `depth`
//!   (levels of nodes) and `tree_bytes`
//!   (length of sections 2 to 5) match the tree.
//! - **I8** A mesh's `first_triangle` is the sum of `triangle_count` before it; the total is
//!   less than 2³² - 1.
//! - **I9** A mesh has no other flags than the two above; its reserved field is zero.
//! - **I10** There are as many materials as triangles (I8's total) if any mesh has flag bit 1,
//!   and none otherwise.
//! - **I11** A node has 1 to 16 used lanes, from lane 0 on; unused ones are as above.
//! - **I12** A used lane's box is finite, its `min` at most its `max`; it lies within the box
//!   of the lane that refers to its node.
//! - **I13** A child comes after its parent in the file; every node but the root, and every leaf
//!   block, is the child of exactly one lane. (So it is a tree, and whole.)
//! - **I14** It has at most 64 levels of nodes, the root's counted.
//! - **I15** A leaf block has 1 to 8 used lanes, from lane 0 on; unused ones are as above.
//! - **I16** The vertices of a leaf block's triangles lie within the box of all of node 0's lanes
//!   (so they are finite); the vertices of a triangle that is in one leaf block only, within the
//!   box of the lane that refers to it. (Spatial splits cut a triangle that is in several: each box
//!   holds one of its parts.)
//! - **I17** A triangle's `id` is less than I8's total; the ids in a leaf block rise from lane to
//!   lane; a triangle that is in several leaf blocks has the same vertices in each, bit for bit.
//! - **I18** Without nodes there are no leaf blocks: the empty tree, which every ray misses.
//!
//! No rule says that the triangles come from any model: a consistent file of other geometry is a
//! valid file. A reader does not check that the boxes of a split triangle cover all of it. The
//! writer must make sure of that. Where they do not, a ray may miss the uncovered part, and whether
//! it does depends on the instruction set and on earlier rays. Checksums detect damage, not
//! forgery.
//!
//! # Order of validation
//!
//! What a reader may rely on after each step:
//!
//! 1. There are bytes, and they begin with the magic: this is meant to be a baked tree.
//! 2. The endianness word: numbers can be read. (The reader's own machine is little-endian.)
//! 3. The format version: this page applies.
//! 4. 304 bytes are there and the header checksum is right: header and table are undamaged.
//!    They may still be forged.
//! 5. Codec, layout and I1 to I3: every section's place and size, without overflow.
//! 6. The file's length (I4): every section is there. The `unchecked` ways in end here.
//! 7. Padding (I5), then section checksums (I4): the rest is undamaged.
//! 8. The shape of the metadata (I6): the names can be read.
//! 9. Mesh table and materials (I8 to I10): ids can be resolved.
//! 10. Nodes from the first to the last (I11 to I14, I18), then leaf blocks in any order, each in
//!     the box that its parent gives it (I15 to I17): every traversal ends, meets finite
//!     numbers only and, a node at a time, puts off 15 × 64 + 1 subtrees at the most.
//! 11. Name count, summary, source hash (I6, I7): what the file says of itself is true.
//!
//! A reader from a stream allocates as bytes arrive, never what the header asks for. Steps 7
//! and 8 to 11 may run at the same time: the latter rely on step 6 alone. This crate hashes and
//! checks each piece of the leaf blocks while it is in the cache, on all threads.
//!
//! # Versions
//!
//! The format version goes up with every change of what a file's bytes mean, the codec and
//! layout words with another way to write metadata or nodes. Before hitscan 1.0 a reader takes
//! its own version, codec and layout only, and says "rebake" to others
//! ([`LoadErrorKind::Version`](crate::LoadErrorKind::Version)); sections that this page does
//! not know are refused (I1, I2). From 1.0 on, readers take every version since 1.0.

// In the order in which rustdoc lists their methods.
mod open;
mod write;

mod check;
mod checksum;
mod header;
mod kind;
#[cfg(feature = "mmap")]
mod mapped;
mod rays;
mod read;
mod serde;
#[cfg(test)]
pub(crate) mod tests;

#[doc(inline)]
pub use crate::bvh::{FORMAT_VERSION, Metadata, Source, source_hash};
#[cfg(feature = "mmap")]
pub use mapped::{HugePages, MapOptions, Prefault};
pub use open::Aligned;
pub use rays::{read_rays, write_rays};

// For scenes, whose files are of the same make.
pub(crate) use checksum::checksum;
pub(crate) use header::{ALIGNMENT, Header as TreeHeader, Section, aligned};
pub(crate) use kind::{ENDIANNESS, FileKind, check_host, too_short};
pub(crate) use open::check_aligned;
pub(crate) use read::{ReadAt, failed, fill, folder, load_if, no_memory, read_all, read_exactly};
pub(crate) use write::{save_with, write_padded};
