//! Errors and warnings of the readers. Both name a place in the file; the file's own name is
//! put in front at the end.

use std::fmt;

use crate::error::opaque_error;

opaque_error! {
    /// Why a model file could not be read. The message has the form
    /// `<file>: <place>: <reason>`, where the place is a line, a byte, or a path
    /// into JSON such as `meshes[2].primitives[0].indices`.
    ImportError, ImportErrorKind
}

pub(super) type Result<T> = std::result::Result<T, ImportError>;

/// The kinds of [`ImportError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportErrorKind {
    /// The file, or a buffer that it refers to, could not be read.
    Io,
    /// The file name's extension belongs to no supported format.
    UnknownFormat,
    /// The text or the JSON is malformed, or a value has the wrong type.
    Syntax,
    /// The data ends too early.
    Truncated,
    /// A reference or an index names something that does not exist.
    OutOfRange,
    /// Well-formed, but against the rules of the format.
    Invalid,
    /// Valid, but it needs a feature that is not supported.
    Unsupported,
    /// More data than the file's own bytes can back, or than 32 bits can number.
    TooLarge,
}

impl ImportError {
    /// An error that does not know its file yet.
    pub(super) fn at(
        kind: ImportErrorKind,
        place: impl fmt::Display,
        reason: impl fmt::Display,
    ) -> Self {
        Self::new(kind, format!("{place}: {reason}"))
    }

    /// A folder in place of a file.
    pub(super) fn folder() -> Self {
        Self::new(ImportErrorKind::Io, "it is a folder, not a file")
    }

    pub(super) fn in_file(self, file: &str) -> Self {
        Self { message: format!("{file}: {}", self.message), ..self }
    }
}

/// Warnings, limited in number: a hostile file could otherwise cause millions.
#[derive(Clone, Default)]
pub(super) struct Warnings {
    kept: Vec<String>,
    dropped: usize,
}

impl Warnings {
    const MAX: usize = 100;

    pub(super) fn add(&mut self, place: impl fmt::Display, text: impl fmt::Display) {
        if self.kept.len() < Self::MAX {
            self.kept.push(format!("{place}: {text}"));
        } else {
            self.dropped += 1;
        }
    }

    pub(super) fn in_file(mut self, file: &str) -> Vec<String> {
        if self.dropped > 0 {
            self.kept.push(format!("{} more warnings", self.dropped));
        }
        self.kept.iter().map(|warning| format!("{file}: {warning}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_beyond_the_limit_are_only_counted() {
        let mut warnings = Warnings::default();
        for i in 0..103 {
            warnings.add(format!("line {i}"), "odd");
        }
        let all = warnings.in_file("a.obj");
        assert_eq!(all.len(), 101);
        assert_eq!(all[0], "a.obj: line 0: odd");
        assert_eq!(all[100], "a.obj: 3 more warnings");
    }

    #[test]
    fn message_names_file_place_and_reason() {
        let error = ImportError::at(ImportErrorKind::Syntax, "line 3", "'x' is not a number");
        let error = error.in_file("a.obj");
        assert_eq!(error.to_string(), "a.obj: line 3: 'x' is not a number");
        assert_eq!(error.kind(), ImportErrorKind::Syntax);
    }
}
