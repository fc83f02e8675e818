//! Affine maps of nodes, joints and instances.

use glam::Affine3A;

use super::json::Object;
use crate::import::error::{Result, Warnings};

/// An affine map in `f64`: three columns, then the translation. Products are rounded to
/// `f32` once, at the end. The formulas are scalar, so that all machines get the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix([[f64; 3]; 4]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0.; 3]]);

    /// From glTF's sixteen numbers, column by column. The last row is left out.
    pub(super) fn from_columns(m: [f64; 16]) -> Self {
        Self([0, 4, 8, 12].map(|c| [m[c], m[c + 1], m[c + 2]]))
    }

    /// First the scale, then the rotation, then the translation. `None` if the quaternion is
    /// no rotation.
    pub(super) fn from_parts(
        translation: [f64; 3],
        rotation: Option<[f64; 4]>,
        scale: [f64; 3],
    ) -> Option<Self> {
        let [x, y, z, _] = Self::IDENTITY.0;
        let mut axes = rotation.map_or(Some([x, y, z]), axes_of)?;
        for (axis, scale) in axes.iter_mut().zip(scale) {
            *axis = axis.map(|value| value * scale);
        }
        let [x, y, z] = axes;
        Some(Self([x, y, z, translation]))
    }

    /// First `inner`, then `self`.
    pub(super) fn after(&self, inner: &Self) -> Self {
        let [x, y, z, t] = &self.0;
        let mut product =
            inner.0.map(|c| [0, 1, 2].map(|row| x[row] * c[0] + y[row] * c[1] + z[row] * c[2]));
        for (value, t) in product[3].iter_mut().zip(t) {
            *value += t;
        }
        Self(product)
    }

    pub(super) fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z, t] = &self.0;
        [0, 1, 2].map(|row| x[row] * p[0] + y[row] * p[1] + z[row] * p[2] + t[row])
    }

    pub(super) fn to_affine(self) -> Affine3A {
        let [x, y, z, t] = self.0.map(|column| column.map(|value| value as f32));
        Affine3A::from_cols_array_2d(&[x, y, z, t])
    }

    /// The local transform of a node.
    pub(super) fn of(node: &Object<'_>, warnings: &mut Warnings) -> Result<Self> {
        if let Some(matrix) = node.get("matrix") {
            let m = matrix.numbers::<16>()?;
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                warnings.add(
                    matrix.place(),
                    "its last row is not 0, 0, 0, 1; it is read as if it were",
                );
            }
            return Ok(Self::from_columns(m));
        }
        let translation = node.get("translation").map_or(Ok([0.0; 3]), |t| t.numbers())?;
        let scale = node.get("scale").map_or(Ok([1.0; 3]), |s| s.numbers())?;
        let rotation = node.get("rotation");
        let quaternion = rotation.as_ref().map(|rotation| rotation.numbers()).transpose()?;
        if let Some(matrix) = Self::from_parts(translation, quaternion, scale) {
            return Ok(matrix);
        }
        if let Some(rotation) = rotation {
            warnings.add(rotation.place(), "it is zero; it is read as no rotation");
        }
        Ok(Self::from_parts(translation, None, scale).unwrap_or(Self::IDENTITY))
    }
}

/// The rotated axes. The quaternion need not have unit length: exporters round.
fn axes_of([x, y, z, w]: [f64; 4]) -> Option<[[f64; 3]; 3]> {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    if !s.is_finite() {
        return None;
    }
    Some([
        [1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
        [s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)],
        [s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::json::Json;

    fn of(text: &str) -> Matrix {
        let node = Json::parse(text).unwrap().object().unwrap();
        Matrix::of(&node, &mut Warnings::default()).unwrap()
    }

    #[test]
    fn translation_rotation_scale_in_this_order() {
        let matrix = of(r#"{"translation":[1,2,3],"rotation":[0,0,2,2],"scale":[2,3,4]}"#);
        // A quarter turn about z, given by a quaternion that is not of unit length.
        assert_eq!(matrix, Matrix([[0., 2., 0.], [-3., 0., 0.], [0., 0., 4.], [1., 2., 3.]]));
        assert_eq!(matrix.point([1., 10., 100.]), [-29., 4., 403.]);
        let outer = Matrix([[0., 1., 0.], [-1., 0., 0.], [0., 0., 1.], [10., 0., 0.]]);
        assert_eq!(
            outer.after(&matrix),
            Matrix([[-2., 0., 0.], [0., -3., 0.], [0., 0., 4.], [8., 1., 3.]])
        );
    }

    #[test]
    fn no_transform_is_the_identity() {
        let both = Matrix::IDENTITY.after(&of("{}"));
        assert_eq!(both.to_affine(), Affine3A::IDENTITY);
    }

    #[test]
    fn zero_rotation_is_no_rotation() {
        let matrix = of(r#"{"translation":[1,2,3],"rotation":[0,0,0,0],"scale":[2,3,4]}"#);
        assert_eq!(matrix, Matrix([[2., 0., 0.], [0., 3., 0.], [0., 0., 4.], [1., 2., 3.]]));
    }
}
