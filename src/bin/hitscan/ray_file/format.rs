//! The formats of files of rays and of their answers.

use std::io;
use std::path::Path;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // Records of 32 bytes.
    Bin,
    // Comma-separated values.
    Csv,
    // A JSON object on each line.
    Jsonl,
}

impl Format {
    /// By the file's extension: binary for all but `.csv`, `.jsonl` and `.ndjson`.
    pub(crate) fn of(file: &Path) -> Self {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("csv") => Self::Csv,
            Some("jsonl" | "ndjson") => Self::Jsonl,
            _ => Self::Bin,
        }
    }
}

/// Why a text of rays cannot be read.
pub(crate) enum TextError {
    Io(io::Error),
    /// At this place, for this reason.
    At(String, String),
}
