//! What to expect at edges, seams and surfaces: which promises hold there, and which do not.
//!
//! A hit is decided for the exact ray and the exact triangle, as if with infinitely many digits.
//! Surprises come from numbers that were rounded before: vertices, directions, points. The figures
//! here were measured with triangles of one to ten units, turned at random.
//!
//! # Edges that triangles share
//!
//! Where two triangles share an edge or a vertex bit for bit, no ray slips through, at any
//! distance, from any side. Of 270,000 rays aimed at such edges none does.
//!
//! A ray that meets the edge exactly meets *both* triangles, because the edge belongs to both. Of
//! rays in general position hardly any do (0 of 180,000 near the origin; 14 of 90,000 at
//! 10,000 units from it), but on levels built on a grid it is common: a ray straight down onto the
//! middle of a square, for example, meets its diagonal.
//!
//! - [`closest_hit`](crate::Bvh::closest_hit) reports one of them: the lowest mesh, then triangle.
//! - [`all_hits`](crate::Bvh::all_hits) reports both, with the same `t`, and at a vertex all
//!   triangles around it. If you count hits to tell inside from outside, or add up thickness, count
//!   hits with the same `t` and the same [face](crate::Hit::face) as one. At an edge that the ray
//!   only touches, the two hits have different faces: the ray neither enters nor leaves there. Or
//!   cast in a direction without a zero or a round number in it, such as (0.613, 0.274, 0.741).
//!
//! # Edges that triangles do not share
//!
//! These are outside the promise, because the triangles do not touch exactly.
//!
//! - **T-junctions**: a vertex in the middle of another triangle's edge. Unless all lies on a grid,
//!   the rounded vertex is beside that edge. Of rays aimed at the seam 3 to 7 % fall through.
//! - **Tiles that are placed one by one**: the same corner is computed twice, by two transforms.
//!   For half to two thirds of turned tiles the two differ in the last bit, and of rays aimed at
//!   the seam 7 to 10 % fall through. Tiles at whole coordinates that are not turned, or turned by
//!   quarters, meet exactly.
//!
//! The gap is as wide as the rounding: of rays that are aimed at nothing in particular, one in
//! millions finds it. To close it, give both sides the same vertices: split the long edge, or weld
//! vertices after tiles were placed, before the bake. Or put something behind the seam.
//!
//! [`Topology`](crate::mesh::Topology) finds such seams before the bake, counts them, and names a
//! place. `hitscan bake` runs it and warns. Of 31 real models and levels, 8 have such seams: from 6
//! edges of a house to 3,089 of an engine.
//!
//! ```
//! use hitscan::Mesh;
//! use hitscan::glam::{Affine3A, Quat, Vec3};
//! use hitscan::mesh::Topology;
//!
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
//! let tile = Mesh::new(corners.to_vec(), vec![0, 1, 2, 0, 2, 3]);
//! // Ten tiles in a row, which is turned by `angle`.
//! let row = |angle: f32| -> Vec<Mesh> {
//!     let turn = Quat::from_rotation_z(angle);
//!     let place = |x| Affine3A::from_rotation_translation(turn, turn * Vec3::new(x, 0.0, 0.0));
//!     (0..10).map(|x| tile.clone().with_transform(place(x as f32))).collect()
//! };
//! assert_eq!(Topology::of(&row(0.0)).gaps(), 0);
//!
//! let turned = Topology::of(&row(0.3));
//! assert!(turned.gaps() > 0);
//! let gap = turned.example.expect("there are gaps");
//! println!("mesh {} and {} nearly meet at {}", gap.meshes[0], gap.meshes[1], gap.point);
//! ```
//!
//! # Inside and outside
//!
//! [`Bvh::contains`](crate::Bvh::contains) tells whether a point is inside a mesh that is closed:
//! without open edges, and with all triangles facing the same way. Of any other it tells why it
//! cannot, and also of one that is there twice, once in each direction, to be seen from both sides.
//! [`EdgeCounts::is_closed`](crate::mesh::EdgeCounts::is_closed) tells the same of each mesh before
//! the bake, but for those. Of the 31 models, 8 are closed. To count hits of a ray instead is wrong
//! where the ray leaves through a hole, and where it hits an edge.
//!
//! If the first hit of a ray is on the back of a closed surface whose front is outside, the ray
//! began inside of it. So a view of a level that is cut at some height has such hits wherever the
//! cut goes through a wall. The example `floor_plan` draws them as solid.
//!
//! # Leaving a surface
//!
//! The point of a hit is rounded to `f32`, and so it is beside the triangle. A ray that starts
//! there with `t_min` 0 hits the same triangle again: always on a flat floor, since the point is
//! in it, and in half of the cases on a slope. An offset that is right in one place is wrong in
//! another. Two ways need none:
//!
//! - [`Bvh::ray_from`](crate::Bvh::ray_from) moves the origin beyond the triangle's plane, by a
//!   rounding or a millionth of the triangle's size. The ray never meets this triangle or another
//!   in its plane.
//! - A [filter](crate::Query::filter) that rejects the triangle by its numbers keeps the origin.
//!   It is slower, and neighbours in the same plane are hit if rounding put the point under them:
//!   at coordinates of a million, on 18 % of rays from a floor of squares of one unit.
//!
//! Neither helps where rounding puts the point behind a neighbour in *another* plane. Of 20,000
//! rays from the walls of a turned room of 16 units, into it and in all directions, the following
//! leave through a corner or hit the wall that they start on. In an upright room none does.
//!
//! | room at | `ray_from`: out | own wall | filter: out | own wall |
//! |---:|---:|---:|---:|---:|
//! | 0 and 100 | 0 | 0 | 0 | 0 |
//! | 10,000 | 0 | 0 | 1 | 0 |
//! | 1,000,000 | 16 | 0 | 75 | 57 |
//!
//! # Ends of lines
//!
//! The start of [`Ray::between`](crate::Ray::between) is exact and its end is rounded. A triangle
//! that the start lies on exactly is always hit, at `t = 0`; one that the end lies on may be hit or
//! missed. So to see a target that lies on a surface, start at the target.
//!
//! Whether a ray meets a triangle is decided exactly, but the ends of its interval are compared
//! with the `t` that is reported, which is rounded once. What lies past an end by less than half
//! the distance of two neighbouring numbers counts as being there. So a hit that was reported is
//! found again with its `t` as `t_min`, `t_max` or both; and to leave it out, take
//! `t.next_up()` or `t.next_down()`.
//!
//! # Far from the origin
//!
//! Contracts hold at any distance, but there are fewer numbers: steps of 1/8192 at 1,000 units
//! and of 1/16 at 1,000,000. Points, vertices and the offsets above are as coarse as that. `t` is
//! rounded once, so a `t` that is large has the same steps. Where a level is far out, keep it near
//! zero, and move the rays instead: [`Ray::transformed`](crate::Ray::transformed).
//!
//! # Stack
//!
//! No question recurses, and none takes more of the stack for a larger or deeper tree. In optimised
//! builds, a thread with a stack of this many KiB can ask them: about one and a half times what was
//! measured on x86-64 with AVX2. Each row is tested on a thread with just so much, with all
//! instruction sets that the CPU has; a [filter](crate::Query::filter) needs what it takes besides.
//! In debug builds all are tested with 2 MiB, the default of threads;
//! `[profile.dev.package.hitscan] opt-level = 3` makes the table hold there too.
//!
//! With the feature `parallel`, the figures below for batches, bakes and files also hold for the
//! threads of the rayon pool.
//!
//! | what | KiB |
//! |---|---:|
//! | one ray | 128 |
//! | rays in a batch | 256 |
//! | a point | 128 |
//! | points in a batch | 256 |
//! | overlaps | 160 |
//! | sweeps of spheres, capsules and boxes | 192 |
//! | overlaps and sweeps of hulls | 192 |
//! | one ray in a scene | 192 |
//! | rays in a batch in a scene | 320 |
//! | points in a scene | 224 |
//! | overlaps in a scene | 192 |
//! | sweeps in a scene | 256 |
//! | bakes, files, refits, commits | 256 |
