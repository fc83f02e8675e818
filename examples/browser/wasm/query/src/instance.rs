//! One instance of a scene, by its slot and generation.

use border::{Fault, answer, block};
use hitscan::scene::Body;
use hitscan::{InstanceId, Scene, SceneError};

use crate::asked;
use crate::row::NONE;
use crate::scene::{body, id, refused};
use crate::shape::transform;
use crate::tree::{put_name, write_mesh};

fn change(
    handle: u32,
    [slot, generation]: [u32; 2],
    change: impl FnOnce(&mut Scene, InstanceId) -> Result<(), SceneError>,
) -> i32 {
    answer(asked::with_scene(handle, |scene| {
        change(scene, id(slot, generation)?).map_err(|error| refused(&error))?;
        Ok(0)
    }))
}

/// Moves it by the matrix at the start of the block.
#[unsafe(no_mangle)]
extern "C" fn set_transform(handle: u32, slot: u32, generation: u32) -> i32 {
    match transform(0) {
        Ok(matrix) => {
            change(handle, [slot, generation], |scene, id| scene.set_transform(id, matrix))
        }
        Err(fault) => answer(Err(fault)),
    }
}

/// Puts it into other layers.
#[unsafe(no_mangle)]
extern "C" fn set_instance_mask(handle: u32, slot: u32, generation: u32, mask: u32) -> i32 {
    change(handle, [slot, generation], |scene, id| scene.set_mask(id, mask))
}

/// Lets it take part, or not if `enabled` is 0.
#[unsafe(no_mangle)]
extern "C" fn set_enabled(handle: u32, slot: u32, generation: u32, enabled: u32) -> i32 {
    change(handle, [slot, generation], |scene, id| match enabled {
        0 => scene.disable(id),
        _ => scene.enable(id),
    })
}

/// Puts the tree of a handle, or the volume in the block if that is 0, in its place.
#[unsafe(no_mangle)]
extern "C" fn replace(handle: u32, slot: u32, generation: u32, tree: u32) -> i32 {
    match body(tree) {
        Ok(body) => change(handle, [slot, generation], |scene, id| scene.replace(id, body)),
        Err(fault) => answer(Err(fault)),
    }
}

/// Removes it.
#[unsafe(no_mangle)]
extern "C" fn remove(handle: u32, slot: u32, generation: u32) -> i32 {
    change(handle, [slot, generation], Scene::remove)
}

/// Puts out its name. Writes to the block its matrix, both halves of its user id, its mask, and
/// whether it is a volume.
#[unsafe(no_mangle)]
extern "C" fn instance(handle: u32, slot: u32, generation: u32) -> i32 {
    answer(asked::with_scene(handle, |scene| {
        let found = scene.instance(id(slot, generation)?).map_err(|error| refused(&error))?;
        let matrix = hitscan::glam::Mat4::from(found.transform).to_cols_array();
        block::write_numbers(0, &matrix);
        let [low, high] = [found.user_id as u32, (found.user_id >> 32) as u32];
        let is_volume = u32::from(!matches!(found.body, Body::Bvh(_)));
        block::write(16, &[low, high, found.mask, is_volume]);
        put_name(Some(&found.name));
        Ok(0)
    }))
}

/// As `mesh`, of the tree that stands there.
#[unsafe(no_mangle)]
extern "C" fn instance_mesh(handle: u32, slot: u32, generation: u32, mesh: u32) -> i32 {
    answer(asked::with_scene(handle, |scene| {
        let tree = scene.bvh(id(slot, generation)?).map_err(|error| refused(&error))?;
        Ok(write_mesh(tree, mesh))
    }))
}

/// Puts out the name of a mesh of the tree that stands there, or of a material if `mesh` is `NONE`.
/// Gives 1 if there is one.
#[unsafe(no_mangle)]
extern "C" fn instance_name(
    handle: u32,
    slot: u32,
    generation: u32,
    mesh: u32,
    material: u32,
) -> i32 {
    answer(asked::with_scene(handle, |scene| {
        let tree = scene.bvh(id(slot, generation)?).map_err(|error| refused(&error))?;
        let name = match mesh {
            NONE => tree.material_name(material),
            mesh => tree.mesh_name(mesh),
        };
        Ok::<_, Fault>(put_name(name))
    }))
}
