//! Volumes where an affine map puts them.

use glam::{Affine3A, Mat3};

use super::instance_transform::{InstanceTransform, TransformFault};
use crate::array::Each;
use crate::geometry::aabb::Aabb;
use crate::geometry::capsule::Capsule;
use crate::geometry::obb::Obb;
use crate::geometry::sphere::Sphere;
use crate::geometry::vec3_f64::{add, dot, product, to_f32};
use crate::geometry::volume::{Volume, VolumeFault};

#[cfg(test)]
mod tests;

impl InstanceTransform {
    /// A volume in the world.
    ///
    /// # Errors
    ///
    /// If it holds no point, has a number that is not finite, here or there, or is an oriented box
    /// whose map there is none for instances: it is flat, or nearly so, or too large or too small.
    pub(crate) fn volume_to_world(&self, volume: &Volume) -> Result<Volume, VolumeFault> {
        let singular = VolumeFault::Singular;
        let placed: Volume = match volume.checked()? {
            Volume::Aabb(bounds) => {
                Obb::from_transform(&self.transform(), *bounds).ok_or(singular)?.into()
            }
            Volume::Obb(obb) => self.obb_to_world(obb)?.into(),
            Volume::Sphere(sphere) => self.sphere_to_world(sphere).into(),
            Volume::Capsule(capsule) => self.capsule_to_world(capsule).into(),
        };
        let Aabb { min, max } = Volume::bounds(&placed);
        (min.is_finite() && max.is_finite()).then_some(placed).ok_or(VolumeFault::TooFar)
    }

    /// An oriented box in the world: its map is the product of both, in `f64`, each number rounded
    /// once.
    fn obb_to_world(&self, obb: &Obb) -> Result<Obb, VolumeFault> {
        let (columns, _) = obb.columns_and_local();
        let [a, b, c, origin] = each4(columns, |column| product(self.linear(), column));
        let origin = add(origin, self.translation().each(f64::from));
        let [a, b, c, origin] = [a, b, c, origin].each(to_f32);
        let map = Affine3A::from_mat3_translation(Mat3::from_cols(a, b, c), origin);
        // Where a map amplifies roundings more, a ray may meet the box far from where it is.
        InstanceTransform::new(&map).map_err(|fault| match fault {
            TransformFault::NonFinite => VolumeFault::TooFar,
            TransformFault::Singular => VolumeFault::Singular,
        })?;
        Obb::from_transform(&map, obb.local_box()).ok_or(VolumeFault::Singular)
    }

    /// A sphere in the world: if the map stretches it, the smallest around its center that holds
    /// what becomes of it, but for the roundings of its numbers.
    fn sphere_to_world(&self, sphere: &Sphere) -> Sphere {
        Sphere::new(self.point_to_world(sphere.center), self.stretched(sphere.radius))
    }

    /// A capsule in the world: stretched ones as spheres.
    fn capsule_to_world(&self, capsule: &Capsule) -> Capsule {
        let [a, b] = [capsule.a, capsule.b].each(|end| self.point_to_world(end));
        Capsule::new(a, b, self.stretched(capsule.radius))
    }

    fn stretched(&self, radius: f32) -> f32 {
        (f64::from(radius) * self.stretch()) as f32
    }

    /// By how much the map stretches lengths in the direction in which it does most.
    ///
    /// The root of the largest eigenvalue of the product with its transposed, by Jacobi's rotations
    /// ("Über ein leichtes Verfahren, die in der Theorie der Säcularstörungen vorkommenden
    /// Gleichungen numerisch aufzulösen", 1846). Exact if the columns are exactly perpendicular.
    fn stretch(&self) -> f64 {
        let columns = self.linear();
        let mut m = [0, 1, 2].each(|i| [0, 1, 2].each(|j| dot(columns[i], columns[j])));
        // Each round squares the elements beside the diagonal, relative to it.
        for _ in 0..8 {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                if m[p][q] == 0.0 {
                    continue;
                }
                let half = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                let r = 3 - p - q;
                let (off, to_p, to_q) = (m[p][q], m[r][p], m[r][q]);
                m[p][p] -= tangent * off;
                m[q][q] += tangent * off;
                (m[p][q], m[q][p]) = (0.0, 0.0);
                (m[r][p], m[r][q]) = (cosine * to_p - sine * to_q, sine * to_p + cosine * to_q);
                (m[p][r], m[q][r]) = (m[r][p], m[r][q]);
            }
        }
        m[0][0].max(m[1][1]).max(m[2][2]).sqrt()
    }
}

fn each4(columns: [[f32; 3]; 4], of: impl Fn([f64; 3]) -> [f64; 3]) -> [[f64; 3]; 4] {
    columns.each(|column| of(column.each(f64::from)))
}
