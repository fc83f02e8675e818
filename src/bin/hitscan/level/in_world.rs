//! Where a tree stands: its triangles in the world, as the library's documentation of scenes
//! defines them.

use hitscan::Triangle;
use hitscan::geometry::is_mirroring;
use hitscan::glam::Affine3A;

#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Three columns, then the translation; absent where a tree is asked by itself.
    transform: Option<[f64; 12]>,
    is_mirroring: bool,
}

impl Place {
    /// A tree that is asked by itself.
    pub(crate) const AS_BAKED: Self = Self { transform: None, is_mirroring: false };

    pub(crate) fn new(transform: &Affine3A) -> Self {
        let m = transform.to_cols_array().map(f64::from);
        Self { transform: Some(m), is_mirroring: is_mirroring(transform) }
    }

    /// In `f64`, each number rounded once. The front stays the front.
    pub(crate) fn in_world(&self, triangle: &Triangle) -> Triangle {
        let Some(m) = &self.transform else { return *triangle };
        let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(|corner| {
            let [x, y, z] = corner.to_array().map(f64::from);
            let row = |row: usize| (x * m[row] + y * m[3 + row] + z * m[6 + row]) + m[9 + row];
            [row(0) as f32, row(1) as f32, row(2) as f32]
        });
        if self.is_mirroring { Triangle::new(a, c, b) } else { Triangle::new(a, b, c) }
    }
}
