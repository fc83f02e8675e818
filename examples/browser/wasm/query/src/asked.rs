//! What can be asked, by handle: a tree, or a scene as it was at its last commit.

use std::rc::Rc;

#[cfg(feature = "shapes")]
use std::cell::RefCell;

use border::handles::Handles;
use border::{Fault, Kind};
use hitscan::glam::Vec3;
use hitscan::{Bvh, Hit};
#[cfg(feature = "shapes")]
use hitscan::{Scene, Snapshot};

/// What has a handle.
pub(crate) enum Open {
    Tree(Bvh),
    #[cfg(feature = "shapes")]
    Scene(RefCell<Scene>),
}

thread_local! {
    static OPEN: Handles<Open> = const { Handles::new() };
}

/// Takes in what was opened.
pub(crate) fn insert(open: Open) -> Result<u32, Fault> {
    let handle = OPEN.with(|all| all.insert(open));
    handle.ok_or_else(|| Fault::new(Kind::Memory, "a million trees and scenes are open"))
}

/// Lets go of it.
pub(crate) fn remove(handle: u32) -> Result<u32, Fault> {
    // In two steps: dropping a tree must not find the table borrowed.
    let gone = OPEN.with(|all| all.remove(handle));
    gone.map(|_| 0).ok_or_else(|| Fault::handle("tree or scene"))
}

/// How many are open.
pub(crate) fn count() -> usize {
    OPEN.with(Handles::len)
}

fn get(handle: u32) -> Result<Rc<Open>, Fault> {
    OPEN.with(|all| all.get(handle)).ok_or_else(|| Fault::handle("tree or scene"))
}

/// Uses a tree.
pub(crate) fn with_tree<R>(
    handle: u32,
    ask: impl FnOnce(&Bvh) -> Result<R, Fault>,
) -> Result<R, Fault> {
    match &*get(handle)? {
        Open::Tree(tree) => ask(tree),
        #[cfg(feature = "shapes")]
        Open::Scene(_) => Err(Fault::new(Kind::Argument, "this is a scene, not a tree")),
    }
}

/// Puts another tree in place of one.
pub(crate) fn replace_tree(handle: u32, tree: Bvh) -> Result<u32, Fault> {
    let done = OPEN.with(|all| all.replace(handle, Open::Tree(tree)));
    done.map(|()| 0).ok_or_else(|| Fault::handle("tree"))
}

/// Uses a scene.
#[cfg(feature = "shapes")]
pub(crate) fn with_scene<R>(
    handle: u32,
    change: impl FnOnce(&mut Scene) -> Result<R, Fault>,
) -> Result<R, Fault> {
    match &*get(handle)? {
        Open::Tree(_) => Err(Fault::new(Kind::Argument, "this is a tree, not a scene")),
        Open::Scene(scene) => {
            let scene = scene.try_borrow_mut();
            change(&mut *scene.map_err(|_| Fault::new(Kind::Scene, "the scene is in use"))?)
        }
    }
}

/// What a question is asked of.
#[cfg(feature = "shapes")]
#[derive(Clone, Copy)]
pub(crate) enum Asked<'a> {
    Tree(&'a Bvh),
    Scene(&'a Snapshot),
}

/// What a question is asked of.
#[cfg(not(feature = "shapes"))]
#[derive(Clone, Copy)]
pub(crate) enum Asked<'a> {
    Tree(&'a Bvh),
}

/// Asks a tree or a scene. Meanwhile a filter may change or remove it.
pub(crate) fn with<R>(
    handle: u32,
    ask: impl FnOnce(Asked<'_>) -> Result<R, Fault>,
) -> Result<R, Fault> {
    match &*get(handle)? {
        Open::Tree(tree) => ask(Asked::Tree(tree)),
        #[cfg(feature = "shapes")]
        Open::Scene(scene) => {
            let scene = scene.try_borrow();
            let scene = scene.map_err(|_| Fault::new(Kind::Scene, "the scene is in use"))?;
            let snapshot = scene.snapshot().clone();
            drop(scene);
            ask(Asked::Scene(&snapshot))
        }
    }
}

/// Calls a method that trees and snapshots have alike.
macro_rules! ask {
    ($asked:expr, $method:ident($($argument:expr),*)) => {
        match $asked {
            $crate::asked::Asked::Tree(tree) => tree.$method($($argument),*),
            #[cfg(feature = "shapes")]
            $crate::asked::Asked::Scene(snapshot) => snapshot.$method($($argument),*),
        }
    };
}
pub(crate) use ask;

impl Asked<'_> {
    /// The point of a hit and the normal there. Zero, as a triangle without an area has it.
    pub(crate) fn surface(self, hit: &Hit) -> [Vec3; 2] {
        let (point, normal) = (ask!(self, point(hit)), ask!(self, normal(hit)));
        [point.unwrap_or_default(), normal.unwrap_or_default()]
    }
}
