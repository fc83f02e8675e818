//! The kernels behind [`query`](crate::query).
//!
//! ```text
//! walk       the walk of one query through a tree, generic over its tests and its collector
//! ray        one ray: setup, node test, leaf test, exact hit
//! collect    what a query does with hits: closest, any, all; filters; results
//! packet     coherent rays that go through the tree together
//! stream     incoherent rays, many in flight
//! schedule   which rays of a batch are traced how
//! ```

pub(crate) mod collect;
pub(crate) mod hit;
pub(crate) mod options;
pub(crate) mod packet;
pub(crate) mod prefetch;
pub(crate) mod ray;
pub(crate) mod schedule;
pub(crate) mod stream;
pub(crate) mod walk;
