//! The commands that tell why: why a level is slow to ask, why a ray ended, why it missed.

mod why;
mod why_not;

pub(crate) use why::Why;
pub(crate) use why_not::AskWhyNot;
