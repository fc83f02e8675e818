//! Questions about points.

use border::{Fault, Kind, answer, block, input, output};
use hitscan::glam::Vec3;
use hitscan::{Layers, PointLocation};

use crate::asked::{self, ask};
use crate::batch::{put_columns, room};
use crate::options::query;
use crate::ray::list;
use crate::row;

/// Writes the closest point to the block. Gives 1 if there is one.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "numbers cross the border fastest")]
extern "C" fn closest_point(
    handle: u32,
    x: f32,
    y: f32,
    z: f32,
    max_distance: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    answer(asked::with(handle, |asked| {
        let query = query(facing, mask, filter)?;
        let near = ask!(asked, closest_point([x, y, z], max_distance, &query));
        Ok(near.map_or(0, |near| {
            block::write(0, &row::closest_point(&near));
            1
        }))
    }))
}

/// Gives 1 if a triangle is within a distance.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "numbers cross the border fastest")]
extern "C" fn any_within(
    handle: u32,
    x: f32,
    y: f32,
    z: f32,
    distance: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    answer(asked::with(handle, |asked| {
        let query = query(facing, mask, filter)?;
        Ok(u32::from(ask!(asked, any_within([x, y, z], distance, &query))))
    }))
}

/// Puts out a row for each triangle within a distance. Gives their number.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "numbers cross the border fastest")]
extern "C" fn all_within(
    handle: u32,
    x: f32,
    y: f32,
    z: f32,
    distance: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    answer(asked::with(handle, |asked| {
        let (query, mut near) = (query(facing, mask, filter)?, Vec::new());
        ask!(asked, all_within([x, y, z], distance, &query, &mut near));
        list(&near, row::closest_point)
    }))
}

/// The closest point of each point in the input, three numbers each. Puts out the columns of a
/// batch of hits, then the points. Gives the number of points.
#[unsafe(no_mangle)]
extern "C" fn closest_point_batch(
    handle: u32,
    max_distance: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    let input = input::take();
    let result = asked::with(handle, |asked| {
        let coordinates: &[[f32; 3]] = input.values()?;
        let points: Vec<Vec3> = coordinates.iter().map(|&point| point.into()).collect();
        let mut near = room(points.len(), None)?;
        let query = query(facing, mask, filter)?;
        let done = ask!(asked, closest_point_batch(&points, max_distance, &query, &mut near));
        done.map_err(|error| Fault::of(Kind::Argument, &error))?;
        let mut words = output::words();
        let hits = near.iter().map(|near| near.map(|near| near.hit));
        let count = put_columns(hits, &mut words)?;
        words.try_reserve(3 * near.len()).map_err(|_| Fault::memory("the answers"))?;
        for near in near {
            let point = near.map_or(Vec3::ZERO, |near| near.point);
            words.extend(point.to_array().map(f32::to_bits));
        }
        output::put_words(words);
        Ok(count)
    });
    input::give_back(input);
    answer(result)
}

/// Gives 0 if a point is outside, 1 inside, 2 on the surface.
#[unsafe(no_mangle)]
extern "C" fn contains(handle: u32, x: f32, y: f32, z: f32, mask: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| {
        let location = tree.contains([x, y, z], Layers::of(mask));
        Ok(match location.map_err(|error| Fault::of(Kind::NotClosed, &error))? {
            PointLocation::Outside => 0,
            PointLocation::Inside => 1,
            PointLocation::OnSurface => 2,
        })
    }))
}

/// Writes the distance to the block. Gives 1 if the surface is within the largest.
#[unsafe(no_mangle)]
extern "C" fn signed_distance(
    handle: u32,
    x: f32,
    y: f32,
    z: f32,
    max_distance: f32,
    mask: u32,
) -> i32 {
    answer(asked::with_tree(handle, |tree| {
        let distance = tree.signed_distance([x, y, z], max_distance, Layers::of(mask));
        let distance = distance.map_err(|error| Fault::of(Kind::NotClosed, &error))?;
        Ok(distance.map_or(0, |distance| {
            block::write_numbers(0, &[distance]);
            1
        }))
    }))
}
