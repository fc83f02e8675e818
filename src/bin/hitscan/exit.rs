//! Why the program stops, what it says then, and with which code.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::text::printable;

/// Why a command did not run to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is bad: `file: place: reason`.
    Input(String),
    /// The command line is wrong in a way that clap cannot see.
    Usage(String),
    /// Whoever reads our standard output has had enough: no error of anybody's.
    ReaderGone,
}

impl Failure {
    /// An error about a file.
    pub(crate) fn in_file(file: impl AsRef<Path>, error: &dyn Error) -> Self {
        Self::Input(in_file(file.as_ref(), &with_causes(error)))
    }

    /// An error of the operating system while `doing` something to a file.
    pub(crate) fn io(file: impl AsRef<Path>, doing: &str, error: &io::Error) -> Self {
        Self::Input(format!("{}: {doing}: {error}", file.as_ref().display()))
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
pub(crate) fn in_file(file: &Path, message: &str) -> String {
    let start = format!("{}: ", file.display());
    if message.starts_with(&start) { message.to_owned() } else { start + message }
}

/// An error and its causes, each said once.
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

/// Writes one line to standard error; that nobody reads it is no reason to fail.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
}

/// Says what went wrong, if anything did, and turns it into the exit code.
pub(crate) fn code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(Failure::Input(message)) => {
            say(&format!("hitscan: {message}"));
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            // With the usage of the command that was given.
            let mut cli = crate::Cli::command();
            cli.build();
            let name = std::env::args_os().nth(1).unwrap_or_default();
            let command = match cli.find_subcommand_mut(name) {
                Some(command) => command,
                None => &mut cli,
            };
            let _ = command.error(ErrorKind::ValueValidation, message).print();
            ExitCode::from(2)
        }
    }
}
