//! Ray queries against level geometry.
//!
//! (Crate page is written with the last touch; see README.)

pub use glam;

mod error;

pub mod bake;
pub mod bvh;
pub mod file;
pub mod geometry;
pub mod mesh;
pub mod query;
mod simd;

pub use bake::{BadTriangles, BakeReport, Builder, Progress, Stage};
pub use bvh::{Bvh, BvhView, RefitReport};
pub use error::{
    BakeError, BakeErrorKind, BatchError, LevelError, LoadError, LoadErrorKind, RefitError,
    RefitErrorKind,
};
pub use file::Metadata;
pub use geometry::{Aabb, Obb, Plane, Ray, Sphere, Triangle};
#[cfg(feature = "import")]
pub use mesh::import::{self, Import, ImportError, ImportErrorKind, import};
pub use mesh::{Indices, Mesh, MeshView, Positions};
pub use query::{Face, Facing, Hit, HitList, Query};
pub use simd::Level;
