//! Instruction sets: which ones this CPU has, and small vector types over each.
//!
//! A set has a zero-sized token, which only detection makes: who holds one may use the set. The
//! operations on vectors are safe functions, for a vector is made with a token, or of others.
//! Kernels are written once, over [`Isa`] and its vectors; [`run`] picks the set and runs a whole
//! query with it switched on.

mod child_sort;
mod instruction_set;
mod isa;
mod opaque;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_256;
#[cfg(target_arch = "x86_64")]
mod cpu;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sort_network;
#[cfg(target_arch = "x86_64")]
mod sse2;

pub(crate) use child_sort::{Entry, SORTED, last_key, sort_children};
pub use instruction_set::InstructionSet;
pub(crate) use instruction_set::run;
pub(crate) use isa::{Isa, Task};
pub(crate) use opaque::{opaque, opaque_number};
pub(crate) use vector::{BlockVector, F32x4, F64x4, Vector};
