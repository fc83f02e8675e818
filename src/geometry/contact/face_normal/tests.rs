use super::*;
use crate::geometry::vec3_f64::dot;
use crate::test_rng::{bits, number};

/// A needle in whole numbers, one end of which is made of finer ones: `f64` does not hold the
/// products.
fn needle(state: &mut u64, width: u32) -> Corners {
    let mut whole = |most: f32| (number(state) * most).round();
    let long = (1u32 << 23) as f32;
    let (a, tip) =
        ([whole(long), whole(long), whole(long)], [whole(long), whole(long), whole(long)]);
    let other = tip.map(|x| x + whole(width as f32));
    [a, tip.map(|x| x * FAR), other.map(|x| x * FAR)]
}

const FAR: f32 = (1u32 << 20) as f32;

/// The normal equals the normal computed in whole numbers, but for 2^-36, for needles of any kind
/// and with any first corner; in plain `f64` it does not.
#[test]
fn normals_of_needles_are_right() {
    let (mut state, mut worst, mut plain, mut thin, mut flat) = (3, 0.0f64, 0.0f64, 0, 0);
    for i in 0..if cfg!(miri) { 50 } else { 50_000 } {
        let corners = needle(&mut state, [1, 2, 30, 1000][i % 4]);
        let [a, b, c] = [0, 1, 2].map(|k| corners[(i / 4 + k) % 3]);
        let [e1, e2] = [b, c].map(|to| [0, 1, 2].map(|k| to[k] as i128 - a[k] as i128));
        let exact =
            [[1, 2], [2, 0], [0, 1]].map(|[p, q]: [usize; 2]| e1[p] * e2[q] - e1[q] * e2[p]);
        let scale = f32::exp2((bits(&mut state) % 60) as f32 - 30.0);
        let found = face_normal(&[a, b, c].map(|v| v.map(|x| x * scale)));
        if exact == [0; 3] {
            assert_eq!(found, [0.0; 3]);
            flat += 1;
            continue;
        }
        let unit = |v: Vec3F64| v.map(|x| x / dot(v, v).sqrt());
        let exact = unit(exact.map(|x| x as f64));
        let off = |found: Vec3F64| {
            let found = unit(found);
            max_abs([0, 1, 2].map(|k| found[k] - exact[k]))
        };
        worst = worst.max(off(found));
        let (e1, e2) = (e1.map(|x| x as f64), e2.map(|x| x as f64));
        let cross = vec3_f64::cross(e1, e2);
        if cross != [0.0; 3] {
            plain = plain.max(off(cross));
        }
        thin += usize::from(max_abs(cross) < THIN * size_of_products(e1, e2));
    }
    println!("off by {worst:e}, in f64 {plain:e}; {thin} are thin, {flat} flat");
    assert!(worst <= 2f64.powi(-36));
    assert!(cfg!(miri) || (plain > 2f64.powi(-36) && thin > 1_000));
}

#[test]
fn triangles_without_an_area_have_no_normal() {
    let mut state = 5;
    for i in 0..2_000 {
        let mut whole = || (number(&mut state) * 4096.0).round();
        let (a, way) = ([whole(), whole(), whole()], [whole(), whole(), whole()]);
        let (one, other) = ((i % 7) as f32, (i % 5) as f32 - 8.0);
        let corners = [0.0, one, other].map(|t| [0, 1, 2].map(|k| a[k] + way[k] * t));
        assert_eq!(face_normal(&corners), [0.0; 3], "{corners:?}");
    }
    // But this one has.
    let corners = [[0.0; 3], [1e30, 0.0, 0.0], [1e30, 1e-10, 0.0]];
    assert!(face_normal(&corners)[2] > 0.0);
}
