//! Embree 4: one ray at a time and in packets of 16.
//!
//! The declarations are the few of `embree4/rtcore*.h` (4.4) that are needed here.

use std::ffi::c_int;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use super::{Bakery, Entrant, Role};
use crate::embree_packet::{
    RAY_QUERY_FLAG_COHERENT, RAY_QUERY_FLAG_INCOHERENT, RtcArguments, RtcRay16, RtcRayHit16,
    arguments, packet,
};
use crate::embree_ray::{INVALID_ID, RtcRay, RtcRayHit};
use crate::embree_scene::{
    self, BUILD_QUALITY_HIGH, BUILD_QUALITY_MEDIUM, SCENE_FLAG_NONE, SCENE_FLAG_ROBUST, Scene,
    functions,
};
use crate::machine::FloatControl;
use crate::peer::{Answer, MISS, Peer, Ray, Triangle};

/// The instruction set is the widest that Embree has for this CPU, AVX-512 included,
/// which it leaves alone unless told so.
const CONFIG: &str = "frequency_level=simd512";

functions! {
    Queries:
    intersect1 = b"rtcIntersect1": fn(Scene, *mut RtcRayHit, *mut RtcArguments);
    occluded1 = b"rtcOccluded1": fn(Scene, *mut RtcRay, *mut RtcArguments);
    intersect16 = b"rtcIntersect16":
        fn(*const c_int, Scene, *mut RtcRayHit16, *mut RtcArguments);
    occluded16 = b"rtcOccluded16":
        fn(*const c_int, Scene, *mut RtcRay16, *mut RtcArguments);
}

/// The library and what it is asked; both live as long as the process.
struct Embree {
    scenes: embree_scene::Embree,
    queries: Queries,
    /// Its version and how the device was made.
    version: String,
}

impl Embree {
    fn load(path: &Path, threads: usize, verbose: bool) -> Result<Rc<Self>, libloading::Error> {
        let config = format!("threads={threads},{CONFIG}");
        let spoken = if verbose { ",verbose=2" } else { "" };
        let scenes = embree_scene::Embree::load(path, &format!("{config}{spoken}"))?;
        // SAFETY: it is Embree 4, and never unloaded.
        let queries = unsafe { Queries::find(scenes.library)? };
        let [major, minor, patch] = scenes.version;
        let version = format!("Embree {major}.{minor}.{patch} ({config}");
        Ok(Rc::new(Self { scenes, queries, version }))
    }
}

/// A committed scene, shared by the peers that query it alike.
struct Tree {
    embree: Rc<Embree>,
    scene: Scene,
}

/// Embree from the library at this path: single rays in the fast and the robust mode,
/// 16-packets in the fast mode.
pub fn entrants(path: &Path, verbose: bool) -> Result<Vec<Entrant>, libloading::Error> {
    let embree = Embree::load(path, 1, verbose)?;
    let last = Rc::new(std::cell::RefCell::new(LastTree::default()));
    let entrant = |name: &str, mode: Mode| {
        let (embree, last) = (embree.clone(), last.clone());
        Entrant {
            name: name.to_owned(),
            version: format!("{}, HIGH{})", embree.version, mode.description()),
            role: mode.role(),
            build: Box::new(move |triangles| {
                let robust = mode == Mode::Single { robust: true };
                let tree = last.borrow_mut().get(&embree, triangles, robust);
                mode.peer(tree)
            }),
        }
    };
    Ok(vec![
        entrant("embree", Mode::Single { robust: false }),
        entrant("embree-robust", Mode::Single { robust: true }),
        entrant("embree-16", Mode::Packet { coherent: false }),
        entrant("embree-16-coherent", Mode::Packet { coherent: true }),
    ])
}

/// Embree's scene builds of two qualities, on `threads` threads.
pub fn bakeries(path: &Path, threads: usize) -> Result<Vec<Bakery>, libloading::Error> {
    let embree = Embree::load(path, threads, false)?;
    let bakery = |name: &str, quality: c_int, quality_name: &str| {
        let embree = embree.clone();
        Bakery {
            name: name.to_owned(),
            version: format!("{}, {quality_name})", embree.version),
            bake: Box::new(move |triangles| {
                let tree = Tree::attach(embree.clone(), triangles, false, quality);
                let start = Instant::now();
                tree.commit();
                start.elapsed()
            }),
        }
    };
    Ok(vec![
        bakery("embree-medium", BUILD_QUALITY_MEDIUM, "MEDIUM"),
        bakery("embree-high", BUILD_QUALITY_HIGH, "HIGH"),
    ])
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Single { robust: bool },
    Packet { coherent: bool },
}

impl Mode {
    fn role(self) -> Role {
        if self == (Self::Single { robust: false }) { Role::Peer } else { Role::OtherMode }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Single { robust: false } => "",
            Self::Single { robust: true } => ", ROBUST",
            Self::Packet { coherent: false } => ", 16-packets",
            Self::Packet { coherent: true } => ", 16-packets, COHERENT",
        }
    }

    fn peer(self, tree: Rc<Tree>) -> Box<dyn Peer> {
        match self {
            Self::Single { .. } => Box::new(Single { tree }),
            Self::Packet { coherent } => Box::new(Packets {
                tree,
                flags: if coherent { RAY_QUERY_FLAG_COHERENT } else { RAY_QUERY_FLAG_INCOHERENT },
                packets: Vec::new(),
            }),
        }
    }
}

/// The tree that was built last, so that the packet modes use the single rays' tree.
#[derive(Default)]
struct LastTree {
    tree: std::rc::Weak<Tree>,
    triangles: (usize, usize),
    robust: bool,
}

impl LastTree {
    fn get(&mut self, embree: &Rc<Embree>, triangles: &[Triangle], robust: bool) -> Rc<Tree> {
        let key = (triangles.as_ptr().addr(), triangles.len());
        if let Some(tree) = self.tree.upgrade()
            && (self.triangles, self.robust) == (key, robust)
        {
            return tree;
        }
        let tree = Tree::attach(embree.clone(), triangles, robust, BUILD_QUALITY_HIGH);
        tree.commit();
        let tree = Rc::new(tree);
        if !robust {
            *self = Self { tree: Rc::downgrade(&tree), triangles: key, robust };
        }
        tree
    }
}

impl Tree {
    /// A scene of these triangles that is not built yet.
    fn attach(embree: Rc<Embree>, triangles: &[Triangle], robust: bool, quality: c_int) -> Self {
        let flags = if robust { SCENE_FLAG_ROBUST } else { SCENE_FLAG_NONE };
        let scene = embree.scenes.scene(triangles, flags, quality);
        Self { embree, scene }
    }

    fn commit(&self) {
        self.embree.scenes.commit(self.scene);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: a live scene that is not used any more.
        unsafe { self.embree.scenes.release(self.scene) };
    }
}

struct Single {
    tree: Rc<Tree>,
}

#[inline(always)]
fn convert(ray: &Ray) -> RtcRay {
    RtcRay::new(ray.origin, ray.dir, ray.t_min, ray.t_max)
}

impl Peer for Single {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        let _float_control = FloatControl::flush_denormals();
        let intersect = self.tree.embree.queries.intersect1;
        let mut arguments = arguments(RAY_QUERY_FLAG_INCOHERENT);
        for (ray, answer) in rays.iter().zip(answers) {
            let mut both = convert(ray).with_hit();
            // SAFETY: a committed scene; the structs are Embree's own, aligned.
            unsafe { intersect(self.tree.scene, &raw mut both, &raw mut arguments) };
            *answer = if both.hit.geom_id == INVALID_ID {
                MISS
            } else {
                Answer { t: both.ray.tfar, triangle: both.hit.prim_id }
            };
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        let _float_control = FloatControl::flush_denormals();
        let occluded = self.tree.embree.queries.occluded1;
        let mut arguments = arguments(RAY_QUERY_FLAG_INCOHERENT);
        for (ray, answer) in rays.iter().zip(answers) {
            let mut own = convert(ray);
            // SAFETY: as above.
            unsafe { occluded(self.tree.scene, &raw mut own, &raw mut arguments) };
            *answer = own.tfar == f32::NEG_INFINITY;
        }
    }
}

/// Rays in packets of 16, which Embree answers in place.
struct Packets {
    tree: Rc<Tree>,
    flags: c_int,
    packets: Vec<(RtcRayHit16, [c_int; 16])>,
}

impl Peer for Packets {
    fn prepare(&mut self, rays: &[Ray]) {
        self.packets.clear();
        self.packets.extend(rays.chunks(16).map(|rays| packet(rays.iter().map(convert))));
    }

    fn closest_all(&mut self, _rays: &[Ray], _answers: &mut [Answer]) {
        let _float_control = FloatControl::flush_denormals();
        let intersect = self.tree.embree.queries.intersect16;
        let mut arguments = arguments(self.flags);
        for (both, valid) in &mut self.packets {
            // SAFETY: a committed scene; the structs are Embree's own, aligned.
            unsafe { intersect(valid.as_ptr(), self.tree.scene, both, &raw mut arguments) };
        }
    }

    fn collect_closest(&mut self, answers: &mut [Answer]) {
        for ((both, _), answers) in self.packets.iter().zip(answers.chunks_mut(16)) {
            for (lane, answer) in answers.iter_mut().enumerate() {
                *answer = if both.hit.geom_id[lane] == INVALID_ID {
                    MISS
                } else {
                    Answer { t: both.ray.tfar[lane], triangle: both.hit.prim_id[lane] }
                };
            }
        }
    }

    fn any_all(&mut self, _rays: &[Ray], _answers: &mut [bool]) {
        let _float_control = FloatControl::flush_denormals();
        let occluded = self.tree.embree.queries.occluded16;
        let mut arguments = arguments(self.flags);
        for (both, valid) in &mut self.packets {
            // SAFETY: as above.
            unsafe {
                occluded(valid.as_ptr(), self.tree.scene, &raw mut both.ray, &raw mut arguments);
            }
        }
    }

    fn collect_any(&mut self, answers: &mut [bool]) {
        for ((both, _), answers) in self.packets.iter().zip(answers.chunks_mut(16)) {
            for (lane, answer) in answers.iter_mut().enumerate() {
                *answer = both.ray.tfar[lane] == f32::NEG_INFINITY;
            }
        }
    }
}
