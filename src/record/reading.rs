//! Recordings as they are read.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::answer::Answer;
use super::block::{
    BLOCK_HEADER, CONTEXT, Context, ENTRY_HEAD, FILE_HEADER, FORMAT_VERSION, HAS_EXCEPT, MAGIC,
    file_header,
};
use super::content::Content;
use super::kind::Kind;
use super::note::MOST;
use super::question::{Asked, Rejected};
use super::wire::{Cursor, Fault};
use crate::error::{RecordingError, RecordingErrorKind};
use crate::traverse::{Facing, InstanceId, StartContacts, Targets};

/// A question and its answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// Its number: records are counted from when recording began.
    pub number: u64,
    /// Who asked.
    pub tag: Arc<str>,
    /// The caller's number of the frame.
    pub frame: u64,
    /// The hash of what was asked.
    pub content: Content,
    /// Which method was called.
    pub kind: Kind,
    /// The sides that the query saw.
    pub facing: Facing,
    /// The contacts at the start of a motion that the query saw.
    pub start_contacts: StartContacts,
    /// The layers that the query saw.
    pub mask: u32,
    /// Whether the query saw triangles, volumes, or both.
    pub targets: Targets,
    /// The instance that the query left out.
    pub except: Option<InstanceId>,
    /// What it was about.
    pub asked: Asked,
    /// The triangles and volumes that the query's filter rejected, in order; none without a filter.
    pub rejected: Vec<Rejected>,
    /// What was found.
    pub answer: Answer,
}

/// A recording, as it was read from a file.
///
/// The bytes are kept as they are, and their checksums are compared when it is opened. Records are
/// made of them one by one.
#[derive(Clone, Debug)]
pub struct Recording {
    bytes: Vec<u8>,
    blocks: Vec<BlockPlace>,
    cut_at: Option<u64>,
}

#[derive(Clone, Debug)]
struct BlockPlace {
    entries: Range<usize>,
    first: u64,
    records: u32,
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or as [`from_bytes`](Self::from_bytes).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| RecordingError::io("reading", error));
        bytes.and_then(Self::from_bytes).map_err(|error| error.in_file(path))
    }

    /// Finds the blocks in the bytes of a file, and compares their checksums. A file may be cut off
    /// at any byte: the whole blocks before it are there, and [`cut_at`](Self::cut_at) tells.
    ///
    /// # Errors
    ///
    /// If the bytes are no recording, of another version or damaged.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, RecordingError> {
        let bytes = bytes.into();
        let mut recording = Self { bytes, blocks: Vec::new(), cut_at: None };
        let bytes = &recording.bytes;
        check_start(bytes)?;
        if bytes.len() < FILE_HEADER {
            recording.cut_at = Some(0);
            return Ok(recording);
        }
        let mut at = FILE_HEADER;
        let mut next = 0;
        while at < bytes.len() {
            let Some(block) = block_at(bytes, at)? else {
                recording.cut_at = Some(at as u64);
                break;
            };
            let end = block.first.checked_add(block.records.into());
            let Some(end) = end.filter(|_| block.first >= next) else {
                let message = "the records of a block are not numbered after those before";
                return Err(invalid(message).at(at as u64));
            };
            (at, next) = (block.entries.end, end);
            recording.blocks.push(block);
        }
        Ok(recording)
    }

    /// Where the file was cut off, if a block is not whole: the place of that block. Its records
    /// are lost.
    #[must_use]
    pub fn cut_at(&self) -> Option<u64> {
        self.cut_at
    }

    /// All records, in the order in which they were written.
    ///
    /// A record that breaks a rule of the format, in a file that was not written by a [`Recorder`]
    /// but has the right checksums, is an error; nothing comes after it.
    ///
    /// Each takes time in proportion to its bytes, but for hulls, which are
    /// [prepared anew](crate::ConvexHull::from_points).
    ///
    /// [`Recorder`]: super::Recorder
    pub fn records(&self) -> impl Iterator<Item = Result<Record, RecordingError>> + '_ {
        let mut has_failed = false;
        let records = self.blocks.iter().flat_map(|block| Entries::new(&self.bytes, block));
        records.take_while(move |record| !std::mem::replace(&mut has_failed, record.is_err()))
    }
}

/// Checks what is there of the header.
fn check_start(bytes: &[u8]) -> Result<(), RecordingError> {
    let expected = file_header();
    let start = &bytes[..bytes.len().min(FILE_HEADER)];
    if expected.starts_with(start) {
        return Ok(());
    }
    let message = match () {
        () if bytes.starts_with(&MAGIC) => {
            let word = bytes.get(8..12).and_then(|word| word.first_chunk());
            let found = word.map_or(0, |word| u32::from_le_bytes(*word));
            if found == FORMAT_VERSION {
                return Err(invalid("the header has a word that is not zero").at(12));
            }
            let message =
                format!("format version {found}; this build reads version {FORMAT_VERSION}");
            return Err(RecordingError::new(RecordingErrorKind::Version, message));
        }
        () if bytes.starts_with(b"\x89HBVH") => "this is a baked tree, not a recording",
        () if bytes.starts_with(b"\x89HSCN") => "this is a scene, not a recording",
        () => "this is not a recording: it does not begin as one",
    };
    Err(RecordingError::new(RecordingErrorKind::NotRecording, message))
}

/// The block that begins here; `None` if not all of it is there.
fn block_at(bytes: &[u8], at: usize) -> Result<Option<BlockPlace>, RecordingError> {
    let mut rest = Cursor(&bytes[at..]);
    let read = |cursor: &mut Cursor<'_>| -> Result<_, Fault> {
        Ok((cursor.long()?, cursor.long()?, cursor.long()?, cursor.words::<2>()?))
    };
    let Ok((checksum, length, first, [records, zero])) = read(&mut rest) else { return Ok(None) };
    if rest.bytes(length).is_err() {
        return Ok(None);
    }
    let start = at + BLOCK_HEADER;
    let end = start + length as usize;
    if xxh3_64(&bytes[at + 8..end]) != checksum {
        let message = "the checksum of a block is wrong: the file was damaged";
        return Err(RecordingError::new(RecordingErrorKind::Checksum, message).at(at as u64));
    }
    if zero != 0 {
        return Err(invalid("the header of a block has a word that is not zero").at(at as u64));
    }
    Ok(Some(BlockPlace { entries: start..end, first, records }))
}

fn invalid(message: &str) -> RecordingError {
    RecordingError::new(RecordingErrorKind::Invalid, message)
}

/// The records of a block.
struct Entries<'a> {
    rest: Cursor<'a>,
    end: usize,
    contexts: Vec<Context>,
    next: u64,
    last: u64,
}

impl<'a> Entries<'a> {
    fn new(bytes: &'a [u8], block: &BlockPlace) -> Self {
        let &BlockPlace { ref entries, first, records } = block;
        Self {
            rest: Cursor(&bytes[entries.clone()]),
            end: entries.end,
            contexts: Vec::new(),
            next: first,
            last: first + u64::from(records),
        }
    }

    /// The next record, with the contexts before it.
    fn record(&mut self) -> Result<Option<Record>, Fault> {
        while !self.rest.0.is_empty() {
            let length = self.rest.clone().long()?;
            if length < ENTRY_HEAD as u64 {
                return Err("a record is shorter than its head");
            }
            let mut entry = Cursor(self.rest.bytes(length)?);
            let _length = entry.long()?;
            let [kind, detail, low, high] = entry.words::<1>()?[0].to_le_bytes();
            if kind == CONTEXT {
                let context = read_context(detail, [low, high], entry)?;
                self.contexts.push(context);
                continue;
            }
            if self.next == self.last {
                return Err("a block has more records than it says");
            }
            let kind = Kind::from_code(kind).ok_or("a record is of no known kind")?;
            let record = self.read_record(kind, [detail, low, high], entry)?;
            self.next += 1;
            return Ok(Some(record));
        }
        if self.next == self.last {
            Ok(None)
        } else {
            Err("a block has fewer records than it says")
        }
    }

    fn read_record(
        &self,
        kind: Kind,
        [side, start, targets]: [u8; 3],
        mut entry: Cursor<'_>,
    ) -> Result<Record, Fault> {
        let facing = match side {
            0 => Facing::Both,
            1 => Facing::Front,
            2 => Facing::Back,
            _ => return Err("a record sees no known side of triangles"),
        };
        let start_contacts = match start {
            0 => StartContacts::All,
            1 => StartContacts::Opposed,
            _ => return Err("a record sees no known contacts at the start"),
        };
        let (targets, has_except) = (targets & !HAS_EXCEPT, targets & HAS_EXCEPT != 0);
        let targets = match targets {
            0 => Targets::Triangles,
            1 => Targets::Volumes,
            2 => Targets::Both,
            _ => return Err("a record sees neither triangles nor volumes"),
        };
        let [mask, context, count] = entry.words()?;
        let context = self.contexts.get(context as usize).ok_or("a record has no context")?;
        let rejected_count = entry.long()?;
        let except: Vec<InstanceId> = entry.all(has_except.into())?;
        let except = except.first().copied();
        if except == Some(InstanceId::NONE) {
            return Err("a record leaves out an instance that is none");
        }
        let rejected: Vec<Rejected> = entry.all(rejected_count)?;
        let is_in_order = rejected.is_sorted_by(|one, next| one < next);
        if !is_in_order || rejected.last().is_some_and(|last| last.index >= count) {
            return Err("the rejected triangles of a record are not in order");
        }
        if count as usize > MOST {
            return Err("a record is about more rays or points than it may be");
        }
        let body = entry.0;
        let asked = Asked::read(kind, count, &mut entry)?;
        let answer = Answer::read(kind, count, &mut entry)?;
        // There is one way to write a record.
        let mut written = Vec::with_capacity(body.len());
        asked.asking().put(&mut written);
        answer.put(&mut written);
        if written != body {
            return Err("a record is not as it would be written");
        }
        let Context { tag, frame, content } = context.clone();
        let number = self.next;
        Ok(Record {
            number,
            tag,
            frame,
            content,
            kind,
            facing,
            start_contacts,
            mask,
            targets,
            except,
            asked,
            rejected,
            answer,
        })
    }
}

fn read_context(
    world: u8,
    [length, zero]: [u8; 2],
    mut entry: Cursor<'_>,
) -> Result<Context, Fault> {
    let [other_zero] = entry.words()?;
    let (frame, hash) = (entry.long()?, entry.long()?);
    let content = match world {
        0 => Content::Tree(hash),
        1 => Content::Scene(hash),
        _ => return Err("a context is neither a tree nor a scene"),
    };
    let tag = std::str::from_utf8(entry.0).map_err(|_| "a tag is not UTF-8")?;
    if tag.len() != usize::from(length) || tag.len() > super::MOST_TAG_BYTES {
        return Err("a tag is longer or shorter than it says");
    }
    if (zero, other_zero) != (0, 0) {
        return Err("the head of a context has bytes that are not zero");
    }
    Ok(Context { tag: tag.into(), frame, content })
}

impl Iterator for Entries<'_> {
    type Item = Result<Record, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.end - self.rest.0.len();
        self.record().map_err(|fault| invalid(fault).at(at as u64)).transpose()
    }
}
