//! Words and numbers for people and for programs.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use hitscan::bake::BakeSummary;
use hitscan::file::Source;
use hitscan::glam::Vec3;
use serde::Serialize;

use crate::exit::Failure;

/// The text with control characters escaped: names come from files that anybody may have
/// made, and must neither break a line nor steer a terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            let _ = write!(safe, "{}", c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A point as the arguments take it, so that it can be pasted back; the digits are the
/// fewest that give the same number again.
pub(crate) fn point(p: Vec3) -> String {
    format!("{},{},{}", p.x, p.y, p.z)
}

/// A source file, with its hash in hexadecimal: few readers of JSON keep all 64 bits of a
/// number.
#[derive(Serialize)]
pub(crate) struct SourceRow {
    pub(crate) name: String,
    pub(crate) hash: String,
}

impl SourceRow {
    pub(crate) fn new(source: &Source) -> Self {
        Self { name: source.name.clone(), hash: format!("{:016x}", source.hash) }
    }
}

/// The shape of a tree.
pub(crate) fn tree(summary: &BakeSummary) -> String {
    let &BakeSummary { nodes, leaves, depth, references, .. } = summary;
    format!("nodes {nodes}, leaves {leaves}, depth {depth}, references {references}")
}

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::stdout(&error))
}

/// Writes a value to standard output as JSON. Numbers that JSON lacks (infinities) become
/// `null`.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Input(format!("standard output: writing JSON: {error}")))?;
    print(&format!("{json}\n"))
}
