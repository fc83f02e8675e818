//! Characters among volumes: players, crates and stones, for which nothing is baked.

use super::{PACE, RADIUS, SKIN, bake, body, floor, heading};
use hitscan::character::{MoveOptions, Moved};
use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Aabb, Capsule, InstanceId, InstructionSet, Obb, Query, Sphere, Targets};

/// One of each kind, standing on the floor.
fn things() -> [(&'static str, Volume); 4] {
    let crate_box = Aabb::from_min_max([-0.5, 0.0, -0.5], [0.5, 1.0, 0.5]);
    let turn = Affine3A::from_rotation_y(0.6);
    [
        ("box", crate_box.into()),
        ("oriented box", Obb::from_transform(&turn, crate_box).expect("a rotation").into()),
        ("sphere", Sphere::new([0.0, 1.0, 0.0], 1.0).into()),
        ("capsule", body(Vec3::ZERO).into()),
    ]
}

struct Stage {
    scene: Scene,
    floor: InstanceId,
}

impl Stage {
    fn new() -> Self {
        let mut scene = Scene::new();
        let floor = scene.insert(Instance::new(bake(&[floor(50.0)]))).expect("sound");
        Self { scene, floor }
    }

    fn put(&mut self, volume: impl Into<Volume>, at: Vec3) -> InstanceId {
        let at = Affine3A::from_translation(at);
        let volume: Volume = volume.into();
        self.scene.insert(Instance::new(volume).with_transform(at)).expect("sound")
    }
}

fn both() -> Query<'static> {
    Query::new().targets(Targets::Both)
}

fn step(now: &Snapshot, feet: &mut Vec3, motion: Vec3, query: &Query<'_>) -> Moved {
    let moved = now.move_and_slide(body(*feet), motion, &MoveOptions::new(), query);
    *feet += moved.translation;
    moved
}

#[test]
fn it_walks_up_to_each_kind_of_volume_and_around_it() {
    for (name, volume) in things() {
        let mut stage = Stage::new();
        let thing = stage.put(volume, Vec3::ZERO);
        let now = stage.scene.commit();
        for degrees in (0..360).step_by(24) {
            let (ahead, aside) = (heading(degrees as f32), heading(degrees as f32 + 90.0));
            for off in [-0.35, 0.0, 0.2] {
                let mut feet = -4.0 * ahead + off * aside + SKIN * Vec3::Y;
                let place = |feet: Vec3| format!("{name} {degrees} {off}: {feet}");
                let mut touched = false;
                for _ in 0..200 {
                    let moved = step(&now, &mut feet, PACE * ahead, &both());
                    assert!(!now.any_overlap(body(feet), &both()), "{}", place(feet));
                    assert_eq!(moved.squeezed, 0.0, "{}", place(feet));
                    let ground = moved.ground.expect("the floor");
                    assert_eq!(ground.hit.instance, stage.floor, "{}", place(feet));
                    for touch in &moved.touches {
                        assert!(touch.hit.is_volume() && touch.hit.instance == thing);
                        touched = true;
                    }
                }
                assert!(touched, "{}", place(feet));
                // Who does not see volumes, or leaves this one out, goes through.
                for query in [Query::new(), both().except(thing)] {
                    let mut feet = -4.0 * ahead + off * aside + SKIN * Vec3::Y;
                    (0..160).for_each(|_| drop(step(&now, &mut feet, PACE * ahead, &query)));
                    assert!(feet.dot(ahead) > 3.9, "{}", place(feet));
                }
            }
        }
    }
}

#[test]
fn it_stands_on_each_kind_of_volume_at_rest() {
    for (name, volume) in things() {
        let mut stage = Stage::new();
        let thing = stage.put(volume, Vec3::ZERO);
        let now = stage.scene.commit();
        let mut feet = (volume.bounds().max.y + 0.5) * Vec3::Y;
        for _ in 0..60 {
            step(&now, &mut feet, PACE * Vec3::NEG_Y, &both());
        }
        let moved = step(&now, &mut feet, PACE * Vec3::NEG_Y, &both());
        let ground = moved.ground.unwrap_or_else(|| panic!("{name}: in the air at {feet}"));
        assert_eq!((ground.hit.instance, ground.normal), (thing, Vec3::Y), "{name}");
        assert!((feet.y - volume.bounds().max.y - SKIN).abs() < 0.1 * SKIN, "{name}: {feet}");
        let rest = step(&now, &mut feet, Vec3::ZERO, &both());
        assert_eq!(rest.translation, Vec3::ZERO, "{name}");
    }
}

/// Boxes that are no higher than a step, as stairs of triangles are.
#[test]
fn it_climbs_stairs_of_boxes_and_stops_at_a_high_one() {
    let mut stage = Stage::new();
    for i in 0..8 {
        let half = Vec3::new(4.0 - 0.25 * i as f32, 0.1, 2.0);
        let from = Vec3::new(1.0 + 0.5 * i as f32, 0.2 * i as f32, 0.0);
        let bounds = Aabb::from_min_max(from - 2.0 * Vec3::Z, from + 2.0 * half.with_z(1.0));
        stage.put(bounds, Vec3::ZERO);
    }
    stage.put(Aabb::from_min_max([8.0, 1.6, -2.0], [9.0, 2.4, 2.0]), Vec3::ZERO);
    let now = stage.scene.commit();
    let mut feet = SKIN * Vec3::Y;
    for i in 0..250 {
        let moved = step(&now, &mut feet, PACE * Vec3::X, &both());
        assert!(!now.any_overlap(body(feet), &both()), "{i}: {feet}");
        assert!(moved.ground.is_some(), "{i}: {feet}");
    }
    assert!((feet.y - 1.6 - SKIN).abs() < SKIN, "{feet}");
    assert!((feet.x - (8.0 - RADIUS)).abs() < 2.0 * SKIN, "{feet}");
}

/// Two players who walk into each other, each of whom leaves himself out.
#[test]
fn players_stop_at_each_other() {
    let mut stage = Stage::new();
    let starts = [Vec3::new(-3.0, SKIN, 0.0), Vec3::new(3.0, SKIN, 0.1)];
    let ids = starts.map(|feet| stage.put(body(Vec3::ZERO), feet));
    let mut feet = starts;
    for isa in InstructionSet::available() {
        let mut there = starts;
        for _ in 0..100 {
            for i in 0..2 {
                let now = stage.scene.commit();
                let query = both().except(ids[i]).instruction_set(isa);
                let ahead = if i == 0 { Vec3::X } else { Vec3::NEG_X };
                // Only along the line on which they meet.
                let motion =
                    now.move_and_slide(body(there[i]), PACE * ahead, &MoveOptions::new(), &query);
                there[i] += motion.translation.with_z(0.0);
                let at = Affine3A::from_translation(there[i]);
                stage.scene.set_transform(ids[i], at).expect("sound");
            }
        }
        let apart = (there[0] - there[1]).length();
        assert!((apart - 2.0 * RADIUS - SKIN).abs() < SKIN, "{isa}: {there:?}");
        assert!(feet == starts || feet == there, "{isa}: {there:?}");
        feet = there;
        for (id, feet) in ids.into_iter().zip(starts) {
            stage.scene.set_transform(id, Affine3A::from_translation(feet)).expect("sound");
        }
    }
}

/// A character who is inside of a volume gets out, the shortest way.
#[test]
fn it_gets_out_of_a_volume_that_it_is_in() {
    for (name, volume) in things() {
        let mut stage = Stage::new();
        stage.put(volume, Vec3::ZERO);
        let now = stage.scene.commit();
        for off in [0.1, 0.3, 0.6] {
            let mut feet = off * Vec3::X + SKIN * Vec3::Y;
            for _ in 0..4 {
                step(&now, &mut feet, Vec3::ZERO, &both());
            }
            assert!(!now.any_overlap(body(feet), &both()), "{name} {off}: {feet}");
            assert!(feet.length() < 2.0, "{name} {off}: {feet}");
        }
    }
    let far = Capsule::new([9.0, 1.0, 0.0], [9.0, 2.0, 0.0], 0.4);
    let moved =
        Stage::new().scene.commit().move_and_slide(far, Vec3::ZERO, &MoveOptions::new(), &both());
    assert_eq!(moved.translation, Vec3::ZERO);
}
