//! Where results go: standard output, a stream, or a file that appears complete or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::terminal::failure::Failure;

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::stdout(&error))
}

/// The version of the JSON that is printed. It rises when a field goes or changes its meaning, not
/// when one is added.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    schema: u32,
    #[serde(flatten)]
    value: &'a T,
}

/// Writes a value to standard output as JSON. Infinities, which JSON lacks, become `null`.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(&Versioned { schema: SCHEMA, value })
        .map_err(|error| Failure::at("standard output", "writing JSON", &error.to_string()))?;
    print(&format!("{json}\n"))
}

/// A place to write bytes to.
pub(crate) struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Stdout,
    /// A device or a pipe: written as it is.
    Stream(File),
    /// A temporary file beside the target, renamed to it at the end.
    Temporary {
        file: File,
        temporary: PathBuf,
        target: PathBuf,
    },
    Finished,
}

impl Output {
    /// Opens a file, or standard output for `-`.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let sink = if path.as_os_str() == "-" { Ok(Sink::Stdout) } else { Sink::file(path) };
        let sink = sink.map_err(|error| Failure::io(path, "creating", &error))?;
        Ok(Self { path: path.to_owned(), sink })
    }

    /// Why the output cannot be written.
    pub(crate) fn failed(&self, doing: &str, reason: &str) -> Failure {
        Failure::at(&self.path, doing, reason)
    }

    /// Writes all the bytes.
    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.sink {
            Sink::Stdout => io::stdout().write_all(bytes).map_err(|error| Failure::stdout(&error)),
            Sink::Stream(file) | Sink::Temporary { file, .. } => {
                file.write_all(bytes).map_err(|error| Failure::io(&self.path, "writing", &error))
            }
            Sink::Finished => Ok(()),
        }
    }

    /// Makes the written bytes visible under the file's name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match &self.sink {
            Sink::Stdout => io::stdout().flush().map_err(|error| Failure::stdout(&error))?,
            Sink::Temporary { temporary, target, .. } => fs::rename(temporary, target)
                .map_err(|error| Failure::io(&self.path, "renaming", &error))?,
            Sink::Stream(_) | Sink::Finished => {}
        }
        self.sink = Sink::Finished;
        Ok(())
    }
}

impl Sink {
    fn file(path: &Path) -> io::Result<Self> {
        let target = match fs::metadata(path) {
            // Follows links, so that the file is replaced and not the link.
            Ok(metadata) if metadata.is_file() => fs::canonicalize(path)?,
            Ok(_) => return File::options().write(true).open(path).map(Self::Stream),
            Err(_) => path.to_owned(),
        };
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = File::create_new(&temporary)?;
        Ok(Self::Temporary { file, temporary, target })
    }
}

impl Drop for Output {
    /// Removes a result that was not finished.
    fn drop(&mut self) {
        if let Sink::Temporary { temporary, .. } = &self.sink {
            let _ = fs::remove_file(temporary);
        }
    }
}
