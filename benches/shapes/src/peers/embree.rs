//! Embree's point query, with the user's own distance to a triangle, as it asks for.
//!
//! The declarations are the few of `embree4/rtcore*.h` (4.4) that are needed here.

use std::ffi::{c_uint, c_void};
use std::path::Path;

use hitscan::glam::Vec3A;

use super::ours::each;
use crate::embree_scene::{self, BUILD_QUALITY_HIGH, SCENE_FLAG_NONE, Scene, functions};
use crate::peer::{Build, Case, Kind, Peer, Sizes};

const INVALID_ID: c_uint = u32::MAX;

/// `RTCPointQuery`.
#[repr(C, align(16))]
struct PointQuery {
    at: [f32; 3],
    time: f32,
    radius: f32,
}

/// `RTCPointQueryContext`, as a build with instance arrays has it; others have one field less.
#[repr(C, align(16))]
struct Context {
    world_to_instance: [f32; 16],
    instance_to_world: [f32; 16],
    instance: c_uint,
    instance_primitive: c_uint,
    depth: c_uint,
}

/// `RTCPointQueryFunctionArguments`.
#[repr(C)]
struct Arguments {
    query: *mut PointQuery,
    user: *mut c_void,
    primitive: c_uint,
    geometry: c_uint,
    context: *mut Context,
    similarity_scale: f32,
}

type Callback = unsafe extern "C" fn(*mut Arguments) -> bool;

functions! {
    Queries:
    point_query = b"rtcPointQuery":
        fn(Scene, *mut PointQuery, *mut Context, Callback, *mut c_void) -> bool;
}

/// A committed scene, which lives as long as the process.
struct Embree {
    queries: Queries,
    scene: Scene,
    triangles: Vec<[Vec3A; 3]>,
}

/// Embree from the library at this path.
pub fn load(path: &Path) -> Result<Build, String> {
    let config = "threads=1,frequency_level=simd512";
    let embree = embree_scene::Embree::load(path, config).map_err(|error| error.to_string())?;
    // SAFETY: it is Embree 4, and never unloaded.
    let queries = unsafe { Queries::find(embree.library) }.map_err(|error| error.to_string())?;
    Ok(Box::new(move |level| {
        let scene = embree.scene(&level.triangles, SCENE_FLAG_NONE, BUILD_QUALITY_HIGH);
        embree.commit(scene);
        let triangles = level.triangles.iter().map(|triangle| triangle.map(Vec3A::from)).collect();
        Ok(Box::new(Embree { queries, scene, triangles }))
    }))
}

impl Embree {
    fn query(&self, case: &Case, radius: f32, callback: Callback) -> f32 {
        let mut query = PointQuery { at: case.at, time: 0.0, radius };
        let mut context = Context {
            world_to_instance: [0.0; 16],
            instance_to_world: [0.0; 16],
            instance: INVALID_ID,
            instance_primitive: INVALID_ID,
            depth: 0,
        };
        let user = self.triangles.as_ptr().cast_mut().cast::<c_void>();
        // SAFETY: a committed scene; what is pointed to outlives the call.
        unsafe {
            (self.queries.point_query)(
                self.scene,
                &raw mut query,
                &raw mut context,
                callback,
                user,
            );
        }
        query.radius
    }
}

/// The distance from the query's point to the callback's triangle.
///
/// # Safety
///
/// The user's pointer is that of the scene's triangles.
unsafe fn distance(arguments: &Arguments, query: &PointQuery) -> f32 {
    // SAFETY: the caller's promise, and Embree's numbers of triangles.
    let triangle =
        unsafe { &*arguments.user.cast::<[Vec3A; 3]>().add(arguments.primitive as usize) };
    let point = Vec3A::from(query.at);
    (closest(point, *triangle) - point).length()
}

/// Shrinks the radius to what is found.
unsafe extern "C" fn nearer(arguments: *mut Arguments) -> bool {
    // SAFETY: Embree's arguments, with the user's pointer of `Embree::query`.
    unsafe {
        let arguments = &*arguments;
        let query = &mut *arguments.query;
        let distance = distance(arguments, query);
        if distance < query.radius {
            query.radius = distance;
            return true;
        }
    }
    false
}

/// Ends the search, by a radius of -1, at the first triangle within the radius.
unsafe extern "C" fn within(arguments: *mut Arguments) -> bool {
    // SAFETY: as in `nearer`.
    unsafe {
        let arguments = &*arguments;
        let query = &mut *arguments.query;
        if query.radius >= 0.0 && distance(arguments, query) <= query.radius {
            query.radius = -1.0;
            return true;
        }
    }
    false
}

/// The closest point of a triangle (Ericson, Real-Time Collision Detection, 2005).
fn closest(p: Vec3A, [a, b, c]: [Vec3A; 3]) -> Vec3A {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = 1.0 / (va + vb + vc);
    a + ab * (vb * scale) + ac * (vc * scale)
}

impl Peer for Embree {
    fn name(&self) -> &str {
        "Embree 4.4, point query"
    }

    fn ask(&self, kind: Kind, sizes: Sizes, cases: &[Case], answers: &mut [f32]) -> bool {
        match kind {
            Kind::ClosestAnywhere | Kind::ClosestNear => {
                each(cases, answers, |case| self.query(case, f32::INFINITY, nearer))
            }
            Kind::SphereOverlap => each(cases, answers, |case| {
                f32::from(u8::from(self.query(case, sizes.radius, within) < 0.0))
            }),
            _ => false,
        }
    }
}
