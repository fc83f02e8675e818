//! Shapes that touch two triangles at exactly the same time, on different axes: the first contact
//! is the first of all contacts, although the times that `f32` bounds give differ in the last bit.

use crate::{scenes, support};
use hitscan::geometry::{ConvexHull, ConvexShape};
use hitscan::glam::Vec3;
use hitscan::{Aabb, Builder, Mesh, Query};

use scenes::instruction_sets;
use support::{Random, long};

/// A wall across the axis `k`, far larger than what touches it.
fn wall(k: usize, at: f32) -> Mesh {
    let corner = |a: f32, b: f32| {
        let mut corner = [0.0; 3];
        (corner[k], corner[(k + 1) % 3], corner[(k + 2) % 3]) = (at, a, b);
        corner
    };
    Mesh::from_soup(vec![corner(-90.0, -90.0), corner(90.0, -90.0), corner(0.0, 90.0)])
}

#[test]
fn of_walls_that_are_touched_at_the_same_time_the_lowest_is_first() {
    let random = &mut Random::new(1);
    let isas = instruction_sets();
    let unit = Aabb::from_min_max([0.0; 3], [1.0; 3]);
    let hull = ConvexHull::from_points((0..8).map(|i| unit.corner(i))).expect("a box");
    let shapes = [ConvexShape::from(unit), ConvexShape::from(&hull)];
    for _ in 0..2_000 * long() {
        // The way on each axis, and the motion, are as one to the other: all are whole multiples.
        let part = 1.0 / 4096.0;
        let [way, motion] = [0; 2].map(|_| 1 + random.below(4096));
        let (way, motion) = (way.min(motion), way.max(motion));
        let times = [1, 3, 5, 7, 11].map(|k: usize| k as f32 * part);
        let times = [0; 3].map(|_| times[random.below(5)]);
        let mut walls = [0, 1, 2].map(|k| wall(k, 1.0 + way as f32 * times[k]));
        walls.rotate_left(random.below(3));
        let (bvh, _) = Builder::new().bake(&walls).unwrap();
        let motion = Vec3::from_array(times) * motion as f32;
        for shape in &shapes {
            for &isa in &isas {
                let query = &Query::new().instruction_set(isa);
                let mut all = Vec::new();
                bvh.all_contacts(shape, motion, query, &mut all);
                let first = bvh.first_contact(shape, motion, query).expect("a contact");
                assert_eq!((first.hit.mesh, all.len()), (0, 3), "{isa}: {walls:?} {motion}");
                assert_eq!(first, all[0], "{isa}: {walls:?} {motion}");
            }
        }
    }
}
