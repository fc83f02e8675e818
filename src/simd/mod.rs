//! Instruction sets: which ones this CPU has, and small vector types over each.
//!
//! Each set has a zero-sized token that only detection can make, so the token proves that this CPU
//! has the set. Vectors are made with a token or from other vectors, so their operations are safe
//! functions. Kernels are written once, over [`Isa`] and its vectors; [`run`] picks the set and
//! runs a whole query with it switched on. Each set has a file of its own.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod child_sort;
mod instruction_set;
mod isa;
mod opaque;
mod vector;

#[cfg(all(target_arch = "x86_64", not(hitscan_no_avx2)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(any(hitscan_no_avx2, hitscan_no_avx512))))]
mod avx512;
#[cfg(all(target_arch = "x86_64", not(any(hitscan_no_avx2, hitscan_no_avx512))))]
mod avx512_256;
#[cfg(all(target_arch = "x86_64", not(any(hitscan_no_avx2, hitscan_no_avx512))))]
mod cpu;
#[cfg(target_arch = "aarch64")]
mod neon;
// Not all of it is used where every CPU has vectors.
#[cfg_attr(not(any(test, miri, feature = "scalar")), allow(dead_code))]
mod scalar;
#[cfg(all(target_arch = "x86_64", not(hitscan_no_avx2)))]
mod sort_network;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm128;

pub(crate) use child_sort::{Entry, SORTED, last_key, sort_children};
pub use instruction_set::InstructionSet;
pub(crate) use instruction_set::{run, run_many};
pub(crate) use isa::{Isa, Task};
pub(crate) use opaque::{opaque, opaque_number};
#[cfg(feature = "stats")]
pub(crate) use scalar::Scalar;
pub(crate) use vector::{BlockVector, F32x4, F64x4, Vector};

/// The set that every CPU of the target has: for code that runs too rarely to be compiled for each
/// set.
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon as Plainest;
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
pub(crate) use scalar::Scalar as Plainest;
#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::Sse2 as Plainest;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm128::Wasm128 as Plainest;
