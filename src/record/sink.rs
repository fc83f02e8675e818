//! Where records go: to a writer, or into a ring in memory.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::block::{Block, Context, Head, Spare, file_header};
use super::question::Rejected;
use super::writing::Writing;
use crate::error::RecordingError;

/// The bytes from which on a block is written: few enough that not much is lost with a process,
/// enough that a write costs little for each record.
const BLOCK: usize = 1 << 16;
/// The least bytes of a block of a small ring.
const LEAST_BLOCK: usize = 1 << 10;

/// How much a [`Ring`](super::Ring) keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// The last records whose bytes are as many as this, but for a block of some tens of KiB.
    Bytes(usize),
    /// The records of the last frames, as many as this; at least one.
    Frames(u64),
}

/// What all handles of a recorder share.
pub(super) struct Sink {
    state: Mutex<State>,
    spare: Arc<Spare>,
}

struct State {
    /// The one that grows.
    block: Block,
    /// The bytes from which on a block ends.
    block_size: usize,
    /// The number of the first record of the next block.
    next: u64,
    /// The largest number of a frame.
    newest: Option<u64>,
    out: Out,
    spare: Arc<Spare>,
}

enum Out {
    Stream(Writing),
    Ring { keep: Keep, blocks: VecDeque<Block>, bytes: usize },
}

impl Sink {
    /// Writes to a stream, the header at once.
    pub(super) fn stream(writer: Box<dyn Write + Send>) -> Self {
        let spare = Arc::<Spare>::default();
        let writing = Writing::new(writer, &file_header(), Arc::clone(&spare));
        Self::new(Out::Stream(writing), BLOCK, spare)
    }

    pub(super) fn ring(keep: Keep) -> Self {
        let block_size = match keep {
            Keep::Bytes(bytes) => (bytes / 8).clamp(LEAST_BLOCK, BLOCK),
            Keep::Frames(_) => BLOCK,
        };
        let out = Out::Ring { keep, blocks: VecDeque::new(), bytes: 0 };
        Self::new(out, block_size, Arc::default())
    }

    fn new(out: Out, block_size: usize, spare: Arc<Spare>) -> Self {
        let block = Block::new(Vec::new());
        let of_state = Arc::clone(&spare);
        let state = State { block, block_size, next: 0, newest: None, out, spare: of_state };
        Self { state: Mutex::new(state), spare }
    }

    /// An empty block, to be filled elsewhere and [appended](InOrder::add).
    pub(super) fn block(&self) -> Block {
        Block::new(self.spare.take())
    }

    /// Adds a record.
    pub(super) fn add(
        &self,
        context: &Context,
        head: Head,
        rejected: &[Rejected],
        body: &mut dyn FnMut(&mut Vec<u8>),
    ) {
        let mut state = self.lock();
        state.begin_frame(context.frame);
        state.block.add(context, head, rejected, body);
        if state.block.len() >= state.block_size {
            state.end_block();
        }
    }

    /// Appends blocks with records of a frame.
    fn append(&self, frame: u64, blocks: Vec<Block>) {
        let mut state = self.lock();
        state.begin_frame(frame);
        state.end_block();
        for block in blocks {
            state.put_out(block);
        }
    }

    /// Ends the block, so that all records are written.
    ///
    /// # Errors
    ///
    /// If writing has failed, now or before.
    pub(super) fn flush(&self) -> Result<(), RecordingError> {
        let mut state = self.lock();
        state.end_block();
        match &state.out {
            Out::Stream(writing) => {
                writing.flush().map_err(|error| RecordingError::io("writing a recording", error))
            }
            Out::Ring { .. } => Ok(()),
        }
    }

    /// Writes all that a ring holds.
    pub(super) fn write_ring(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut state = self.lock();
        state.end_block();
        writer.write_all(&file_header())?;
        if let Out::Ring { blocks, .. } = &mut state.out {
            for block in blocks {
                writer.write_all(block.sealed())?;
            }
        }
        Ok(())
    }

    /// After a panic of a user's writer the block is still whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Ends the block of the frames before.
    fn begin_frame(&mut self, frame: u64) {
        if self.newest.is_none_or(|newest| newest < frame) {
            self.end_block();
            self.newest = Some(frame);
        }
    }

    fn end_block(&mut self) {
        if self.block.records > 0 {
            let next = Block::new(self.spare.take());
            let block = mem::replace(&mut self.block, next);
            self.put_out(block);
        }
    }

    /// Numbers the records of a block, and writes or keeps it.
    fn put_out(&mut self, mut block: Block) {
        block.first = self.next;
        self.next += u64::from(block.records);
        block.close();
        match &mut self.out {
            Out::Stream(writing) => writing.push(block),
            Out::Ring { keep, blocks, bytes } => {
                *bytes += block.len();
                blocks.push_back(block);
                while blocks.len() > 1 && is_over(*keep, blocks, *bytes, self.newest) {
                    let oldest = blocks.pop_front().unwrap_or_default();
                    *bytes -= oldest.len();
                    self.spare.give(oldest.into_memory());
                }
            }
        }
    }
}

/// Blocks that several threads fill, appended in the order of their numbers.
pub(super) struct InOrder<'a> {
    sink: &'a Sink,
    frame: u64,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    next: usize,
    /// By number: those after the next.
    blocks: BTreeMap<usize, Vec<Block>>,
}

impl<'a> InOrder<'a> {
    pub(super) fn new(sink: &'a Sink, frame: u64) -> Self {
        Self { sink, frame, waiting: Mutex::default() }
    }

    /// Appends blocks, and those that wait for them.
    pub(super) fn add(&self, number: usize, blocks: Vec<Block>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.blocks.insert(number, blocks);
        while let Some(blocks) = {
            let next = waiting.next;
            waiting.blocks.remove(&next)
        } {
            self.sink.append(self.frame, blocks);
            waiting.next += 1;
        }
    }
}

/// Whether the oldest block of a ring is one too many.
fn is_over(keep: Keep, blocks: &VecDeque<Block>, bytes: usize, newest: Option<u64>) -> bool {
    match (keep, blocks.front(), newest) {
        (Keep::Bytes(most), ..) => bytes > most,
        (Keep::Frames(frames), Some(oldest), Some(newest)) => {
            oldest.newest.saturating_add(frames.max(1)) <= newest
        }
        _ => false,
    }
}

/// What is left in the last block is written when the last handle goes.
impl Drop for State {
    fn drop(&mut self) {
        self.end_block();
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        let is_stream = matches!(state.out, Out::Stream(_));
        f.debug_struct("Sink")
            .field("is_stream", &is_stream)
            .field("records", &(state.next + u64::from(state.block.records)))
            .finish_non_exhaustive()
    }
}
