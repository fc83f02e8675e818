//! In a browser, and elsewhere on `wasm32-unknown-unknown`.
//!
//! For JavaScript there is an npm package, `hitscan`, in `examples/browser`: rays, points, shapes,
//! scenes and bakes from a page, a worker or Node, with types and without a bundler's help. Its
//! README shows a pick in twenty lines. This page is about the crate itself in a module of your
//! own.
//!
//! # The target
//!
//! ```sh
//! rustup target add wasm32-unknown-unknown
//! RUSTFLAGS="-C target-feature=+simd128" cargo build --release --target wasm32-unknown-unknown
//! ```
//!
//! - **`simd128`** is decided when the module is compiled: a module with an unknown instruction
//!   does not load. With it, [`InstructionSet::detect`](crate::InstructionSet::detect) finds
//!   vectors of four numbers. Without it, the crate uses plain code. Chrome 91, Firefox 89, Safari
//!   16.4, Node 16.4 and all later ones have it.
//! - **Features.** `default-features = false` leaves out rayon, which finds no threads there; with
//!   `parallel` all works as well, on one thread. `import` and `stats` work; `draco`, `record` and
//!   `mmap` build, and `mmap` has nothing to map.
//! - **Profile.** `opt-level = 3`, `lto = "fat"`, `codegen-units = 1`, `panic = "abort"`. With
//!   `opt-level = "s"` a module is a sixth to a fifth smaller, rays take 1 to 7 % longer, questions
//!   about points and spheres 12 to 26 %, and opening a file takes four times as long.
//!
//! # Sizes
//!
//! Compressed by gzip, after `wasm-opt -O3`:
//!
//! | module | opt-level | size |
//! |---|---|---|
//! | trees, single rays | `"s"` | 79 KB |
//! | trees and scenes; rays, batches, points, shapes, sweeps | 3 | 447 KB |
//! | bakes, with `import` | 3 | 276 KB |
//!
//! A question that is never called is not in the module. Much of the large module decides exactly
//! about shapes: capsules and hulls that move, boxes, frusta. Error texts are about 11 KB of the
//! small one.
//!
//! # Differences
//!
//! - There are **no files**: [`Bvh::open`](crate::Bvh::open) and `save` are errors. Use
//!   [`Bvh::from_bytes`](crate::Bvh::from_bytes), or [`Bvh::from_owner`](crate::Bvh::from_owner)
//!   for bytes on a 64-byte boundary, which are used in place.
//! - There are **no threads**: [`Builder::threads`](crate::Builder::threads) changes nothing.
//! - There is **no clock**: the times in a [`BakeReport`](crate::BakeReport) are zero.
//! - A module has at most **4 GiB** of memory, and a list at most 2 GiB. A bake takes 145 to 200
//!   bytes for each triangle: set [`Builder::memory_limit`](crate::Builder::memory_limit), because
//!   a module whose memory is used up stops.
//! - Four `f64` at once are plain code there, so exact hits and distances take longer than
//!   natively.
//!
//! **All answers and all files have the same bits as everywhere.**
