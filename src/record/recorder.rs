//! The handles of a recorder.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::sink::{Keep, Sink};
use crate::error::RecordingError;
use crate::file::save_with;

/// The most bytes of a tag.
pub const MOST_TAG_BYTES: usize = 64;

/// Writes questions and answers down: [`wrap`](Self::wrap) a tree or a snapshot with it.
///
/// It is a handle with a tag and a frame number of its own; all clones write to one place, from any
/// number of threads. What is left is written when the last one goes.
///
/// ```
/// use hitscan::record::{Recorder, Recording};
/// use hitscan::{Builder, Mesh, Query, Ray};
///
/// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
/// let (bvh, _report) = Builder::new().bake(&[wall])?;
/// let file = tempfile::NamedTempFile::new()?;
///
/// let recorder = Recorder::to_writer(file.reopen()?);
/// let mut bots = recorder.with_tag("bots").wrap(&bvh);
/// for frame in 0..3 {
///     bots.set_frame(frame);
///     let sight = Ray::between([1.0, 1.0, 0.0], [1.0, 1.0, frame as f32]);
///     let _hidden = bots.any_hit(&sight, &Query::new());
/// }
/// recorder.flush()?;
///
/// let recording = Recording::open(file.path())?;
/// assert_eq!(recording.records().count(), 3);
/// assert_eq!(recording.first_difference(&bvh)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    pub(super) sink: Arc<Sink>,
    pub(super) tag: Arc<str>,
    pub(super) frame: u64,
}

impl Recorder {
    /// Writes to a file, or to any other writer.
    ///
    /// A thread of its own writes, where the machine has threads, so questions do not wait for the
    /// system. It gets a block when a record comes whose frame number is larger than all before,
    /// after some tens of KiB, with [`flush`](Self::flush), and when the last handle goes, which
    /// waits until all is written. The writer is flushed after each block.
    ///
    /// A process that dies without unwinding loses the records of its last frame, and the blocks
    /// that are not written yet: none if the system is quick enough, and never more than 65, some
    /// MiB, for a question waits while 64 do.
    ///
    /// Questions cannot tell of errors. If writing fails, or panics, nothing more is recorded, and
    /// [`flush`](Self::flush) says why.
    #[must_use]
    pub fn to_writer(writer: impl Write + Send + 'static) -> Self {
        Self::new(Arc::new(Sink::stream(Box::new(writer))))
    }

    fn new(sink: Arc<Sink>) -> Self {
        Self { sink, tag: "".into(), frame: 0 }
    }

    /// A handle with another tag, the name of who asks. A name of more than [`MOST_TAG_BYTES`]
    /// bytes is cut.
    #[must_use]
    pub fn with_tag(&self, tag: &str) -> Self {
        let tag = (0..=MOST_TAG_BYTES).rev().find_map(|end| tag.get(..end)).unwrap_or_default();
        Self { tag: tag.into(), ..self.clone() }
    }

    /// The frame number of what this handle wraps from now on.
    pub fn set_frame(&mut self, frame: u64) {
        self.frame = frame;
    }

    /// Writes all that was asked up to now, and waits for it.
    ///
    /// # Errors
    ///
    /// Of kind [`Io`](crate::RecordingErrorKind::Io), if writing has failed, now or before.
    pub fn flush(&self) -> Result<(), RecordingError> {
        self.sink.flush()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("tag", &self.tag)
            .field("frame", &self.frame)
            .field("sink", &self.sink)
            .finish()
    }
}

/// A recording in memory that keeps what came last, to be saved when something goes wrong.
///
/// ```
/// use hitscan::record::{Keep, Recording, Ring};
/// use hitscan::{Builder, Mesh, Query, Ray};
///
/// let wall = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
/// let (bvh, _report) = Builder::new().bake(&[wall])?;
/// let ring = Ring::new(Keep::Frames(10));
/// let mut level = ring.recorder().wrap(&bvh);
/// for frame in 0..100 {
///     level.set_frame(frame);
///     let _hit = level.closest_hit(&Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]), &Query::new());
/// }
/// let mut bytes = Vec::new();
/// ring.write_to(&mut bytes)?;
/// let recording = Recording::from_bytes(bytes)?;
/// let frames: Result<Vec<u64>, _> = recording.records().map(|r| Ok(r?.frame)).collect();
/// # let frames: Result<Vec<u64>, hitscan::RecordingError> = frames;
/// assert_eq!(frames?, Vec::from_iter(90..100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ring(Arc<Sink>);

impl Ring {
    /// An empty one. Memory is taken as records come.
    #[must_use]
    pub fn new(keep: Keep) -> Self {
        Self(Arc::new(Sink::ring(keep)))
    }

    /// A recorder that writes into it.
    #[must_use]
    pub fn recorder(&self) -> Recorder {
        Recorder::new(Arc::clone(&self.0))
    }

    /// Writes all that it holds, as a file. It goes on holding that. Questions on other threads
    /// wait meanwhile.
    ///
    /// # Errors
    ///
    /// Of kind [`Io`](crate::RecordingErrorKind::Io), if writing fails.
    pub fn write_to(&self, mut writer: impl Write) -> Result<(), RecordingError> {
        let written = self.0.write_ring(&mut writer);
        written.map_err(|error| RecordingError::io("writing a recording", error))
    }

    /// Saves all that it holds to a file, which appears complete or not at all; otherwise as
    /// [`write_to`](Self::write_to).
    ///
    /// # Errors
    ///
    /// Of kind [`Io`](crate::RecordingErrorKind::Io), if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RecordingError> {
        let path = path.as_ref();
        save_with(path, |file| self.0.write_ring(file))
            .map_err(|error| RecordingError::io("writing", error).in_file(path))
    }
}
