//! Questions about the shape in the block, which moves.

use border::{answer, block};
use hitscan::glam::Vec3;

use crate::asked::{self, ask};
use crate::options::query;
use crate::ray::list;
use crate::row;
use crate::shape::convex_shape;

/// Writes the first contact to the block. Gives 1 if there is one.
#[unsafe(no_mangle)]
extern "C" fn first_contact(
    handle: u32,
    x: f32,
    y: f32,
    z: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    answer(asked::with(handle, |asked| {
        let (query, motion) = (query(facing, mask, filter)?, Vec3::new(x, y, z));
        let contact = ask!(asked, first_contact(convex_shape()?, motion, &query));
        Ok(contact.map_or(0, |contact| {
            block::write(0, &row::contact(&contact));
            1
        }))
    }))
}

/// Puts out a row for each contact. Gives their number.
#[unsafe(no_mangle)]
extern "C" fn all_contacts(
    handle: u32,
    x: f32,
    y: f32,
    z: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    answer(asked::with(handle, |asked| {
        let (query, motion) = (query(facing, mask, filter)?, Vec3::new(x, y, z));
        let mut contacts = Vec::new();
        ask!(asked, all_contacts(convex_shape()?, motion, &query, &mut contacts));
        list(&contacts, row::contact)
    }))
}

/// Puts out a row for each plane that the shape has to be pushed out of. Gives their number.
#[unsafe(no_mangle)]
extern "C" fn penetrations(handle: u32, facing: u32, mask: u32, filter: u32) -> i32 {
    answer(asked::with(handle, |asked| {
        let (query, mut contacts) = (query(facing, mask, filter)?, Vec::new());
        ask!(asked, penetrations(convex_shape()?, &query, &mut contacts));
        list(&contacts, row::contact)
    }))
}
