//! Questions and answers, on their way to the sink.

use super::block::{Block, Context, Head};
use super::kind::Kind;
use super::question::{Asking, Rejected};
use super::sink::{InOrder, Sink};
use super::watch::watched;
use crate::error::BatchError;
use crate::platform::parallel;
use crate::query::{MIN_CHUNK, chunk_size};
use crate::traverse::Query;

/// The most rays or points of a record: a larger batch becomes several. All chunks of a batch but
/// the last are multiples of it, so records do not depend on the number of threads.
pub(super) const MOST: usize = MIN_CHUNK;

/// Writes an answer.
pub(super) type PutAnswer<'a> = &'a dyn Fn(&mut Vec<u8>);

/// Answers some questions of a batch, from that number on.
type Ask<'a, Q, R> = &'a (dyn Fn(&Query<'_>, usize, &[Q], &mut [R]) + Sync);

/// Writes some questions of a batch, and their answers.
type Put<'a, Q, R> = &'a (dyn Fn(&[Q], &[R], &mut Vec<u8>) + Sync);

/// A call of a method: one question, or a batch.
pub(super) struct Call<'a> {
    pub(super) sink: &'a Sink,
    pub(super) context: Context,
    pub(super) kind: Kind,
    pub(super) query: &'a Query<'a>,
}

impl Call<'_> {
    /// Writes a question and its answer down.
    pub(super) fn note(&self, rejected: &[Rejected], asked: Asking<'_>, put_answer: PutAnswer<'_>) {
        self.sink.add(&self.context, self.head(1), rejected, &mut |out| {
            asked.put(out);
            put_answer(out);
        });
    }

    /// Asks the questions of a batch on all threads. Each thread writes its own down while their
    /// bytes are in its cache.
    pub(super) fn ask_batch<Q: Sync, R: Send>(
        &self,
        questions: &[Q],
        answers: &mut [R],
        ask: Ask<'_, Q, R>,
        put: Put<'_, Q, R>,
    ) -> Result<(), BatchError> {
        if questions.len() != answers.len() {
            return Err(BatchError::results(questions.len(), answers.len()));
        }
        // An empty batch is a question too.
        if questions.len() <= MOST {
            let ((), rejected) = watched(self.query, |query| ask(query, 0, questions, answers));
            let head = self.head(questions.len());
            let body = &mut |out: &mut Vec<u8>| put(questions, answers, out);
            self.sink.add(&self.context, head, &rejected, body);
            return Ok(());
        }
        let size = chunk_size(MIN_CHUNK, questions.len());
        let in_order = InOrder::new(self.sink, self.context.frame);
        let chunks = questions.chunks(size).zip(answers.chunks_mut(size)).enumerate();
        parallel::share(
            parallel::threads(),
            chunks,
            || (),
            |(), (number, (questions, answers))| {
                let first = number * size;
                let ((), rejected) =
                    watched(self.query, |query| ask(query, first, questions, answers));
                let parts = questions.chunks(MOST).zip(answers.chunks(MOST)).enumerate();
                let blocks = parts.map(|(part, (questions, answers))| {
                    let rejected = part_of(&rejected, first + part * MOST, questions.len());
                    let body = &mut |out: &mut Vec<u8>| put(questions, answers, out);
                    self.block(questions.len(), &rejected, body)
                });
                in_order.add(number, blocks.collect());
            },
        );
        Ok(())
    }

    fn block(
        &self,
        count: usize,
        rejected: &[Rejected],
        body: &mut dyn FnMut(&mut Vec<u8>),
    ) -> Block {
        let mut block = self.sink.block();
        block.add(&self.context, self.head(count), rejected, body);
        block
    }

    fn head(&self, count: usize) -> Head {
        let (kind, count) = (self.kind, count as u32);
        let &Query { facing, start, mask, targets, except, .. } = self.query;
        Head { kind, facing, start, mask, targets, except, count }
    }
}

/// The triangles that were rejected for some rays or points, numbered from the first of these.
fn part_of(rejected: &[Rejected], first: usize, count: usize) -> Vec<Rejected> {
    // In order of the index.
    let start_of = |index: usize| rejected.partition_point(|one| (one.index as usize) < index);
    let part = &rejected[start_of(first)..start_of(first + count)];
    part.iter().map(|one| Rejected { index: one.index - first as u32, ..*one }).collect()
}
