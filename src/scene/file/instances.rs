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
    pub(super) tree: u32,
    pub(super) mask: u32,
    pub(super) user_id: u64,
    pub(super) flags: u32,
    pub(super) name_length: u32,
}

const _: () = assert!(size_of::<InstanceRecord>() == 72);

impl InstanceRecord {
    /// The flag of an instance that is disabled.
    pub(super) const DISABLED: u32 = 1;

    pub(super) fn is_enabled(&self) -> bool {
        self.flags & Self::DISABLED == 0
    }
}

/// Checks the records of all instances, but for their transforms, and gives their names (I6, I11,
/// I12).
pub(super) fn check_instances<'a>(
    records: &[InstanceRecord],
    names: &mut Names<'a>,
    trees: usize,
) -> Result<Vec<&'a str>, LoadError> {
    let mut all = Vec::with_capacity(records.len());
    // How many trees have been used.
    let mut used = 0;
    for (number, record) in records.iter().enumerate() {
        let &InstanceRecord { tree, flags, name_length, .. } = record;
        let invalid = |invariant, message: String| {
            Err(SCENE.invalid(invariant, format!("instance {number}: {message}")))
        };
        if name_length as usize > MAX_NAME {
            return invalid("I6", format!("its name has {name_length} bytes, at most {MAX_NAME}"));
        }
        all.push(names.next(name_length, || format!("instance {number}"))?);
        if tree as usize >= trees {
            return invalid("I11", format!("tree {tree} of {trees} is not there"));
        }
        if tree > used {
            let message = format!("its tree is {tree}, though no instance before it uses {used}");
            return invalid("I11", message);
        }
        used = used.max(tree + 1);
        if flags & !InstanceRecord::DISABLED != 0 {
            return invalid("I12", format!("unknown flags {flags:#x}"));
        }
    }
    if (used as usize) < trees {
        return Err(SCENE.invalid("I11", format!("tree {used} is used by no instance")));
    }
    Ok(all)
}
