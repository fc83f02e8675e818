//! Extensions that a file requires.

use super::json::{Items, Json};
use crate::import::ImportErrorKind::Unsupported;
use crate::import::error::{Result, Warnings};
use crate::import::text::shown;

/// Extensions that are applied.
const APPLIED_EXTENSIONS: [&str; 4] =
    ["KHR_mesh_quantization", "EXT_mesh_gpu_instancing", "KHR_node_visibility", "CESIUM_RTC"];

/// Extensions that change the geometry. A file that requires one of them is refused.
const GEOMETRY_EXTENSIONS: [&str; 4] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_primitive_restart",
];

/// What helps against an extension.
fn hint_for(extension: &str) -> &'static str {
    if extension.ends_with("_compression") { DECOMPRESS } else { "" }
}

/// Ends errors about compressed files.
pub(super) const DECOMPRESS: &str = " ('gltf-transform copy IN OUT' removes the compression)";

pub(super) fn check_extensions(required: Option<Json<'_>>, warnings: &mut Warnings) -> Result<()> {
    for extension in Items::of(required)?.iter() {
        let extension = extension?;
        let name = extension.string()?;
        let shown = shown(&name);
        let is_read = match name.as_str() {
            "KHR_draco_mesh_compression" => cfg!(feature = "draco"),
            name => APPLIED_EXTENSIONS.contains(&name),
        };
        if is_read {
            continue;
        }
        if GEOMETRY_EXTENSIONS.contains(&name.as_str()) {
            let hint = hint_for(&name);
            let reason = format_args!("the file requires {shown}, which is not supported{hint}");
            return Err(extension.error(Unsupported, reason));
        }
        warnings.add(extension.place(), format_args!("{shown} is ignored, though required"));
    }
    Ok(())
}
