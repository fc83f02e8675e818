//! Vectors in space, of several triangles or boxes at once.

use crate::simd::Vector;
use crate::traverse::near::TINY;

#[inline(always)]
pub(crate) fn add<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

#[inline(always)]
pub(crate) fn sub<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
pub(crate) fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))
}

#[inline(always)]
pub(crate) fn cross<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [
        a[2].mul_sub_from(b[1], a[1].mul(b[2])),
        a[0].mul_sub_from(b[2], a[2].mul(b[0])),
        a[1].mul_sub_from(b[0], a[0].mul(b[1])),
    ]
}

/// `a * factor + b`.
#[inline(always)]
pub(crate) fn scale_add<V: Vector>(a: [V; 3], factor: V, b: [V; 3]) -> [V; 3] {
    [a[0].mul_add(factor, b[0]), a[1].mul_add(factor, b[1]), a[2].mul_add(factor, b[2])]
}

/// Rows of a matrix.
#[inline(always)]
pub(crate) fn splat_rows<V: Vector>(isa: V::Isa, rows: &[[f32; 3]; 3]) -> [[V; 3]; 3] {
    let splat = |[x, y, z]: [f32; 3]| [V::splat(isa, x), V::splat(isa, y), V::splat(isa, z)];
    [splat(rows[0]), splat(rows[1]), splat(rows[2])]
}

/// A matrix of these rows times a vector.
#[inline(always)]
pub(crate) fn turned<V: Vector>([a, b, c]: &[[V; 3]; 3], v: [V; 3]) -> [V; 3] {
    [dot(*a, v), dot(*b, v), dot(*c, v)]
}

/// The largest magnitude of the three coordinates.
#[inline(always)]
pub(crate) fn size<V: Vector>(a: [V; 3]) -> V {
    a[0].greater_size(a[1]).max_nonneg(a[2].abs())
}

/// The point that is nearest to zero, of the edge that leads from `from` along `edge`.
#[inline(always)]
pub(crate) fn on_edge<V: Vector>(from: [V; 3], edge: [V; 3], along: V, square: V) -> [V; 3] {
    let splat = |x: f32| V::splat(along.isa(), x);
    let part = along.div(square.max(splat(TINY))).max(splat(0.0)).min(splat(1.0));
    scale_add(edge, part, from)
}
