//! Embree 4, loaded at run time: one ray at a time and in packets of 16.
//!
//! The declarations are the few of `embree4/rtcore*.h` (4.4) that are needed here.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr;
use std::rc::Rc;
use std::time::Instant;

use libloading::Library;

use super::{Bakery, Entrant};
use crate::machine::FloatControl;
use crate::peer::{Answer, MISS, Peer, Ray, Triangle};

/// The instruction set is the widest that Embree has for this CPU, AVX-512 included,
/// which it leaves alone unless told so.
const CONFIG: &str = "frequency_level=simd512";

type Device = *mut c_void;
type Scene = *mut c_void;
type Geometry = *mut c_void;

const GEOMETRY_TYPE_TRIANGLE: c_int = 0;
const BUFFER_TYPE_INDEX: c_int = 0;
const BUFFER_TYPE_VERTEX: c_int = 1;
const FORMAT_UINT3: c_int = 0x5003;
const FORMAT_FLOAT3: c_int = 0x9003;
const BUILD_QUALITY_MEDIUM: c_int = 1;
const BUILD_QUALITY_HIGH: c_int = 2;
const SCENE_FLAG_NONE: c_int = 0;
const SCENE_FLAG_ROBUST: c_int = 1 << 2;
const RAY_QUERY_FLAG_INCOHERENT: c_int = 0;
const RAY_QUERY_FLAG_COHERENT: c_int = 1 << 16;
const FEATURE_FLAG_ALL: c_uint = u32::MAX;
const INVALID_ID: c_uint = u32::MAX;
const DEVICE_PROPERTY_VERSION: c_int = 0;

/// `RTCRay`.
#[repr(C, align(16))]
struct RtcRay {
    org: [f32; 3],
    tnear: f32,
    dir: [f32; 3],
    time: f32,
    tfar: f32,
    mask: c_uint,
    id: c_uint,
    flags: c_uint,
}

/// `RTCHit`, as a build with instance arrays has it; others use one field less.
#[repr(C, align(16))]
struct RtcHit {
    ng: [f32; 3],
    u: f32,
    v: f32,
    prim_id: c_uint,
    geom_id: c_uint,
    inst_id: c_uint,
    inst_prim_id: c_uint,
}

/// `RTCRayHit`.
#[repr(C)]
struct RtcRayHit {
    ray: RtcRay,
    hit: RtcHit,
}

/// `RTCRay16`.
#[repr(C, align(64))]
#[derive(Clone)]
struct RtcRay16 {
    org: [[f32; 16]; 3],
    tnear: [f32; 16],
    dir: [[f32; 16]; 3],
    time: [f32; 16],
    tfar: [f32; 16],
    mask: [c_uint; 16],
    id: [c_uint; 16],
    flags: [c_uint; 16],
}

/// `RTCHit16`, with the last field as in [`RtcHit`].
#[repr(C, align(64))]
#[derive(Clone)]
struct RtcHit16 {
    ng: [[f32; 16]; 3],
    u: [f32; 16],
    v: [f32; 16],
    prim_id: [c_uint; 16],
    geom_id: [c_uint; 16],
    inst_id: [c_uint; 16],
    inst_prim_id: [c_uint; 16],
}

/// `RTCRayHit16`.
#[repr(C)]
#[derive(Clone)]
struct RtcRayHit16 {
    ray: RtcRay16,
    hit: RtcHit16,
}

/// `RTCIntersectArguments` and `RTCOccludedArguments`, which are laid out alike. (A
/// build with `RTC_MIN_WIDTH` reads the last field, others end before it.)
#[repr(C)]
struct RtcArguments {
    flags: c_int,
    feature_mask: c_uint,
    context: *mut c_void,
    filter: *const c_void,
    callback: *const c_void,
    min_width_distance_factor: f32,
}

const _: () = {
    assert!(size_of::<RtcRay>() == 48 && size_of::<RtcRayHit>() == 96);
    assert!(size_of::<RtcRay16>() == 768 && size_of::<RtcHit16>() == 576);
    assert!(std::mem::offset_of!(RtcRayHit16, hit) == 768);
};

/// Declares the functions that are used, and how they are found in the library.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            ///
            /// The library is an Embree 4 and is never unloaded.
            unsafe fn find(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the caller's promise; the types are the header's.
                unsafe { Ok(Self { $($field: *library.get($symbol)?,)* }) }
            }
        }
    };
}

functions! {
    new_device = b"rtcNewDevice": fn(*const c_char) -> Device;
    device_error = b"rtcGetDeviceError": fn(Device) -> c_int;
    device_property = b"rtcGetDeviceProperty": fn(Device, c_int) -> isize;
    new_scene = b"rtcNewScene": fn(Device) -> Scene;
    set_scene_flags = b"rtcSetSceneFlags": fn(Scene, c_int);
    set_scene_build_quality = b"rtcSetSceneBuildQuality": fn(Scene, c_int);
    commit_scene = b"rtcCommitScene": fn(Scene);
    release_scene = b"rtcReleaseScene": fn(Scene);
    new_geometry = b"rtcNewGeometry": fn(Device, c_int) -> Geometry;
    new_buffer = b"rtcSetNewGeometryBuffer":
        fn(Geometry, c_int, c_uint, c_int, usize, usize) -> *mut c_void;
    commit_geometry = b"rtcCommitGeometry": fn(Geometry);
    attach_geometry = b"rtcAttachGeometry": fn(Scene, Geometry) -> c_uint;
    release_geometry = b"rtcReleaseGeometry": fn(Geometry);
    intersect1 = b"rtcIntersect1": fn(Scene, *mut RtcRayHit, *mut RtcArguments);
    occluded1 = b"rtcOccluded1": fn(Scene, *mut RtcRay, *mut RtcArguments);
    intersect16 = b"rtcIntersect16":
        fn(*const c_int, Scene, *mut RtcRayHit16, *mut RtcArguments);
    occluded16 = b"rtcOccluded16":
        fn(*const c_int, Scene, *mut RtcRay16, *mut RtcArguments);
}

/// The library and its device; both live as long as the process.
struct Embree {
    functions: Functions,
    device: Device,
    /// Its version and how the device was made.
    version: String,
}

impl Embree {
    fn load(path: &Path, threads: usize, verbose: bool) -> Result<Rc<Self>, libloading::Error> {
        // SAFETY: the user says that this is Embree; it is never unloaded.
        let functions = unsafe {
            let library = Box::leak(Box::new(Library::new(path)?));
            Functions::find(library)?
        };
        let config = format!("threads={threads},{CONFIG}");
        let spoken = if verbose { ",verbose=2" } else { "" };
        let c_config = CString::new(format!("{config}{spoken}")).expect("it holds no zero byte");
        // SAFETY: a C string.
        let device = unsafe { (functions.new_device)(c_config.as_ptr()) };
        // SAFETY: a device, as checked before its version is asked for.
        let version = unsafe {
            assert!(!device.is_null(), "Embree has no device for this CPU");
            (functions.device_property)(device, DEVICE_PROPERTY_VERSION)
        };
        let (major, minor, patch) = (version / 10_000, version / 100 % 100, version % 100);
        assert_eq!(major, 4, "the declarations here are Embree 4's");
        Ok(Rc::new(Self {
            functions,
            device,
            version: format!("Embree {major}.{minor}.{patch} ({config}"),
        }))
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
            counts: mode == Mode::Single { robust: false },
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
                flags: if coherent {
                    RAY_QUERY_FLAG_COHERENT
                } else {
                    RAY_QUERY_FLAG_INCOHERENT
                },
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
            *self = Self {
                tree: Rc::downgrade(&tree),
                triangles: key,
                robust,
            };
        }
        tree
    }
}

impl Tree {
    /// A scene of these triangles that is not built yet.
    fn attach(embree: Rc<Embree>, triangles: &[Triangle], robust: bool, quality: c_int) -> Self {
        let Embree {
            functions, device, ..
        } = &*embree;
        let vertices = triangles.as_flattened();
        let count = triangles.len();
        let flags = if robust {
            SCENE_FLAG_ROBUST
        } else {
            SCENE_FLAG_NONE
        };
        // SAFETY: live handles; Embree's buffers (padded by itself) hold what is
        // written to them, and are written before they are committed.
        let scene = unsafe {
            let geometry = (functions.new_geometry)(*device, GEOMETRY_TYPE_TRIANGLE);
            let to = (functions.new_buffer)(
                geometry,
                BUFFER_TYPE_VERTEX,
                0,
                FORMAT_FLOAT3,
                size_of::<[f32; 3]>(),
                vertices.len(),
            );
            assert!(!to.is_null(), "Embree is out of memory");
            ptr::copy_nonoverlapping(vertices.as_ptr(), to.cast(), vertices.len());
            let to = (functions.new_buffer)(
                geometry,
                BUFFER_TYPE_INDEX,
                0,
                FORMAT_UINT3,
                size_of::<[u32; 3]>(),
                count,
            );
            assert!(!to.is_null(), "Embree is out of memory");
            for i in 0..3 * count {
                to.cast::<u32>().add(i).write(i as u32);
            }
            (functions.commit_geometry)(geometry);
            let scene = (functions.new_scene)(*device);
            (functions.set_scene_flags)(scene, flags);
            (functions.set_scene_build_quality)(scene, quality);
            (functions.attach_geometry)(scene, geometry);
            (functions.release_geometry)(geometry);
            scene
        };
        Self { embree, scene }
    }

    fn commit(&self) {
        let Embree {
            functions, device, ..
        } = &*self.embree;
        // SAFETY: live handles.
        let error = unsafe {
            (functions.commit_scene)(self.scene);
            (functions.device_error)(*device)
        };
        assert_eq!(error, 0, "Embree reports an error (RTCError)");
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: a live scene that is not used any more.
        unsafe { (self.embree.functions.release_scene)(self.scene) };
    }
}

fn arguments(flags: c_int) -> RtcArguments {
    RtcArguments {
        flags,
        feature_mask: FEATURE_FLAG_ALL,
        context: ptr::null_mut(),
        filter: ptr::null(),
        callback: ptr::null(),
        min_width_distance_factor: 0.0,
    }
}

struct Single {
    tree: Rc<Tree>,
}

#[inline(always)]
fn convert(ray: &Ray) -> RtcRay {
    RtcRay {
        org: ray.origin,
        tnear: ray.t_min,
        dir: ray.dir,
        time: 0.0,
        tfar: ray.t_max,
        mask: u32::MAX,
        id: 0,
        flags: 0,
    }
}

impl Peer for Single {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        let _float_control = FloatControl::flush_denormals();
        let intersect = self.tree.embree.functions.intersect1;
        let mut arguments = arguments(RAY_QUERY_FLAG_INCOHERENT);
        for (ray, answer) in rays.iter().zip(answers) {
            let mut both = RtcRayHit {
                ray: convert(ray),
                hit: RtcHit {
                    ng: [0.0; 3],
                    u: 0.0,
                    v: 0.0,
                    prim_id: INVALID_ID,
                    geom_id: INVALID_ID,
                    inst_id: INVALID_ID,
                    inst_prim_id: INVALID_ID,
                },
            };
            // SAFETY: a committed scene; the structs are Embree's own, aligned.
            unsafe { intersect(self.tree.scene, &raw mut both, &raw mut arguments) };
            *answer = if both.hit.geom_id == INVALID_ID {
                MISS
            } else {
                Answer {
                    t: both.ray.tfar,
                    triangle: both.hit.prim_id,
                }
            };
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        let _float_control = FloatControl::flush_denormals();
        let occluded = self.tree.embree.functions.occluded1;
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

/// Embree's mark for a lane that holds a ray.
const VALID: c_int = -1;

fn packet(rays: &[Ray]) -> (RtcRayHit16, [c_int; 16]) {
    let mut valid = [0; 16];
    let mut both = RtcRayHit16 {
        ray: RtcRay16 {
            org: [[0.0; 16]; 3],
            tnear: [0.0; 16],
            dir: [[0.0; 16]; 3],
            time: [0.0; 16],
            tfar: [f32::NEG_INFINITY; 16],
            mask: [u32::MAX; 16],
            id: [0; 16],
            flags: [0; 16],
        },
        hit: RtcHit16 {
            ng: [[0.0; 16]; 3],
            u: [0.0; 16],
            v: [0.0; 16],
            prim_id: [INVALID_ID; 16],
            geom_id: [INVALID_ID; 16],
            inst_id: [INVALID_ID; 16],
            inst_prim_id: [INVALID_ID; 16],
        },
    };
    for (lane, ray) in rays.iter().enumerate() {
        valid[lane] = VALID;
        for axis in 0..3 {
            both.ray.org[axis][lane] = ray.origin[axis];
            both.ray.dir[axis][lane] = ray.dir[axis];
        }
        both.ray.tnear[lane] = ray.t_min;
        both.ray.tfar[lane] = ray.t_max;
    }
    (both, valid)
}

impl Peer for Packets {
    fn prepare(&mut self, rays: &[Ray]) {
        self.packets.clear();
        self.packets.extend(rays.chunks(16).map(packet));
    }

    fn closest_all(&mut self, _rays: &[Ray], _answers: &mut [Answer]) {
        let _float_control = FloatControl::flush_denormals();
        let intersect = self.tree.embree.functions.intersect16;
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
                    Answer {
                        t: both.ray.tfar[lane],
                        triangle: both.hit.prim_id[lane],
                    }
                };
            }
        }
    }

    fn any_all(&mut self, _rays: &[Ray], _answers: &mut [bool]) {
        let _float_control = FloatControl::flush_denormals();
        let occluded = self.tree.embree.functions.occluded16;
        let mut arguments = arguments(self.flags);
        for (both, valid) in &mut self.packets {
            // SAFETY: as above.
            unsafe {
                occluded(
                    valid.as_ptr(),
                    self.tree.scene,
                    &raw mut both.ray,
                    &raw mut arguments,
                );
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
