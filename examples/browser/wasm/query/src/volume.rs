//! Questions about the volumes of a scene.

use border::{Fault, Kind, answer, block, output};
use hitscan::{Layers, Query, Ray, Snapshot, Targets, VolumeHit};

use crate::asked::{self, Asked};
use crate::options::ray;
use crate::row;
use crate::scene::put_instances;
use crate::shape::shape;

/// Words of a row.
const LENGTH: usize = 5;

fn with_snapshot(handle: u32, ask: impl FnOnce(&Snapshot) -> Result<u32, Fault>) -> i32 {
    answer(asked::with(handle, |asked| match asked {
        Asked::Scene(snapshot) => ask(snapshot),
        Asked::Tree(_) => Err(Fault::new(Kind::Argument, "a tree has no volumes")),
    }))
}

fn row(hit: &VolumeHit) -> [u32; LENGTH] {
    let [slot, generation] = row::instance(hit.instance);
    let inside = u32::from(hit.origin_inside);
    [slot, generation, hit.enter.to_bits(), hit.exit.to_bits(), inside]
}

fn volumes(mask: u32) -> Query<'static> {
    Query::new().mask(mask).targets(Targets::Volumes)
}

/// The ray at the start of the block.
fn ray_in_block() -> Ray {
    ray(block::numbers(0))
}

/// Writes the first volume that the ray in the block meets to the block. Gives 1 if there is one.
#[unsafe(no_mangle)]
extern "C" fn closest_volume_hit(handle: u32, mask: u32) -> i32 {
    with_snapshot(handle, |snapshot| {
        let mut hits = Vec::new();
        snapshot.all_volume_hits(&ray_in_block(), Layers::of(mask), &mut hits);
        Ok(hits.first().map_or(0, |hit| {
            block::write(0, &row(hit));
            1
        }))
    })
}

/// Puts out a row for each volume that the ray in the block meets. Gives their number.
#[unsafe(no_mangle)]
extern "C" fn all_volume_hits(handle: u32, mask: u32) -> i32 {
    with_snapshot(handle, |snapshot| {
        let mut hits = Vec::new();
        snapshot.all_volume_hits(&ray_in_block(), Layers::of(mask), &mut hits);
        let mut words = output::words();
        words.extend(hits.iter().flat_map(row));
        output::put_words(words);
        Ok(hits.len() as u32)
    })
}

/// Gives 1 if the shape in the block touches any volume.
#[unsafe(no_mangle)]
extern "C" fn any_volume_overlap(handle: u32, mask: u32) -> i32 {
    with_snapshot(handle, |snapshot| {
        Ok(u32::from(snapshot.any_overlap(shape()?, &volumes(mask))))
    })
}

/// Puts out slot and generation of each volume that the shape in the block touches. Gives their
/// number.
#[unsafe(no_mangle)]
extern "C" fn all_volume_overlaps(handle: u32, mask: u32) -> i32 {
    with_snapshot(handle, |snapshot| {
        let mut found = Vec::new();
        snapshot.all_overlaps(shape()?, &volumes(mask), &mut found);
        Ok(put_instances(found.into_iter().map(|overlap| overlap.hit.instance)))
    })
}
