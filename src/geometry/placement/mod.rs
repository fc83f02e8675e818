//! Where things stand in the world.
//!
//! ```text
//! transform           points and triangles under an affine map
//! instance_transform  the map of an instance, with its inverse in `f64`
//! placed_volume       a volume under such a map
//! ```

pub(super) mod instance_transform;
pub(super) mod placed_volume;
pub(super) mod transform;
