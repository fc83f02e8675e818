use super::*;
use crate::array::Each;
use crate::geometry::exact::moment::Moment;
use crate::geometry::exact::near_segment::near_moving_segment;
use crate::geometry::exact::{Approx, Int3392};
use crate::test_rng::{number, point};

/// Clear answers are right, at all times and above all where shapes just touch.
#[test]
fn what_is_clear_is_exact() {
    let mut state = 7;
    let (mut near, mut apart, mut unclear) = (0, 0, 0);
    for i in 0..if cfg!(miri) { 8 } else { 480 } {
        let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
        let grid = i / 4 % 3 == 0;
        let mut point = |size: f32| point(&mut state, size, grid);
        let (a, mut b) = (point(size), point(size));
        let motion = point([size, size * 100.0, size * 1e-3][i / 12 % 3]);
        let mut corners = [point(size), point(size), point(size)];
        match i / 36 % 5 {
            0 => corners[2] = corners[0],
            1 => corners[2] = [0, 1, 2].map(|k| corners[0][k] * 0.3 + corners[1][k] * 0.7),
            _ => {}
        }
        if i % 2 == 0 {
            b = a;
        }
        let segment = [a, b];
        let touches = |radius: f32| {
            let end = Moment::new(1.0);
            near_moving_segment::<Int3392>(&segment, motion, end, radius, &corners) == Some(true)
        };
        let [mut low, mut high] = [0.0f32, 20.0 * size];
        for _ in 0..40 {
            let middle = low * 0.5 + high * 0.5;
            if touches(middle) { high = middle } else { low = middle }
        }
        for radius in [0.0, low, high, low * 0.999, high * 1.001, size * 0.3, size * 2.0] {
            let exact = touches(radius);
            let context = format!("{segment:?} {motion:?} {radius} {corners:?}");
            let end = Moment::new(1.0);
            let sure = near_moving_segment::<Approx>(&segment, motion, end, radius, &corners);
            assert!(sure.is_none_or(|sure| sure == exact), "{context}");
            let moving = Moving::<f64>::new(&segment, radius, motion, &corners);
            match moving.first_touch(0.0, [0.0; 3], 1.0) {
                None => {
                    assert!(!exact, "{context}");
                    apart += 1;
                }
                Some(found) if moving.times(&found).1.is_some() => {
                    assert!(exact, "{context}");
                    near += 1;
                }
                Some(_) => unclear += 1,
            }
        }
    }
    println!("{near} near, {apart} apart, {unclear} unclear");
    assert!(cfg!(miri) || (near > 400 && apart > 400), "{near} {apart} {unclear}");
}

/// Steps along tangents come to an end.
#[test]
fn the_shape_at_the_time_that_is_found_is_neither_deep_nor_far() {
    let (mut state, mut found, mut worst) = (3, 0, 0.0f64);
    for i in 0..if cfg!(miri) { 50 } else { 20_000 } {
        let mut point = |size: f32| point(&mut state, size, false);
        let a = point(1.0);
        let b = if i % 3 == 0 { a } else { point(1.0) };
        let (motion, corners) = (point(4.0), [point(1.0), point(1.0), point(1.0)]);
        let radius = [0.1, 0.5, 1e-3, 0.0][i % 4];
        let moving = Moving::<f64>::new(&[a, b], radius, motion, &corners);
        if let Some(touch) = moving.first_touch(0.0, [0.0; 3], 1.0)
            && touch.at > 0.0
        {
            let pair = nearest_pair(moving.to, &moving.corners_at(touch.at));
            worst = worst.max((pair.distance() - f64::from(radius)).abs());
            found += 1;
        }
    }
    println!("{found} contacts, off by {worst:e} at most");
    assert!(cfg!(miri) || found > 2_000);
    assert!(worst < 1e-12, "{worst:e}");
}

/// Shapes that rest and slide, pass by, or are nearly parallel to an edge, of all sizes, beside
/// thin triangles too: the time is the exact one, rounded once, as rational numbers tell.
#[test]
fn times_are_rounded_once() {
    let (mut state, mut count, mut resting, mut short) = (5, 0, 0, 0);
    for i in 0..if cfg!(miri) { 5 } else { 6_000 } {
        let (segment, radius, motion, corners) = near_miss(&mut state, i);
        let context = format!("{segment:?} {radius} {motion:?} {corners:?}");
        let Some(touch) = touch(&segment, radius, motion, &corners, &Wanted::until(1.0)) else {
            continue;
        };
        let t = touch.t;
        if t == 0.0 {
            continue;
        }
        let is_touched_at = |time: f64| {
            let reach = rational::of(radius.into());
            rational::distance_squared(&segment, &motion, time, &corners) <= &reach * &reach
        };
        let tie = |a: f32, b: f32| (f64::from(a) + f64::from(b)) * 0.5;
        let (mut before, after) = (tie(t.next_down(), t), tie(t, t.next_up()).min(1.0));
        if t.to_bits() & 1 == 0 {
            before = before.next_down();
        }
        if is_touched_at(after) {
            assert!(!is_touched_at(before), "{context}");
            count += 1;
        } else {
            // For less time than a rounding.
            let is_touched_by = |time: f64| {
                let until = Moment::new(time);
                near_moving_segment::<Int3392>(&segment, motion, until, radius, &corners)
            };
            assert_eq!([before, after].map(is_touched_by), [Some(false), Some(true)], "{context}");
            short += 1;
        }
        let (speed, size) = (max_abs(motion.map(f64::from)), max_abs(corners[0].map(f64::from)));
        resting += usize::from(f64::from(t) * speed < 1e-4 * size);
    }
    println!("{count} contacts and {short} for a moment, {resting} of shapes at rest");
    assert!(cfg!(miri) || (count > 900 && resting > 300 && short > 100));
}

/// A segment with a radius that moves to a triangle, which it touches or hardly passes.
fn near_miss(state: &mut u64, i: usize) -> (Segment, f32, [f32; 3], Corners) {
    let size = [1.0, 1e3, 1e-3, 1e6, 1e-20, 1e20][i % 6];
    let plus = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|k| a[k] + b[k]);
    let times = |a: [f32; 3], by: f32| a.map(|x| x * by);
    let mut next = |size: f32| point(state, size, false);
    let (corner, edge) = (next(size), next(size));
    let thin = [1.0, 1e-2, 1e-4, 1e-6][i / 6 % 4];
    let along = times(edge, [0.5, 0.0, 1.0][i / 24 % 3]);
    let mut corners = [corner, plus(corner, edge), plus(plus(corner, along), next(thin * size))];
    let off = [1.0, 1e-2, 1e-5, 1e-8, 0.0][i / 72 % 5];
    let mut to = plus(times(edge, [0.7, 0.1, -1.5][i / 360 % 3]), next(off * size));
    if (i / 5).is_multiple_of(3) {
        // Everything flat, as levels are.
        (to[1], corners[0][1], corners[1][1], corners[2][1]) = (0.0, 0.0, 0.0, 0.0);
    }
    if (i / 7).is_multiple_of(3) {
        to = [0.0; 3];
    }
    let radius = [0.3, 0.01, 1e-4, 0.0][i / 11 % 4] * size;
    let gap = [1.0, 1e-3, 1e-6, 1e-7, 0.0][i / 13 % 5] * size;
    let weights = [number(state).abs() * 0.5, number(state).abs() * 0.5];
    let over = |k: usize| {
        let [u, v] = weights;
        corners[0][k] + u * (corners[1][k] - corners[0][k]) + v * (corners[2][k] - corners[0][k])
    };
    let a = plus([over(0), over(1), over(2)], [0.0, radius + gap, 0.0]);
    let down = [1.5, 1e-3, 1e-6][i / 17 % 3];
    let mut motion = point(state, [0.0, 0.1, 1.0][i / 19 % 3] * size, false);
    motion[1] = -down * gap - [0.0, 1e-7, 1.0][i / 23 % 3] * size;
    ([a, plus(a, to)], radius, motion, corners)
}

/// A capsule that is all but parallel to an edge, which two triangles share, and touches it first.
#[test]
fn a_capsule_beside_an_edge_touches_both_triangles_at_one_time() {
    let of = |bits: [u32; 3]| bits.map(f32::from_bits);
    let segment =
        [of([0x3ee0_6d9d, 0xbfd7_44b6, 0x3e94_60ff]), of([0x3f74_fb13, 0xbe6e_74ad, 0x3e98_d321])];
    let (radius, motion) = (0.1, of([0xbf8b_ecef, 0x3f09_46b6, 0xbf21_3421]));
    let [a, b] =
        [of([0xbd8b_e123, 0xbf41_83c6, 0xbe21_20c8]), of([0x3eea_97a1, 0x3f37_0935, 0xbe18_19f9])];
    let one = [a, b, of([0xbf08_c11a, 0x3f3a_e129, 0xbde4_4ac0])];
    let other = [a, of([0xbd47_31b8, 0x3f1d_1f69, 0xbf7a_b416]), b];
    let [first, second] = [one, other].map(|corners| {
        touch(&segment, radius, motion, &corners, &Wanted::until(1.0)).expect("touched")
    });
    assert_eq!(first.t, second.t);
    // By rational numbers it is as far away then as the radius.
    let square = rational::distance_squared(&segment, &motion, second.t.into(), &other);
    let near = |off: f64| {
        let radius = rational::of(f64::from(radius) + off);
        &radius * &radius
    };
    assert!(near(-1e-7) < square && square < near(1e-7));
}

/// Distances of segments and triangles in rational numbers.
mod rational {
    use num_rational::BigRational;

    use super::{Corners, Segment};

    type Point = [BigRational; 3];

    pub(super) fn of(x: f64) -> BigRational {
        BigRational::from_float(x).expect("finite")
    }

    fn point(v: [f32; 3]) -> Point {
        v.map(|x| of(x.into()))
    }

    fn dot(a: &Point, b: &Point) -> BigRational {
        &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
    }

    fn cross(a: &Point, b: &Point) -> Point {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &a[i] * &b[j] - &a[j] * &b[i])
    }

    fn sub(a: &Point, b: &Point) -> Point {
        [0, 1, 2].map(|k| &a[k] - &b[k])
    }

    /// A point on the way from `a` in the direction `v`.
    fn along(a: &Point, v: &Point, part: &BigRational) -> Point {
        [0, 1, 2].map(|k| &a[k] + &v[k] * part)
    }

    fn square(v: &Point) -> BigRational {
        dot(v, v)
    }

    fn to_segment(p: &Point, [a, b]: [&Point; 2]) -> BigRational {
        let (v, zero, one) = (sub(b, a), of(0.0), of(1.0));
        let length = square(&v);
        let part = if length == zero { zero.clone() } else { dot(&sub(p, a), &v) / length };
        square(&sub(&along(a, &v, &part.clamp(zero, one)), p))
    }

    fn between_segments([a, b]: [&Point; 2], [c, d]: [&Point; 2]) -> BigRational {
        let ends = [
            to_segment(a, [c, d]),
            to_segment(b, [c, d]),
            to_segment(c, [a, b]),
            to_segment(d, [a, b]),
        ];
        let mut least = ends.into_iter().min().expect("four");
        let (u, v, way) = (sub(b, a), sub(d, c), sub(c, a));
        let across = cross(&u, &v);
        let whole = square(&across);
        if whole > of(0.0) {
            let within = of(0.0)..=of(1.0);
            let s = dot(&cross(&way, &v), &across) / &whole;
            let t = dot(&cross(&way, &u), &across) / &whole;
            if within.contains(&s) && within.contains(&t) {
                let height = dot(&way, &across);
                least = least.min(&height * &height / whole);
            }
        }
        least
    }

    /// Whether the foot of a point in the plane is in the triangle.
    fn is_over(p: &Point, [a, b, c]: [&Point; 3], normal: &Point) -> bool {
        let (e1, e2, way) = (sub(b, a), sub(c, a), sub(p, a));
        let u = dot(&cross(&way, &e2), normal);
        let v = dot(&cross(&e1, &way), normal);
        let zero = of(0.0);
        u >= zero && v >= zero && u + v <= square(normal)
    }

    /// The square of the distance of a triangle and a segment that has moved until a time.
    pub(super) fn distance_squared(
        segment: &Segment,
        motion: &[f32; 3],
        time: f64,
        corners: &Corners,
    ) -> BigRational {
        let (way, time) = (point(*motion), of(time));
        let [from, to] = segment.map(|end| along(&point(end), &way, &time));
        let corners = corners.map(point);
        let [a, b, c] = corners.each_ref();
        let edges = [[a, b], [b, c], [c, a]];
        let of_edges = edges.map(|edge| between_segments([&from, &to], edge));
        let mut least = of_edges.into_iter().min().expect("three");
        let normal = cross(&sub(b, a), &sub(c, a));
        let whole = square(&normal);
        if whole == of(0.0) {
            return least;
        }
        let heights = [&from, &to].map(|end| dot(&sub(end, a), &normal));
        for (end, height) in [&from, &to].into_iter().zip(&heights) {
            if is_over(end, [a, b, c], &normal) {
                least = least.min(height * height / &whole);
            }
        }
        if &heights[0] * &heights[1] < of(0.0) {
            let part = &heights[0] / (&heights[0] - &heights[1]);
            if is_over(&along(&from, &sub(&to, &from), &part), [a, b, c], &normal) {
                return of(0.0);
            }
        }
        least
    }
}

/// Of triangles that share a vertex or an edge with one that is touched, in all positions.
#[test]
fn what_is_unwanted_does_not_come_first() {
    let mut state = 11;
    let (mut later, mut beside, mut kept, mut equal) = (0, 0, 0, 0);
    for i in 0..if cfg!(miri) { 40 } else { 60_000 } {
        let size = [1.0f32, 1e-30, 1e30, 1e3][i % 4];
        let mut point = |size: f32| point(&mut state, size, i / 4 % 4 == 0);
        let (a, b) = (point(size), point(size * [1.0, 1e-2][i / 16 % 2]));
        let mut segment = [a, [0, 1, 2].map(|k| a[k] + b[k])];
        if i / 32 % 3 == 0 {
            segment[1] = segment[0];
        }
        let mut motion = point([4.0, 40.0, 0.5][i / 96 % 3] * size);
        let mut one = [point(size), point(size), point(size)];
        let mut other = [one[0], one[1], point(size)];
        if i / 288 % 2 == 0 {
            other[1] = point(size);
        }
        // Nearly or quite in one plane, or in the plane that the shape comes to.
        let flat = [1.0, 1e-2, 1e-4, 0.0][i / 576 % 4];
        for corner in one.iter_mut().chain(&mut other) {
            corner[2] *= flat;
        }
        if i / 5 % 4 != 0 {
            motion = [0, 1, 2].map(|k| 1.2 * (one[i % 3][k] - a[k]));
        }
        let radius = size * [0.3, 0.02, 1e-4, 0.0][i / 7 % 4];
        let touch_of = |corners, wanted: &Wanted| touch(&segment, radius, motion, corners, wanted);
        let all = Wanted::until(1.0);
        let Some(first) = touch_of(&one, &all).filter(|first| first.t > 0.0) else { continue };
        let wanted = Wanted {
            until: first.t,
            until_beside: first.t.next_down(),
            ahead: scale(first.way.direction, -1.0),
        };
        let context = format!("{segment:?} {radius} {motion:?} {one:?} {other:?}");
        let second = touch_of(&other, &all);
        let rank = second.map(|touch| touch.way.rank(touch.t, motion.each(f64::from), &other));
        match (rank, touch_of(&other, &wanted)) {
            (Some(rank), Some(touch)) => {
                assert!(touch.t == rank.t && touch.t <= first.t, "{context}");
                kept += 1;
                equal += usize::from(touch.t == first.t);
            }
            (Some(rank), None) if rank.t == first.t => {
                assert!(rank.is_beside, "{context}");
                beside += 1;
            }
            (Some(rank), None) => {
                assert!(rank.t > first.t, "{context}");
                later += 1;
            }
            (None, touch) => assert!(touch.is_none(), "{context}"),
        }
    }
    println!("{later} later, {beside} beside, {kept} kept, {equal} of them at the same time");
    assert!(cfg!(miri) || (later > 500 && beside > 150 && kept > 500));
}

/// As far as rational numbers tell, where a segment and an edge are nearly parallel, triangles are
/// thin and radii small.
#[test]
fn steps_end_within_the_slack() {
    let (mut state, mut count, mut worst, mut far) = (5, 0, 0, 0);
    for i in 0..if cfg!(miri) { 5 } else { 8_000 } {
        let (segment, radius, motion, corners) = near_miss(&mut state, i);
        let moving = Moving::<f64>::new(&segment, radius, motion, &corners);
        let found = moving.first_touch(0.0, [0.0; 3], 1.0).filter(|found| found.at > 0.0);
        let Some(found) = found.filter(|_| radius > 0.0) else { continue };
        let time = found.at * moving.part;
        let square = rational::distance_squared(&segment, &motion, time, &corners);
        let is_within = |margins: f64| {
            let reach = rational::of(moving.radius + margins * moving.margin);
            square <= &reach * &reach
        };
        let margins = (0..).map(|power| f64::from(1u32 << power)).find(|&x| is_within(x));
        let margins = margins.expect("less than 2^31 margins") as u32;
        if moving.ends_near() {
            worst = worst.max(margins);
            count += 1;
        } else {
            far = far.max(margins);
        }
    }
    println!("{count} contacts, at most {worst} margins of {SLACK} are left, else {far}");
    assert!(cfg!(miri) || count > 150);
    assert!(f64::from(worst) <= 0.5 * SLACK);
}

/// Shapes that pass a vertex at less than what roundings of `f64` might be: only integers can tell.
#[test]
fn what_passes_by_within_the_roundings_does_not_touch() {
    for off in [0.0f32, 1.0, -1.0, 2.0, 3.0, 5.0, 8.0].map(|off| off / (1u32 << 24) as f32) {
        for height in [0.0, 2.0] {
            for far in [0.5f32, 4.0] {
                let segment = [[0.0; 3], [0.0, 0.0, height]];
                let corners = [[1.0, off, far], [3.0, 1.0, far], [3.0, -2.0, far]];
                let motion = [0.0, 0.0, 10.0];
                let touch = touch(&segment, 1.0, motion, &corners, &Wanted::until(1.0));
                assert_eq!(touch.is_some(), off == 0.0, "{off:e} {height} {far}");
            }
        }
    }
}
