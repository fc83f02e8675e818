//! The peers that are Rust crates, behind a C interface.
//!
//! They pick their instruction set when they are compiled, so they live in a library
//! that is compiled for this very CPU, while the bench and hitscan in it are compiled
//! plainly, as users compile them.

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
compile_error!(r#"build this with RUSTFLAGS="-C target-cpu=native" on a CPU with AVX2"#);

use std::ffi::{CStr, c_char};

#[cfg(feature = "bvh")]
mod bvh_crate;
#[cfg(feature = "obvhs")]
mod obvhs_crate;
#[cfg(feature = "parry3d")]
mod parry3d_crate;
#[expect(dead_code, reason = "no peer here takes rays in bulk")]
#[path = "../../src/peer.rs"]
mod peer;
#[cfg(feature = "tinybvh")]
mod tinybvh_crate;
#[cfg(feature = "tinybvh")]
mod tinybvh_ray;

use peer::{Answer, Peer, Ray, Triangle};

type Build = fn(&[Triangle]) -> Box<dyn Peer>;

/// Name, package in the lock file, what was chosen, and how to build.
const PEERS: &[(&str, &str, &str, Build)] = &[
    #[cfg(feature = "tinybvh")]
    (
        "tinybvh",
        "tinybvh-rs",
        "new_hq, split_leaves(4), mbvh, bvh8_cpu",
        tinybvh_crate::build,
    ),
    #[cfg(feature = "obvhs")]
    (
        "obvhs",
        "obvhs",
        "very_slow_build, CwBvh",
        obvhs_crate::build,
    ),
    #[cfg(feature = "parry3d")]
    ("parry3d", "parry3d", "TriMesh", parry3d_crate::build),
    #[cfg(feature = "bvh")]
    ("bvh", "bvh", "nearest_traverse_iterator", bvh_crate::build),
];

/// A built peer, as the bench holds it.
pub struct Handle(Box<dyn Peer>);

/// One line a peer, ended by a zero byte: its name, a tab, its version and options.
#[unsafe(no_mangle)]
pub extern "C" fn native_peers() -> *const c_char {
    let lines: Vec<String> = PEERS
        .iter()
        .map(|(name, package, options, _)| {
            format!("{name}\t{package} {} ({options})", version(package))
        })
        .collect();
    let text = std::ffi::CString::new(lines.join("\n")).expect("names hold no zero byte");
    text.into_raw()
}

/// A package's version in this library's lock file.
fn version(package: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let head = format!("name = \"{package}\"\nversion = \"");
    let after = lock.split_once(&head).map_or("", |(_, after)| after);
    after.split('"').next().unwrap_or_default()
}

/// Builds the peer of this name, or returns null if there is none.
///
/// # Safety
///
/// `name` is a C string; `triangles` points to `count` triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn native_build(
    name: *const c_char,
    triangles: *const Triangle,
    count: usize,
) -> *mut Handle {
    // SAFETY: the caller's promise.
    let (name, triangles) = unsafe {
        (
            CStr::from_ptr(name),
            std::slice::from_raw_parts(triangles, count),
        )
    };
    PEERS
        .iter()
        .find(|peer| peer.0.as_bytes() == name.to_bytes())
        .map_or(std::ptr::null_mut(), |peer| {
            Box::into_raw(Box::new(Handle(peer.3(triangles))))
        })
}

/// [`Peer::closest_all`].
///
/// # Safety
///
/// `peer` is from [`native_build`]; `rays` and `answers` point to `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn native_closest(
    peer: *mut Handle,
    rays: *const Ray,
    answers: *mut Answer,
    count: usize,
) {
    // SAFETY: the caller's promise.
    let (peer, rays, answers) = unsafe {
        (
            &mut *peer,
            std::slice::from_raw_parts(rays, count),
            std::slice::from_raw_parts_mut(answers, count),
        )
    };
    peer.0.closest_all(rays, answers);
}

/// [`Peer::any_all`].
///
/// # Safety
///
/// `peer` is from [`native_build`]; `rays` and `answers` point to `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn native_any(
    peer: *mut Handle,
    rays: *const Ray,
    answers: *mut bool,
    count: usize,
) {
    // SAFETY: the caller's promise.
    let (peer, rays, answers) = unsafe {
        (
            &mut *peer,
            std::slice::from_raw_parts(rays, count),
            std::slice::from_raw_parts_mut(answers, count),
        )
    };
    peer.0.any_all(rays, answers);
}

/// Frees a peer.
///
/// # Safety
///
/// `peer` is from [`native_build`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn native_free(peer: *mut Handle) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(peer) });
}
