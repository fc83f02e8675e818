//! Filters, watched: which triangles they reject.

use std::sync::{Mutex, PoisonError};

use super::question::Rejected;
use crate::traverse::{Hit, Query};

/// Asks a question, and gives its answer with the triangles that its filter rejected, in order. A
/// query without a filter is asked as it is.
pub(super) fn watched<R>(
    query: &Query<'_>,
    ask: impl FnOnce(&Query<'_>) -> R,
) -> (R, Vec<Rejected>) {
    if !query.has_filter() {
        return (ask(query), Vec::new());
    }
    let rejected = Mutex::new(Vec::new());
    let accepts = |index: usize, hit: &Hit| {
        let is_accepted = query.accepts_of(index, hit);
        if !is_accepted {
            let mut rejected = rejected.lock().unwrap_or_else(PoisonError::into_inner);
            rejected.push(Rejected::new(index, hit));
        }
        is_accepted
    };
    let answer = ask(&query.filter_by_index(&accepts));
    let mut rejected = rejected.into_inner().unwrap_or_else(PoisonError::into_inner);
    rejected.sort_unstable();
    rejected.dedup();
    (answer, rejected)
}
