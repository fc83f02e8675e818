//! The bake module: meshes and models to the bytes of files.
//!
//! Meshes are given one by one; then they are baked. Every export may be called with any numbers,
//! and gives one below zero for a fault: see [`border`].

mod given;
mod mesh;
mod run;

use border::{answer, block, input, output};

/// Where the block is.
#[unsafe(no_mangle)]
extern "C" fn block_address() -> usize {
    block::address().addr()
}

/// Makes room for `length` bytes that the next call takes. Zero if there is not enough memory.
#[unsafe(no_mangle)]
extern "C" fn make_room(length: usize) -> usize {
    input::make_room(length).addr()
}

/// Frees all that was given, what came in, and what went out.
#[unsafe(no_mangle)]
extern "C" fn clear() {
    drop(given::take());
    drop(input::take());
    output::clear();
}

/// Adds the mesh that came in: see [`mesh`](mod@mesh).
#[unsafe(no_mangle)]
extern "C" fn add_mesh(
    vertices: u32,
    indices: u32,
    materials: u32,
    parts: u32,
    mask: u32,
    user_low: u32,
    user_high: u32,
) -> i32 {
    let user_id = u64::from(user_high) << 32 | u64::from(user_low);
    let counts = mesh::Counts { vertices, indices, materials, parts };
    let added = mesh::read(input::take().as_ref(), counts).and_then(|mesh| {
        given::change(|given| given.meshes.push(mesh.with_mask(mask).with_user_id(user_id)))
    });
    answer(added)
}

/// Adds the name of the next material, which came in.
#[unsafe(no_mangle)]
extern "C" fn add_material_name() -> i32 {
    let name = String::from_utf8_lossy(input::take().as_ref()).into_owned();
    answer(given::change(|given| given.material_names.push(name)))
}

/// Takes the caller's own bytes, which came in.
#[unsafe(no_mangle)]
extern "C" fn set_user_data() -> i32 {
    let bytes = input::take().as_ref().to_vec();
    answer(given::change(|given| given.user_data = bytes))
}

/// Bakes what was given, and puts out the file. `quality` is 0 to 2, from fast to best; `skip_bad`
/// is 0 for none. Writes the numbers of triangles kept and skipped to the block.
#[unsafe(no_mangle)]
extern "C" fn bake(quality: u32, skip_bad: u32, progress: u32) -> i32 {
    answer(run::bake(given::take(), run::Options { quality, skip_bad, progress }))
}

/// The same for the model that came in, with the caller's own bytes. `format` is 0 to 4, for glTF,
/// OBJ, PLY, STL and OFF.
#[unsafe(no_mangle)]
extern "C" fn bake_model(format: u32, quality: u32, skip_bad: u32, progress: u32) -> i32 {
    let (given, model) = (given::take(), input::take());
    let options = run::Options { quality, skip_bad, progress };
    answer(run::bake_model(given, model, format, options))
}
