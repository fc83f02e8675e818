//! The small record that tells where a tree came from.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::header::invalid;
use crate::bake::{BakeOptions, BakeSummary};
use crate::bvh::Bvh;
use crate::error::{BakeError, BakeErrorKind, LoadError};

/// The most bytes that encoded metadata may have (invariant I3).
pub(crate) const METADATA_LIMIT: usize = 1 << 28;

/// What a file says about itself beside the tree. It is the same for the same bake:
/// no times, no machine, no directories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metadata {
    /// The crate and version that baked the tree.
    pub builder: String,
    /// How the tree was built.
    pub options: BakeOptions,
    /// The files it was baked from, without directories.
    pub sources: Vec<Source>,
    /// Names of the meshes, in order.
    pub mesh_names: Vec<String>,
    /// Names of the materials by the numbers that triangles have, as far as they were
    /// [given](crate::Builder::material_names).
    pub material_names: Vec<String>,
    /// The part of the bake report that is the same for the same bake.
    pub summary: BakeSummary,
}

impl Bvh {
    /// The name of a mesh, or `None` if there is no such mesh. It walks over the whole
    /// encoded record; for many names, take them from [`metadata`](Self::metadata).
    #[must_use]
    pub fn mesh_name(&self, mesh: u32) -> Option<&str> {
        Outline::read(self.view().metadata).ok()?.mesh_names.get(mesh)
    }

    /// The name of a material, by the number that [hits](crate::Hit::material) have, or `None` if it was not
    /// [given](crate::Builder::material_names). Found as that of a mesh.
    #[must_use]
    pub fn material_name(&self, material: u32) -> Option<&str> {
        Outline::read(self.view().metadata).ok()?.material_names.get(material)
    }

    /// What the file says about itself beside the tree, decoded anew at each call.
    ///
    /// Metadata that does not decode, which only the `unchecked` doors let in, gives the
    /// default record.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        Metadata::decode(self.view().metadata).unwrap_or_default()
    }
}

/// A file that a tree was baked from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, without directories.
    pub name: String,
    /// xxh3-64 of its bytes.
    pub hash: u64,
}

impl Source {
    /// Names a file by its last path component and hashes its bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, hash: xxh3_64(&std::fs::read(path)?) })
    }
}

/// One number for a list of sources: the one that a file's header carries at offset 48.
///
/// A build step that knows its inputs can tell from a file's first 56 bytes whether they
/// are what it was baked from.
#[must_use]
pub fn source_hash(sources: &[Source]) -> u64 {
    let mut bytes = (sources.len() as u64).to_le_bytes().to_vec();
    for source in sources {
        bytes.extend_from_slice(&(source.name.len() as u64).to_le_bytes());
        bytes.extend_from_slice(source.name.as_bytes());
        bytes.extend_from_slice(&source.hash.to_le_bytes());
    }
    xxh3_64(&bytes)
}

fn codec() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<METADATA_LIMIT>()
}

impl Metadata {
    /// The bytes of the metadata section.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, BakeError> {
        let too_large = |found: &dyn std::fmt::Display| {
            BakeError::new(
                BakeErrorKind::TooLarge,
                format!(
                    "names of meshes, materials and sources need more than {METADATA_LIMIT} bytes: {found}"
                ),
            )
        };
        let bytes =
            bincode::serde::encode_to_vec(self, codec()).map_err(|error| too_large(&error))?;
        if bytes.len() > METADATA_LIMIT {
            return Err(too_large(&bytes.len()));
        }
        Ok(bytes)
    }

    /// What [`Metadata::encode`] wrote. Allocates a small multiple of the bytes' length,
    /// whatever they say.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, LoadError> {
        // bincode allocates what a length prefix says before it looks for the bytes, so
        // the outline, which checks every length, comes first.
        Outline::read(bytes)?;
        let (metadata, consumed) = bincode::serde::decode_from_slice(bytes, codec())
            .map_err(|error| invalid("I6", format!("metadata: {error}")))?;
        check_consumed(consumed, bytes.len())?;
        Ok(metadata)
    }
}

fn check_consumed(consumed: usize, length: usize) -> Result<(), LoadError> {
    if consumed == length {
        return Ok(());
    }
    Err(invalid(
        "I6",
        format!("metadata: the record is {consumed} bytes long, the section {length}"),
    ))
}

/// Encoded metadata, checked, its names left where they are. Takes no memory.
#[derive(Clone, Debug)]
pub(crate) struct Outline<'a> {
    /// The encoded list of sources.
    pub(crate) sources: &'a [u8],
    pub(crate) mesh_names: Names<'a>,
    pub(crate) material_names: Names<'a>,
    /// Its summary.
    pub(crate) summary: BakeSummary,
}

impl<'a> Outline<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let mut rest = Cursor { bytes, at: 0 };
        rest.text("builder")?;
        rest.record::<BakeOptions>("options")?;

        let start = rest.at;
        let source_count = rest.number("number of sources")?;
        for _ in 0..source_count {
            rest.text("a source's name")?;
            rest.number("a source's hash")?;
        }
        let sources = &bytes[start..rest.at];

        let mesh_names = rest.names("mesh")?;
        let material_names = rest.names("material")?;
        let summary = rest.record("bake summary")?;
        check_consumed(rest.at, bytes.len())?;
        Ok(Self { sources, mesh_names, material_names, summary })
    }

    /// What the header's field must be.
    pub(crate) fn source_hash(&self) -> u64 {
        xxh3_64(self.sources)
    }
}

/// An encoded list of names, checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    pub(crate) count: u64,
    bytes: &'a [u8],
}

impl<'a> Names<'a> {
    /// One of them, found by walking past those before it.
    fn get(&self, number: u32) -> Option<&'a str> {
        if u64::from(number) >= self.count {
            return None;
        }
        let mut rest = Cursor { bytes: self.bytes, at: 0 };
        for _ in 0..number {
            rest.text("a name").ok()?;
        }
        rest.text("a name").ok()
    }
}

/// Reads bincode's fixed-width numbers and texts; every loop over it ends with the bytes,
/// whatever a count says.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: u64, what: &str) -> Result<&'a [u8], LoadError> {
        let rest = &self.bytes[self.at..];
        match usize::try_from(length).ok().and_then(|n| rest.get(..n)) {
            Some(taken) => {
                self.at += taken.len();
                Ok(taken)
            }
            None => Err(invalid(
                "I6",
                format!(
                    "metadata: {what} at byte {} needs {length} bytes, {} are left",
                    self.at,
                    rest.len()
                ),
            )),
        }
    }

    /// A record without lists or texts.
    fn record<T: DeserializeOwned>(&mut self, what: &str) -> Result<T, LoadError> {
        let rest = &self.bytes[self.at..];
        let (record, consumed) = bincode::serde::decode_from_slice(rest, codec())
            .map_err(|error| invalid("I6", format!("metadata: {what}: {error}")))?;
        self.at += consumed;
        Ok(record)
    }

    fn number(&mut self, what: &str) -> Result<u64, LoadError> {
        let mut number = [0; 8];
        number.copy_from_slice(self.take(8, what)?);
        Ok(u64::from_le_bytes(number))
    }

    /// A list of the names of whatever it is.
    fn names(&mut self, what: &str) -> Result<Names<'a>, LoadError> {
        let count = self.number(&format!("number of {what} names"))?;
        let start = self.at;
        let each = format!("a {what}'s name");
        for _ in 0..count {
            self.text(&each)?;
        }
        Ok(Names { count, bytes: &self.bytes[start..self.at] })
    }

    fn text(&mut self, what: &str) -> Result<&'a str, LoadError> {
        let length = self.number(what)?;
        let at = self.at;
        let bytes = self.take(length, what)?;
        std::str::from_utf8(bytes)
            .map_err(|error| invalid("I6", format!("metadata: {what} at byte {at}: {error}")))
    }
}
