//! A question and its answer, on their way to the sink.

use std::ops::Range;

use super::block::{Context, Head};
use super::kind::Kind;
use super::question::{Asking, Rejected};
use super::recorder::Recorder;
use crate::traverse::Query;

/// The most rays or points of a record: a larger batch becomes several, none of which fills more
/// than a cache.
const PART: usize = 1 << 11;

/// An answer as it is written: some of the rays or points of a batch.
pub(super) type PutAnswer<'a> = &'a dyn Fn(Range<usize>, &mut Vec<u8>);

impl Recorder {
    /// Writes a question and its answer down, a large batch in parts.
    pub(super) fn note(
        &self,
        context: &Context,
        kind: Kind,
        query: &Query<'_>,
        rejected: &[Rejected],
        asked: Asking<'_>,
        put_answer: PutAnswer<'_>,
    ) {
        let &Query { facing, start, mask, .. } = query;
        let count = asked.count();
        // One part even of none: an empty batch is a question too.
        for first in (0..count.max(1)).step_by(PART) {
            let part = first..count.min(first + PART);
            let head = Head { kind, facing, start, mask, count: part.len() as u32 };
            // In order of the index.
            let of_part =
                |index: usize| rejected.partition_point(|one| (one.index as usize) < index);
            let rejected: Vec<_> = rejected[of_part(part.start)..of_part(part.end)]
                .iter()
                .map(|one| Rejected { index: one.index - first as u32, ..*one })
                .collect();
            self.sink.add(context, head, &rejected, &mut |out| {
                asked.put(part.clone(), out);
                put_answer(part.clone(), out);
            });
        }
    }
}
