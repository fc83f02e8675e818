//! The bytes behind a glTF file: its own binary chunk, data URIs, and separate files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::extensions::DECOMPRESS;
use super::json::{Items, Json};
use super::uri::{data_of, relative_paths};
use crate::import::ImportErrorKind::{Invalid, Io, Syntax, Truncated, Unsupported};
use crate::import::error::Result;
use crate::import::text::shown;
use crate::import::work;

/// A range of loaded bytes. It always lies within them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Slice {
    /// The number of the data that it is a part of.
    data: usize,
    start: usize,
    end: usize,
}

impl Slice {
    /// `length` bytes from `offset` on, if there are that many.
    pub(super) fn part(self, offset: u64, length: u64) -> Option<Self> {
        let start = usize::try_from(offset).ok()?.checked_add(self.start)?;
        let end = usize::try_from(length).ok()?.checked_add(start)?;
        (end <= self.end).then_some(Self { start, end, ..self })
    }

    pub(super) fn len(self) -> usize {
        self.end - self.start
    }
}

/// Loads each buffer when it is first used: buffers that only hold images or animations
/// need not even exist.
pub(super) struct Buffers<'a> {
    buffers: Items<'a>,
    views: Items<'a>,
    chunk: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    data: Vec<Cow<'a, [u8]>>,
    by_number: HashMap<usize, Slice>,
    /// The bytes and the stride of each view that was used.
    by_view: HashMap<usize, (Slice, Option<u64>)>,
    /// By canonical path: a file is read once, however many buffers name it.
    by_path: HashMap<PathBuf, Slice>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        buffers: Items<'a>,
        views: Items<'a>,
        chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        Self {
            buffers,
            views,
            chunk,
            folder,
            data: Vec::new(),
            by_number: HashMap::new(),
            by_view: HashMap::new(),
            by_path: HashMap::new(),
        }
    }

    /// The number of bytes that were read from separate files.
    pub(super) fn loaded_from_files(&self) -> u64 {
        self.by_path.values().map(|file| file.len() as u64).sum()
    }

    pub(super) fn bytes(&self, slice: Slice) -> &[u8] {
        &self.data[slice.data][slice.start..slice.end]
    }

    /// The number of bytes in all buffers that are used.
    #[cfg(feature = "draco")]
    pub(super) fn loaded(&self) -> usize {
        self.by_number.values().map(|buffer| buffer.len()).sum()
    }

    pub(super) fn add(&mut self, bytes: impl Into<Cow<'a, [u8]>>) -> Slice {
        let bytes = bytes.into();
        let slice = Slice { data: self.data.len(), start: 0, end: bytes.len() };
        self.data.push(bytes);
        slice
    }

    /// The bytes of a buffer view, and its stride if it has one.
    pub(super) fn view(&mut self, reference: &Json<'a>) -> Result<(Slice, Option<u64>)> {
        let index = reference.index(self.views.len(), "buffer views")?;
        if let Some(view) = self.by_view.get(&index) {
            return Ok(*view);
        }
        let view = self.views.at(index)?;
        let (part, stride) = self.range(&view)?;
        self.by_view.insert(index, (part, stride));
        Ok((part, stride))
    }

    /// The bytes that an object names, and its stride if it has one.
    fn range(&mut self, view: &Json<'a>) -> Result<(Slice, Option<u64>)> {
        let [buffer, offset, length, stride] =
            view.members(["buffer", "byteOffset", "byteLength", "byteStride"])?;
        let buffer = buffer.ok_or_else(|| view.missing("buffer"))?;
        let length = length.ok_or_else(|| view.missing("byteLength"))?.size()?;
        let offset = offset.map_or(Ok(0), |offset| offset.size())?;
        let stride = stride.map(|stride| stride.size()).transpose()?;
        let buffer = self.buffer(&buffer)?;
        let part = buffer.part(offset, length).ok_or_else(|| {
            let reason = format_args!(
                "{length} bytes, starting at byte {offset}, do not fit into the buffer's {} bytes",
                buffer.len()
            );
            view.error(Truncated, reason)
        })?;
        Ok((part, stride))
    }

    fn buffer(&mut self, reference: &Json<'a>) -> Result<Slice> {
        let index = reference.index(self.buffers.len(), "buffers")?;
        if let Some(loaded) = self.by_number.get(&index) {
            return Ok(*loaded);
        }
        let buffer = self.buffers.at(index)?;
        let [uri, length] = buffer.members(["uri", "byteLength"])?;
        let length = length.ok_or_else(|| buffer.missing("byteLength"))?.size()?;
        let loaded = match (uri, self.chunk) {
            (Some(uri), _) => self.load(&uri)?,
            (None, Some(chunk)) if index == 0 => self.add(chunk),
            (None, _) if is_meshopt_fallback(&buffer) => {
                let reason = format_args!(
                    "its data is compressed with meshopt, which is not supported{DECOMPRESS}"
                );
                return Err(buffer.error(Unsupported, reason));
            }
            (None, _) => {
                let reason = "it has no 'uri', and there is no binary chunk for it";
                return Err(buffer.error(Invalid, reason));
            }
        };
        let found = loaded.len();
        if (found as u64) < length {
            let reason = format_args!("byteLength is {length}, but there are only {found} bytes");
            return Err(buffer.error(Truncated, reason));
        }
        self.by_number.insert(index, loaded);
        Ok(loaded)
    }

    fn load(&mut self, place: &Json<'a>) -> Result<Slice> {
        let uri = place.string()?;
        let named = shown(&uri);
        let error = |kind, reason: &str| place.error(kind, format_args!("'{named}': {reason}"));
        if let Some(data) = data_of(&uri) {
            work::count(uri.len());
            return Ok(self.add(data.map_err(|reason| error(Syntax, &reason))?));
        }
        let Some(folder) = self.folder else {
            let reason = "a separate file, but no folder was given to read from";
            return Err(error(Unsupported, reason));
        };
        let paths = relative_paths(&uri);
        if paths.is_empty() {
            let reason = "only files in the folder of the glTF file, or below it, are read";
            return Err(error(Unsupported, reason));
        }
        let io = |cause: std::io::Error| error(Io, &cause.to_string()).with_source(cause);
        let there = paths.iter().find(|path| folder.join(path).exists());
        let path = folder.join(there.unwrap_or(&paths[0])).canonicalize().map_err(io)?;
        if let Some(loaded) = self.by_path.get(&path) {
            return Ok(*loaded);
        }
        // A pipe or a device might never end.
        if !path.metadata().map_err(io)?.is_file() {
            return Err(error(Io, "this is not a regular file"));
        }
        let bytes = std::fs::read(&path).map_err(io)?;
        work::count(bytes.len());
        let loaded = self.add(bytes);
        self.by_path.insert(path, loaded);
        Ok(loaded)
    }
}

/// Whether a buffer is only the placeholder for data that is compressed with meshopt.
fn is_meshopt_fallback(buffer: &Json<'_>) -> bool {
    let names = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
    let extensions = buffer.member("extensions").ok().flatten();
    let found = extensions.and_then(|extensions| extensions.members(names).ok());
    found.is_some_and(|found| found.iter().any(Option::is_some))
}
