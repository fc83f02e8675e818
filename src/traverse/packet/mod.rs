//! Packets: up to 64 coherent rays that go through the tree together (Wald et al. 2001).
//!
//! Each node's children are tested with an interval ray that stands for all rays (Boulos et al.
//! 2006; Wald, Boulos and Shirley 2007) and, if the rays go to one point, with a frustum. A child
//! that remains is tested ray by ray when its turn comes. If only a few rays hit it, they leave the
//! packet for that subtree, and go through it as a group: with one stack, but tests of their own.
//!
//! ```text
//! walk            the traversal
//! group           the rays that leave a packet, through a subtree together
//! collect         what a query does with the triangles: the collectors of all rays
//! rays            a packet: which rays form it, and their setup
//! frustum         the frustum test of boxes and triangles
//! triangle_test   the triangle test, in the space of a central ray
//! interval        the interval test of boxes
//! lanes           one value per ray
//! ```

mod collect;
mod frustum;
mod group;
mod interval;
mod lanes;
mod rays;
#[cfg(test)]
mod tests;
mod triangle_test;
mod walk;

pub(crate) use collect::{AnyPacket, ClosestPacket, PacketCollector};
pub(crate) use lanes::{Mask, RAYS, ROW, ROWS, RayRows, lanes};
pub(crate) use rays::{Gather, Packet, RETIRED};
pub(crate) use walk::WalkPacket;
