//! Questions about the shape in the block.

use border::answer;

use crate::asked::{self, ask};
use crate::options::query;
use crate::ray::list;
use crate::row;
use crate::shape::shape;

/// Gives 1 if the shape touches any triangle.
#[unsafe(no_mangle)]
extern "C" fn any_overlap(handle: u32, facing: u32, mask: u32, filter: u32) -> i32 {
    answer(asked::with(handle, |asked| {
        let query = query(facing, mask, filter)?;
        Ok(u32::from(ask!(asked, any_overlap(shape()?, &query))))
    }))
}

/// Puts out a row for each triangle that the shape touches. Gives their number.
#[unsafe(no_mangle)]
extern "C" fn all_overlaps(handle: u32, facing: u32, mask: u32, filter: u32) -> i32 {
    answer(asked::with(handle, |asked| {
        let (query, mut found) = (query(facing, mask, filter)?, Vec::new());
        ask!(asked, all_overlaps(shape()?, &query, &mut found));
        list(&found, row::overlap)
    }))
}
