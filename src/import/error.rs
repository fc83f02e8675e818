//! Why a model file was refused, and what was noticed in one that was not.

use std::fmt;

use crate::error::opaque_error;

opaque_error! {
    /// Why a model file could not be read. The message has the form
    /// `<file>: <place>: <reason>`, where the place is a line, a byte, or a path
    /// into JSON such as `meshes[2].primitives[0].indices`.
    ImportError, ImportErrorKind
}

/// The kinds of [`ImportError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportErrorKind {
    /// Reading the file, or a buffer that it names, failed.
    Io,
    /// The extension names no format that is read here.
    UnknownFormat,
    /// The text or the JSON is malformed, or a value has the wrong type.
    Syntax,
    /// The data ends before it should.
    Truncated,
    /// A reference or an index names something that is not there.
    OutOfRange,
    /// Well-formed, but against the rules of the format.
    Invalid,
    /// Sound, but it needs something that is not read here.
    Unsupported,
    /// More than its own bytes can back, or than can be numbered.
    TooLarge,
}

/// An error that does not know its file yet.
#[derive(Debug)]
pub(super) struct Fault {
    kind: ImportErrorKind,
    place: String,
    reason: String,
    source: Option<std::io::Error>,
}

impl Fault {
    pub(super) fn new(
        kind: ImportErrorKind,
        place: impl fmt::Display,
        reason: impl fmt::Display,
    ) -> Self {
        Self { kind, place: place.to_string(), reason: reason.to_string(), source: None }
    }

    pub(super) fn io(
        place: impl fmt::Display,
        reason: impl fmt::Display,
        error: std::io::Error,
    ) -> Self {
        Self { source: Some(error), ..Self::new(ImportErrorKind::Io, place, reason) }
    }

    pub(super) fn in_file(self, file: &str) -> ImportError {
        let Self { kind, place, reason, source } = self;
        let error = ImportError::new(kind, format!("{file}: {place}: {reason}"));
        match source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }
}

/// Warnings, of which a hostile file could otherwise cause any number.
#[derive(Default)]
pub(super) struct Warnings {
    kept: Vec<(String, String)>,
    dropped: usize,
}

impl Warnings {
    const MOST: usize = 100;

    pub(super) fn add(&mut self, place: impl fmt::Display, text: impl fmt::Display) {
        if self.kept.len() < Self::MOST {
            self.kept.push((place.to_string(), text.to_string()));
        } else {
            self.dropped += 1;
        }
    }

    pub(super) fn in_file(self, file: &str) -> Vec<String> {
        let mut all: Vec<String> =
            self.kept.into_iter().map(|(place, text)| format!("{file}: {place}: {text}")).collect();
        if self.dropped > 0 {
            all.push(format!("{file}: {} more warnings", self.dropped));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_capped_and_counted() {
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
        let error = Fault::new(ImportErrorKind::Syntax, "line 3", "'x' is no number");
        let error = error.in_file("a.obj");
        assert_eq!(error.to_string(), "a.obj: line 3: 'x' is no number");
        assert_eq!(error.kind(), ImportErrorKind::Syntax);
    }
}
