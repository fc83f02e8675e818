//! tinybvh's own files: `BVH::Save` and `BVH::Load`, which its Rust wrapper compiles but does
//! not pass on. Their file holds nodes and indices, no vertices: the program brings those.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;

// A result in memory is asked for by a hidden first argument there; elsewhere in other ways.
#[cfg(not(target_arch = "x86_64"))]
compile_error!("the calls below are those of x86-64's C++ ABI");

/// `tinybvh::bvhvec4slice`.
#[repr(C)]
struct Slice {
    data: *const [f32; 4],
    count: u32,
    stride: u32,
}

impl Slice {
    fn of(vertices: &[[f32; 4]]) -> Self {
        Self {
            data: vertices.as_ptr(),
            count: vertices.len() as u32,
            stride: size_of::<[f32; 4]>() as u32,
        }
    }
}

// SAFETY: names and signatures are those that the C++ library's header has, read by hand: the linker checks names alone.
unsafe extern "C" {
    // `std::unique_ptr<tinybvh::BVH> tinybvh::BVH_new()`: returned through a pointer, as the C++
    // ABI has it for what has a destructor.
    #[link_name = "_ZN7tinybvh7BVH_newEv"]
    fn bvh_new(result: *mut *mut c_void) -> *mut *mut c_void;
    #[link_name = "_ZN7tinybvh3BVH7BuildHQERKNS_12bvhvec4sliceE"]
    fn bvh_build_hq(bvh: *mut c_void, vertices: *const Slice);
    #[link_name = "_ZN7tinybvh3BVH4SaveEPKc"]
    fn bvh_save(bvh: *mut c_void, path: *const c_char);
    #[link_name = "_ZN7tinybvh3BVH4LoadEPKcRKNS_12bvhvec4sliceEPKjj"]
    fn bvh_load(
        bvh: *mut c_void,
        path: *const c_char,
        vertices: *const Slice,
        indices: *const u32,
        triangles: u32,
    ) -> bool;
    #[link_name = "_ZN7tinybvh3BVHD1Ev"]
    fn bvh_drop(bvh: *mut c_void);
}

/// A tree of tinybvh's.
struct Tree(*mut c_void);

impl Tree {
    fn new() -> Self {
        let mut tree = std::ptr::null_mut();
        // SAFETY: it writes a pointer to a new object.
        unsafe { bvh_new(&raw mut tree) };
        Self(tree)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: a live object, which is not used after this. (The object itself, a few hundred
        // bytes, stays: it is of the C++ allocator.)
        unsafe { bvh_drop(self.0) };
    }
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).expect("a path without zero bytes")
}

/// Builds a tree over the vertices, three a triangle, and writes its file.
pub fn save(vertices: &[[f32; 4]], path: &Path) {
    // The wrapper is what brings the C++ code along.
    let _ = tinybvh_rs::INFINITE;
    let tree = Tree::new();
    let (slice, path) = (Slice::of(vertices), c_string(path));
    // SAFETY: a live tree; vertices and path live for the calls.
    unsafe {
        bvh_build_hq(tree.0, &raw const slice);
        bvh_save(tree.0, path.as_ptr());
    }
}

/// Loads a tree and throws it away.
pub fn load(vertices: &[[f32; 4]], path: &Path) {
    let tree = Tree::new();
    let (slice, path) = (Slice::of(vertices), c_string(path));
    // SAFETY: as above; without indices, their number is that of the vertices.
    let loaded = unsafe { bvh_load(tree.0, path.as_ptr(), &raw const slice, std::ptr::null(), 0) };
    assert!(loaded, "tinybvh loads what it saved");
}
