//! The commands for continuous integration. They end with exit code 3 where a value is above its
//! limit or an answer differs.

mod brute_force;
mod check;
mod diff;
mod replay;
mod replay_cost;
mod verify;
mod verify_rays;
mod verify_source;

pub(crate) use check::Check;
pub(crate) use diff::Diff;
pub(crate) use replay::Replay;
pub(crate) use verify::Verify;
