//! Instruction sets: which ones this CPU has, and small vector types over each.
//!
//! The queries are written once over [`Vector`], many numbers; [`Point`], three `f32`; and
//! [`Quad`], four `f64`; and [`Columns`] (see [`query`](crate::query)). A file here is
//! a table of one instruction set's operations and an entry point; [`run`] picks the entry point,
//! which does a whole query with that set switched on.

mod columns;
mod cpu;
mod instruction_set;
mod lone;
mod opaque;
mod point;
mod quad;
mod vector;
mod wave;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_256;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sort;
#[cfg(target_arch = "x86_64")]
mod sse;

pub(crate) use columns::Columns;
pub(crate) use cpu::first_cache;
pub use instruction_set::InstructionSet;
pub(crate) use instruction_set::run;
pub(crate) use lone::{Entry, Lone, SORTED};
pub(crate) use opaque::{opaque, opaque_number};
pub(crate) use point::Point;
pub(crate) use quad::Quad;
pub(crate) use scalar::Scalar;
pub(crate) use vector::{Isa, Task, Vector};
pub(crate) use wave::{Wave, last_key};
