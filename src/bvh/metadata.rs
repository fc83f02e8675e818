//! The metadata record: where a tree came from and how it was baked.
//!
//! It is encoded by bincode with fixed-width integers. [`Outline`] checks encoded bytes in place
//! before anything is decoded, so a length in a hostile file cannot cause a large allocation.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Bvh;
use super::names::NameTable;
use crate::error::{BakeError, BakeErrorKind, LoadError};

/// The version of the file format that this build writes and reads. It goes up with every change
/// of what a file's bytes mean.
pub const FORMAT_VERSION: u32 = 7;

/// The most bytes that encoded metadata may have (invariant I3).
pub(crate) const METADATA_LIMIT: usize = 1 << 28;

/// What a tree says about itself: which version of the crate baked it, how and from what, and the
/// result.
///
/// The same bake gives the same record: it holds no times, no machine names, no directories.
/// [`Bvh::metadata`](crate::Bvh::metadata) decodes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metadata {
    /// The crate and version that baked the tree, as in `hitscan 0.1.0`.
    pub builder: String,
    /// The preset that the tree was baked with.
    pub quality: Quality,
    /// The limit on references added by spatial splits, as a fraction of the triangles: see
    /// [`Builder::spatial_budget`](crate::Builder::spatial_budget).
    pub spatial_budget: f64,
    /// The files it was baked from, without directories.
    pub sources: Vec<Source>,
    /// Names of the meshes, in order.
    pub mesh_names: Vec<String>,
    /// Names of the materials, by material number, as far as they were
    /// [given](crate::Builder::material_names).
    pub material_names: Vec<String>,
    /// Counts and costs of the tree.
    pub summary: BakeSummary,
}

/// How much work a bake puts into the tree. Hits are the same, bit for bit, with every preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Quality {
    /// For edits in a running tool and for small files. Compared with `Balanced` it bakes in two
    /// thirds of the time and takes a seventh fewer bytes; queries take up to a quarter longer.
    ///
    /// Binned surface area heuristic with 16 bins on the widest axis. A set of triangles that fits
    /// a leaf becomes one.
    Fast,
    /// For meshes of evenly sized triangles, such as scans and terrains. Each triangle is in one
    /// leaf.
    ///
    /// Binned surface area heuristic (Wald 2007) with 32 bins per axis down to single triangles,
    /// then the optimal collapse into wide nodes (Ylitie, Karras and Laine 2017), weighted by
    /// sample rays (after Bittner and Havran 2009).
    #[default]
    Balanced,
    /// For architecture, where large triangles lie across small ones. Takes two to four times as
    /// long to bake as `Balanced`, less where there is nothing to cut. Queries take up to a fifth
    /// less time, at worst a few percent more.
    ///
    /// `Balanced` with spatial splits (Stich, Friedrich and Dietrich 2009): up to half as many
    /// extra references as there are triangles.
    Best,
}

/// Counts and costs of a baked tree: the part of a report that is the same for the same bake, and
/// is stored with the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BakeSummary {
    /// Triangles given, skipped ones included.
    pub triangles_in: u64,
    /// Triangles in the tree.
    pub triangles_kept: u64,
    /// References from leaves to triangles. Spatial splits put a triangle into several leaves, so
    /// there may be more references than triangles.
    pub references: u64,
    /// Triangles skipped because their area is zero.
    pub skipped_degenerate: u64,
    /// Triangles skipped, on request, because a coordinate is NaN or infinite.
    pub skipped_non_finite: u64,
    /// Triangles skipped, on request, because an index names no vertex.
    pub skipped_out_of_range: u64,
    /// Wide nodes.
    pub nodes: u64,
    /// Leaf blocks.
    pub leaves: u64,
    /// Levels of wide nodes; 0 for an empty tree.
    pub depth: u32,
    /// Expected cost of a random ray by the surface area heuristic, in node tests.
    pub sah_cost: f64,
    /// Bytes of nodes, leaf blocks, mesh table and materials.
    pub tree_bytes: u64,
}

impl Bvh {
    /// The name of a mesh, or `None` if there is no such mesh.
    ///
    /// The first call for a tree, or for any of its clones, copies all names into a table. From
    /// then on it takes a few nanoseconds and allocates nothing.
    #[must_use]
    pub fn mesh_name(&self, mesh: u32) -> Option<&str> {
        self.names().mesh(mesh)
    }

    /// The name of a material, by the number that [hits](crate::Hit::material) have, or `None` if
    /// it was not [given](crate::Builder::material_names). An import gives `Some("")` for a
    /// material without a name. Takes as long as [`mesh_name`](Self::mesh_name).
    #[must_use]
    pub fn material_name(&self, material: u32) -> Option<&str> {
        self.names().material(material)
    }

    fn names(&self) -> &NameTable {
        self.tables().names.get_or_init(|| {
            // Metadata that does not decode has no names.
            let outline = Outline::read(self.view().metadata);
            let (meshes, materials) =
                outline.map(|found| (found.mesh_names, found.material_names)).unwrap_or_default();
            NameTable::new(meshes.iter(), materials.iter())
        })
    }

    /// What the tree says about itself. Decoded at each call, in time proportional to its length.
    ///
    /// Metadata that does not decode, which only the `unchecked` functions let in, gives the
    /// default record.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        Metadata::decode(self.view().metadata).unwrap_or_default()
    }
}

/// A file that a tree was baked from, by name and content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, without directories.
    pub name: String,
    /// xxh3-64 of its bytes.
    pub hash: u64,
}

impl Source {
    /// Reads a file, names it by the last component of its path and hashes its bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        Ok(Self::of(path, &std::fs::read(path)?))
    }

    /// A file whose bytes are known, named by the last component of its path.
    #[must_use]
    pub fn of(path: impl AsRef<Path>, bytes: &[u8]) -> Self {
        let path = path.as_ref();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self { name, hash: xxh3_64(bytes) }
    }
}

/// A hash of a list of sources: the number that a file's header carries at offset 48.
///
/// A build step can compare it with the eight bytes there, little-endian, to find out whether a
/// file was baked from these sources. Buffers in files of their own are not among them:
/// `Builder::content_hash` sees all.
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
                    "names of meshes, materials and sources need more than {METADATA_LIMIT} \
                     bytes: {found}"
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

    /// Decodes what [`Metadata::encode`] wrote. Allocates a small multiple of the bytes' length,
    /// even for hostile bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, LoadError> {
        // bincode allocates what a length prefix says before it reads the bytes. The outline
        // checks every length first.
        Outline::read(bytes)?;
        let (metadata, consumed) = bincode::serde::decode_from_slice(bytes, codec())
            .map_err(|error| invalid(format_args!("{error}")))?;
        check_consumed(consumed, bytes.len())?;
        Ok(metadata)
    }
}

fn check_consumed(consumed: usize, length: usize) -> Result<(), LoadError> {
    if consumed == length {
        return Ok(());
    }
    Err(invalid(format_args!("the record is {consumed} bytes long, the section {length}")))
}

/// The record does not have the form that invariant I6 demands.
fn invalid(message: std::fmt::Arguments<'_>) -> LoadError {
    LoadError::invalid("I6", format_args!("metadata: {message}"))
}

/// Encoded metadata that has been checked. Texts stay where they are: nothing is allocated.
#[derive(Clone, Debug)]
pub(crate) struct Outline<'a> {
    /// The encoded list of sources.
    sources: &'a [u8],
    pub(crate) mesh_names: Names<'a>,
    material_names: Names<'a>,
    pub(crate) summary: BakeSummary,
}

impl<'a> Outline<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let mut rest = Cursor { bytes, at: 0 };
        rest.text("builder")?;
        rest.record::<Quality>("quality")?;
        rest.record::<f64>("spatial budget")?;

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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names<'a> {
    pub(crate) count: u64,
    bytes: &'a [u8],
}

impl<'a> Names<'a> {
    fn iter(self) -> impl Iterator<Item = &'a str> {
        let mut rest = Cursor { bytes: self.bytes, at: 0 };
        (0..self.count).map_while(move |_| rest.text("a name").ok())
    }
}

/// Reads bincode's fixed-width numbers and texts. A count never makes a loop longer than the bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: u64, what: &str) -> Result<&'a [u8], LoadError> {
        let rest = &self.bytes[self.at..];
        let taken = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let taken = taken.ok_or_else(|| {
            invalid(format_args!(
                "{what} at byte {} needs {length} bytes, {} are left",
                self.at,
                rest.len()
            ))
        })?;
        self.at += taken.len();
        Ok(taken)
    }

    /// A record without lists or texts.
    fn record<T: DeserializeOwned>(&mut self, what: &str) -> Result<T, LoadError> {
        let rest = &self.bytes[self.at..];
        let (record, consumed) = bincode::serde::decode_from_slice(rest, codec())
            .map_err(|error| invalid(format_args!("{what}: {error}")))?;
        self.at += consumed;
        Ok(record)
    }

    fn number(&mut self, what: &str) -> Result<u64, LoadError> {
        let mut number = [0; 8];
        number.copy_from_slice(self.take(8, what)?);
        Ok(u64::from_le_bytes(number))
    }

    /// A list of names of meshes or materials.
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
            .map_err(|error| invalid(format_args!("{what} at byte {at}: {error}")))
    }
}
