//! The file format (`.hbvh`): specification, writing, reading, validation.

mod metadata;

pub use metadata::{Metadata, Source};
