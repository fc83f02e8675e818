//! The application's own data: layers and the user id of a mesh.

use super::json::Json;
use crate::import::error::{Result, Warnings};
use crate::mesh::Mesh;

/// What the `extras` of a node or a mesh say.
#[derive(Clone, Copy, Default)]
pub(super) struct Extras {
    mask: Option<u32>,
    user_id: Option<u64>,
}

impl Extras {
    /// Values of other types are ignored with a warning: other programs may have written them.
    pub(super) fn of(extras: Option<Json<'_>>, warnings: &mut Warnings) -> Self {
        let Some(Ok(object)) = extras.map(|extras| extras.object()) else { return Self::default() };
        let mut read = |name: &str, parse: fn(&Json<'_>) -> Option<u64>, wanted: &str| {
            let json = object.get(name)?;
            let value = parse(&json);
            if value.is_none() {
                warnings.add(json.place(), format_args!("it is ignored: not {wanted}"));
            }
            value
        };
        let mask = read("mask", |json| json.size().ok().filter(|&m| m <= MOST), "a 32-bit number");
        let layers = read("layer", |json| layers(json).ok(), "a number from 0 to 31, or a list");
        let user_id = read("user_id", |json| json.size().ok(), "a whole number");
        Self { mask: mask.or(layers).map(|mask| mask as u32), user_id }
    }

    /// These, or else the others.
    pub(super) fn or(self, other: Self) -> Self {
        Self { mask: self.mask.or(other.mask), user_id: self.user_id.or(other.user_id) }
    }

    pub(super) fn mask(self) -> u32 {
        self.mask.unwrap_or(u32::MAX)
    }

    pub(super) fn user_id(self) -> u64 {
        self.user_id.unwrap_or(0)
    }

    pub(super) fn apply(self, mesh: Mesh) -> Mesh {
        mesh.with_mask(self.mask()).with_user_id(self.user_id())
    }

    /// For a mesh whose instances have the mask.
    pub(super) fn apply_user_id(self, mesh: Mesh) -> Mesh {
        mesh.with_user_id(self.user_id())
    }
}

const MOST: u64 = u32::MAX as u64;

/// The mask of one layer, or of several in a list.
fn layers(json: &Json<'_>) -> Result<u64> {
    let Ok(list) = json.items() else { return Ok(1 << json.index(32, "layers")?) };
    let mut mask = 0;
    for layer in list.iter() {
        mask |= 1 << layer?.index(32, "layers")?;
    }
    Ok(mask)
}
