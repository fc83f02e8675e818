//! The errors: opaque, with a typed kind, a message that says what, where and what to do, and a
//! source where another error is behind it.

use std::fmt;

macro_rules! opaque_error {
    ($(#[$doc:meta])* $name:ident, $kind:ident $(, $field:ident: $type:ty)*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            kind: $kind,
            message: String,
            source: Option<Box<dyn std::error::Error + Send + Sync>>,
            $($field: Option<$type>,)*
        }

        impl $name {
            pub(crate) fn new(kind: $kind, message: impl Into<String>) -> Self {
                Self { kind, message: message.into(), source: None $(, $field: None)* }
            }

            #[allow(dead_code, reason = "not every error has a source")]
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

    /// Says where in a scene the error is. The number of the mesh is dropped: it does not number a
    /// mesh of the scene.
    #[cfg(feature = "import")]
    pub(crate) fn within(self, part: impl fmt::Display) -> Self {
        Self { message: format!("{part}: {}", self.message), mesh: None, ..self }
    }

    /// The mesh that caused the error, as numbered in the bake, if one did.
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
    /// [`BadTriangles::Skip`](crate::BadTriangles::Skip) skips such triangles.
    NonFinite,
    /// An index is not below the number of vertices.
    /// [`BadTriangles::Skip`](crate::BadTriangles::Skip) skips such triangles.
    IndexOutOfRange,
    /// The number of indices, or of positions where there are no indices, is not a multiple of
    /// three.
    IncompleteTriangle,
    /// A mesh does not have one material per triangle.
    MaterialCount,
    /// More triangles, meshes or vertices than the format can number or memory can hold.
    TooLarge,
    /// An option is out of range.
    Options,
    /// The progress callback asked to stop.
    Cancelled,
    /// The requested threads could not be started.
    Threads,
    /// An instance of an import cannot be placed in a scene.
    Instance,
}

opaque_error! {
    /// Why a file or a slice of bytes could not be opened as a baked tree or a scene.
    LoadError, LoadErrorKind
}

impl LoadError {
    /// An error that names a numbered invariant of the file format.
    pub(crate) fn invalid(invariant: &str, message: impl fmt::Display) -> Self {
        Self::unsound("tree", invariant, message)
    }

    /// The same for another kind of file.
    #[cold]
    pub(crate) fn unsound(what: &str, invariant: &str, message: impl fmt::Display) -> Self {
        let message = format!("not a sound {what} (invariant {invariant}): {message}");
        Self::new(LoadErrorKind::Invalid, message)
    }

    /// Says where in a file the error is.
    pub(crate) fn within(self, part: impl fmt::Display) -> Self {
        Self { message: format!("{part}: {}", self.message), ..self }
    }
}

/// The kinds of [`LoadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// Reading failed.
    Io,
    /// The bytes are not a baked tree, or not a scene.
    NotHitscan,
    /// Written or opened on a big-endian machine.
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
    /// The tree needs more memory than is available, or than this machine can address.
    TooLarge,
    /// A tree that a scene refers to is not beside it, or is another one.
    Reference,
}

impl LoadError {
    /// Adds the file to the message.
    pub(crate) fn in_file(self, path: &std::path::Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }
}

opaque_error! {
    /// Why a tree could not be refitted or moved; the tree is unchanged.
    RefitError, RefitErrorKind
}

/// The kinds of [`RefitError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefitErrorKind {
    /// The meshes are not those baked: their number, their vertices, their triangles or their
    /// indices differ.
    Mismatch,
    /// A coordinate is NaN or infinite, or the transform makes it so.
    NonFinite,
    /// The transform cannot be inverted: its determinant is zero.
    Singular,
}

opaque_error! {
    /// Why a change of a [`Scene`](crate::Scene) was refused; the scene is unchanged.
    SceneError, SceneErrorKind
}

/// The kinds of [`SceneError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneErrorKind {
    /// The handle belongs to an instance that was removed, or to no instance of this scene. (A
    /// handle of another scene can happen to be the handle of an instance here.)
    StaleHandle,
    /// A number of the transform is NaN or infinite.
    NonFinite,
    /// The transform cannot be inverted: it makes everything flat, or nearly so in a direction
    /// that is none of the tree's axes, or it is larger or smaller than 2^60.
    Singular,
    /// A [volume](crate::scene#volumes) holds no point, because a minimum is above its maximum or a
    /// radius is negative; or a number of it is NaN or infinite, or would be in the world; or an
    /// oriented box would have a transform there that is [`Singular`](Self::Singular). (A flat box
    /// and a radius of zero are sound.)
    InvalidVolume,
    /// A tree was asked for or given where a volume is, or the other way round.
    WrongBody,
    /// More instances than can be numbered.
    TooLarge,
}

opaque_error! {
    /// Why points have no [`ConvexHull`](crate::ConvexHull).
    HullError, HullErrorKind
}

/// The kinds of [`HullError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HullErrorKind {
    /// A coordinate is NaN or infinite, or a transform makes it so.
    NonFinite,
    /// All points are in a plane, on a line or in one place, or there are none.
    Flat,
    /// The number of sides of a cylinder or cone is out of range, or its radius is negative.
    Argument,
    /// The hull has more corners than
    /// [`MOST_CORNERS`](crate::ConvexHull::MOST_CORNERS). Points that are no corners do not count.
    TooManyCorners,
}

opaque_error! {
    /// Why an [`InstructionSet`](crate::InstructionSet) could not be chosen by name.
    InstructionSetError, InstructionSetErrorKind
}

/// The kinds of [`InstructionSetError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstructionSetErrorKind {
    /// No instruction set has this name.
    Unknown,
    /// This CPU or this build lacks the instruction set.
    Unavailable,
}

opaque_error! {
    /// Why a batch was refused; the results are as they were.
    BatchError, BatchErrorKind
}

/// The kinds of [`BatchError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchErrorKind {
    /// The slice of results is not as long as the slice of questions.
    ResultCount,
}

impl BatchError {
    pub(crate) fn results(questions: usize, found: usize) -> Self {
        let message = format!(
            "a batch of {questions} needs {questions} results, but the slice holds {found}"
        );
        Self::new(BatchErrorKind::ResultCount, message)
    }
}

opaque_error! {
    /// Why inside and outside cannot be told apart.
    InsideError, InsideErrorKind, mesh: u32, instance: u64
}

/// The kinds of [`InsideError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsideErrorKind {
    /// A surface is open: an edge belongs to an odd number of triangles.
    Open,
    /// Triangles that share an edge are wound in different ways.
    MixedWinding,
    /// A mesh is closed only together with another one, which the query's mask hides.
    Hidden,
    /// A surface is there twice, once in each direction, as where faces are made visible from both
    /// sides: neither side is inside.
    DoubleSided,
}

impl InsideError {
    #[cold]
    pub(crate) fn in_mesh(kind: InsideErrorKind, mesh: u32, message: String) -> Self {
        Self { mesh: Some(mesh), ..Self::new(kind, message) }
    }

    /// The same of an instance of a scene: the number of its handle, and its name.
    #[cold]
    pub(crate) fn in_instance(self, instance: u64, name: &str) -> Self {
        let message = format!("{name}: {}", self.message);
        Self { message, instance: Some(instance), ..self }
    }

    /// The number of the handle of the instance, if a scene was asked.
    pub(crate) fn instance_bits(&self) -> Option<u64> {
        self.instance
    }

    /// The mesh that does not enclose a volume, as numbered in the bake.
    #[must_use]
    pub fn mesh(&self) -> u32 {
        self.mesh.unwrap_or_default()
    }
}

opaque_error! {
    /// Why rays could not be read or written.
    RayFileError, RayFileErrorKind, offset: u64
}

/// The kinds of [`RayFileError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RayFileErrorKind {
    /// Reading or writing failed.
    Io,
    /// The bytes end within a ray.
    Truncated,
}

impl RayFileError {
    pub(crate) fn io(doing: &str, error: std::io::Error) -> Self {
        let message = format!("{doing} rays: {error}");
        Self::new(RayFileErrorKind::Io, message).with_source(error)
    }

    pub(crate) fn at(self, offset: u64) -> Self {
        Self { offset: Some(offset), ..self }
    }

    /// Where the ray that is cut off begins, in bytes from where reading began. `None` if that is
    /// not the error.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }
}

#[cfg(feature = "record")]
opaque_error! {
    /// Why a [recording](crate::record) could not be written or read.
    RecordingError, RecordingErrorKind, offset: u64
}

/// The kinds of [`RecordingError`].
#[cfg(feature = "record")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingErrorKind {
    /// Reading or writing failed.
    Io,
    /// The bytes are no recording.
    NotRecording,
    /// A format version that this build does not read.
    Version,
    /// A checksum does not match: the bytes were damaged.
    Checksum,
    /// The bytes are intact but break a rule of the format.
    Invalid,
}

#[cfg(feature = "record")]
impl RecordingError {
    pub(crate) fn io(doing: &str, error: std::io::Error) -> Self {
        let message = format!("{doing}: {error}");
        Self::new(RecordingErrorKind::Io, message).with_source(error)
    }

    /// Says where in the bytes the error is.
    pub(crate) fn at(self, offset: u64) -> Self {
        let message = format!("byte {offset}: {}", self.message);
        Self { message, offset: Some(offset), ..self }
    }

    /// Adds the file to the message.
    pub(crate) fn in_file(self, path: &std::path::Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }

    /// Where the block or record begins that is wrong, in bytes from the start. `None` if no place
    /// is.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }
}

#[cfg(feature = "visibility")]
opaque_error! {
    /// Why [`visibility`](crate::Bvh::visibility) or [`occlusion`](crate::Bvh::occlusion) ended
    /// without an answer.
    VisibilityError, VisibilityErrorKind
}

/// The kinds of [`VisibilityError`].
#[cfg(feature = "visibility")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VisibilityErrorKind {
    /// There is not enough memory for a bit for each pair of points.
    TooLarge,
    /// The progress callback asked to stop.
    Cancelled,
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn errors_tell_kind_message_mesh_and_source() {
        let source = std::io::Error::other("disk");
        let error = LoadError::new(LoadErrorKind::Io, "cannot read").with_source(source);
        let error = error.in_file(std::path::Path::new("a.hbvh"));
        assert_eq!(
            (error.kind(), error.to_string()),
            (LoadErrorKind::Io, "a.hbvh: cannot read".into())
        );
        assert_eq!(error.source().map(ToString::to_string), Some("disk".into()));
        let error = BakeError::new(BakeErrorKind::NonFinite, "NaN").in_mesh(3);
        assert_eq!((error.mesh(), error.source().is_none()), (Some(3), true));
    }
}
