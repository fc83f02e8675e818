//! The ray-triangle test that every kernel must equal (being written).

use super::{Ray, Triangle, TriangleHit};

impl Triangle {
    /// Watertight test.
    #[must_use]
    pub fn intersect(&self, ray: &Ray) -> Option<TriangleHit> {
        let _ = ray;
        todo!()
    }

    /// Whether the area is zero.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        todo!()
    }
}
