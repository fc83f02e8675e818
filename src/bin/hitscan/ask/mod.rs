//! The commands that ask one question, or many rays, and what they share: how a ray or a shape is
//! given, how triangles are shown.

mod aim;
mod answer;
mod inside;
mod near;
mod overlap;
mod ray;
mod rays;
mod shape_args;
mod sweep;
mod triangle_row;

pub(crate) use aim::Aim;
pub(crate) use inside::Inside;
pub(crate) use near::Near;
pub(crate) use overlap::Overlap;
pub(crate) use ray::CastOne;
pub(crate) use rays::CastMany;
pub(crate) use shape_args::ShapeArgs;
pub(crate) use sweep::Sweep;
