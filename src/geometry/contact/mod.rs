//! Shapes that move, and the triangles that they touch.
//!
//! ```text
//! sweep             a shape that moves, of any kind
//! moving_capsule    spheres and capsules: when they first touch a triangle
//! moving_solid      boxes and hulls: which way they leave a triangle
//! triangle_contact  what is told of a touch: point, normal, depth; which touch comes first
//! volume_contact    shapes that move, and the volumes that they touch
//! way_out           how a round shape leaves a triangle that it is in
//! clearance         how far a shape passes from a triangle that it never touches
//! face_normal       the normal of a triangle's plane, to its last bits
//! ```

#[cfg(feature = "stats")]
mod clearance;
pub(super) mod face_normal;
pub(super) mod moving_capsule;
pub(super) mod moving_solid;
pub(super) mod sweep;
pub(super) mod triangle_contact;
pub(super) mod volume_contact;
pub(super) mod way_out;
