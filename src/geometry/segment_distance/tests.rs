use super::*;
use crate::geometry::exact::Int1728;
use crate::geometry::exact::near_segment::near_segment;
use crate::test_rng::point;

/// What is clear is right, and almost everything is.
#[test]
fn what_is_clear_is_exact() {
    let mut state = 9;
    let (mut near, mut apart, mut unclear) = (0, 0, 0);
    for i in 0..if cfg!(miri) { 20 } else { 600 } {
        let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
        let grid = i / 4 % 3 == 0;
        let mut point = || point(&mut state, size, grid);
        let (segment, mut corners) = ([point(), point()], [point(), point(), point()]);
        match i / 12 % 5 {
            0 => corners[2] = corners[0],
            1 => corners[2] = [0, 1, 2].map(|k| corners[0][k] * 0.3 + corners[1][k] * 0.7),
            _ => {}
        }
        let segment = if i / 60 % 4 == 0 { [segment[0]; 2] } else { segment };
        // Also the distance itself, with its neighbours.
        let [mut low, mut high] = [0.0f32, 20.0 * size];
        for _ in 0..40 {
            let middle = low * 0.5 + high * 0.5;
            let exact = near_segment::<Int1728>(&segment, middle, &corners).expect("decided");
            if exact.is_some() { high = middle } else { low = middle }
        }
        for radius in [0.0, low, high, low * 0.999, high * 1.001, size * 0.3, size * 2.0] {
            let exact = near_segment::<Int1728>(&segment, radius, &corners).expect("decided");
            match is_clearly_near(&segment, radius, &corners) {
                None => unclear += 1,
                Some(clear) => {
                    assert_eq!(clear, exact.is_some(), "{segment:?} {radius} {corners:?}");
                    *(if clear { &mut near } else { &mut apart }) += 1;
                }
            }
        }
    }
    println!("{near} near, {apart} apart, {unclear} unclear");
    assert!(cfg!(miri) || (near > 1_200 && apart > 700 && unclear < near), "{near} {apart}");
}
