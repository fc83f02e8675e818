//! The Rust crates, in the shared library that `native/` builds for this very CPU.

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::time::Instant;

use libloading::Library;

use super::{Bakery, Entrant, Role};
use crate::peer::{Answer, Peer, Ray, Triangle};

// SAFETY, of each call: the signatures are those in `native/src/lib.rs`, whose `# Safety` sections
// say what pointers and counts must be. The user who names the library's path guarantees that it
// was built from that source.
type Peers = unsafe extern "C" fn() -> *const c_char;
type Build = unsafe extern "C" fn(*const c_char, *const Triangle, usize) -> *mut Handle;
type Closest = unsafe extern "C" fn(*mut Handle, *const Ray, *mut Answer, usize);
type Any = unsafe extern "C" fn(*mut Handle, *const Ray, *mut bool, usize);
type Free = unsafe extern "C" fn(*mut Handle);

/// A peer on the library's side.
#[repr(C)]
struct Handle([u8; 0]);

#[derive(Clone, Copy)]
struct Functions {
    build: Build,
    closest: Closest,
    any: Any,
    free: Free,
}

/// Where `cargo build --release` puts the library.
pub fn default_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("native/target/release")
        .join(libloading::library_filename("hitscan_native_peers"))
}

/// The peers in the library.
pub fn entrants(path: &Path) -> Result<Vec<Entrant>, libloading::Error> {
    // SAFETY: our own library; these are its functions' types. It is never unloaded.
    let (peers, functions) = unsafe {
        let library = Box::leak(Box::new(Library::new(path)?));
        let functions = Functions {
            build: *library.get::<Build>(b"native_build")?,
            closest: *library.get::<Closest>(b"native_closest")?,
            any: *library.get::<Any>(b"native_any")?,
            free: *library.get::<Free>(b"native_free")?,
        };
        let peers = *library.get::<Peers>(b"native_peers")?;
        (CStr::from_ptr(peers()), functions)
    };
    let entrant = |line: &str| {
        let (name, version) = line.split_once('\t').unwrap_or((line, ""));
        let c_name = CString::new(name).expect("it was a C string");
        Entrant {
            name: name.to_owned(),
            version: version.to_owned(),
            role: Role::Peer,
            build: Box::new(move |triangles| {
                // SAFETY: as many triangles as said.
                let handle = unsafe {
                    (functions.build)(c_name.as_ptr(), triangles.as_ptr(), triangles.len())
                };
                assert!(!handle.is_null(), "the library names this peer");
                Box::new(Native { functions, handle })
            }),
        }
    };
    Ok(peers.to_string_lossy().lines().map(entrant).collect())
}

/// The builds of the peers in the library, each as the peer itself does it.
pub fn bakeries(path: &Path) -> Result<Vec<Bakery>, libloading::Error> {
    let bakery = |entrant: Entrant| Bakery {
        name: entrant.name,
        version: entrant.version,
        bake: Box::new(move |triangles| {
            let start = Instant::now();
            let peer = (entrant.build)(triangles);
            let elapsed = start.elapsed();
            drop(peer);
            elapsed
        }),
    };
    Ok(entrants(path)?.into_iter().map(bakery).collect())
}

struct Native {
    functions: Functions,
    handle: *mut Handle,
}

impl Peer for Native {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        assert_eq!(rays.len(), answers.len());
        // SAFETY: a live peer, and as many rays and answers as said.
        unsafe {
            (self.functions.closest)(self.handle, rays.as_ptr(), answers.as_mut_ptr(), rays.len());
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        assert_eq!(rays.len(), answers.len());
        // SAFETY: a live peer, and as many rays and answers as said.
        unsafe {
            (self.functions.any)(self.handle, rays.as_ptr(), answers.as_mut_ptr(), rays.len());
        }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: from the library's `build`, and not used again.
        unsafe { (self.functions.free)(self.handle) };
    }
}
