//! Lifts, turntables, trams and pushers: a character that they carry, lift and push is never left
//! behind, and never in a wall.

use super::{PACE, RADIUS, SKIN, bake, body, floor, heading, quad, wall};
use crate::support::{Random, long};
use hitscan::character::{MoveOptions, Moved};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Body, Instance, Scene, Snapshot};
use hitscan::{Aabb, Bvh, InstanceId, InstructionSet, Mesh, Query, Targets};

/// What machines are made of: triangles, or where both are targets, volumes.
const BOTH: [Targets; 2] = [Targets::Triangles, Targets::Both];

/// A box with its top at y = 0.
fn block(half: Vec3, targets: Targets) -> Body {
    match targets {
        Targets::Triangles => block_of_triangles(half).into(),
        _ => Aabb::from_center_half_size(-half.with_x(0.0).with_z(0.0), half).into(),
    }
}

fn block_of_triangles(half: Vec3) -> Bvh {
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y - 1.0, z) * half;
    let ring = [at(-1.0, 0.0, -1.0), at(1.0, 0.0, -1.0), at(1.0, 0.0, 1.0), at(-1.0, 0.0, 1.0)];
    let up = half.with_x(0.0).with_z(0.0);
    let [a, b, c, d] = ring;
    let sides = [[a, b], [b, c], [c, d], [d, a]]
        .map(|[from, to]| quad([from + up, to + up, to - up, from - up]));
    let top = quad([a + up, d + up, c + up, b + up]);
    let bottom = quad([a - up, b - up, c - up, d - up]);
    bake(&sides.into_iter().chain([top, bottom]).collect::<Vec<Mesh>>())
}

/// A walled hall of this half size.
fn hall(half: f32) -> Bvh {
    let at = |x: f32, z: f32| Vec3::new(x * half, 0.0, z * half);
    let corners = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
    let walls = (0..12).map(|i| {
        let up = (3 * (i / 4)) as f32 * Vec3::Y;
        wall(corners[i % 4] + up, corners[(i + 1) % 4] + up)
    });
    bake(&[floor(half)].into_iter().chain(walls).collect::<Vec<Mesh>>())
}

/// From 0 to 1 and back, in steps of this length.
fn to_and_fro(step: usize, period: usize) -> f32 {
    let phase = (step % (2 * period)) as f32 / period as f32;
    if phase > 1.0 { 2.0 - phase } else { phase }
}

/// What moves: a lift, a turntable, a tram, and two pushers.
struct Machines {
    scene: Scene,
    targets: Targets,
    hall: InstanceId,
    moving: [InstanceId; 5],
}

impl Machines {
    fn new(targets: Targets) -> Self {
        let mut scene = Scene::new();
        let hall = scene.insert(Instance::new(hall(8.0))).expect("sound");
        let halves = [
            // So high that nothing gets below it.
            Vec3::new(1.5, 2.0, 1.5),
            Vec3::new(2.0, 0.1, 2.0),
            Vec3::new(1.0, 0.15, 1.5),
            Vec3::new(0.1, 1.0, 2.0),
            Vec3::new(0.5, 1.0, 0.5),
        ];
        let block = |half| Instance::new(block(half, targets));
        let moving = halves.map(|half| scene.insert(block(half)).expect("sound"));
        Self { scene, targets, hall, moving }
    }

    fn at(step: usize) -> [Affine3A; 5] {
        let at = |x: f32, y: f32, z: f32| Affine3A::from_translation(Vec3::new(x, y, z));
        let turn = |angle: f32| Affine3A::from_rotation_y(angle);
        let wave = |period: usize| to_and_fro(step, period);
        [
            at(-5.0, 0.05 + 3.0 * wave(120), -5.0),
            at(4.5, 0.1, 4.5) * turn(0.02 * step as f32),
            at(-5.5 + 7.0 * wave(150), 0.15, 5.0) * turn(0.5),
            // It leaves room at both ends.
            at(-3.0 + 4.5 * wave(90), 2.0, 0.0),
            at(4.5 + wave(70), 2.0, -4.5 + 3.0 * wave(101)) * turn(-0.03 * step as f32),
        ]
    }

    fn query(&self) -> Query<'static> {
        Query::new().targets(self.targets)
    }

    fn move_to(&mut self, step: usize) -> Snapshot {
        for (id, at) in self.moving.into_iter().zip(Self::at(step)) {
            self.scene.set_transform(id, at).expect("a rotation");
        }
        self.scene.commit()
    }
}

/// A character among machines.
struct Passenger {
    feet: Vec3,
    fall: f32,
    ground: Option<InstanceId>,
    squeezed: f32,
}

impl Passenger {
    fn step(&mut self, worlds: [&Snapshot; 2], moving: &[InstanceId], motion: Vec3, query: &Query) {
        let ([before, now], options) = (worlds, &MoveOptions::new());
        self.squeezed = 0.0;
        let carrier = self.ground;
        if let Some(ground) = carrier {
            self.go(&now.ride(before, ground, body(self.feet), options, query));
        }
        for &pusher in moving.iter().filter(|&&pusher| Some(pusher) != carrier) {
            self.go(&now.push(before, pusher, body(self.feet), options, query));
        }
        let motion = motion - self.fall * Vec3::Y;
        let moved = now.move_and_slide(body(self.feet), motion, options, query);
        self.go(&moved);
        self.fall = if moved.ground.is_some() { 0.0 } else { self.fall + super::GRAVITY };
        self.ground = moved.ground.map(|ground| ground.hit.instance);
    }

    fn go(&mut self, moved: &Moved) {
        self.feet += moved.translation;
        self.squeezed = self.squeezed.max(moved.squeezed);
    }
}

#[test]
fn what_stands_on_a_machine_goes_where_it_goes() {
    BOTH.into_iter().for_each(stand_on_machines);
}

fn stand_on_machines(targets: Targets) {
    let mut machines = Machines::new(targets);
    let query = machines.query();
    let mut before = machines.move_to(0);
    for (i, offset) in [(0, Vec3::ZERO), (1, Vec3::new(1.2, 0.0, 0.3)), (2, 0.5 * Vec3::X)] {
        let id = machines.moving[i];
        let start = before.transform(id).expect("there").transform_point3(offset);
        let mut one =
            Passenger { feet: start + SKIN * Vec3::Y, fall: 0.0, ground: Some(id), squeezed: 0.0 };
        for step in 1..400 * long() {
            let now = machines.move_to(step);
            one.step([&before, &now], &machines.moving, Vec3::ZERO, &query);
            let local = now.transform(id).expect("there").inverse().transform_point3(one.feet);
            let off = (local - offset).with_y(0.0).length();
            assert!(off < RADIUS / 100.0, "{targets:?} {i}, step {step}: {off} from its place");
            assert_eq!(one.ground, Some(id), "{targets:?} {i}, step {step}");
            before = now;
        }
        before = machines.move_to(0);
    }
}

/// A character that walks about in a hall of machines for a long time: a million steps in the long
/// test.
#[test]
fn among_machines_nothing_goes_through_anything() {
    BOTH.into_iter().for_each(walk_among_machines);
}

fn walk_among_machines(targets: Targets) {
    let mut machines = Machines::new(targets);
    let query = machines.query();
    let mut before = machines.move_to(0);
    let mut random = Random::new(5);
    let mut one =
        Passenger { feet: Vec3::new(-2.0, SKIN, -5.5), fall: 0.0, ground: None, squeezed: 0.0 };
    let mut motion = Vec3::ZERO;
    let (mut rides, mut pushes) = (0, 0);
    for step in 1..5000 * long() {
        if step % 40 == 0 {
            let is_still = random.below(4) == 0;
            motion = if is_still { Vec3::ZERO } else { PACE * heading(random.range(0.0, 360.0)) };
        }
        let now = machines.move_to(step);
        let start = one.feet;
        one.step([&before, &now], &machines.moving, motion, &query);
        let place = || format!("{targets:?}, step {step} at {}, from {start}", one.feet);
        let of_hall = |hit: &hitscan::Hit| hit.instance == machines.hall;
        let hall = Query::new().filter(&of_hall);
        assert!(!now.any_overlap(body(one.feet), &hall), "{}: in a wall", place());
        assert!(one.feet.abs().max_element() < 8.0 && one.feet.y > 0.0, "{}: outside", place());
        assert!(one.squeezed == 0.0, "{}: squeezed by {}", place(), one.squeezed);
        assert!(!now.any_overlap(body(one.feet), &query), "{}: in a machine", place());
        rides += usize::from(one.ground.is_some_and(|ground| ground != machines.hall));
        pushes += usize::from((one.feet - start).length() > 1.5 * PACE);
        before = now;
    }
    assert!(rides > 50 && pushes > 5, "{rides} steps on machines, {pushes} pushes");
}

/// Two instances and what they do to a character at rest, in one frame.
fn pressed(
    targets: Targets,
    halves: [Vec3; 2],
    from: [Vec3; 2],
    to: Vec3,
) -> (Passenger, Snapshot, [InstanceId; 3]) {
    let query = Query::new().targets(targets);
    let mut scene = Scene::new();
    let hall = scene.insert(Instance::new(hall(8.0))).expect("sound");
    let ids = [0, 1].map(|i| {
        let at = Affine3A::from_translation(from[i]);
        let block = block(halves[i], targets);
        scene.insert(Instance::new(block).with_transform(at)).expect("sound")
    });
    let mut one = Passenger { feet: SKIN * Vec3::Y, fall: 0.0, ground: None, squeezed: 0.0 };
    let before = scene.commit();
    one.step([&before, &before], &[], Vec3::ZERO, &query);
    scene.set_transform(ids[0], Affine3A::from_translation(to)).expect("sound");
    let now = scene.commit();
    one.step([&before, &now], &ids[..1], Vec3::ZERO, &query);
    (one, now, [hall, ids[0], ids[1]])
}

#[test]
fn a_thin_gate_that_is_fast_pushes_and_does_not_pass() {
    BOTH.into_iter().for_each(push_with_a_gate);
}

fn push_with_a_gate(targets: Targets) {
    let query = Query::new().targets(targets);
    let far = 6.0 * Vec3::new(1.0, 0.0, 1.0);
    for degrees in (0..360).step_by(30) {
        let way = heading(degrees as f32);
        // As wide as long, so that it may come from anywhere.
        let gate = Vec3::new(0.2, 1.0, 0.2);
        let from = -1.5 * way + 2.0 * Vec3::Y;
        for distance in [1.2, 2.0, 4.0] {
            let to = from + distance * way;
            let (one, now, _) = pressed(targets, [gate, Vec3::splat(0.1)], [from, far], to);
            let place = format!("{targets:?} {degrees}, {distance}: {}", one.feet);
            assert!((one.feet - to).dot(way) > 0.4 && one.squeezed == 0.0, "{place}");
            assert!(!now.any_overlap(body(one.feet), &query), "{place}");
        }
    }
}

#[test]
fn what_has_no_room_is_squeezed_and_not_pressed_through() {
    BOTH.into_iter().for_each(squeeze);
}

fn squeeze(targets: Targets) {
    // A press comes down, or a lift goes up below a block that hangs.
    let plate = Vec3::new(2.0, 0.5, 2.0);
    for gap in [1.9, 1.6, 1.0] {
        let press = [4.0, gap + 1.0].map(|y| y * Vec3::Y);
        let (one, ..) =
            pressed(targets, [plate, Vec3::splat(0.1)], [press[0], 6.0 * Vec3::X], press[1]);
        // The character is 1.8 high.
        let expected = 0.5 * (1.8 - gap).max(0.0);
        assert!(one.squeezed >= 0.9 * expected && one.feet.y > -1.0, "{gap}: {}", one.squeezed);
        assert_eq!(one.squeezed > 0.0, gap < 1.8, "{gap}: {}", one.squeezed);
    }
    // A piston presses it against a wall.
    let piston = Vec3::new(0.5, 1.0, 1.0);
    for gap in [1.0, 0.7, 0.4] {
        let blocks = [Vec3::new(-3.0, 2.0, 0.0), Vec3::new(1.0, 2.0, 0.0)];
        let to = Vec3::new(-gap, 2.0, 0.0);
        let (one, now, [_, _, wall]) = pressed(targets, [piston, piston], blocks, to);
        let of_wall = |hit: &hitscan::Hit| hit.instance == wall;
        let deep = Query::new().targets(targets).filter(&of_wall);
        assert!(one.feet.x < 0.5, "{gap}: through the wall to {}", one.feet);
        assert_eq!(one.squeezed > 0.0, gap < 0.8, "{gap}: {}", one.squeezed);
        assert!(gap < 0.8 || !now.any_overlap(body(one.feet), &deep));
    }
}

#[test]
fn rides_are_alike_on_every_instruction_set() {
    let rides = InstructionSet::available().into_iter().map(|isa| {
        let mut machines = Machines::new(Targets::Both);
        let mut before = machines.move_to(0);
        let feet = Vec3::new(4.5, 1.0, 4.0);
        let mut one = Passenger { feet, fall: 0.0, ground: None, squeezed: 0.0 };
        let steps = (1..300).map(|step| {
            let now = machines.move_to(step);
            let motion = 0.3 * PACE * heading(step as f32);
            let query = machines.query().instruction_set(isa);
            one.step([&before, &now], &machines.moving, motion, &query);
            before = now;
            (one.feet, one.ground)
        });
        steps.collect::<Vec<_>>()
    });
    let rides: Vec<_> = rides.collect();
    assert!(rides.iter().all(|ride| *ride == rides[0]));
    assert!(rides[0].iter().any(|(_, ground)| ground.is_some()));
}
