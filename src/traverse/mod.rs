//! The kernels that answer rays. Private: [`query`](crate::query) is what users see.
//!
//! ```text
//! walk       the one loop over nodes and leaf blocks, generic over its tests and collector
//! ray        one ray: setup, node test, leaf test, exact hit, memory between rays
//! collect    what a query keeps of what its ray hits
//! packet     coherent rays together
//! stream     many incoherent rays, stage by stage
//! schedule   which rays of a batch go together
//! prefetch   nodes and leaf blocks that are needed soon
//! ```

mod collect;
mod hit;
mod options;
mod packet;
mod prefetch;
mod ray;
mod schedule;
mod stream;
mod walk;

#[cfg(any(test, feature = "stats"))]
pub(crate) use collect::Counted;
pub(crate) use collect::collector::Collector;
pub(crate) use collect::{
    All, Any, BatchFilter, Closest, Filter, QueryFilter, RayIndex, SingleFilter,
};
pub use hit::{Hit, HitList};
pub(crate) use options::QueryOptions;
pub use options::{AcceptAll, ByRay, Facing, HitFilter, Query};
pub(crate) use packet::{AnyPacket, ClosestPacket, PacketCollector};
pub(crate) use ray::Cast;
#[cfg(feature = "parallel")]
pub(crate) use schedule::MAX_INCOHERENT;
pub(crate) use schedule::trace as trace_batch;
