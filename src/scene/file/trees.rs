//! The records of trees: embedded ones, and files beside.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bytemuck::{Pod, Zeroable};

use super::kind::SCENE;
use super::names::Names;
use crate::error::{LoadError, LoadErrorKind};
use crate::file::TreeHeader;

/// A tree, as it lies in the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TreeRecord {
    pub(super) kind: u32,
    pub(super) name_length: u32,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// The header checksum of its file.
    pub(super) checksum: u64,
}

const _: () = assert!(size_of::<TreeRecord>() == 32);

pub(super) const EMBEDDED: u32 = 1;
pub(super) const BESIDE: u32 = 2;
/// The most bytes of a file's name.
const MAX_FILE_NAME: usize = 255;

/// Where a tree is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source<'a> {
    /// At this offset.
    Embedded(u64),
    /// In the file of this name.
    Beside(&'a str),
}

/// A tree that a checked record tells of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree<'a> {
    pub(super) source: Source<'a>,
    pub(super) length: u64,
    pub(super) checksum: u64,
}

impl Tree<'_> {
    /// Checks that a tree's file is the one that is meant (I10).
    pub(super) fn check(&self, header: &TreeHeader) -> Result<(), LoadError> {
        self.check_length(header.total_length)?;
        self.expect("header checksum", header.header_checksum, self.checksum)
    }

    /// What can be checked before the file is opened.
    pub(super) fn check_length(&self, found: u64) -> Result<(), LoadError> {
        self.expect("length", found, self.length)
    }

    fn expect(&self, what: &str, found: u64, expected: u64) -> Result<(), LoadError> {
        if found == expected {
            return Ok(());
        }
        Err(match self.source {
            Source::Embedded(_) => {
                SCENE.invalid("I10", format!("its {what} is {found:#x}, expected {expected:#x}"))
            }
            Source::Beside(_) => {
                let message = format!(
                    "it is another tree than the one that the scene was saved with: its {what} is \
                     {found:#x}, expected {expected:#x}"
                );
                LoadError::new(LoadErrorKind::Reference, message)
            }
        })
    }
}

/// Checks the records of all trees, of which embedded ones fill the file from `start` to `end`
/// (I6 to I9).
pub(super) fn check_trees<'a>(
    records: &[TreeRecord],
    names: &mut Names<'a>,
    start: u64,
    end: u64,
) -> Result<Vec<Tree<'a>>, LoadError> {
    let invalid = |invariant, number: usize, message: String| {
        Err(SCENE.invalid(invariant, format!("tree {number}: {message}")))
    };
    let mut at = start;
    let mut known = HashMap::with_capacity(records.len());
    let mut trees = Vec::with_capacity(records.len());
    for (number, record) in records.iter().enumerate() {
        let &TreeRecord { kind, name_length, offset, length, checksum } = record;
        let name = names.next(name_length, || format!("tree {number}"))?;
        let source = match kind {
            EMBEDDED if !name.is_empty() => {
                return invalid("I7", number, "an embedded tree has no name".to_owned());
            }
            EMBEDDED if offset != at => {
                return invalid("I7", number, format!("its offset is {offset}, expected {at}"));
            }
            EMBEDDED => match at.checked_add(length).filter(|&next| next <= end) {
                Some(next) => {
                    at = next;
                    Source::Embedded(offset)
                }
                None => {
                    let message =
                        format!("its {length} bytes at {at} pass the file's end at {end}");
                    return invalid("I7", number, message);
                }
            },
            BESIDE if offset != 0 => {
                return invalid("I7", number, format!("its offset is {offset}, expected 0"));
            }
            BESIDE => {
                if let Err(reason) = check_file_name(name) {
                    return invalid("I8", number, format!("its file's name {name:?} {reason}"));
                }
                Source::Beside(name)
            }
            _ => return invalid("I7", number, format!("its kind is {kind}, expected 1 or 2")),
        };
        match known.entry((length, checksum)) {
            Entry::Vacant(entry) => _ = entry.insert(number),
            Entry::Occupied(entry) => {
                return invalid("I9", number, format!("it is the same as tree {}", entry.get()));
            }
        }
        trees.push(Tree { source, length, checksum });
    }
    if at != end {
        let message = format!("total length is {end}, but the embedded trees end at {at}");
        return Err(SCENE.invalid("I7", message));
    }
    Ok(trees)
}

/// Whether a name can name a file in the same folder, whatever system opens it (I8). Otherwise the
/// fault in it.
pub(super) fn check_file_name(name: &str) -> Result<(), &'static str> {
    match name {
        "" => Err("is empty"),
        "." | ".." => Err("is that of a folder"),
        _ if name.len() > MAX_FILE_NAME => Err("has more than 255 bytes"),
        _ if name.contains(['/', '\\', ':']) => Err("has a slash, a backslash or a colon in it"),
        _ if name.contains(char::is_control) => Err("has a control character in it"),
        _ => Ok(()),
    }
}
