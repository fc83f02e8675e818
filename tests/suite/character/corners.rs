//! Corners of every angle, pushed into at every heading: the character comes to rest, and walks out
//! again.

use super::{PACE, RADIUS, SKIN, Walker, bake, floor, heading, quad, wall};
use crate::support::long;
use hitscan::glam::Vec3;
use hitscan::{Bvh, Mesh};

/// The angles in degrees: all of them in the long test.
fn angles() -> impl Iterator<Item = f32> {
    let every = if long() > 1 { 1 } else { 15 };
    (1..180).step_by(every).map(|angle| angle as f32)
}

/// Walls at these x and at z = -1.5 and 1.5, each of three above each other.
fn room(left: f32, right: f32) -> impl Iterator<Item = Mesh> {
    let at = Vec3::new;
    let walls = [
        [at(left, -3.0, -9.0), at(left, -3.0, 9.0)],
        [at(right, -3.0, -9.0), at(right, -3.0, 9.0)],
        [at(-9.0, -3.0, -1.5), at(99.0, -3.0, -1.5)],
        [at(-9.0, -3.0, 1.5), at(99.0, -3.0, 1.5)],
    ];
    (0..4).flat_map(move |level| {
        let up = 3.0 * level as f32 * Vec3::Y;
        walls.map(|[from, to]| wall(from + up, to + up))
    })
}

/// Pushes into a place for a hundred steps at each of 36 headings, then back.
fn push_around(what: &str, bvh: &Bvh, start: Vec3) {
    for degrees in (0..360).step_by(10) {
        let motion = PACE * heading(degrees as f32);
        let mut walker = Walker::new(bvh, start);
        let path: Vec<Vec3> = (0..100)
            .map(|_| {
                walker.step(motion);
                walker.feet
            })
            .collect();
        let place = || format!("{what}, heading {degrees}, at {}", walker.feet);
        assert!(!walker.touches_anything(), "{}: in a wall", place());
        // At rest, or on a long way along a wall: then always ahead.
        let ways: Vec<Vec3> = path[80..].windows(2).map(|two| two[1] - two[0]).collect();
        let is_at_rest = ways.iter().sum::<Vec3>().length() < RADIUS / 1000.0
            && ways.iter().all(|way| way.length() < RADIUS / 1000.0);
        let is_ahead = ways.windows(2).all(|two| two[0].dot(two[1]) > -1e-9);
        assert!(is_at_rest || is_ahead, "{}: shakes, {ways:?}", place());

        for _ in 0..150 {
            let way = (start - walker.feet).with_y(0.0);
            walker.step(way.clamp_length_max(PACE));
        }
        let left = (start - walker.feet).with_y(0.0).length();
        assert!(left < 0.01, "{what}, heading {degrees}: {left} from the start");
    }
}

#[test]
fn between_two_walls() {
    for angle in angles() {
        let half = 0.5 * angle;
        // The character just fits in at x = 0.
        let apex = (RADIUS + SKIN) / half.to_radians().sin() * Vec3::X;
        let length = 40f32.max(2.0 * apex.x);
        let side = |turn: f32| wall(apex, apex - length * heading(turn));
        let back = wall(Vec3::new(-2.0, 0.0, -9.0), Vec3::new(-2.0, 0.0, 9.0));
        let bvh = bake(&[floor(100.0), side(half), side(-half), back]);
        push_around(&format!("walls at {angle} degrees"), &bvh, Vec3::new(-0.3, SKIN, 0.0));
    }
}

/// The case of a report: two long walls and a slow push.
#[test]
fn slowly_between_two_long_walls() {
    for angle in 1..=20 {
        let side = |turn: f32| {
            let along = 15.0 * heading(turn);
            wall(-along, along)
        };
        let (half, far) = (angle as f32, 10.0 * Vec3::X);
        let bvh = bake(&[floor(100.0), side(half), side(-half)]);
        let mut walker = Walker::new(&bvh, far + SKIN * Vec3::Y);
        // Ten degrees and more apart, it fits in farther from the crossing.
        let fits = (RADIUS + SKIN) / half.to_radians().sin();
        if fits > far.x {
            continue;
        }
        let mut step = || {
            walker.step(Vec3::new(-PACE, 0.0, 0.004));
            walker.feet
        };
        let path: Vec<Vec3> = (0..250).map(|_| step()).collect();
        let still = path[230..].iter().all(|feet| feet.distance(path[249]) < RADIUS / 1000.0);
        assert!(still && (path[249].x - fits).abs() < 0.01, "{angle}: {}", path[249]);
    }
}

#[test]
fn below_a_wall_that_leans() {
    for angle in angles().filter(|angle| *angle > 30.0) {
        let (sin, cos) = angle.to_radians().sin_cos();
        let foot = if angle < 90.0 { 3.0 } else { 1.0 };
        let at = |z: f32, up: f32| Vec3::new(foot - cos * up, sin * up, z);
        let lean = quad([at(-9.0, 0.0), at(9.0, 0.0), at(9.0, 100.0), at(-9.0, 100.0)]);
        let meshes: Vec<Mesh> = [floor(100.0), lean].into_iter().chain(room(-2.0, 90.0)).collect();
        let bvh = bake(&meshes);
        let start = Vec3::new(if angle < 90.0 { -1.0 } else { -0.3 }, SKIN, 0.0);
        push_around(&format!("a wall at {angle} degrees"), &bvh, start);
    }
}

#[test]
fn below_a_ceiling_that_comes_down() {
    for angle in angles().filter(|angle| *angle < 80.0) {
        let (sin, cos) = angle.to_radians().sin_cos();
        let at = |z: f32, along: f32| Vec3::new(0.3 + cos * along, 2.0 - sin * along, z);
        let ceiling = quad([at(-9.0, -20.0), at(9.0, -20.0), at(9.0, 100.0), at(-9.0, 100.0)]);
        let meshes: Vec<Mesh> =
            [floor(100.0), ceiling].into_iter().chain(room(-2.0, 90.0)).collect();
        let bvh = bake(&meshes);
        push_around(&format!("a ceiling at {angle} degrees"), &bvh, Vec3::new(-0.5, SKIN, 0.0));
    }
}

#[test]
fn between_two_pillars() {
    for angle in angles() {
        // Too narrow to pass at every turn.
        let gap = 0.1 + 0.6 * (angle % 7.0) / 7.0;
        let pillar = |side: f32| {
            let at = Vec3::new(0.6, 0.0, side * (0.5 * gap + 0.3));
            let corner = |turn: f32| at + 0.35 * heading(angle + turn);
            [0.0, 90.0, 180.0, 270.0].map(|turn| wall(corner(turn), corner(turn + 90.0)))
        };
        let pillars = [pillar(-1.0), pillar(1.0)].into_iter().flatten();
        // A wall behind them, so that no way leads around.
        let meshes: Vec<Mesh> =
            [floor(100.0)].into_iter().chain(pillars).chain(room(-2.0, 1.0)).collect();
        let bvh = bake(&meshes);
        push_around(&format!("pillars turned by {angle}"), &bvh, Vec3::new(-0.5, SKIN, 0.0));
    }
}

/// Two slopes of slivers that meet at a crooked seam, as steep as can be walked.
#[test]
fn in_a_valley() {
    for angle in angles().filter(|angle| *angle < 88.0) {
        let tan = (0.5 * angle).to_radians().tan();
        let at = |i: i32, z: f32| {
            let x = 0.1 * i as f32;
            [x, z.abs() * tan + 0.002 * (i.rem_euclid(3)) as f32, z]
        };
        let slope = |side: f32| {
            (-40..40).flat_map(move |i| {
                let (a, b) = (at(i, 0.0), at(i + 1, 0.0));
                let (c, d) = (at(i + 1, 3.0 * side), at(i, 3.0 * side));
                [a, b, c, a, c, d]
            })
        };
        let ground = Mesh::from_soup(slope(-1.0).chain(slope(1.0)).collect());
        let meshes: Vec<Mesh> = [ground].into_iter().chain(room(-2.0, 1.0)).collect();
        let bvh = bake(&meshes);
        let over = RADIUS * ((1.0 + tan * tan).sqrt() - 1.0);
        let start = Vec3::new(-0.5, 2.0 * SKIN + over, 0.0);
        push_around(&format!("a valley of {angle} degrees"), &bvh, start);
    }
}
