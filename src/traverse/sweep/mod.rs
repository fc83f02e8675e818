//! Questions about a shape that moves: the triangles that it touches on its way.
//!
//! ```text
//! setup       the tests of nodes and leaf blocks
//! round       a round shape that moves, against boxes and eight triangles
//! moving_box  a box around a shape that moves, in axes of its own
//! slabs       this box against boxes
//! times       this box against eight triangles
//! nodes       the test of nodes, by one of these
//! touched     the triangles that the shape touches
//! contact     the answer
//! ```

mod contact;
mod moving_box;
mod nodes;
mod round;
mod setup;
mod slabs;
mod times;
mod touched;

pub use contact::Contact;
pub(crate) use contact::sort_contacts;
pub(super) use nodes::SweepNodes;
pub(super) use setup::Cut;
pub(crate) use touched::SweepQuery;
