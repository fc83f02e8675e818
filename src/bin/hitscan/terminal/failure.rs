//! Why a command stops early.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is bad: `file: place: reason`.
    Input(String),
    /// The command line is wrong in a way that clap cannot detect.
    Usage(String),
    /// The command has done its work and printed the result, which is not as it should be.
    Verdict(String),
    /// The reader of standard output has closed it. This is no error.
    ReaderGone,
}

impl Failure {
    /// An error about a file.
    pub(crate) fn in_file(file: impl AsRef<Path>, error: &dyn Error) -> Self {
        Self::Input(in_file(file, &without_calls(with_causes(error))))
    }

    /// An error about a file that is read. One that is missing has the same text in all commands.
    pub(crate) fn opening(file: impl AsRef<Path>, error: &dyn Error) -> Self {
        let found = fs::metadata(&file);
        match found.map_err(|error| error.kind()).map(|found| found.is_dir()) {
            Err(io::ErrorKind::NotFound) => Self::Input(in_file(file, "there is no such file")),
            Ok(true) => Self::folder(file),
            _ => Self::in_file(file, error),
        }
    }

    /// An error of the operating system while `doing` something to a file.
    pub(crate) fn io(file: impl AsRef<Path>, doing: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::IsADirectory => Self::folder(file),
            _ => Self::at(file, doing, &error.to_string()),
        }
    }

    /// A folder in place of a file.
    pub(crate) fn folder(file: impl AsRef<Path>) -> Self {
        Self::Input(in_file(file, "it is a folder, not a file"))
    }

    /// An error at a place in a file.
    pub(crate) fn at(file: impl AsRef<Path>, place: &str, reason: &str) -> Self {
        Self::Input(format!("{}: {place}: {reason}", file.as_ref().display()))
    }

    /// An error while writing to standard output.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderGone,
            _ => Self::io("standard output", "writing", error),
        }
    }
}

/// Puts the file's name before a message, unless the library has already done so.
pub(crate) fn in_file(file: impl AsRef<Path>, message: &str) -> String {
    let start = format!("{}: ", file.as_ref().display());
    if message.starts_with(&start) { message.to_owned() } else { start + message }
}

/// What the library advises its callers, and what to do on the command line instead.
const CALLS: &[(&str, &str)] = &[
    ("; open it with `Scene::open`", "; give its file, as a scene cannot be read from a pipe"),
    ("; open it with `Bvh::open`", ""),
    ("; see `Scene::open` and `Scene::from_bytes_with`", ""),
    ("option `spatial_budget`", "the spatial budget"),
];

fn without_calls(message: String) -> String {
    let replace = |text: String, (call, words): &(&str, &str)| text.replace(call, words);
    CALLS.iter().fold(message, replace)
}

/// An error with its causes, each once.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let reason = error.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    text
}
