//! Where records go: to a writer, or into a ring in memory.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::block::{Block, Context, Head, file_header};
use super::question::Rejected;
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
pub(super) struct Sink(Mutex<State>);

struct State {
    block: Block,
    /// The bytes from which on a block ends.
    block_size: usize,
    /// The number of the next record.
    next: u64,
    /// The largest number of a frame.
    newest: Option<u64>,
    out: Out,
    /// Writing failed, so nothing more is written.
    failed: Option<io::Error>,
}

enum Out {
    Stream(Box<dyn Write + Send>),
    Ring { keep: Keep, blocks: VecDeque<Block>, bytes: usize },
}

impl Sink {
    /// Writes to a stream, the header at once.
    pub(super) fn stream(mut writer: Box<dyn Write + Send>) -> Self {
        let failed = writer.write_all(&file_header()).and_then(|()| writer.flush()).err();
        Self::new(Out::Stream(writer), BLOCK, failed)
    }

    pub(super) fn ring(keep: Keep) -> Self {
        let block_size = match keep {
            Keep::Bytes(bytes) => (bytes / 8).clamp(LEAST_BLOCK, BLOCK),
            Keep::Frames(_) => BLOCK,
        };
        Self::new(Out::Ring { keep, blocks: VecDeque::new(), bytes: 0 }, block_size, None)
    }

    fn new(out: Out, block_size: usize, failed: Option<io::Error>) -> Self {
        let block = Block::new(0, Vec::new());
        Self(Mutex::new(State { block, block_size, next: 0, newest: None, out, failed }))
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
        if state.failed.is_some() {
            return;
        }
        if state.newest.is_none_or(|newest| newest < context.frame) {
            state.end_block();
            state.newest = Some(context.frame);
        }
        state.block.add(context, head, rejected, body);
        state.next += 1;
        if state.block.len() >= state.block_size {
            state.end_block();
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
        match &state.failed {
            None => Ok(()),
            // An error of the system cannot be copied, but is said each time.
            Some(error) => {
                let error = io::Error::new(error.kind(), error.to_string());
                Err(RecordingError::io("writing a recording", error))
            }
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end_block(&mut self) {
        if self.block.records == 0 {
            return;
        }
        let mut block = mem::take(&mut self.block);
        block.close();
        let mut memory = Vec::new();
        match &mut self.out {
            Out::Stream(writer) => {
                let written = writer.write_all(block.sealed()).and_then(|()| writer.flush());
                self.failed = self.failed.take().or(written.err());
                memory = block.into_memory();
            }
            Out::Ring { keep, blocks, bytes } => {
                *bytes += block.len();
                blocks.push_back(block);
                while blocks.len() > 1 && is_over(*keep, blocks, *bytes, self.newest) {
                    let oldest = blocks.pop_front().unwrap_or_default();
                    *bytes -= oldest.len();
                    memory = oldest.into_memory();
                }
            }
        }
        self.block = Block::new(self.next, memory);
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
            .field("records", &state.next)
            .finish_non_exhaustive()
    }
}
