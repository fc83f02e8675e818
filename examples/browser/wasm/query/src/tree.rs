//! Facts about a tree.

use border::{Fault, Kind, answer, block, output};
use hitscan::{Aabb, Bvh};

use crate::asked;

/// How many meshes there are.
#[unsafe(no_mangle)]
extern "C" fn mesh_count(handle: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| Ok(tree.mesh_count())))
}

/// Writes six numbers to the block.
#[unsafe(no_mangle)]
extern "C" fn bounds(handle: u32) -> i32 {
    answer(asked::with(handle, |asked| {
        let Aabb { min, max } = asked::ask!(asked, bounds());
        block::write_numbers(0, &[min.x, min.y, min.z, max.x, max.y, max.z]);
        Ok(0)
    }))
}

/// Writes triangles, vertices, both halves of the user id and the mask to the block. Gives 1 if
/// there is such a mesh.
#[unsafe(no_mangle)]
extern "C" fn mesh(handle: u32, mesh: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| Ok(write_mesh(tree, mesh))))
}

/// The same of a tree.
pub(crate) fn write_mesh(tree: &Bvh, mesh: u32) -> u32 {
    tree.mesh(mesh).map_or(0, |mesh| {
        let [low, high] = [mesh.user_id as u32, (mesh.user_id >> 32) as u32];
        block::write(0, &[mesh.triangles, mesh.vertices, low, high, mesh.mask]);
        1
    })
}

/// Puts out the name of a mesh. Gives 1 if there is such a mesh.
#[unsafe(no_mangle)]
extern "C" fn mesh_name(handle: u32, mesh: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| Ok(put_name(tree.mesh_name(mesh)))))
}

/// Puts out the name of a material. Gives 1 if there is one.
#[unsafe(no_mangle)]
extern "C" fn material_name(handle: u32, material: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| Ok(put_name(tree.material_name(material)))))
}

/// Shows a name. Gives 1 if there is one.
pub(crate) fn put_name(name: Option<&str>) -> u32 {
    // Copied, for a scene may let go of its tree before JavaScript reads the name.
    name.map_or(0, |name| {
        output::put_bytes(name.as_bytes().to_vec());
        1
    })
}

/// Shows the caller's own bytes.
#[unsafe(no_mangle)]
extern "C" fn user_data(handle: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| {
        output::show_bytes(tree.user_data());
        Ok(0)
    }))
}

/// Writes nine coordinates to the block. Gives 1 if there is such a triangle.
#[unsafe(no_mangle)]
extern "C" fn triangle(handle: u32, mesh: u32, triangle: u32) -> i32 {
    answer(asked::with_tree(handle, |tree| {
        Ok(tree.mesh_triangle(mesh, triangle).map_or(0, |triangle| {
            let corners = [triangle.v0, triangle.v1, triangle.v2];
            for (i, corner) in corners.iter().enumerate() {
                block::write_numbers(3 * i, &corner.to_array());
            }
            1
        }))
    }))
}

/// Puts a mesh into other layers.
#[unsafe(no_mangle)]
extern "C" fn set_mesh_mask(handle: u32, mesh: u32, mask: u32) -> i32 {
    let changed = asked::with_tree(handle, |tree| {
        let mut tree = tree.clone();
        let before = tree.set_mask(mesh, mask);
        before.map(|_| tree).ok_or_else(|| Fault::new(Kind::Argument, format!("no mesh {mesh}")))
    });
    answer(changed.and_then(|tree| asked::replace_tree(handle, tree)))
}
