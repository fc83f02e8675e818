//! The records of instances.

use bytemuck::{Pod, Zeroable};

use super::kind::SCENE;
use super::names::Names;
use crate::error::LoadError;
use crate::scene::slots::MAX_NAME;

/// An instance, as it lies in the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct InstanceRecord {
    /// The columns of the linear part, then the translation.
    pub(super) transform: [f32; 12],
    /// The number of its tree, or of its volume.
    pub(super) body: u32,
    pub(super) mask: u32,
    pub(super) user_id: u64,
    pub(super) flags: u32,
    pub(super) name_length: u32,
}

const _: () = assert!(size_of::<InstanceRecord>() == 72);

impl InstanceRecord {
    /// The flag of an instance that is disabled.
    pub(super) const DISABLED: u32 = 1;
    /// The flag of an instance with a volume.
    pub(super) const VOLUME: u32 = 2;

    pub(super) fn is_enabled(&self) -> bool {
        self.flags & Self::DISABLED == 0
    }

    pub(super) fn has_volume(&self) -> bool {
        self.flags & Self::VOLUME != 0
    }
}

/// Checks the records of all instances, but for their transforms, and gives their names (I6, I11,
/// I12, I15).
pub(super) fn check_instances<'a>(
    records: &[InstanceRecord],
    names: &mut Names<'a>,
    trees: usize,
    volumes: usize,
) -> Result<Vec<&'a str>, LoadError> {
    let mut all = Vec::with_capacity(records.len());
    // How many trees and volumes have been used.
    let (mut used, mut volumes_used) = (0, 0);
    for (number, record) in records.iter().enumerate() {
        let &InstanceRecord { body, flags, name_length, .. } = record;
        let invalid = |invariant, message: String| {
            Err(SCENE.invalid(invariant, format!("instance {number}: {message}")))
        };
        if name_length as usize > MAX_NAME {
            return invalid("I6", format!("its name has {name_length} bytes, at most {MAX_NAME}"));
        }
        all.push(names.next(name_length, || format!("instance {number}"))?);
        if flags & !(InstanceRecord::DISABLED | InstanceRecord::VOLUME) != 0 {
            return invalid("I12", format!("unknown flags {flags:#x}"));
        }
        if record.has_volume() {
            if body != volumes_used || body as usize >= volumes {
                let message = format!("its volume is {body} of {volumes}, expected {volumes_used}");
                return invalid("I15", message);
            }
            volumes_used += 1;
            continue;
        }
        if body as usize >= trees {
            return invalid("I11", format!("tree {body} of {trees} is not there"));
        }
        if body > used {
            let message = format!("its tree is {body}, though no instance before it uses {used}");
            return invalid("I11", message);
        }
        used = used.max(body + 1);
    }
    if (used as usize) < trees {
        return Err(SCENE.invalid("I11", format!("tree {used} is used by no instance")));
    }
    if (volumes_used as usize) < volumes {
        return Err(SCENE.invalid("I15", format!("volume {volumes_used} is used by no instance")));
    }
    Ok(all)
}
