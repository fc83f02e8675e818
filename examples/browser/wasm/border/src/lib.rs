//! What crosses the border between JavaScript and the modules.
//!
//! No pointer goes in. Numbers go in and out as parameters and through the [block], which never
//! moves; arrays go in through the [input], out through the [output], which the caller copies
//! before its next call. What lives on has a [handle](handles). A call gives a number, or a
//! [fault], below zero.

pub mod block;
pub mod fault;
pub mod handles;
pub mod input;
mod memory;
pub mod output;

pub use fault::{Fault, Kind, answer};
