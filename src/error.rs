//! What can go wrong: opaque errors that say what, where and what to do.

use std::fmt;

macro_rules! opaque_error {
    ($(#[$doc:meta])* $name:ident, $kind:ident $(, $field:ident: $type:ty)?) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            kind: $kind,
            message: String,
            source: Option<Box<dyn std::error::Error + Send + Sync>>,
            $($field: Option<$type>,)?
        }

        impl $name {
            pub(crate) fn new(kind: $kind, message: impl Into<String>) -> Self {
                Self { kind, message: message.into(), source: None $(, $field: None)? }
            }

            #[allow(dead_code, reason = "not every error has a cause")]
            pub(crate) fn with_source(
                self,
                source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
            ) -> Self {
                Self { source: Some(source.into()), ..self }
            }

            /// What kind of error this is.
            #[must_use]
            pub fn kind(&self) -> $kind {
                self.kind
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.message)
            }
        }

        impl std::error::Error for $name {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.source.as_deref().map(|source| source as _)
            }
        }
    };
}
#[cfg(feature = "import")]
pub(crate) use opaque_error;

opaque_error! {
    /// Why a bake was refused or stopped.
    BakeError, BakeErrorKind, mesh: u32
}

impl BakeError {
    /// There is not enough memory for a part of the bake.
    #[cold]
    pub(crate) fn out_of_memory(what: &str, error: std::collections::TryReserveError) -> Self {
        let message = format!("there is not enough memory for {what}");
        Self::new(BakeErrorKind::TooLarge, message).with_source(error)
    }

    pub(crate) fn in_mesh(self, mesh: usize) -> Self {
        Self { mesh: u32::try_from(mesh).ok(), ..self }
    }

    /// The mesh at fault, as numbered in the bake, if it is one mesh's fault.
    #[must_use]
    pub fn mesh(&self) -> Option<u32> {
        self.mesh
    }
}

/// The kinds of [`BakeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BakeErrorKind {
    /// A triangle has a NaN or infinite coordinate (after its mesh's transform).
    NonFinite,
    /// An index names a vertex that is not there.
    IndexOutOfRange,
    /// The number of indices (or of positions without indices) is no multiple of three.
    IncompleteTriangle,
    /// A mesh's materials are not one a triangle.
    MaterialCount,
    /// More triangles, meshes or vertices than the format can number, or than there is memory
    /// for.
    TooLarge,
    /// An option is out of range.
    Options,
    /// The progress callback asked to stop.
    Cancelled,
    /// The threads asked for could not be started.
    Threads,
}

opaque_error! {
    /// Why a file, or bytes, could not be opened as a baked tree.
    LoadError, LoadErrorKind
}

impl LoadError {
    /// An error that names a numbered invariant of the file format.
    #[cold]
    pub(crate) fn invalid(invariant: &str, message: impl fmt::Display) -> Self {
        let message = format!("not a sound tree (invariant {invariant}): {message}");
        Self::new(LoadErrorKind::Invalid, message)
    }
}

/// The kinds of [`LoadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// Reading failed.
    Io,
    /// These bytes are no baked tree at all.
    NotHitscan,
    /// Written on, or opened on, a machine of the other byte order.
    Endianness,
    /// A format version that this build does not read.
    Version,
    /// Fewer bytes than the header says.
    Truncated,
    /// More bytes than the header says.
    TrailingBytes,
    /// A borrowed buffer does not start on a 64-byte boundary.
    Misaligned,
    /// A checksum does not match: the bytes were damaged.
    Checksum,
    /// The bytes are intact but break a rule of the format.
    Invalid,
    /// The tree needs more memory than there is, or than this machine can address.
    TooLarge,
}

impl LoadError {
    /// Says which file it was.
    pub(crate) fn in_file(self, path: &std::path::Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }
}

opaque_error! {
    /// Why a tree could not be refitted or moved; the tree is as it was.
    RefitError, RefitErrorKind
}

/// The kinds of [`RefitError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefitErrorKind {
    /// Other meshes than those baked: another number of meshes, vertices or
    /// triangles, or other indices.
    Mismatch,
    /// A coordinate is, or becomes, NaN or infinite.
    NonFinite,
    /// The transform cannot be undone: its determinant is zero.
    Singular,
}

/// A [`InstructionSet`](crate::InstructionSet) that this CPU or this build lacks, or a name that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionSetError {
    pub(crate) known: bool,
    pub(crate) message: String,
}

impl InstructionSetError {
    /// Whether the name is one of a level, which this CPU or this build lacks.
    #[must_use]
    pub fn is_known_level(&self) -> bool {
        self.known
    }
}

impl fmt::Display for InstructionSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InstructionSetError {}

/// A batch whose slices differ in length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchError {
    slice: Slice,
    rays: usize,
    found: usize,
}

/// A slice of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slice {
    Results,
    Column,
}

impl BatchError {
    pub(crate) fn results(rays: usize, found: usize) -> Self {
        Self { slice: Slice::Results, rays, found }
    }

    pub(crate) fn columns(rays: usize, found: usize) -> Self {
        Self { slice: Slice::Column, rays, found }
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rays, found, .. } = self;
        match self.slice {
            Slice::Results => write!(
                f,
                "a batch of {rays} rays needs as many results, but the slice given holds {found}"
            ),
            Slice::Column => write!(
                f,
                "the first column holds numbers of {rays} rays, but another one of {found}"
            ),
        }
    }
}

impl std::error::Error for BatchError {}
