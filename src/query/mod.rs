//! Questions about rays, points and shapes, and their answers.
//!
//! | question | one ray | many rays |
//! |---|---|---|
//! | Which triangle is hit first? | [`Bvh::closest_hit`] | [`Bvh::closest_hit_batch`] |
//! | Is anything in the way? | [`Bvh::any_hit`] | [`Bvh::any_hit_batch`] |
//! | What lies along it? | [`Bvh::all_hits`], [`Bvh::for_each_hit`] | [`Bvh::all_hits_batch`] |
//!
//! | question | one point | many points |
//! |---|---|---|
//! | Which point is nearest? | [`Bvh::closest_point`] | [`Bvh::closest_point_batch`] |
//! | Does a sphere touch anything? | [`Bvh::any_within`] | |
//! | What does it touch? | [`Bvh::all_within`] | |
//! | Is it inside? | [`Bvh::contains`] | |
//! | How far inside or outside? | [`Bvh::signed_distance`] | |
//!
//! | question | one shape | many shapes |
//! |---|---|---|
//! | Which triangle is nearest to it? | [`Bvh::closest_to_shape`] | |
//! | Does it touch anything? | [`Bvh::any_overlap`] | [`Bvh::any_overlap_batch`] |
//! | What does it touch? | [`Bvh::all_overlaps`] | |
//! | Which meshes does it touch? | [`Bvh::all_mesh_overlaps`] | |
//! | What stops it on its way? | [`Bvh::first_contact`] | [`Bvh::first_contact_batch`] |
//! | What stops it on its way, if it turns? | [`Bvh::first_contact_turning`] | |
//! | What does it touch on its way? | [`Bvh::all_contacts`] | |
//! | Which triangles is it in, and which way is out? | [`Bvh::penetrations`] | |
//!
//! Where many have a list each there is no batch: a list of yours for each thread, and a loop over
//! your own pool, do the same.
//!
//! What games ask most often, each in one call:
//!
//! | question | call |
//! |---|---|
//! | How high above the ground is a point? | [`Bvh::closest_hit`] of a ray down: `t` |
//! | How high are many? | [`Bvh::closest_hit_batch`] of rays down |
//! | Is an obstacle ahead? How far? | [`Bvh::any_hit`], [`Bvh::closest_hit`] with a range |
//! | What stops a body that walks ahead? | [`Bvh::first_contact`] |
//! | How does a character move? | [`Bvh::move_and_slide`] |
//! | Which walls hide a character? | [`Bvh::all_contacts`]: example `camera_walls` |
//! | What does an explosion touch, nearest first? | [`Bvh::all_within`]: example `server_tick` |
//! | What does the mouse point at? | [`Ray::from_screen`]: example `pick` |
//! | What does the cursor snap to? | [`Bvh::snap`]: example `editor_snap` |
//! | And of things that move? | [scenes](crate::scene), also of volumes: example `proxies` |
//! | Which triggers is a character in? | [`all_overlaps`] of [`Targets::Volumes`] |
//! | Whom does a shot hit, but for the shooter? | [`Targets::Both`], [`Query::except`] |
//! | Whom does an explosion hurt? | [`all_within`] of [`Targets::Volumes`]: example `proxies` |
//! | Anything else? | [`Bvh::visit`], with your own tests: example `nearest_meshes` |
//!
//! [`all_overlaps`]: crate::Snapshot::all_overlaps
//! [`all_within`]: crate::Snapshot::all_within
//! [`Bvh::visit`]: crate::Bvh::visit
//! [`Bvh::snap`]: crate::Bvh::snap
//! [`Bvh::any_overlap_batch`]: crate::Bvh::any_overlap_batch
//! [`Bvh::first_contact_batch`]: crate::Bvh::first_contact_batch
//! [`Bvh::all_mesh_overlaps`]: crate::Bvh::all_mesh_overlaps
//!
//! ```
//! use hitscan::glam::Vec3;
//! use hitscan::{Builder, Capsule, Mesh, Query, Ray};
//!
//! let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
//! let wall = Mesh::from_soup(vec![[-9.0, 0.0, -4.0], [9.0, 0.0, -4.0], [0.0, 9.0, -4.0]]);
//! let (bvh, _report) = Builder::new().bake(&[floor, wall])?;
//! let query = Query::new();
//!
//! // The height above the ground, of one point and of many.
//! let below = |point: [f32; 3]| Ray::new(point, Vec3::NEG_Y);
//! let height = bvh.closest_hit(&below([1.0, 2.5, 0.0]), &query).map(|hit| hit.t);
//! assert_eq!(height, Some(2.5));
//! let mut ground = [None; 2];
//! bvh.closest_hit_batch(&[[1.0, 2.5, 0.0], [0.0, 7.0, 1.0]].map(below), &query, &mut ground)?;
//! assert_eq!(ground.map(|hit| hit.map(|hit| hit.t)), [Some(2.5), Some(7.0)]);
//!
//! // An obstacle within three units ahead: on a line, and in the way of a body.
//! let eye = Vec3::new(0.0, 1.5, -2.0);
//! let ahead = Ray::new(eye, Vec3::NEG_Z).with_range(0.0, 3.0);
//! assert_eq!(bvh.closest_hit(&ahead, &query).map(|hit| (hit.mesh, hit.t)), Some((1, 2.0)));
//! let body = Capsule::new([0.0, 0.75, -1.0], [0.0, 1.5, -1.0], 0.5);
//! let contact = bvh.first_contact(body, 3.0 * Vec3::NEG_Z, &query).expect("the wall");
//! assert_eq!((contact.hit.mesh, 3.0 * contact.t), (1, 2.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Most take a [`Query`]: a value that says which sides and which meshes count, and may carry a
//! filter. Whether a point is inside depends on [`Layers`] only. Many rays in one call are faster
//! than one call for each, and use all threads.
//!
//! A [`Hit`] has the numbers of mesh and triangle, and where on the triangle it lies. The tree
//! gives the rest: [`Bvh::point`], [`Bvh::normal`], [`Bvh::triangle`], [`Bvh::mesh_name`],
//! [`Bvh::material_name`]. [`Bvh::feature_points`] gives the points of the edge or the corner that
//! is near or touched. [`Bvh::ray_from`] casts on from a hit. [`Bvh::mesh_triangle`],
//! [`Bvh::triangle_material`] and [`Bvh::triangles`] do without one.
//!
//! ```
//! use hitscan::{Builder, Hit, Mesh, Query, Ray};
//!
//! let wall = vec![[0.0, 0.0, 5.0], [4.0, 0.0, 5.0], [0.0, 4.0, 5.0]];
//! let (bvh, _report) = Builder::new().bake(&[Mesh::from_soup(wall).with_name("wall")])?;
//!
//! let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
//! let hit = bvh.closest_hit(&ray, &Query::new()).unwrap();
//! assert_eq!(bvh.mesh_name(hit.mesh), Some("wall"));
//! assert_eq!(bvh.point(&hit).unwrap().z, 5.0);
//!
//! // Everything but the triangle that was just hit.
//! let seen = (hit.mesh, hit.triangle);
//! let is_other = |hit: &Hit| (hit.mesh, hit.triangle) != seen;
//! assert!(!bvh.any_hit(&ray, &Query::new().filter(&is_other)));
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! [`Ray::from_screen`]: crate::Ray::from_screen
//! [`geometry`]: crate::geometry
//! [`Bvh::closest_point`]: crate::Bvh::closest_point
//! [`Bvh::closest_point_batch`]: crate::Bvh::closest_point_batch
//! [`Bvh::any_within`]: crate::Bvh::any_within
//! [`Bvh::all_within`]: crate::Bvh::all_within
//! [`Bvh::contains`]: crate::Bvh::contains
//! [`Bvh::signed_distance`]: crate::Bvh::signed_distance
//! [`Bvh::closest_hit`]: crate::Bvh::closest_hit
//! [`Bvh::closest_hit_batch`]: crate::Bvh::closest_hit_batch
//! [`Bvh::any_hit`]: crate::Bvh::any_hit
//! [`Bvh::any_hit_batch`]: crate::Bvh::any_hit_batch
//! [`Bvh::closest_to_shape`]: crate::Bvh::closest_to_shape
//! [`Bvh::any_overlap`]: crate::Bvh::any_overlap
//! [`Bvh::all_overlaps`]: crate::Bvh::all_overlaps
//! [`Bvh::first_contact`]: crate::Bvh::first_contact
//! [`Bvh::first_contact_turning`]: crate::Bvh::first_contact_turning
//! [`Bvh::all_contacts`]: crate::Bvh::all_contacts
//! [`Bvh::penetrations`]: crate::Bvh::penetrations
//! [`Bvh::move_and_slide`]: crate::Bvh::move_and_slide
//! [`Bvh::all_hits`]: crate::Bvh::all_hits
//! [`Bvh::for_each_hit`]: crate::Bvh::for_each_hit
//! [`Bvh::all_hits_batch`]: crate::Bvh::all_hits_batch
//! [`Bvh::point`]: crate::Bvh::point
//! [`Bvh::normal`]: crate::Bvh::normal
//! [`Bvh::triangle`]: crate::Bvh::triangle
//! [`Bvh::feature_points`]: crate::Bvh::feature_points
//! [`Bvh::mesh_name`]: crate::Bvh::mesh_name
//! [`Bvh::material_name`]: crate::Bvh::material_name
//! [`Bvh::ray_from`]: crate::Bvh::ray_from
//! [`Bvh::mesh_triangle`]: crate::Bvh::mesh_triangle
//! [`Bvh::triangle_material`]: crate::Bvh::triangle_material
//! [`Bvh::triangles`]: crate::Bvh::triangles

// In the order in which rustdoc lists their methods.
mod one_ray;

mod many_rays;

mod surface;
mod visit;

mod edges;

mod snap;

mod nearest;

mod near_shape;

mod inside;

mod overlap;

mod mesh_overlap;

mod sweep;

mod turning;

mod penetration;

#[cfg(feature = "stats")]
mod stats;

pub use crate::traverse::{
    ClosestPoint, Contact, Facing, Hidden, Hit, InstanceId, InstanceOverlap, Layers, MeshOverlap,
    Overlap, PointLocation, Query, ShapeDistance, Snap, SnapOptions, Snaps, StartContacts, Targets,
    VolumeHit,
};
pub use edges::{Edge, EdgeKind, Edges};
pub(crate) use inside::signed;
pub(crate) use many_rays::{MIN_ANY, for_each_shape, in_chunks};
#[cfg(feature = "record")]
pub(crate) use many_rays::{MIN_CHUNK, chunk_size};
pub(crate) use penetration::leave_out_inner_edges;
#[cfg(feature = "stats")]
pub use stats::{QueryStats, Question};
pub use surface::MeshTriangle;
pub(crate) use turning::advance;
pub use turning::{TurningContact, TurningEnd};
pub use visit::Visitor;
