//! Instruction sets: which ones this CPU has, and the vector types over them.

mod level;

pub use level::Level;
