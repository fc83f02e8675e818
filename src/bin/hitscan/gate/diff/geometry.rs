//! What has happened to the triangles of a mesh.

use hitscan::Triangle;
use hitscan::glam::Vec3;
use hitscan::query::MeshTriangle;

use super::motion::{Motion, Points};
use crate::picture::vector::Vector;

#[derive(Debug, PartialEq)]
pub(super) enum Geometry {
    Equal,
    /// All of it keeps its shape.
    Motion(Motion),
    /// The same triangles with other numbers.
    Reordered,
    Changed(Changed),
}

/// Triangles that are in one file only.
#[derive(Debug, PartialEq)]
pub(super) struct Changed {
    /// Their numbers in the mesh, in order.
    pub(super) before: Vec<u32>,
    pub(super) after: Vec<u32>,
    /// How far a vertex has moved, at most; `None` unless the triangles that differ have the same
    /// numbers before and after.
    pub(super) farthest: Option<f64>,
    /// The vertex that has moved farthest, else a corner of the first triangle that differs.
    pub(super) place: Vec3,
}

/// From the triangles of a mesh in both files, each in order of their numbers.
pub(super) fn compare(before: &[MeshTriangle], after: &[MeshTriangle]) -> Geometry {
    let are_numbered_alike = before.len() == after.len()
        && before.iter().zip(after).all(|(one, other)| one.triangle == other.triangle);
    if are_numbered_alike {
        let mut pairs = before.iter().zip(after);
        if pairs.all(|(one, other)| one.vertices == other.vertices) {
            return Geometry::Equal;
        }
        if let Some(motion) = motion(before, after) {
            return Geometry::Motion(motion);
        }
    }
    let [only_before, only_after] = differing(before, after);
    let first = match (only_after.first(), only_before.first()) {
        (Some(&index), _) => &after[index],
        (None, Some(&index)) => &before[index],
        (None, None) => return Geometry::Reordered,
    };
    let numbers = |side: &[MeshTriangle], indices: &[usize]| -> Vec<u32> {
        indices.iter().map(|&index| side[index].triangle).collect()
    };
    let mut changed = Changed {
        before: numbers(before, &only_before),
        after: numbers(after, &only_after),
        farthest: None,
        place: first.vertices.v0,
    };
    if changed.before == changed.after {
        let pairs = only_before.iter().zip(&only_after);
        let pairs = pairs.flat_map(|(&one, &other)| {
            let [one, other] = [&before[one], &after[other]].map(corners);
            [0, 1, 2].map(|corner| [one[corner], other[corner]])
        });
        for [from, to] in pairs {
            let distance = (Vector::from(to) - Vector::from(from)).length();
            if changed.farthest.is_none_or(|farthest| distance > farthest) {
                (changed.farthest, changed.place) = (Some(distance), to);
            }
        }
    }
    Geometry::Changed(changed)
}

fn corners(found: &MeshTriangle) -> [Vec3; 3] {
    let Triangle { v0, v1, v2 } = found.vertices;
    [v0, v1, v2]
}

fn motion(before: &[MeshTriangle], after: &[MeshTriangle]) -> Option<Motion> {
    let count = 3 * before.len();
    let pair = |i: usize| [before, after].map(|side| Vector::from(corners(&side[i / 3])[i % 3]));
    // What was mirrored is stored with its second and third vertex swapped.
    let swapped = |i: usize| {
        let [from, _] = pair(i);
        [from, Vector::from(corners(&after[i / 3])[[0, 2, 1][i % 3]])]
    };
    let moved = Points { count, pair: &pair }.motion();
    moved.or_else(|| Points { count, pair: &swapped }.mirroring())
}

/// The places in each list of the triangles that the other lacks. It does not matter at which
/// corner a triangle begins; one that is there twice needs two partners.
fn differing(before: &[MeshTriangle], after: &[MeshTriangle]) -> [Vec<usize>; 2] {
    let sorted = |side: &[MeshTriangle]| {
        let mut keys: Vec<_> = side.iter().map(key).zip(0..).collect();
        keys.sort_unstable();
        keys
    };
    let (one, other) = (sorted(before), sorted(after));
    let mut only = [Vec::new(), Vec::new()];
    let (mut i, mut j) = (0, 0);
    loop {
        match (one.get(i), other.get(j)) {
            (Some(a), Some(b)) if a.0 == b.0 => (i, j) = (i + 1, j + 1),
            (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                only[0].push(a.1);
                i += 1;
            }
            (_, Some(b)) => {
                only[1].push(b.1);
                j += 1;
            }
            _ => break,
        }
    }
    only.iter_mut().for_each(|places: &mut Vec<usize>| places.sort_unstable());
    only
}

/// The same for each corner that the triangle may begin at, and for both zeros.
fn key(found: &MeshTriangle) -> [[u32; 3]; 3] {
    let [a, b, c] = corners(found).map(|corner| (corner + 0.0).to_array().map(f32::to_bits));
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use hitscan::{Builder, Mesh};

    use super::*;

    /// The triangles of a mesh with these corners, as a bake stores them.
    fn mesh(corners: &[[f32; 3]]) -> Vec<MeshTriangle> {
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(corners.to_vec())]).unwrap();
        bvh.triangles().collect()
    }

    const FLAG: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 3.0, 0.0],
        [0.0, 3.0, 0.0],
        [4.0, 0.0, 0.0],
        [4.0, 3.0, 1.0],
    ];

    #[test]
    fn a_moved_vertex_is_measured() {
        let mut other = FLAG;
        assert_eq!(compare(&mesh(&FLAG), &mesh(&other)), Geometry::Equal);
        other[5] = [4.0, 7.0, 4.0];
        let Geometry::Changed(changed) = compare(&mesh(&FLAG), &mesh(&other)) else { panic!() };
        assert_eq!((&*changed.before, &*changed.after), (&[1][..], &[1][..]));
        assert_eq!((changed.farthest, changed.place), (Some(5.0), Vec3::new(4.0, 7.0, 4.0)));
    }

    #[test]
    fn order_does_not_matter_and_numbers_do() {
        let [a, b, c, d, e, f] = FLAG;
        assert_eq!(compare(&mesh(&FLAG), &mesh(&[e, f, d, a, b, c])), Geometry::Reordered);
        // Turned over.
        let turned = compare(&mesh(&FLAG), &mesh(&[a, c, b, d, e, f]));
        let Geometry::Changed(changed) = turned else { panic!() };
        assert_eq!((&*changed.before, &*changed.after), (&[0][..], &[0][..]));
    }

    #[test]
    fn triangles_of_one_side_are_counted() {
        let whole = mesh(&FLAG);
        let Geometry::Changed(changed) = compare(&whole, &whole[1..]) else { panic!() };
        assert_eq!((&*changed.before, &*changed.after), (&[0][..], &[][..]));
        assert_eq!((changed.farthest, changed.place), (None, Vec3::ZERO));
        // There twice.
        let [a, b, c, ..] = FLAG;
        let Geometry::Changed(changed) = compare(&mesh(&[a, b, c]), &mesh(&[a, b, c, a, b, c]))
        else {
            panic!()
        };
        assert_eq!((&*changed.before, &*changed.after), (&[][..], &[1][..]));
    }

    #[test]
    fn all_of_it_may_move() {
        let moved = FLAG.map(|[x, y, z]| [x, y - 2.0, z]);
        let motion = Motion::Moved { by: [0.0, -2.0, 0.0] };
        assert_eq!(compare(&mesh(&FLAG), &mesh(&moved)), Geometry::Motion(motion));
    }
}
