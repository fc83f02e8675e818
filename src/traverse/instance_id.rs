//! The handle of an instance of a scene.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::error::InsideError;

/// The handle of an instance of a [`Scene`](crate::Scene).
///
/// It stays the handle of this instance: when the instance is removed, the handle is stale, and no
/// later instance gets it. The order of handles decides between hits that are equally near.
///
/// Serialised as [`to_bits`](Self::to_bits) gives it, and [`NONE`](Self::NONE) as nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "Option<u64>", try_from = "Option<u64>")]
#[repr(C)]
pub struct InstanceId {
    pub(crate) slot: u32,
    pub(crate) generation: NonZeroU32,
}

impl InstanceId {
    /// No instance: what a [`Hit`](crate::Hit) has where a tree is asked by itself. The largest
    /// handle.
    pub const NONE: Self = Self { slot: u32::MAX, generation: NonZeroU32::MAX };

    /// The handle as one number, for use in other programs: over a network, or in a script.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.slot)
    }

    /// The handle of a number from [`to_bits`](Self::to_bits); `None` for a number that is none.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Self> {
        let generation = NonZeroU32::new((bits >> 32) as u32)?;
        Some(Self { slot: bits as u32, generation })
    }
}

impl InsideError {
    /// The instance whose mesh does not enclose a volume: [`InstanceId::NONE`] where a tree was
    /// asked by itself.
    #[must_use]
    pub fn instance(&self) -> InstanceId {
        self.instance_bits().and_then(InstanceId::from_bits).unwrap_or(InstanceId::NONE)
    }
}

impl From<InstanceId> for Option<u64> {
    fn from(instance: InstanceId) -> Self {
        (instance != InstanceId::NONE).then(|| instance.to_bits())
    }
}

impl TryFrom<Option<u64>> for InstanceId {
    type Error = &'static str;

    fn try_from(bits: Option<u64>) -> Result<Self, &'static str> {
        let Some(bits) = bits else { return Ok(Self::NONE) };
        Self::from_bits(bits).ok_or("not the number of an instance")
    }
}

/// Its place in the scene, and how many instances have been in that place.
impl fmt::Debug for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NONE => f.write_str("InstanceId::NONE"),
            Self { slot, generation } => write!(f, "InstanceId({slot}v{generation})"),
        }
    }
}
