//! The query module: opens trees and scenes, and asks them.
//!
//! Every export may be called with any numbers. It gives a number, or one below zero for a fault:
//! see [`border`].

mod asked;
mod batch;
#[cfg(feature = "inspect")]
mod inspect;
#[cfg_attr(not(feature = "shapes"), path = "one_by_one.rs")]
mod many;
mod open;
mod options;
mod ray;
mod row;
mod tree;

#[cfg(feature = "shapes")]
mod instance;
#[cfg(feature = "shapes")]
mod near;
#[cfg(feature = "shapes")]
mod overlap;
#[cfg(feature = "shapes")]
mod scene;
#[cfg(feature = "shapes")]
mod shape;
#[cfg(feature = "shapes")]
mod sweep;
#[cfg(feature = "shapes")]
mod volume;

use border::{block, input, output};

/// Where the block is.
#[unsafe(no_mangle)]
extern "C" fn block_address() -> usize {
    block::address().addr()
}

/// Makes room for `length` bytes that the next call takes. Zero if there is not enough memory.
#[unsafe(no_mangle)]
extern "C" fn make_room(length: usize) -> usize {
    input::make_room(length).addr()
}

/// Frees what came in and what went out.
#[unsafe(no_mangle)]
extern "C" fn clear() {
    drop(input::take());
    output::clear();
}
