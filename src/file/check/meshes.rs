//! Whether the mesh table and the materials fit together (invariants I8 to I10).

use super::super::header::invalid;
use crate::bvh::{MeshRecord, UNUSED_ID};
use crate::error::LoadError;

/// Checks the mesh table and the materials (I8 to I10); returns how many triangles there
/// are, skipped ones counted.
pub(super) fn check_meshes(meshes: &[MeshRecord], materials: usize) -> Result<u32, LoadError> {
    let mut total = 0_u32;
    let mut has_materials = false;
    for (index, mesh) in meshes.iter().enumerate() {
        if mesh.first_triangle != total {
            return Err(invalid(
                "I8",
                format!(
                    "mesh {index}: first_triangle is {}, expected {total}",
                    mesh.first_triangle
                ),
            ));
        }
        total = match total.checked_add(mesh.triangle_count) {
            Some(sum) if sum < UNUSED_ID => sum,
            _ => {
                return Err(invalid(
                    "I8",
                    format!(
                        "mesh {index}: with its {} triangles there are 2^32 - 1 or more",
                        mesh.triangle_count
                    ),
                ));
            }
        };
        if mesh.flags & !MeshRecord::KNOWN_FLAGS != 0 || mesh.reserved != 0 {
            return Err(invalid(
                "I9",
                format!(
                    "mesh {index}: flags are {:#x}, at most {:#x} expected; reserved is {:#x}, \
                     0 expected",
                    mesh.flags,
                    MeshRecord::KNOWN_FLAGS,
                    mesh.reserved
                ),
            ));
        }
        has_materials |= mesh.flags & MeshRecord::MATERIALS != 0;
    }
    let expected = if has_materials { total as usize } else { 0 };
    if materials != expected {
        return Err(invalid(
            "I10",
            format!("there are {materials} materials, expected {expected}"),
        ));
    }
    Ok(total)
}
