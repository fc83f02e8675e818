//! A character that moves: [`Bvh::move_and_slide`] and its kin.
//!
//! `HITSCAN_LONG=5` walks into corners of every degree, and rides and is pushed longer;
//! `HITSCAN_LONG=200` for a million steps.

mod corners;
mod rides;
mod stairs;
mod volumes;

use crate::support;
use hitscan::character::{MoveOptions, Moved};
use hitscan::glam::{Quat, Vec3};
use hitscan::{Builder, Bvh, Capsule, Contact, Facing, InstructionSet, Mesh, Query, StartContacts};
use support::Random;

const RADIUS: f32 = 0.4;
/// The default.
const SKIN: f32 = 0.05 * RADIUS;
/// Three metres a second, at sixty steps a second.
const PACE: f32 = 0.05;
const GRAVITY: f32 = 9.81 / 3600.0;

fn body(feet: Vec3) -> Capsule {
    Capsule::new(feet + RADIUS * Vec3::Y, feet + 1.4 * Vec3::Y, RADIUS)
}

fn bake(meshes: &[Mesh]) -> Bvh {
    Builder::new().bake(meshes).expect("the meshes are sound").0
}

fn quad(corners: [Vec3; 4]) -> Mesh {
    Mesh::new(corners.map(|corner| corner.to_array()).to_vec(), vec![0, 1, 2, 0, 2, 3])
}

/// A floor of this half size.
fn floor(half: f32) -> Mesh {
    let at = |x: f32, z: f32| Vec3::new(x * half, 0.0, z * half);
    quad([at(-1.0, -1.0), at(-1.0, 1.0), at(1.0, 1.0), at(1.0, -1.0)])
}

/// An upright wall between two points of the floor.
fn wall(from: Vec3, to: Vec3) -> Mesh {
    let up = 3.0 * Vec3::Y;
    quad([from, to, to + up, from + up])
}

/// A direction on the floor.
fn heading(degrees: f32) -> Vec3 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Vec3::new(cos, 0.0, sin)
}

/// A character that falls if nothing holds it.
#[derive(Clone)]
struct Walker<'a> {
    bvh: &'a Bvh,
    options: MoveOptions,
    query: Query<'a>,
    feet: Vec3,
    fall: f32,
}

impl<'a> Walker<'a> {
    fn new(bvh: &'a Bvh, feet: Vec3) -> Self {
        Self { bvh, options: MoveOptions::new(), query: Query::new(), feet, fall: 0.0 }
    }

    fn step(&mut self, motion: Vec3) -> Moved {
        let motion = motion - self.fall * Vec3::Y;
        let moved = self.bvh.move_and_slide(body(self.feet), motion, &self.options, &self.query);
        self.feet += moved.translation;
        self.fall = if moved.ground.is_some() { 0.0 } else { self.fall + GRAVITY };
        moved
    }

    fn touches_anything(&self) -> bool {
        self.bvh.any_overlap(body(self.feet), &Query::new())
    }
}

#[test]
fn what_rests_on_the_floor_moves_along_it() {
    let bvh = bake(&[floor(50.0)]);
    for height in [0.0, 0.3 * SKIN, SKIN] {
        let mut walker = Walker::new(&bvh, Vec3::new(0.0, height, 0.0));
        for i in 1..=100 {
            let moved = walker.step(PACE * Vec3::X);
            assert!((walker.feet.x - i as f32 * PACE).abs() < 1e-4, "{}", walker.feet);
            assert_eq!(moved.ground.expect("the floor").normal, Vec3::Y);
            assert!(moved.squeezed == 0.0 && (moved.touches.is_empty() || i == 1));
        }
        // At rest it stays, to the last bit.
        let moved = walker.step(Vec3::ZERO);
        assert_eq!(moved.translation, Vec3::ZERO);
    }
}

#[test]
fn it_says_what_it_touches_and_where() {
    let bvh = bake(&[floor(50.0), wall(Vec3::new(2.0, 0.0, -9.0), Vec3::new(2.0, 0.0, 9.0))]);
    let mut walker = Walker::new(&bvh, Vec3::new(1.0, SKIN, 0.0));
    let moved = walker.step(Vec3::new(1.0, 0.0, 0.5));
    let [touch] = moved.touches[..] else { panic!("{moved:?}") };
    assert_eq!((touch.hit.mesh, touch.normal, touch.point.x), (1, Vec3::NEG_X, 2.0));
    assert!((touch.translation.x - 0.58).abs() < 1e-5, "{touch:?}");
    assert!((moved.translation - Vec3::new(0.58, 0.0, 0.5)).length() < 1e-5, "{moved:?}");
    assert_eq!(moved.ground.expect("the floor").hit.mesh, 0);
    // A wall that the query does not see.
    walker.query = Query::new().filter(&|hit| hit.mesh == 0);
    assert_eq!(walker.step(Vec3::X).translation, Vec3::X);
    walker.query = Query::new().facing(Facing::Back);
    assert_eq!(walker.step(Vec3::NEG_X).ground, None);
}

#[test]
fn a_jump_leaves_the_ground_and_a_fall_ends_on_it() {
    let bvh = bake(&[floor(50.0)]);
    let mut walker = Walker::new(&bvh, Vec3::new(0.0, SKIN, 0.0));
    assert_eq!(walker.step(Vec3::new(0.02, 0.1, 0.0)).ground, None);
    assert!((walker.feet.y - SKIN - 0.1).abs() < 1e-6);
    walker.fall = 0.0;
    let steps = (0..100).take_while(|_| walker.step(Vec3::ZERO).ground.is_none()).count();
    assert!((5..20).contains(&steps), "{steps}");
    assert!((walker.feet.y - SKIN).abs() < SKIN, "{}", walker.feet);
    // However fast it falls.
    for fall in [1.0, 10.0, 1000.0] {
        let mut walker = Walker::new(&bvh, Vec3::new(0.0, 700.0, 0.0));
        walker.fall = fall;
        while walker.step(Vec3::ZERO).ground.is_none() {}
        assert!((walker.feet.y - SKIN).abs() < SKIN, "{}", walker.feet);
    }
}

#[test]
fn slopes_are_walked_up_to_the_steepest_at_full_pace() {
    for degrees in [5.0f32, 20.0, 40.0, 44.0, 46.0, 60.0, 80.0] {
        let tan = degrees.to_radians().tan();
        let at = |x: f32, z: f32| Vec3::new(x, x.max(0.0) * tan, z);
        let slope = quad([at(0.0, -9.0), at(0.0, 9.0), at(9.0, 9.0), at(9.0, -9.0)]);
        let bvh = bake(&[floor(9.0), slope]);
        let mut walker = Walker::new(&bvh, Vec3::new(-1.0, SKIN, 0.0));
        for _ in 0..100 {
            walker.step(PACE * Vec3::X);
            assert!(!walker.touches_anything());
        }
        let is_up = walker.feet.x > 3.9;
        assert_eq!(is_up, degrees < 45.0, "{degrees}: {}", walker.feet);
        // On a slope it stands still.
        let feet = walker.feet;
        for _ in 0..1000 {
            walker.step(Vec3::ZERO);
        }
        assert_eq!(walker.feet, feet, "{degrees}");
        for _ in 0..100 {
            assert!(walker.step(-PACE * Vec3::X).ground.is_some(), "{degrees}: in the air");
        }
        assert!(walker.feet.x < -0.9, "{degrees}: {}", walker.feet);
    }
}

#[test]
fn on_what_is_too_steep_it_slides_down() {
    let at = |x: f32, z: f32| Vec3::new(x, 2.0 * x, z);
    let slope = quad([at(0.0, -9.0), at(0.0, 9.0), at(9.0, 9.0), at(9.0, -9.0)]);
    let bvh = bake(&[floor(20.0), slope]);
    let mut walker = Walker::new(&bvh, Vec3::new(5.0, 12.0, 0.0));
    for _ in 0..400 {
        walker.step(0.2 * PACE * Vec3::X);
        assert!(!walker.touches_anything());
    }
    let moved = walker.step(Vec3::ZERO);
    assert_eq!(moved.ground.map(|ground| ground.hit.mesh), Some(0), "{}", walker.feet);
}

#[test]
fn it_gets_out_of_what_it_is_in() {
    let side = |x: f32| wall(Vec3::new(x, 0.0, -9.0), Vec3::new(x, 0.0, 9.0));
    let bvh = bake(&[floor(9.0), side(2.0)]);
    let mut walker = Walker::new(&bvh, Vec3::new(1.9, -0.2, 0.0));
    let moved = walker.step(Vec3::ZERO);
    assert!(!walker.touches_anything() && moved.squeezed == 0.0, "{moved:?}");
    assert!(moved.translation.length() < 2.0 * RADIUS && walker.feet.x < 1.6, "{moved:?}");
    // Not out of a gap that is too narrow, and not through a wall.
    let bvh = bake(&[floor(9.0), side(0.0), side(0.5)]);
    let mut walker = Walker::new(&bvh, Vec3::new(0.2, SKIN, 0.0));
    for _ in 0..100 {
        let moved = walker.step(Vec3::new(PACE, 0.0, 0.0));
        assert!((0.1..0.2).contains(&moved.squeezed), "{moved:?}");
        assert!((0.0..0.5).contains(&walker.feet.x), "{}", walker.feet);
    }
}

#[test]
fn it_moves_alike_on_every_instruction_set() {
    let mut random = Random::new(7);
    let bvh = bake(&crate::scenes::level(5));
    let bounds = bvh.bounds();
    for _ in 0..20 {
        let start = random.in_box(bounds.min, bounds.max);
        let motions: Vec<Vec3> = (0..40).map(|_| 0.3 * random.direction()).collect();
        let paths = InstructionSet::available().into_iter().map(|isa| {
            let mut walker = Walker::new(&bvh, start);
            walker.query = Query::new().instruction_set(isa);
            motions.iter().map(|&motion| walker.step(motion)).collect::<Vec<_>>()
        });
        let paths: Vec<_> = paths.into_iter().collect();
        assert!(paths.iter().all(|path| *path == paths[0]), "from {start}");
    }
}

/// A step up and a wall, to walk into from x = 0.
fn step_and_wall() -> [[Vec3; 4]; 4] {
    let across = |x: f32, y: f32, to: Vec3| {
        let (from, side) = (Vec3::new(x, y, 0.0), 4.0 * Vec3::Z);
        [from - side, from + side, to + side, to - side]
    };
    [
        across(-4.0, 0.0, Vec3::new(1.0, 0.0, 0.0)),
        across(1.0, 0.0, Vec3::new(1.0, 0.15, 0.0)),
        across(1.0, 0.15, Vec3::new(4.0, 0.15, 0.0)),
        across(3.0, 0.15, Vec3::new(3.0, 4.0, 1.0)),
    ]
}

#[test]
fn it_moves_alike_in_other_units() {
    let bvh_of = |unit: f32| bake(&step_and_wall().map(|quad_of| quad(quad_of.map(|v| unit * v))));
    let path = |unit: f32| {
        let (bvh, mut feet) = (bvh_of(unit), Vec3::new(0.0, 0.5, 0.0));
        let steps = (0..120).map(|_| {
            let Capsule { a, b, radius } = body(feet);
            let body = Capsule::new(unit * a, unit * b, unit * radius);
            let motion = unit * Vec3::new(PACE, -0.02, 0.01);
            let moved = bvh.move_and_slide(body, motion, &MoveOptions::new(), &Query::new());
            feet += moved.translation / unit;
            feet
        });
        steps.collect::<Vec<Vec3>>()
    };
    let metres = path(1.0);
    assert!(metres[119].x > 2.0 && metres[119].y > 0.15, "{}", metres[119]);
    for unit in [1.0 / 1024.0, 1024.0] {
        assert_eq!(path(unit), metres, "{unit}");
    }
}

#[test]
fn up_may_be_any_direction() {
    let end = |turn: Quat| {
        let bvh = bake(&step_and_wall().map(|corners| quad(corners.map(|v| turn * v))));
        let options = MoveOptions::new().up(turn * (3.0 * Vec3::Y));
        let (start, mut feet) = (turn * body(Vec3::ZERO).a, turn * Vec3::new(0.0, 0.5, 0.0));
        for _ in 0..120 {
            let body = Capsule::new(feet + start, feet + turn * Vec3::Y + start, RADIUS);
            let motion = turn * Vec3::new(PACE, -0.02, 0.01);
            feet += bvh.move_and_slide(body, motion, &options, &Query::new()).translation;
        }
        turn.inverse() * feet
    };
    let upright = end(Quat::IDENTITY);
    for turn in [Quat::from_rotation_x(1.0), Quat::from_rotation_z(3.0), Quat::from_rotation_x(1.6)]
    {
        let turned = end(turn);
        assert!((turned - upright).length() < 0.3 * SKIN, "{turned}, and upright {upright}");
    }
}

#[test]
fn whatever_is_asked_it_answers() {
    let bvh = bake(&[floor(9.0), wall(Vec3::new(2.0, 0.0, -9.0), Vec3::new(2.0, 0.0, 9.0))]);
    let numbers = [0.0, -1.0, 1e-30, 1e30, f32::MAX, f32::INFINITY, f32::NAN, 0.3];
    let mut random = Random::new(3);
    for _ in 0..2000 * support::long() {
        let mut one = || numbers[random.below(numbers.len())];
        let mut three = || Vec3::new(one(), one(), one());
        let (a, motion, up) = (three(), three(), three());
        let body = Capsule::new(a, three(), one());
        let options = MoveOptions::new().up(up).step_height(one()).ground_snap(one());
        let options = options.steepest(one()).skin(one());
        let moved = bvh.move_and_slide(body, motion, &options, &Query::new());
        assert!(moved.translation.is_finite(), "{body:?} {motion} {options:?}: {moved:?}");
        assert!(moved.squeezed >= 0.0);
    }
}

/// The contacts at the start that a motion leaves, left out by hand.
#[test]
fn contacts_that_a_motion_leaves_are_left_out_on_request() {
    let mut random = Random::new(11);
    let bvh = bake(&crate::scenes::level(5));
    let bounds = bvh.bounds();
    let mut left_out = 0;
    for _ in 0..400 * support::long() {
        let body = body(random.in_box(bounds.min, bounds.max));
        let motion = random.range(0.0, 3.0) * random.direction();
        let (mut all, mut opposed) = (Vec::new(), Vec::new());
        bvh.all_contacts(body, motion, &Query::new(), &mut all);
        let count = all.len();
        let against = |contact: &Contact| {
            let [a, b] = [contact.normal, motion].map(|v| v.to_array().map(f64::from));
            contact.t > 0.0 || a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0.0
        };
        all.retain(against);
        left_out += count - all.len();
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa).start_contacts(StartContacts::Opposed);
            bvh.all_contacts(body, motion, &query, &mut opposed);
            assert_eq!(opposed, all, "{isa}");
            assert_eq!(bvh.first_contact(body, motion, &query), all.first().copied(), "{isa}");
        }
    }
    assert!(left_out > 20, "{left_out}");
}
