//! The header and the section table, which are read and checked before all else.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::instances::InstanceRecord;
use super::kind::{FORMAT_VERSION, SCENE};
use super::trees::TreeRecord;
use super::volumes::VolumeRecord;
use crate::error::LoadError;
use crate::file::{ENDIANNESS, Section, aligned, checksum, too_short};
use crate::scene::slots::MAX_INSTANCES;

/// Number of sections.
pub(super) const SECTIONS: usize = 4;
/// Which section is which.
pub(super) const TREES: usize = 0;
pub(super) const INSTANCES: usize = 1;
pub(super) const VOLUMES: usize = 2;
pub(super) const NAMES: usize = 3;
/// Bytes of the header and the section table.
pub(super) const HEADER_LENGTH: usize = size_of::<Header>();
/// The header's checksum covers the bytes from here on: those before it have one value only.
const CHECKSUM_FROM: usize = 24;

const SECTION_NAMES: [&str; SECTIONS] = ["trees", "instances", "volumes", "names"];
const ELEMENT_SIZES: [u32; SECTIONS] = [
    size_of::<TreeRecord>() as u32,
    size_of::<InstanceRecord>() as u32,
    size_of::<VolumeRecord>() as u32,
    1,
];
/// The most elements that a section may hold (invariant I3).
const COUNT_LIMITS: [u64; SECTIONS] =
    [MAX_INSTANCES as u64, MAX_INSTANCES as u64, MAX_INSTANCES as u64, 1 << 47];

/// The fixed part and the section table, as they lie in the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    endianness: u32,
    version: u32,
    header_checksum: u64,
    header_length: u32,
    section_count: u32,
    pub(super) total_length: u64,
    sections: [Section; SECTIONS],
}

const _: () = assert!(HEADER_LENGTH == 200);

impl Header {
    /// The header of a file with these sections.
    pub(super) fn of(sections: [&[u8]; SECTIONS], total_length: u64) -> Self {
        let mut header = Self {
            magic: SCENE.magic,
            endianness: ENDIANNESS,
            version: FORMAT_VERSION,
            header_checksum: 0,
            header_length: HEADER_LENGTH as u32,
            section_count: SECTIONS as u32,
            total_length,
            sections: [Section::zeroed(); SECTIONS],
        };
        let mut offset = aligned(HEADER_LENGTH as u64);
        for (index, bytes) in sections.into_iter().enumerate() {
            let kind = index as u32 + 1;
            header.sections[index] = Section::of(kind, ELEMENT_SIZES[index], offset, bytes);
            offset = aligned(offset + bytes.len() as u64);
        }
        header.header_checksum = header.checksum();
        header
    }

    fn checksum(&self) -> u64 {
        xxh3_64(&bytemuck::bytes_of(self)[CHECKSUM_FROM..])
    }

    /// Steps 1 and 2 of the specification's order of validation. `bytes` are the beginning of the
    /// file; what follows the section table is not read.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, LoadError> {
        SCENE.check_start(bytes)?;
        let Some(header) = bytes.get(..HEADER_LENGTH) else {
            return Err(too_short(bytes.len(), "header and section table"));
        };
        let header: Self = bytemuck::pod_read_unaligned(header);
        SCENE.check_checksum("the header is", header.checksum(), header.header_checksum)?;
        header.check_table()?;
        Ok(header)
    }

    /// What can be checked of the header and the table without the rest of the file (I1 to I3).
    fn check_table(&self) -> Result<(), LoadError> {
        let expect = |invariant: &str, what: &str, found: u64, expected: u64| match found {
            found if found == expected => Ok(()),
            _ => Err(SCENE.invalid(invariant, format!("{what} is {found}, expected {expected}"))),
        };
        expect("I1", "header length", self.header_length.into(), HEADER_LENGTH as u64)?;
        expect("I1", "section count", self.section_count.into(), SECTIONS as u64)?;
        let mut offset = aligned(HEADER_LENGTH as u64);
        for (index, section) in self.sections.iter().enumerate() {
            let field = |field: &str| format!("{} section: {field}", SECTION_NAMES[index]);
            let element_size = ELEMENT_SIZES[index];
            expect("I2", &field("kind"), section.kind.into(), index as u64 + 1)?;
            let found = section.element_size.into();
            expect("I2", &field("element size"), found, element_size.into())?;
            let most = match index {
                TREES | VOLUMES => COUNT_LIMITS[index].min(self.sections[INSTANCES].count),
                _ => COUNT_LIMITS[index],
            };
            if section.count > most {
                let message =
                    format!("{} is {}, at most {most} are allowed", field("count"), section.count);
                return Err(SCENE.invalid("I3", message));
            }
            // The limits keep these far below overflow: 2^30 volumes of 80 bytes.
            let length = section.count * u64::from(element_size);
            expect("I2", &field("length"), section.length, length)?;
            expect("I2", &field("offset"), section.offset, offset)?;
            offset = aligned(offset + length);
        }
        if self.total_length < offset {
            let message = format!("total length is {}, expected {offset}", self.total_length);
            return Err(SCENE.invalid("I2", message));
        }
        Ok(())
    }

    /// Checks that there are exactly as many bytes as the header says (I4).
    pub(super) fn check_length(&self, found: u64) -> Result<(), LoadError> {
        SCENE.check_length(found, self.total_length)
    }

    /// Where a section lies, and its length.
    pub(super) fn place(&self, section: usize) -> (u64, u64) {
        (self.sections[section].offset, self.sections[section].length)
    }

    /// Checks a section's bytes against its checksum (I4).
    pub(super) fn check_section(&self, section: usize, bytes: &[u8]) -> Result<(), LoadError> {
        let what = format!("the {} are", SECTION_NAMES[section]);
        SCENE.check_checksum(&what, checksum(bytes), self.sections[section].checksum)
    }

    /// Where padding lies: behind the table and behind each section.
    pub(super) fn padding(&self) -> [(u64, u64); SECTIONS + 1] {
        let mut end = HEADER_LENGTH as u64;
        std::array::from_fn(|index| {
            let start = end;
            if let Some(section) = self.sections.get(index) {
                end = section.offset + section.length;
            }
            (start, aligned(start))
        })
    }

    /// Where embedded trees begin.
    pub(super) fn trees_start(&self) -> u64 {
        let (offset, length) = self.place(NAMES);
        aligned(offset + length)
    }
}

/// Where embedded trees begin behind sections of these lengths.
pub(super) fn trees_start(lengths: [usize; SECTIONS]) -> u64 {
    let start = aligned(HEADER_LENGTH as u64);
    lengths.into_iter().fold(start, |offset, length| aligned(offset + length as u64))
}
