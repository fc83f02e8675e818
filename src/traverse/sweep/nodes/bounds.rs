//! Lemmas 98 and 106 against shapes that touch.
//!
//! Lemma 98: of shapes that only just touch, none is lost. How many are lost with a tenth of the
//! errors is printed. Of ordinary numbers none is so far, for the padding of the test in `f32`
//! makes up for them; of the least numbers above zero some are.
//!
//! Lemma 106: no box is entered after its triangle is touched. The search for what heights are off
//! by is in `slabs/bounds.rs`.

use super::*;
use crate::geometry::{ConvexShape, InstanceTransform, Obb, Sphere, Triangle};
use crate::simd::{self, InstructionSet, Task};
use crate::test_rng::{bits, moving_box, number, turned_shape};
use crate::traverse::place::bounds::{TINY, facts_of_point, map_of, starts};

/// Which children of a node may be touched at a time or before.
struct Entered<'a>(&'a SweepNodes, &'a Node, f32);

impl Task for Entered<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u32 {
        let loaded = NodeTest::<I>::load(self.0, isa);
        let limit = NodeTest::<I>::limit(self.0, self.2);
        let mut entry = MaybeUninit::uninit();
        <SweepNodes as NodeTest<I>>::intersect(&loaded, self.1, limit, &mut entry)
    }
}

/// Moves a shape to a corner in the world, which is moved to and fro until the shape only just
/// touches it. Whether it is lost, with all of the room and with a tenth of it.
fn case(
    transform: &InstanceTransform,
    (numbers, size): (&[f32], f32),
    kind: usize,
    isa: InstructionSet,
) -> Option<[bool; 2]> {
    let [point, offset] = [12, 15].map(|i| Vec3::from_slice(&numbers[i..]) * size);
    let facts = facts_of_point(point.to_array());
    let place = &Place::new(transform, &facts);
    let corner = transform.point_to_world(point);
    let triangle = Triangle::new(corner, corner, corner);
    let center = corner + offset;
    let way = corner - center;
    let shape: ConvexShape = match kind {
        0 => Sphere::new(center, 0.25 * way.length()).into(),
        1 => Aabb::from_center_half_size(center, 0.25 * way.abs()).into(),
        _ => {
            let turn = glam::Mat3::from_rotation_y(numbers[17]);
            let axes = [turn.x_axis, turn.y_axis, turn.z_axis];
            Obb::from_axes(center, axes, 0.25 * (turn.transpose() * way).abs())?.into()
        }
    };
    // The shortest motion in this direction that touches.
    let motion = |part: u32| way * f32::from_bits(part);
    let touches = |part: u32| shape.first_contact(motion(part), &triangle).is_some();
    let (mut low, mut high) = (0.5f32.to_bits(), 1.0f32.to_bits());
    if touches(low) || !touches(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if touches(middle) { high = middle } else { low = middle }
    }
    let sweep = &Sweep::new(&shape, motion(high))?;
    let time = shape.first_contact(motion(high), &triangle)?.t;
    let mut node = Node::EMPTY;
    node.set_bounds(0, &Aabb { min: point, max: point });
    let is_lost = |room: f64| {
        let nodes = &SweepNodes::with_room(room, place, &facts, sweep);
        let mask = simd::run(isa, Entered(nodes, &node, time));
        assert_eq!(mask & !1, 0);
        mask == 0
    };
    Some([is_lost(1.0), is_lost(0.1)])
}

/// Where the roundings of the least numbers are all that counts, a tenth of the room is too little.
#[test]
fn no_contact_is_lost_in_a_tiny_placed_tree_and_the_room_is_needed() {
    let state = &mut 4;
    let (mut all, mut lost) = ([0; 3], [0; 3]);
    for i in 0..if cfg!(miri) { 4 } else { 3_000 } {
        let mut numbers = starts::<18>(12)[i % 12];
        for x in &mut numbers {
            *x += 0.3 * number(state);
        }
        // The tree is larger or smaller than the world, or as large.
        let size = [1.0, 1.0 / 128.0, 128.0][i / 36 % 3];
        numbers[..9].iter_mut().for_each(|x| *x *= size);
        let Some(mut map) = sized_map_of(&numbers) else { continue };
        map.translation *= TINY;
        let transform = InstanceTransform::new(&map).expect("as before");
        let sets = InstructionSet::available();
        let isa = sets[bits(state) as usize % sets.len()];
        let kind = i / 12 % 3;
        let numbers = (&numbers[..], TINY / size.min(1.0));
        let Some([full, tenth]) = case(&transform, numbers, kind, isa) else { continue };
        assert!(!full, "{isa} {kind} {numbers:?}");
        all[kind] += 1;
        lost[kind] += usize::from(tenth);
    }
    println!("{lost:?} of {all:?} are lost with a tenth of the room");
    assert!(cfg!(miri) || (all.iter().all(|&all| all > 300) && lost[0] > 0), "{lost:?} {all:?}");
}

/// The map of the first twelve numbers, of any size.
fn sized_map_of(numbers: &[f32]) -> Option<glam::Affine3A> {
    let [a, b, c, to] = [0, 3, 6, 9].map(|i| Vec3::from_slice(&numbers[i..]));
    let map = glam::Affine3A::from_mat3_translation(glam::Mat3::from_cols(a, b, c), to);
    InstanceTransform::new(&map).ok().map(|_| map)
}

#[test]
fn no_contact_is_lost_in_a_placed_tree() {
    let state = &mut 3;
    let (mut all, mut lost) = ([0; 3], [0; 3]);
    for i in 0..if cfg!(miri) { 4 } else { 20_000 } {
        let mut numbers = starts::<18>(12)[i % 12];
        for x in &mut numbers {
            *x += 0.01 * number(state);
        }
        // Far away, where coordinates are rounded the most.
        let Some(mut map) = map_of(&numbers).map(|map| map.transform()) else { continue };
        map.translation *= 1000.0;
        if i % 5 == 0 {
            // A box stays one, so that nothing but roundings comes between.
            let diagonal = Vec3::new(numbers[0], numbers[4], numbers[8]);
            map.matrix3 = glam::Mat3A::from_diagonal(diagonal);
        }
        let transform = InstanceTransform::new(&map).expect("as before");
        let sets = InstructionSet::available();
        let isa = sets[bits(state) as usize % sets.len()];
        let kind = i / 12 % 3;
        let Some([full, tenth]) = case(&transform, (&numbers, 1.0), kind, isa) else { continue };
        assert!(!full, "{isa} {kind} {numbers:?}");
        all[kind] += 1;
        lost[kind] += usize::from(tenth);
    }
    println!("{lost:?} of {all:?} are lost with a tenth of the room");
    assert!(cfg!(miri) || all.iter().all(|&all| all > 1000));
}

/// Neither its place nor the order of its axes makes a turned box of it.
#[test]
fn a_box_along_the_axes_is_not_turned() {
    let rows_of = |axes: [Vec3; 3]| {
        let obb = Obb::from_axes([0.5, 2.0, -1.0], axes, [0.1, 0.2, 0.3]).expect("it is sound");
        let shape: ConvexShape = obb.into();
        let sweep = Sweep::new(&shape, Vec3::X).expect("it is not empty");
        match Around::new(0.5, &sweep) {
            Around::Box(moving) => moving.rows,
            Around::Round(_) => panic!("it is not round"),
        }
    };
    assert!(rows_of([Vec3::X, Vec3::Y, Vec3::Z]).is_none());
    assert!(rows_of([Vec3::Y, Vec3::NEG_X, Vec3::Z]).is_none());
    assert!(rows_of([Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), Vec3::Z]).is_some());
}

/// Boxes around triangles that shapes with faces touch, of all sizes.
#[test]
fn no_box_is_entered_after_its_triangle_is_touched() {
    let (mut state, mut touched, mut apart, mut by_slabs) = (3, 0, 0, 0);
    for i in 0..if cfg!(miri) { 10 } else { 20_000 } {
        let (corners, [at, motion, half]) = moving_box(&mut state, i);
        let Some(shape) = turned_shape(&mut state, at, half) else { continue };
        let Some(sweep) = Sweep::new(&shape, motion.into()) else { continue };
        let largest = [at, half, motion, corners[0], corners[1], corners[2]];
        let largest = largest.as_flattened().iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let scale = 2f32.powi(-largest.log2().floor() as i32);
        let bounds = [sweep.bounds().min, sweep.bounds().max];
        let mut nodes = SweepNodes {
            setup: SweepSetup::scaled(scale, bounds, motion),
            around: Around::new(scale, &sweep),
        };
        let mut node = Node::EMPTY;
        node.set_bounds(3, &Aabb::from_points(corners.map(Vec3::from)));
        let contact = sweep.first_touch(&corners, 1.0);
        let time = contact.map_or(1.0, |contact| contact.t);
        let sets = InstructionSet::available();
        let isa = sets[bits(&mut state) as usize % sets.len()];
        let mask = simd::run(isa, Entered(&nodes, &node, time));
        assert_eq!(mask & !8, 0, "only the box that is there");
        assert!(mask != 0 || contact.is_none(), "{isa} {shape:?} {motion:?} {corners:?}");
        touched += usize::from(contact.is_some());
        if mask == 0 {
            apart += 1;
            let corners = bounds.map(|corner| corner.to_array().map(f64::from));
            nodes.around = Around::Box(SweepBox::aligned(scale, &corners, motion));
            by_slabs += usize::from(simd::run(isa, Entered(&nodes, &node, time)) != 0);
        }
    }
    println!("{touched} touched, {apart} apart, of which {by_slabs} by their own axes");
    assert!(cfg!(miri) || (touched > 2_000 && by_slabs > 500));
}
