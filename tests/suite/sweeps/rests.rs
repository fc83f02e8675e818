//! Shapes at rest: the first contact is the first of all contacts, on every instruction set, in
//! trees of every quality.
//!
//! `HITSCAN_LONG=1000 cargo test --release --test suite sweeps::rests` asks a million questions for each
//! kind of shape.

use hitscan::{Builder, Bvh, Capsule, Contact, InstructionSet, Mesh, Quality, Query, Sphere};

use super::resting::{KINDS, SIZES, case, grounds};
use crate::support::{Random, long};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

fn trees(mesh: &Mesh) -> Vec<Bvh> {
    let bake = |quality| Builder::new().quality(quality).bake(std::slice::from_ref(mesh));
    QUALITIES.map(|quality| bake(quality).expect("sound").0).into()
}

#[test]
fn first_contacts_are_the_first_of_all_contacts() {
    let (mut random, mut contacts, mut equal) = (Random::new(1), Vec::new(), 0);
    let grounds: Vec<_> = SIZES
        .iter()
        .flat_map(|&size| grounds(&mut Random::new(2)).into_iter().map(move |one| (size, one)))
        .map(|(size, (what, mut mesh))| {
            mesh.positions.iter_mut().for_each(|point| *point = point.map(|x| x * size));
            (what, size, trees(&mesh), mesh)
        })
        .collect();
    let mut touched = [0; KINDS.len()];
    for i in 0..KINDS.len() * 1_000 * long() {
        let (what, size, trees, mesh) = &grounds[i / KINDS.len() % grounds.len()];
        let (shape, motion) = case(&mut random, i, mesh, *size);
        let mut first: Option<Option<Contact>> = None;
        for (bvh, quality) in trees.iter().zip(QUALITIES) {
            for isa in InstructionSet::available() {
                let query = Query::new().instruction_set(isa);
                let found = bvh.first_contact(&shape, motion, &query);
                let context = || format!("{what} {quality:?} {isa}: {shape:?} {motion:?}");
                assert_eq!(*first.get_or_insert(found), found, "{}", context());
                bvh.all_contacts(&shape, motion, &query, &mut contacts);
                assert_eq!(found.as_ref(), contacts.first(), "{}", context());
            }
        }
        touched[i % KINDS.len()] += usize::from(!contacts.is_empty());
        equal += usize::from(contacts.len() > 1 && contacts[0].t == contacts[1].t);
    }
    println!("touched: {touched:?} of {KINDS:?}, {equal} at one time with another triangle");
    assert!(touched.iter().all(|&touched| touched > 400), "{touched:?}");
}

/// A sphere that hardly comes down to a floor while it slides along it, and three more of the kind.
#[test]
fn a_sphere_that_slides_above_a_floor_touches_the_same_triangles_everywhere() {
    let at = |i: i32, j: i32| [100.0 * i as f32, 0.0, 100.0 * j as f32];
    let floor = (-6..6).flat_map(|i| (-6..6).map(move |j| (i, j))).flat_map(|(i, j)| {
        [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i + 1, j)]
    });
    let mesh = Mesh::from_soup(floor.collect());
    let asked = |y: f32, radius: f32, motion: [f32; 3]| {
        let found = trees(&mesh).into_iter().flat_map(|bvh| {
            InstructionSet::available().into_iter().map(move |isa| {
                let query = Query::new().instruction_set(isa);
                let (ball, mut all) = (Sphere::new([0.0, y, 0.0], radius), Vec::new());
                bvh.all_contacts(ball, motion, &query, &mut all);
                let first = bvh.first_contact(ball, motion, &query).expect("touched");
                assert_eq!(Some(&first), all.first());
                (first.hit.triangle, first.t)
            })
        });
        let found: Vec<_> = found.collect();
        assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
        found[0]
    };
    let quotient = |y: f32, radius: f32, speed: f32| {
        ((f64::from(y) - f64::from(radius)) / f64::from(speed)) as f32
    };
    for (y, radius, motion) in [
        (0.4000001, 0.4, [0.1, -3e-7, 0.0]),
        (0.4000001, 0.4, [-0.1, -3e-7, 0.02]),
        (2.0000002, 2.0, [0.0, -2.5e-7, 50.0]),
        (0.10001, 0.1, [-0.3, -1.1e-5, -0.3]),
    ] {
        let (triangle, t) = asked(y, radius, motion);
        assert_eq!(t, quotient(y, radius, -motion[1]), "{triangle}");
        if motion[0] == 0.1 {
            assert_eq!(triangle, 154);
        }
    }
}

/// A long capsule with a small radius beside nine triangles that share a vertex, and three more of
/// the kind. By rational numbers the first is touched at 9.0386e-8, the second at 9.01167574e-8.
#[test]
fn a_capsule_beside_a_fan_touches_the_same_triangle_first_in_every_tree() {
    let corners: [[[f32; 3]; 2]; 9] = [
        [[-469.3531, 713.9226, 532.7111], [-90.545654, -534.2803, 884.5539]],
        [[-256.3838, -633.5963, -11.35242], [-2.763033, 350.35623, 774.63367]],
        [[-155.285, -113.66403, 54.60346], [-27.43399, -580.2747, 473.16837]],
        [[-6.7634583, 883.3782, 834.15234], [-544.8372, 732.2428, 83.272575]],
        [[-783.98035, -294.39377, -268.0341], [-63.56108, 766.2536, 485.82803]],
        [[-282.03976, -674.1172, 326.3618], [-438.44485, 535.7003, 998.1663]],
        [[-635.55035, 371.45615, 915.90704], [-539.286, 122.50697, 619.9633]],
        [[-683.32544, 177.12259, 409.60907], [-302.42432, -272.3472, 148.0763]],
        [[-61.67662, -997.91656, 925.74023], [-405.56885, 65.079926, 848.89984]],
    ];
    let ends =
        [[0.000100104386, -6.597529e-6, -2.9417909e-6], [0.00015722252, 0.902399, -2.9417909e-6]];
    let asked = |radius: f32, motion: [f32; 3], of: &dyn Fn([f32; 3]) -> [f32; 3]| {
        let fan = corners.into_iter().flat_map(|[a, b]| [[0.0; 3], a, b].map(of));
        let (mesh, mut found) = (Mesh::from_soup(fan.collect()), Vec::new());
        for bvh in trees(&mesh) {
            for isa in InstructionSet::available() {
                let query = Query::new().instruction_set(isa);
                let (capsule, mut all) =
                    (Capsule::new(of(ends[0]), of(ends[1]), radius), Vec::new());
                let first = bvh.first_contact(capsule, of(motion), &query).expect("touched");
                bvh.all_contacts(capsule, of(motion), &query, &mut all);
                assert_eq!(Some(&first), all.first());
                found.push((first.hit.triangle, first.t));
            }
        }
        assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
        found[0]
    };
    let motion = [-1000.0, -64.505035, 68.60107];
    let right = (1, 9.011676e-8);
    assert_eq!(asked(1e-5, motion, &|point| point), right);
    assert_eq!(asked(1e-5, motion, &|[x, y, z]| [y, z, x]), right);
    assert_eq!(asked(1e-5 * 1024.0, motion, &|point| point.map(|x| 1024.0 * x)), right);
    // The vertex is touched first: by all nine.
    assert_eq!(asked(1e-5, [-1000.0, -5.0, 0.0], &|point| point).0, 0);
}
