//! Scenes: what stands in them.

use border::{Fault, Kind, answer, block, input, output};
use hitscan::geometry::Volume;
use hitscan::scene::{Body, Instance};
use hitscan::{InstanceId, Scene};

use crate::asked;
use crate::row;
use crate::shape::{transform_of, volume};

/// Makes all changes visible.
#[unsafe(no_mangle)]
extern "C" fn commit(handle: u32) -> i32 {
    answer(asked::with_scene(handle, |scene| {
        scene.commit();
        Ok(0)
    }))
}

/// Puts in the tree of a handle, or the volume in the block if that is 0. The name came in. Writes
/// slot and generation to the block.
#[unsafe(no_mangle)]
extern "C" fn insert(handle: u32, tree: u32, mask: u32, user_low: u32, user_high: u32) -> i32 {
    let name = input::take();
    let result = body(tree).and_then(|body| {
        let name = String::from_utf8_lossy(name.as_ref());
        let user_id = u64::from(user_high) << 32 | u64::from(user_low);
        let instance = Instance::new(body).with_mask(mask).with_user_id(user_id).with_name(name);
        asked::with_scene(handle, |scene| {
            let instance = scene.insert(instance).map_err(|error| refused(&error))?;
            block::write(0, &row::instance(instance));
            Ok(0)
        })
    });
    input::give_back(name);
    answer(result)
}

/// What stands there: the tree of a handle, or the volume in the block if that is 0.
pub(crate) fn body(tree: u32) -> Result<Body, Fault> {
    match tree {
        0 => Ok(Body::from(Volume::clone(&volume()?))),
        tree => asked::with_tree(tree, |tree| Ok(tree.into())),
    }
}

/// Moves many instances. Slots and generations, then sixteen numbers for each, came in.
#[unsafe(no_mangle)]
extern "C" fn set_transforms(handle: u32, count: u32) -> i32 {
    let input = input::take();
    let result = asked::with_scene(handle, |scene| {
        let words: &[[u32; 2]] = input.values()?;
        let split = words.split_at_checked(count as usize);
        let (ids, numbers) = split.ok_or_else(incomplete)?;
        let mut moves = Vec::new();
        moves.try_reserve_exact(ids.len()).map_err(|_| Fault::memory("the transforms"))?;
        let mut numbers = numbers.chunks_exact(8);
        for &[slot, generation] in ids {
            let words = numbers.next().ok_or_else(incomplete)?;
            let matrix = std::array::from_fn(|i| f32::from_bits(words[i / 2][i % 2]));
            moves.push((id(slot, generation)?, transform_of(&matrix)?));
        }
        scene.set_transforms(&moves).map_err(|error| refused(&error))?;
        Ok(0)
    });
    input::give_back(input);
    answer(result)
}

/// Puts out slot and generation of each instance, in order of the slots. Gives their number.
#[unsafe(no_mangle)]
extern "C" fn instances(handle: u32) -> i32 {
    answer(asked::with_scene(handle, |scene| Ok(put_instances(scene.instances()))))
}

/// Puts out slot and generation of each. Gives their number.
pub(crate) fn put_instances(instances: impl Iterator<Item = InstanceId>) -> u32 {
    let mut words = output::words();
    words.extend(instances.flat_map(row::instance));
    let count = words.len() / 2;
    output::put_words(words);
    count as u32
}

/// Puts out the bytes of the scene's file. Gives 0.
#[unsafe(no_mangle)]
extern "C" fn scene_bytes(handle: u32) -> i32 {
    answer(asked::with_scene(handle, |scene: &mut Scene| {
        output::put_bytes(scene.to_bytes());
        Ok(0)
    }))
}

/// The handle of an instance.
pub(crate) fn id(slot: u32, generation: u32) -> Result<InstanceId, Fault> {
    let id = InstanceId::from_bits(u64::from(generation) << 32 | u64::from(slot));
    id.ok_or_else(|| Fault::handle("instance"))
}

/// What a scene says no to.
pub(crate) fn refused(error: &hitscan::SceneError) -> Fault {
    let kind = match error.kind() {
        hitscan::SceneErrorKind::StaleHandle => Kind::Handle,
        _ => Kind::Scene,
    };
    Fault::of(kind, error)
}

fn incomplete() -> Fault {
    Fault::new(Kind::Argument, "there are sixteen numbers for each instance")
}
