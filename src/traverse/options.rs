//! The options of a query.

use serde::{Deserialize, Serialize};

use crate::simd::InstructionSet;

/// Which sides of a triangle count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Facing {
    /// Both sides.
    #[default]
    Both,
    /// Only triangles that the ray meets from the front.
    Front,
    /// Only triangles that the ray meets from behind.
    Back,
}

/// The options of a query; the default sees every triangle from both sides.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    pub(crate) facing: Facing,
    pub(crate) mask: u32,
    pub(crate) isa: InstructionSet,
}

impl Default for Query {
    fn default() -> Self {
        Self { facing: Facing::Both, mask: u32::MAX, isa: InstructionSet::detect() }
    }
}

impl Query {
    /// Every triangle from both sides, on the best kernel of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same query for these sides only. Default: both.
    #[must_use]
    pub fn facing(self, facing: Facing) -> Self {
        Self { facing, ..self }
    }

    /// The same query for meshes with `mesh.mask & mask != 0` only. Default: all ones.
    #[must_use]
    pub fn mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// The same query on this kernel. Every level gives the same bits; this is for
    /// tests and measurements. Default: [`InstructionSet::detect`].
    #[must_use]
    pub fn instruction_set(self, isa: InstructionSet) -> Self {
        Self { isa, ..self }
    }
}
