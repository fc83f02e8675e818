//! Where the results of a batch go: a file that appears whole or not at all, or a stream.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// A place to write bytes to.
pub(crate) struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Stdout,
    /// Something that is no regular file (a device, a pipe): written as it is.
    Stream(File),
    /// A temporary file beside the target, renamed to it at the end.
    Whole {
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

    /// Writes all the bytes.
    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.sink {
            Sink::Stdout => {
                return io::stdout()
                    .lock()
                    .write_all(bytes)
                    .map_err(|error| Failure::stdout(&error));
            }
            Sink::Stream(file) | Sink::Whole { file, .. } => file.write_all(bytes),
            Sink::Finished => Ok(()),
        };
        written.map_err(|error| Failure::io(&self.path, "writing", &error))
    }

    /// Makes what was written visible under its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match &self.sink {
            Sink::Stdout => io::stdout().lock().flush().map_err(|error| Failure::stdout(&error))?,
            Sink::Whole { temporary, target, .. } => fs::rename(temporary, target)
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
            // Through links, so that the file is replaced and not the link.
            Ok(metadata) if metadata.is_file() => fs::canonicalize(path)?,
            Ok(_) => return File::options().write(true).open(path).map(Self::Stream),
            Err(_) => path.to_owned(),
        };
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = File::create_new(&temporary)?;
        Ok(Self::Whole { file, temporary, target })
    }
}

impl Drop for Output {
    /// Half a result is none: what was not finished is removed.
    fn drop(&mut self) {
        if let Sink::Whole { temporary, .. } = &self.sink {
            let _ = fs::remove_file(temporary);
        }
    }
}
