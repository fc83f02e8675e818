//! Blocks of records as they are written.

use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::content::Content;
use super::kind::Kind;
use super::question::Rejected;
use super::wire::put_all;
use crate::traverse::{Facing, InstanceId, StartContacts, Targets};

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"\x89HRAY\r\n\x1a";
pub(super) const FORMAT_VERSION: u32 = 2;
pub(super) const FILE_HEADER: usize = 16;
pub(super) const BLOCK_HEADER: usize = 32;
/// Bytes of an entry before what belongs to its kind.
pub(super) const ENTRY_HEAD: usize = 32;
/// What an entry has in place of a kind of question if it is a context.
pub(super) const CONTEXT: u8 = 0;

pub(super) fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header
}

/// Who asks, and of what: it is the same for many questions, and written once in a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Context {
    pub(super) tag: Arc<str>,
    pub(super) frame: u64,
    pub(super) content: Content,
}

/// Beside the targets of a record: an instance is left out.
pub(super) const HAS_EXCEPT: u8 = 4;

/// What all questions have.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) kind: Kind,
    pub(super) facing: Facing,
    pub(super) start: StartContacts,
    pub(super) mask: u32,
    pub(super) targets: Targets,
    pub(super) except: Option<InstanceId>,
    /// The number of rays or points.
    pub(super) count: u32,
}

/// A block that grows. It needs no other one to be read.
#[derive(Default)]
pub(super) struct Block {
    /// Room for the header, then entries.
    bytes: Vec<u8>,
    contexts: Vec<Context>,
    /// The number of the first record.
    pub(super) first: u64,
    pub(super) records: u32,
    /// The largest number of a frame.
    pub(super) newest: u64,
}

impl Block {
    /// An empty one, in memory that is no longer needed.
    pub(super) fn new(mut memory: Vec<u8>) -> Self {
        memory.clear();
        memory.resize(BLOCK_HEADER, 0);
        Self { bytes: memory, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds a record; `body` writes what was asked and what was found.
    pub(super) fn add(
        &mut self,
        context: &Context,
        head: Head,
        rejected: &[Rejected],
        body: &mut dyn FnMut(&mut Vec<u8>),
    ) {
        let context_number = self.number_of(context);
        let start = self.bytes.len();
        let facing = match head.facing {
            Facing::Both => 0,
            Facing::Front => 1,
            Facing::Back => 2,
        };
        let start_contacts = match head.start {
            StartContacts::All => 0,
            StartContacts::Opposed => 1,
        };
        let targets = match head.targets {
            Targets::Triangles => 0,
            Targets::Volumes => 1,
            Targets::Both => 2,
        };
        let targets = targets | if head.except.is_some() { HAS_EXCEPT } else { 0 };
        let out = &mut self.bytes;
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&[head.kind as u8, facing, start_contacts, targets]);
        for word in [head.mask, context_number, head.count] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&(rejected.len() as u64).to_le_bytes());
        put_all(out, head.except.as_slice());
        put_all(out, rejected);
        body(out);
        self.end_entry(start);
        self.records += 1;
        self.newest = self.newest.max(context.frame);
    }

    /// The number of a context in this block. Most often it is the last one's.
    fn number_of(&mut self, context: &Context) -> u32 {
        if let Some(number) = self.contexts.iter().rposition(|known| known == context) {
            return number as u32;
        }
        let Context { tag, frame, content } = context;
        let start = self.bytes.len();
        let world = match content {
            Content::Tree(_) => 0,
            Content::Scene(_) => 1,
        };
        let out = &mut self.bytes;
        out.extend_from_slice(&[0; 8]);
        // A tag has at most 64 bytes.
        out.extend_from_slice(&[CONTEXT, world, tag.len() as u8, 0, 0, 0, 0, 0]);
        out.extend_from_slice(&frame.to_le_bytes());
        out.extend_from_slice(&content.hash().to_le_bytes());
        out.extend_from_slice(tag.as_bytes());
        self.end_entry(start);
        self.contexts.push(context.clone());
        self.contexts.len() as u32 - 1
    }

    fn end_entry(&mut self, start: usize) {
        let length = (self.bytes.len() - start) as u64;
        self.bytes[start..start + 8].copy_from_slice(&length.to_le_bytes());
    }

    /// All bytes, with the header filled in.
    pub(super) fn sealed(&mut self) -> &[u8] {
        let length = (self.bytes.len() - BLOCK_HEADER) as u64;
        self.bytes[8..16].copy_from_slice(&length.to_le_bytes());
        self.bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        self.bytes[24..28].copy_from_slice(&self.records.to_le_bytes());
        let checksum = xxh3_64(&self.bytes[8..]);
        self.bytes[..8].copy_from_slice(&checksum.to_le_bytes());
        &self.bytes
    }

    /// Frees what is only needed while it grows.
    pub(super) fn close(&mut self) {
        self.contexts = Vec::new();
    }
}

/// Memory of blocks that are no longer needed, for new ones: to take fresh memory from the system
/// costs more than to fill it.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// The most blocks whose memory is kept.
    const MOST: usize = 64;
    /// The most bytes of one. Few are larger: those of long lists.
    const MOST_BYTES: usize = 1 << 18;

    pub(super) fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn give(&self, memory: Vec<u8>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < Self::MOST && memory.capacity() <= Self::MOST_BYTES {
            all.push(memory);
        }
    }
}
