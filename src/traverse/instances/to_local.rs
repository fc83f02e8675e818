//! A ray in the coordinates of an instance's tree, for the kernels.

use glam::Vec3;

use crate::geometry::{InstanceTransform, Ray};
use crate::simd::{F64x4, Isa};

/// As [`InstanceTransform::ray_to_local`], the same bits, with an axis in each lane. The ray has
/// another `t_max`.
#[inline(always)]
pub(super) fn ray_to_local<I: Isa>(
    isa: I,
    transform: &InstanceTransform,
    ray: &Ray,
    t_max: f32,
) -> Ray {
    let [a, b, c] = *transform.inverse_padded();
    let columns = [I::F64x4::new(isa, a), I::F64x4::new(isa, b), I::F64x4::new(isa, c)];
    let splat = |x: f32| I::F64x4::from_f32(isa, [x; 4]);
    let ([x, y, z], [i, j, k]) = (ray.origin.to_array(), transform.translation());
    let from = [splat(x).sub(splat(i)), splat(y).sub(splat(j)), splat(z).sub(splat(k))];
    let [x, y, z] = ray.dir.to_array();
    let origin = product(columns, from).to_f32();
    let dir = product(columns, [splat(x), splat(y), splat(z)]).to_f32();
    let vector = |[x, y, z, _]: [f32; 4]| Vec3::new(x, y, z);
    Ray { origin: vector(origin), dir: vector(dir), t_max, ..*ray }
}

/// A matrix of these columns times a vector, each of whose numbers is in all lanes. Nothing is
/// fused: every operation's order is part of the answer's bits.
#[inline(always)]
fn product<Q: F64x4>([a, b, c]: [Q; 3], [x, y, z]: [Q; 3]) -> Q {
    a.mul(x).add(b.mul(y)).add(c.mul(z))
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Mat3};

    use super::*;
    use crate::simd::{self, InstructionSet, Task};
    use crate::test_rng::number;

    struct Moved<'a>(&'a InstanceTransform, &'a Ray);

    impl Task for Moved<'_> {
        type Output = Ray;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Ray {
            ray_to_local(isa, self.0, self.1, 7.0)
        }
    }

    #[test]
    fn rays_have_the_same_bits_on_all_instruction_sets() {
        let state = &mut 1;
        let mut checked = 0;
        for i in 0..if cfg!(miri) { 3 } else { 2000 } {
            let size = [1.0, 1e-10, 1e10, 1e-15][i % 4];
            let mut vector = |size: f32| Vec3::from_array([0; 3].map(|_| size * number(state)));
            let linear = Mat3::from_cols(vector(size), vector(size), vector(size));
            let map = Affine3A::from_mat3_translation(linear, vector(1e3));
            let Ok(transform) = InstanceTransform::new(&map) else { continue };
            let ray = Ray::new(vector(1e3), vector(1.0));
            let bits = |ray: Ray| [ray.origin, ray.dir].map(|v| v.to_array().map(f32::to_bits));
            let expected = bits(transform.ray_to_local(&ray));
            for isa in InstructionSet::available() {
                let moved = simd::run(isa, Moved(&transform, &ray));
                assert_eq!((bits(moved), moved.t_max), (expected, 7.0), "{isa:?} {map:?}");
            }
            checked += 1;
        }
        assert!(cfg!(miri) || checked > 1000);
    }
}
