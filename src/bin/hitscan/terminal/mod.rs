//! What a command reads and writes: arguments, failures, standard output and files, text, progress.

pub(crate) mod args;
pub(crate) mod failure;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod text;
