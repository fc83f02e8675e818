//! Opening files, and letting go of them.

use border::{Fault, Kind, answer, input};
use hitscan::Bvh;
#[cfg(feature = "shapes")]
use hitscan::Scene;

use crate::asked::{self, Open};

/// Opens the tree whose file came in, and gives its handle.
#[unsafe(no_mangle)]
extern "C" fn open_tree() -> i32 {
    let tree = Bvh::from_owner(input::take()).map_err(|error| Fault::of(Kind::File, &error));
    answer(tree.and_then(|tree| asked::insert(Open::Tree(tree))))
}

/// Opens the scene whose file came in, and gives its handle.
#[cfg(feature = "shapes")]
#[unsafe(no_mangle)]
extern "C" fn open_scene() -> i32 {
    let scene = Scene::from_owner(input::take()).map_err(|error| Fault::of(Kind::File, &error));
    answer(scene.and_then(|scene| asked::insert(Open::Scene(scene.into()))))
}

/// An empty scene's handle.
#[cfg(feature = "shapes")]
#[unsafe(no_mangle)]
extern "C" fn new_scene() -> i32 {
    answer(asked::insert(Open::Scene(Scene::new().into())))
}

/// Lets go of a tree or a scene.
#[unsafe(no_mangle)]
extern "C" fn close(handle: u32) -> i32 {
    answer(asked::remove(handle))
}

/// How many trees and scenes are open.
#[unsafe(no_mangle)]
extern "C" fn open_count() -> usize {
    asked::count()
}
