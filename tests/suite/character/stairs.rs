//! Stairs of every height, at every pace, up and down.

use super::{PACE, RADIUS, SKIN, Walker, bake, floor, quad, wall};
use hitscan::Mesh;
use hitscan::character::MoveOptions;
use hitscan::glam::Vec3;

const COUNT: usize = 10;
const TREAD: f32 = 0.3;

/// Stairs up from x = 1, with a landing at the top.
fn stairs(step: f32) -> Vec<Mesh> {
    let across = |from: Vec3, to: Vec3| {
        let side = 3.0 * Vec3::Z;
        quad([from - side, from + side, to + side, to - side])
    };
    let steps = (0..COUNT).flat_map(|i| {
        let low = Vec3::new(1.0 + i as f32 * TREAD, i as f32 * step, 0.0);
        let edge = low + step * Vec3::Y;
        let tread = if i + 1 == COUNT { 5.0 } else { TREAD };
        [across(low, edge), across(edge, edge + tread * Vec3::X)]
    });
    [floor(50.0)].into_iter().chain(steps).collect()
}

#[test]
fn stairs_are_climbed_at_every_pace_and_walked_down() {
    for step in [0.05, 0.1, 0.15, 0.2, 0.25, 0.3] {
        let bvh = bake(&stairs(step));
        for pace in [0.001, 0.005, 0.02, PACE, 0.1, 0.3] {
            let mut walker = Walker::new(&bvh, Vec3::new(0.0, SKIN, 0.0));
            walker.options = MoveOptions::new().step_height(step);
            let mut walk = |to: f32, motion: f32| {
                let distance = (to - walker.feet.x).abs();
                let most = (1.02 * distance / pace) as usize + 2;
                for _ in 0..most {
                    let moved = walker.step(motion * Vec3::X);
                    assert!(!walker.touches_anything(), "{step} {pace}: at {}", walker.feet);
                    assert!(moved.ground.is_some(), "{step} {pace}: in the air {}", walker.feet);
                    if (to - walker.feet.x).abs() <= pace {
                        return walker.feet;
                    }
                }
                panic!("{step} {pace}: stuck at {}", walker.feet);
            };
            let top = walk(5.0, pace);
            assert!((top.y - COUNT as f32 * step - SKIN).abs() < SKIN, "{step} {pace}: {top}");
            let back = walk(0.0, -pace);
            assert!((back.y - SKIN).abs() < SKIN, "{step} {pace}: {back}");
        }
    }
}

#[test]
fn a_step_that_is_too_high_is_a_wall() {
    for (step, height) in [(0.2, 0.15), (0.3, 0.25), (0.42, 0.5), (0.6, 0.5)] {
        let bvh = bake(&stairs(step));
        let mut walker = Walker::new(&bvh, Vec3::new(0.0, SKIN, 0.0));
        walker.options = MoveOptions::new().step_height(height);
        for _ in 0..100 {
            walker.step(PACE * Vec3::X);
        }
        assert!(walker.feet.x < 1.0 && walker.feet.y < 2.0 * SKIN, "{step}: {}", walker.feet);
    }
    // A thin fence has nothing to stand on.
    let fence = {
        let at = |y: f32, z: f32| Vec3::new(1.0, y, z);
        quad([at(0.0, -9.0), at(0.0, 9.0), at(0.19, 9.0), at(0.19, -9.0)])
    };
    let bvh = bake(&[floor(9.0), fence]);
    let mut walker = Walker::new(&bvh, Vec3::new(0.0, SKIN, 0.0));
    (0..100).for_each(|_| drop(walker.step(PACE * Vec3::X)));
    assert!(walker.feet.x < 1.0 - 0.8 * RADIUS && walker.feet.y < 2.0 * SKIN, "{}", walker.feet);
}

#[test]
fn a_step_is_not_climbed_where_there_is_no_room_above() {
    let low = |y: f32| {
        let at = |x: f32, z: f32| Vec3::new(x, y, z);
        quad([at(0.9, -9.0), at(0.9, 9.0), at(9.0, 9.0), at(9.0, -9.0)])
    };
    for (ceiling, is_free) in [(2.1, true), (1.95, false)] {
        let bvh = bake(&[floor(9.0), low(0.2), low(ceiling), {
            let at = |y: f32, z: f32| Vec3::new(0.9, y, z);
            quad([at(0.0, -9.0), at(0.0, 9.0), at(0.2, 9.0), at(0.2, -9.0)])
        }]);
        let mut walker = Walker::new(&bvh, Vec3::new(0.0, SKIN, 0.0));
        let path: Vec<Vec3> = (0..100)
            .map(|_| {
                walker.step(PACE * Vec3::X);
                walker.feet
            })
            .collect();
        assert_eq!(walker.feet.x > 2.0, is_free, "{}", walker.feet);
        assert!(is_free || path[60..].iter().all(|feet| feet.distance(path[99]) < RADIUS * 1e-3));
        assert!(!walker.touches_anything());
    }
}

#[test]
fn it_walks_off_a_ledge_and_falls_beside_a_wall() {
    let top =
        quad([[0.0, -3.0], [0.0, 3.0], [4.0, 3.0], [4.0, -3.0]].map(|[x, z]| Vec3::new(x, 3.0, z)));
    let side = wall(Vec3::new(0.0, 0.0, -3.0), Vec3::new(0.0, 0.0, 3.0));
    let bvh = bake(&[floor(20.0), top, side]);
    let mut walker = Walker::new(&bvh, Vec3::new(2.0, 3.0 + SKIN, 0.0));
    let mut was_in_air = false;
    for _ in 0..200 {
        was_in_air |= walker.step(-PACE * Vec3::X).ground.is_none();
        assert!(!walker.touches_anything());
    }
    assert!(was_in_air && walker.feet.y < 2.0 * SKIN, "{}", walker.feet);
}
