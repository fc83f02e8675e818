//! The kernels behind [`query`](crate::query).
//!
//! ```text
//! walk       the walk of one query through a tree, generic over its tests and its collector
//! descent    the way to the nearest leaf block, before a walk
//! four       four numbers at once
//! stack      the subtrees that a walk has put off
//! ray        one ray: setup, node test, leaf test, exact hit
//! place      where a tree stands in the world
//! collect    what a query does with hits: closest, any, all; filters; results
//! packet     coherent rays that go through the tree together
//! stream     incoherent rays, many in flight
//! schedule   which rays of a batch are traced how
//! instances  questions of scenes: trees of instances
//! near       questions about a point or a shape: the triangles near it
//! overlap    questions about a shape: the triangles that touch it; points inside surfaces
//! sweep      questions about a shape that moves: the triangles that stop it
//! found      a triangle that one of these three has found
//! best_first a walk in plain code, the most promising box first
//! snap       the vertices and edges near a ray
//! vectors    arithmetic of three rows of numbers, which they share
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod best_first;
mod collect;
mod descent;
mod found;
mod four;
mod hit;
mod instance_id;
mod instances;
mod near;
mod options;
mod overlap;
mod packet;
mod place;
mod prefetch;
mod ray;
mod schedule;
mod snap;
mod stack;
mod stream;
mod sweep;
mod vectors;
mod walk;

pub(crate) use best_first::{BoxVisitor, visit_boxes};
#[cfg(feature = "stats")]
pub use collect::Refusal;
pub(crate) use collect::batch::Batch;
pub(crate) use collect::{All, Any, Closest, Collector, QueryFilter};
#[cfg(feature = "stats")]
pub(crate) use collect::{Counted, Record, Recorded, Verdict, Visit, VisitCounts, judge};
pub use hit::Hit;
pub(crate) use hit::sort_hits;
pub use instance_id::InstanceId;
pub(crate) use instances::{
    AllInstances, AnyInstance, CastInScene, ClosestInstance, Gone, InsideInScene, InstanceFacts,
    InstancesTouching, Keep, KeepBest, LEVELS, ManyInScene, NearInScene, NearShapeInScene,
    OverlapInScene, PlacedInstance, SceneQuery, SweepInScene, TopLevel, TopLevelView, TopLevels,
    VolumesInScene, snap_in_scene, volume_bounds,
};
#[cfg(feature = "stats")]
pub(crate) use instances::{CountedInstances, RecordedInstances, SceneVisit};
pub use instances::{InstanceOverlap, VolumeHit};
pub(crate) use near::{
    AllNear, MAX_ORDERED, NearCollector, NearQuery, NearTests, Nearby, Nearest, NearestOfMany,
    ShapeQuery, in_order, sort_near,
};
pub use near::{ClosestPoint, ShapeDistance};
pub use options::{Facing, Layers, Query, StartContacts, Targets};
pub(crate) use overlap::{InsideQuery, MeshOverlapQuery, OverlapQuery, sort_overlaps};
pub use overlap::{MeshOverlap, Overlap, PointLocation};
pub(crate) use packet::{AnyPacket, ClosestPacket};
pub(crate) use prefetch::NUMBER;
pub(crate) use ray::{Cast, CastInside};
pub(crate) use schedule::MAX_INCOHERENT;
pub(crate) use schedule::{trace as trace_batch, trace_tree};
pub(crate) use snap::SnapSearch;
pub use snap::{Hidden, Snap, SnapOptions, Snaps};
pub use sweep::Contact;
pub(crate) use sweep::{SweepQuery, sort_contacts};
