//! Reads model files into [`Mesh`]es: glTF and GLB, OBJ, PLY, STL and OFF.
//!
//! ```no_run
//! use hitscan::{Builder, Import};
//!
//! let model = Import::open("level.glb")?;
//! for warning in &model.warnings {
//!     eprintln!("{warning}");
//! }
//! // The tree keeps the names of meshes, materials and sources.
//! let (bvh, report) = Builder::new().bake(&model)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Import::open`] reads a file, in the format of its extension. [`Import::from_bytes`] reads
//! bytes in memory.
//!
//! # Numbering
//!
//! A hit reports a mesh number and a triangle number. Meshes are numbered as they stand in
//! [`Import::meshes`]; their order and the order of their triangles follow from the file by the
//! rules below, which are part of the API.
//!
//! ## Meshes
//!
//! A mesh without triangles is skipped and gets no number.
//!
//! * **glTF, GLB**: one mesh for each node and primitive. Nodes are visited depth first,
//!   children in order, from the roots of the default scene. If the file names no default
//!   scene, every node without a parent is a root, in order. A mesh that several nodes share
//!   appears once for each of them, and once for each instance of `EXT_mesh_gpu_instancing`.
//!   [`Mesh::transform`] is the global transform of the node,
//!   [`Mesh::materials`] holds the number of the material. The name is `node/mesh`, or one of
//!   the two if the other is missing, or `nodes[3]` if both are. If the glTF mesh has several
//!   primitives, `/0`, `/1`, ... follows.
//! * **OBJ**: one mesh for each combination of object (`o`), group (`g`) and material
//!   (`usemtl`), in order of first appearance. Faces with a combination that appeared before
//!   are added to its mesh. Each mesh holds only the vertices that it uses, in order of first
//!   use. The name is the object's and the group's name, joined by `/`. If the same group has
//!   several materials, the material's name follows. Faces without object and group get the
//!   file's name.
//! * **PLY, OFF**: one mesh, with the file's name.
//! * **STL**: one mesh for each solid, with the solid's name, or the file's if it has none.
//!
//! ## Triangles
//!
//! Triangles are numbered in file order, degenerate ones included. Triangles of strips and fans
//! follow the order of their vertices.
//!
//! A polygon with *n* corners gives *n* - 2 triangles in a row:
//!
//! * If all its corners are convex, it becomes a fan around its first corner: (0, 1, 2),
//!   (0, 2, 3), ... The corners are judged after a projection along the longest axis of the
//!   polygon's normal.
//! * Otherwise ears are clipped, in order around the polygon from its first corner, each as
//!   (corner before, ear, corner after).
//! * If no ear is left, or after a number of steps in proportion to the corners, the rest
//!   becomes a fan.
//! * If that fan has reversed triangles, clipping starts again, with rules for outlines that touch
//!   themselves. Zero-width spikes become triangles without area, zero-width bridges join the
//!   parts and the holes. So each point inside is covered once, and none outside.
//! * Polygons that cross themselves keep the first result, with a warning. Those without area
//!   and those that are not finite become fans.
//!
//! # Poses in glTF
//!
//! Meshes have the default pose, as viewers show them before an animation starts:
//!
//! * Morph targets are added by the weights of the node, or else of the mesh.
//! * A skin then moves each vertex by its joints. The weights of a vertex are divided by their
//!   sum. The result is in world coordinates, and the transform of the node is ignored, as the
//!   specification asks. Only whether the node mirrors still counts: if it does, the fronts of its
//!   triangles are reversed.
//!
//! Sums are in `f64`, in the order of the file, and rounded to `f32` once.
//!
//! Nodes that `KHR_node_visibility` hides are skipped. The centre of `CESIUM_RTC` is added to
//! all positions.
//!
//! # Layers and user ids from glTF
//!
//! The `extras` of a node or a mesh (custom properties in Blender) can hold:
//!
//! | name | value | sets |
//! |---|---|---|
//! | `mask` | a whole number below 2^32 | [`Mesh::mask`] |
//! | `layer` | a number from 0 to 31, or a list of them | [`Mesh::mask`], one bit for each |
//! | `user_id` | a whole number below 2^64 | [`Mesh::user_id`] |
//!
//! On one object, `mask` overrides `layer`. A node's values override its mesh's values: its `layer`
//! also overrides a `mask` of the mesh.
//!
//! ```json
//! {"name": "window", "mesh": 3, "extras": {"layer": 2, "user_id": 1007}}
//! ```
//!
//! Without them, [`Import::find_meshes`] finds meshes by their names or their materials' names.
//!
//! # Instances
//!
//! [`InstancedImport`] keeps a glTF mesh that is there more than once as one group of meshes with
//! many places, in place of a copy for each. Two nodes with the same mesh make it repeat, and so
//! does `EXT_mesh_gpu_instancing`. It holds the same triangles as [`Import`] at the same places,
//! up to rounding: a copy's vertices are moved before they are baked, a ray into an instance is
//! moved when it is asked.
//!
//! Copied as ever, into [`InstancedImport::fixed`], are meshes that are there once, skinned meshes,
//! meshes of nodes with morph weights of their own, and copies whose transform a
//! [scene](crate::Scene) cannot place because it has no inverse (such as a scale of zero).
//!
//! An instance has the layers and the number that the `extras` of its node, or else of its mesh,
//! set. The meshes in it are in all layers, and have the number that the glTF mesh sets.
//!
//! # Compressed glTF
//!
//! Draco (`KHR_draco_mesh_compression`) is read with the feature `draco`, which the command line
//! has. meshopt (`EXT_meshopt_compression`) is not read, because its library is C++ and a damaged
//! file could make it read or write outside its buffers. Remove such compression first, with
//! [glTF Transform](https://gltf-transform.dev):
//!
//! ```text
//! npm install --global @gltf-transform/cli
//! gltf-transform copy compressed.glb plain.glb
//! ```
//!
//! It reads both compressions and writes neither. Quantised positions (`KHR_mesh_quantization`)
//! need no such step.
//!
//! # Skipped data
//!
//! * glTF: primitives of points or lines cause a warning. Animations are ignored.
//! * OBJ: points, lines, curves, surfaces and `mtllib` are ignored.
//! * PLY: values beyond those that the header declares for a row, lists that are not the corners
//!   of a `face` or of `tristrips`, and data after the last element. All cause warnings.
//! * STL: lines of a text file that do not begin with an STL keyword. OFF: what follows the last
//!   face. Both cause a warning.
//!
//! # Bad input
//!
//! NaN and infinite coordinates are kept, in each spelling of C libraries (`-nan(ind)`,
//! `1.#INF`), so that the [`Builder`](crate::Builder) decides about them. So are out-of-range
//! vertex indices in glTF, PLY and OFF; in OBJ they are errors. A file without triangles is not
//! an error: it gives no mesh and a warning. If the count in a binary STL file does not match the
//! file's size, but the size fits a whole number of triangles, the size is used, with a warning.
//! Byte order marks are skipped, and so are zero bytes and Ctrl-Z at the end of OBJ, OFF
//! and text STL files.
//!
//! Files are not trusted. Every count is checked against the bytes behind it before memory is
//! allocated. Two things in glTF have no bytes behind them: instances of a mesh, and accessors
//! without a buffer view, which read as zeros. The meshes of a glTF file, and the data read for
//! their poses, may take at most 256 times the bytes of the file and its buffers, plus one MiB;
//! otherwise the error is [`TooLarge`](ImportErrorKind::TooLarge). Buffers are read from the
//! folder of the glTF file and below, and from nowhere else. Names are cut to 255 bytes, and
//! bytes in them that are not UTF-8 become U+FFFD. A file of twice the size takes about twice the
//! work, whatever is in it.
//!
//! [`Mesh`]: crate::Mesh
//! [`Mesh::mask`]: crate::Mesh::mask
//! [`Mesh::materials`]: crate::Mesh::materials
//! [`Mesh::transform`]: crate::Mesh::transform
//! [`Mesh::user_id`]: crate::Mesh::user_id

mod error;
mod find_meshes;
mod gltf;
mod instances;
mod model;
mod obj;
mod off;
mod open;
mod ply;
mod polygon;
mod reader;
mod scalar;
mod stl;
mod text;
mod work;

pub use error::{ImportError, ImportErrorKind};
pub use instances::{ImportedInstance, InstancedImport};
pub use model::Import;
pub use open::Format;
