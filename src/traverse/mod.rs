//! The kernels that answer rays. Private: [`query`](crate::query) is what users see.

pub(crate) mod collect;
pub(crate) mod hit;
pub(crate) mod options;
pub(crate) mod packet;
pub(crate) mod prefetch;
pub(crate) mod ray;
pub(crate) mod schedule;
pub(crate) mod stream;
pub(crate) mod walk;
