//! Embree 4, loaded at run time, and its scenes of triangles. What is asked of a scene is declared
//! where it is asked.
//!
//! The declarations are the few of `embree4/rtcore*.h` (4.4) that are needed.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

pub type Device = *mut c_void;
pub type Scene = *mut c_void;
pub type Geometry = *mut c_void;

pub const GEOMETRY_TYPE_TRIANGLE: c_int = 0;
pub const BUFFER_TYPE_INDEX: c_int = 0;
pub const BUFFER_TYPE_VERTEX: c_int = 1;
pub const FORMAT_UINT3: c_int = 0x5003;
pub const FORMAT_FLOAT3: c_int = 0x9003;
pub const BUILD_QUALITY_MEDIUM: c_int = 1;
pub const BUILD_QUALITY_HIGH: c_int = 2;
pub const SCENE_FLAG_NONE: c_int = 0;
pub const SCENE_FLAG_ROBUST: c_int = 1 << 2;
const DEVICE_PROPERTY_VERSION: c_int = 0;

/// Declares functions that are used, and how they are found in the library.
macro_rules! functions {
    ($name:ident: $($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[derive(Clone, Copy)]
        struct $name {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $name {
            /// # Safety
            ///
            /// The library is an Embree 4 and is never unloaded.
            unsafe fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: the caller's promise; the types are the header's.
                unsafe { Ok(Self { $($field: *library.get($symbol)?,)* }) }
            }
        }
    };
}
pub(crate) use functions;

functions! {
    Functions:
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
}

/// A device of the library. It lives as long as the process, and so does the library.
pub struct Embree {
    pub library: &'static Library,
    functions: Functions,
    device: Device,
    /// Major, minor, patch.
    pub version: [isize; 3],
}

impl Embree {
    /// The device.
    #[allow(dead_code, reason = "scenes of triangles do without")]
    pub fn device(&self) -> Device {
        self.device
    }

    /// The library at this path, with a device of this configuration.
    pub fn load(path: &Path, config: &str) -> Result<Self, libloading::Error> {
        // SAFETY: the user says that this is Embree; it is never unloaded.
        let (library, functions) = unsafe {
            let library = &*Box::leak(Box::new(Library::new(path)?));
            (library, Functions::find(library)?)
        };
        let config = CString::new(config).expect("it holds no zero byte");
        // SAFETY: a C string.
        let device = unsafe { (functions.new_device)(config.as_ptr()) };
        assert!(!device.is_null(), "Embree has no device for this CPU");
        // SAFETY: a device.
        let version = unsafe { (functions.device_property)(device, DEVICE_PROPERTY_VERSION) };
        let version = [version / 10_000, version / 100 % 100, version % 100];
        assert_eq!(version[0], 4, "the declarations here are Embree 4's");
        Ok(Self { library, functions, device, version })
    }

    /// A scene of these triangles that is not built yet.
    pub fn scene(&self, triangles: &[[[f32; 3]; 3]], flags: c_int, quality: c_int) -> Scene {
        let Self { functions, device, .. } = self;
        let vertices = triangles.as_flattened();
        let count = triangles.len();
        // SAFETY: live handles; Embree's buffers (padded by itself) hold what is
        // written to them, and are written before they are committed.
        unsafe {
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
        }
    }

    /// Builds a scene of this device.
    pub fn commit(&self, scene: Scene) {
        // SAFETY: live handles.
        let error = unsafe {
            (self.functions.commit_scene)(scene);
            (self.functions.device_error)(self.device)
        };
        assert_eq!(error, 0, "Embree reports an error (RTCError)");
    }

    /// Frees a scene of this device.
    ///
    /// # Safety
    ///
    /// It is not used any more.
    pub unsafe fn release(&self, scene: Scene) {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.release_scene)(scene) };
    }
}
