//! Instruction sets: which ones this CPU has, and one small vector type over each.
//!
//! The traversal is written once over [`Vector`] (see [`query`](crate::query)). A file here is
//! a table of one instruction set's operations and an entry point; [`run`] picks the entry point,
//! which does a whole query with that set switched on.

mod level;
mod pair;
mod point;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse;

pub use level::Level;
pub(crate) use level::run;
pub(crate) use pair::Pair;
pub(crate) use point::Point;
pub(crate) use vector::{Isa, Task, Vector};
