//! The header and the section table, which are read and checked before all else.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::checksum;
use super::kind::{ENDIANNESS, FileKind, too_short};
use crate::bvh::{
    FORMAT_VERSION, LeafBlock, MAX_BLOCKS, MAX_NODES, METADATA_LIMIT, MeshRecord, Node, TreeView,
};
use crate::error::{LoadError, LoadErrorKind};

/// Baked trees.
pub(crate) const TREE: FileKind = FileKind {
    magic: *b"\x89HBVH\r\n\x1a",
    name: "tree",
    long_name: "baked tree",
    version: FORMAT_VERSION,
};
/// Metadata by bincode 2: fixed-width integers, little-endian.
const CODEC: u32 = 1;
/// Nodes of sixteen `f32` boxes, leaf blocks of eight triangles.
const LAYOUT: u32 = 1;
/// Every section, and the file's end, lies on a multiple of this.
pub(crate) const ALIGNMENT: usize = 64;
/// Number of sections.
pub(crate) const SECTIONS: usize = 6;
/// Which section is which.
pub(crate) const METADATA: usize = 0;
pub(crate) const NODES: usize = 1;
pub(crate) const BLOCKS: usize = 2;
pub(crate) const MESHES: usize = 3;
pub(crate) const MATERIALS: usize = 4;
pub(crate) const USER: usize = 5;
/// Bytes of the header and the section table.
pub(crate) const HEADER_LENGTH: usize = size_of::<Header>();
/// The header's checksum covers the bytes from here on: those before it have one value only.
pub(crate) const HEADER_CHECKSUM_FROM: usize = 24;

/// Names of the sections in order. Their kinds are 1 to 6.
pub(crate) const SECTION_NAMES: [&str; SECTIONS] =
    ["metadata", "nodes", "leaf blocks", "mesh table", "materials", "user data"];

const ELEMENT_SIZES: [u32; SECTIONS] = [
    1,
    size_of::<Node>() as u32,
    size_of::<LeafBlock>() as u32,
    size_of::<MeshRecord>() as u32,
    size_of::<u32>() as u32,
    1,
];

/// The most elements that a section may hold (invariant I3).
const COUNT_LIMITS: [u64; SECTIONS] = [
    METADATA_LIMIT as u64,
    MAX_NODES as u64,
    MAX_BLOCKS as u64,
    u32::MAX as u64,
    u32::MAX as u64,
    USER_LIMIT,
];

/// The most bytes of user data (invariant I3).
const USER_LIMIT: u64 = 1 << 40;

/// The fixed part and the section table, as they lie in the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    magic: [u8; 8],
    endianness: u32,
    version: u32,
    pub(crate) header_checksum: u64,
    codec: u32,
    layout: u32,
    header_length: u32,
    section_count: u32,
    pub(crate) total_length: u64,
    pub(crate) source_hash: u64,
    pub(crate) content_hash: u64,
    pub(crate) sections: [Section; SECTIONS],
}

/// An entry of the section table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Section {
    pub(crate) kind: u32,
    pub(crate) element_size: u32,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) count: u64,
    pub(crate) checksum: u64,
}

impl Section {
    /// Reads the whole section for its checksum.
    pub(crate) fn of(kind: u32, element_size: u32, offset: u64, bytes: &[u8]) -> Self {
        let length = bytes.len() as u64;
        let (count, checksum) = (length / u64::from(element_size), checksum::checksum(bytes));
        Self { kind, element_size, offset, length, count, checksum }
    }
}

const _: () = assert!(size_of::<Section>() == 40);
const _: () = assert!(size_of::<Header>() == 304);

impl Header {
    /// The header of a tree's file. Reads the whole tree for its checksums.
    pub(crate) fn of(view: &TreeView<'_>, source_hash: u64) -> Self {
        let mut header = Self {
            magic: TREE.magic,
            endianness: ENDIANNESS,
            version: FORMAT_VERSION,
            header_checksum: 0,
            codec: CODEC,
            layout: LAYOUT,
            header_length: HEADER_LENGTH as u32,
            section_count: SECTIONS as u32,
            total_length: 0,
            source_hash,
            content_hash: view.content_hash,
            sections: [Section::zeroed(); SECTIONS],
        };
        let mut offset = aligned(HEADER_LENGTH as u64);
        for (index, bytes) in view.sections().into_iter().enumerate() {
            let kind = index as u32 + 1;
            header.sections[index] = Section::of(kind, ELEMENT_SIZES[index], offset, bytes);
            offset = aligned(offset + bytes.len() as u64);
        }
        header.total_length = offset;
        header.header_checksum = header.checksum();
        header
    }

    pub(crate) fn checksum(&self) -> u64 {
        xxh3_64(&bytemuck::bytes_of(self)[HEADER_CHECKSUM_FROM..])
    }

    /// Steps 1 to 5 of the specification's order of validation. `bytes` are the beginning of the
    /// file; what follows the section table is not read.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, LoadError> {
        TREE.check_start(bytes)?;
        let Some(header) = bytes.get(..HEADER_LENGTH) else {
            return Err(too_short(bytes.len(), "header and section table"));
        };
        let header: Self = bytemuck::pod_read_unaligned(header);
        TREE.check_checksum("the header is", header.checksum(), header.header_checksum)?;
        if header.codec != CODEC {
            return Err(TREE.other_version("metadata codec", header.codec, CODEC));
        }
        if header.layout != LAYOUT {
            return Err(TREE.other_version("tree layout", header.layout, LAYOUT));
        }
        header.check_table()?;
        Ok(header)
    }

    /// What can be checked of the header and the table without the rest of the file (I1 to I3).
    fn check_table(&self) -> Result<(), LoadError> {
        expect("I1", "header length", self.header_length, HEADER_LENGTH)?;
        expect("I1", "section count", self.section_count, SECTIONS)?;
        let mut offset = aligned(HEADER_LENGTH as u64);
        for (index, section) in self.sections.iter().enumerate() {
            let field = |field: &str| format!("{} section: {field}", SECTION_NAMES[index]);
            expect("I2", &field("kind"), section.kind, index as u64 + 1)?;
            let element_size = ELEMENT_SIZES[index];
            expect("I2", &field("element size"), section.element_size, element_size)?;
            if section.count > COUNT_LIMITS[index] {
                return Err(invalid(
                    "I3",
                    format!(
                        "{} is {}, at most {} are allowed",
                        field("count"),
                        section.count,
                        COUNT_LIMITS[index]
                    ),
                ));
            }
            // The limits keep these far below overflow: 2^28 nodes of 448 bytes.
            let length = section.count * u64::from(element_size);
            expect("I2", &field("length"), section.length, length)?;
            expect("I2", &field("offset"), section.offset, offset)?;
            offset = aligned(offset + length);
        }
        expect("I2", "total length", self.total_length, offset)
    }

    /// Checks that there are exactly as many bytes as the header says (I4).
    pub(crate) fn check_length(&self, found: u64) -> Result<(), LoadError> {
        TREE.check_length(found, self.total_length)
    }

    /// Checks a section's checksum (I4).
    pub(crate) fn check_checksum(&self, section: usize, found: u64) -> Result<(), LoadError> {
        let what = format!("the {} are", SECTION_NAMES[section]);
        TREE.check_checksum(&what, found, self.sections[section].checksum)
    }

    /// Checks a section's bytes against its checksum (I4).
    pub(crate) fn check_section(&self, section: usize, bytes: &[u8]) -> Result<(), LoadError> {
        self.check_checksum(section, checksum::checksum(bytes))
    }

    /// Checks that the header's source hash is the hash of the metadata's sources (I6).
    pub(crate) fn check_source_hash(&self, found: u64) -> Result<(), LoadError> {
        let expected = self.source_hash;
        if found == expected {
            return Ok(());
        }
        Err(invalid(
            "I6",
            format!(
                "the header's source hash is {expected:#018x}, the metadata's sources give \
                 {found:#018x}"
            ),
        ))
    }

    /// Where each section lies. Only for a checked header whose length matches bytes in
    /// memory, so that everything fits a `usize`.
    pub(crate) fn ranges(&self) -> [Range<usize>; SECTIONS] {
        self.sections.map(|section| {
            let start = section.offset as usize;
            start..start + section.length as usize
        })
    }

    /// Where the padding lies: behind the table and behind each section.
    pub(crate) fn padding(&self) -> [Range<u64>; SECTIONS + 1] {
        let mut end = HEADER_LENGTH as u64;
        std::array::from_fn(|index| {
            let start = end;
            match self.sections.get(index) {
                Some(section) => {
                    end = section.offset + section.length;
                    start..section.offset
                }
                None => start..self.total_length,
            }
        })
    }

    /// Number of elements of a section.
    pub(crate) fn count(&self, index: usize) -> Result<usize, LoadError> {
        let Section { count, length, .. } = self.sections[index];
        match (usize::try_from(count), isize::try_from(length)) {
            (Ok(count), Ok(_)) => Ok(count),
            _ => Err(LoadError::new(
                LoadErrorKind::TooLarge,
                format!(
                    "the {} need {length} bytes, more than this machine can address",
                    SECTION_NAMES[index]
                ),
            )),
        }
    }
}

/// The next multiple of [`ALIGNMENT`].
pub(crate) fn aligned(offset: u64) -> u64 {
    offset.next_multiple_of(ALIGNMENT as u64)
}

/// An error that names a numbered invariant of the specification.
pub(crate) fn invalid(invariant: &str, message: impl std::fmt::Display) -> LoadError {
    LoadError::invalid(invariant, message)
}

fn expect<A: Into<u64>, B: TryInto<u64>>(
    invariant: &str,
    what: &str,
    found: A,
    expected: B,
) -> Result<(), LoadError> {
    let found = found.into();
    match expected.try_into() {
        Ok(expected) if found == expected => Ok(()),
        Ok(expected) => Err(invalid(invariant, format!("{what} is {found}, expected {expected}"))),
        Err(_) => Err(invalid(invariant, format!("{what} is {found}"))),
    }
}
