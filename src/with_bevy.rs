//! With Bevy, with two versions of glam, and with other maths libraries.
//!
//! The Bevy code on this page is that of `examples/bevy_picking`, a package of its own. It is for
//! Bevy 0.20, which needs Rust 1.97.1. Its tests bake and pick without a window:
//!
//! ```sh
//! cargo run --manifest-path examples/bevy_picking/Cargo.toml --features window
//! cargo test --manifest-path examples/bevy_picking/Cargo.toml
//! ```
//!
//! # From components to a tree
//!
//! A [`MeshView`](crate::MeshView) borrows positions and indices from Bevy's assets. The bits of
//! the entity are the user id, so a hit leads back to the entity.
//!
//! ```ignore
//! use bevy::mesh::{Indices, PrimitiveTopology, skinning::SkinnedMesh};
//! use bevy::prelude::*;
//! use bevy::window::PrimaryWindow;
//! use hitscan::glam::Affine3A;
//! use hitscan::{Builder, Bvh, MeshView, Positions, Ray};
//!
//! /// The tree over all meshes that stand still.
//! #[derive(Resource)]
//! pub struct Level(pub Bvh);
//!
//! /// Bakes the meshes of all entities into the [`Level`].
//! ///
//! /// Run it when the meshes are loaded, and after `TransformSystems::Propagate`.
//! pub fn bake_level(
//!     mut commands: Commands,
//!     meshes: Res<Assets<Mesh>>,
//!     entities: Query<(Entity, &Mesh3d, &GlobalTransform), Without<SkinnedMesh>>,
//! ) -> Result {
//!     let mut views = Vec::new();
//!     for (entity, mesh, transform) in &entities {
//!         match meshes.get(mesh).ok_or("is not loaded").and_then(view) {
//!             Ok(view) => {
//!                 let transform = Affine3A::from_cols_array(&transform.affine().to_cols_array());
//!                 views.push(view.with_transform(transform).with_user_id(entity.to_bits()));
//!             }
//!             Err(why) => warn!("{entity} is not in the level: its mesh {why}"),
//!         }
//!     }
//!     let (bvh, _report) = Builder::new().bake(&views)?;
//!     commands.insert_resource(Level(bvh));
//!     Ok(())
//! }
//!
//! /// The triangles of a mesh, in Bevy's own buffers.
//! fn view(mesh: &Mesh) -> Result<MeshView<'_>, &'static str> {
//!     if mesh.primitive_topology() != PrimitiveTopology::TriangleList {
//!         return Err("is not a list of triangles");
//!     }
//!     // A mesh that was loaded without `RenderAssetUsages::MAIN_WORLD` is only on the GPU.
//!     let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION);
//!     let positions = positions.map_err(|_| "has no positions here")?;
//!     let positions = positions.as_float3().ok_or("has positions of another type")?;
//!     let indices = match mesh.try_indices_option().map_err(|_| "has no indices here")? {
//!         Some(Indices::U16(indices)) => hitscan::Indices::U16(indices),
//!         Some(Indices::U32(indices)) => hitscan::Indices::U32(indices),
//!         None => hitscan::Indices::None,
//!     };
//!     Ok(MeshView::new(Positions::Arrays(positions), indices))
//! }
//! ```
//!
//! Skinned meshes are left out, since their triangles move. For the same reason leave out what
//! moves as a whole, or give it a tree of its own and cast
//! [`Ray::transformed`](crate::Ray::transformed) into it. A file that was baked offline knows no
//! entities: find those by the [name](crate::Bvh::mesh_name) of the mesh.
//!
//! # From the cursor to an entity
//!
//! ```ignore
//! /// The entity under the cursor, and the point that is hit.
//! pub fn pick(
//!     level: Res<Level>,
//!     window: Single<&Window, With<PrimaryWindow>>,
//!     camera: Single<(&Camera, &GlobalTransform)>,
//! ) -> Option<(Entity, Vec3)> {
//!     let (camera, transform) = *camera;
//!     let ray = camera.viewport_to_world(transform, window.cursor_position()?).ok()?;
//!     let ray = Ray::new(ray.origin.to_array(), ray.direction.to_array());
//!     let hit = level.0.closest_hit(&ray, &hitscan::Query::new())?;
//!     let point = level.0.point(&hit)?.to_array();
//!     Some((Entity::try_from_bits(hit.user_id)?, point.into()))
//! }
//! ```
//!
//! The direction that Bevy gives has unit length, so [`Hit::t`](crate::Hit::t) is the distance from
//! the near plane. Without Bevy's `Camera`, [`Ray::from_screen`](crate::Ray::from_screen) makes the
//! same ray from a matrix. Rays meet both sides of triangles, while Bevy draws only fronts unless
//! told otherwise: [`Query::facing`](crate::Query::facing) makes rays do the same.
//!
//! Systems are added like this; `show` gets what `pick` returns:
//!
//! ```ignore
//!     App::new()
//!         .add_plugins(DefaultPlugins)
//!         .add_systems(Startup, build)
//!         .add_systems(PostStartup, bake_level.after(TransformSystems::Propagate))
//!         .add_systems(Update, pick.pipe(show).run_if(input_just_pressed(MouseButton::Left)))
//!         .run();
//! ```
//!
//! Unoptimized, bakes and rays take many times as long. This is for the game's `Cargo.toml`:
//!
//! ```toml
//! [profile.dev.package.hitscan]
//! opt-level = 3
//! overflow-checks = false
//! debug-assertions = false
//! ```
//!
//! # Two versions of glam
//!
//! hitscan works with glam 0.33 and 0.34. Bevy 0.20 needs 0.33, and in a new project Cargo takes
//! 0.34 for hitscan. Then there are two types `Vec3`. The compiler lets neither pass for the other,
//! and notes: "there are multiple different versions of crate `glam` in the dependency graph".
//! `cargo tree -i glam` shows who uses glam, or calls it ambiguous and lists the versions. Either
//! of these helps:
//!
//! - One version for both. `Cargo.lock` then keeps it; the numbers are those that `cargo tree`
//!   named. Do it again after a `cargo update` of everything.
//!
//!   ```sh
//!   cargo update -p glam@0.34.3 --precise 0.33.12
//!   ```
//!
//! - Arrays, as in the code above: `to_array`, `to_cols_array` and their counterparts. They work
//!   with any version, such as 0.32 in Bevy 0.19. What hitscan uses is
//!   [`hitscan::glam`](crate::glam).
//!
//! # Other maths libraries
//!
//! Meshes hold `[f32; 3]`, and the constructors of rays, boxes and other shapes take it for points
//! and directions. A transform is made from columns. The types of nalgebra, cgmath and mint turn
//! into such arrays with `into()`, and back:
//!
//! ```
//! use hitscan::glam::{Affine3A, Mat4};
//! use hitscan::{Builder, Mesh, Query, Ray};
//!
//! // let columns: [[f32; 4]; 4] = matrix.into();
//! let columns =
//!     [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0]];
//! let place = Affine3A::from_mat4(Mat4::from_cols_array_2d(&columns));
//! let floor = vec![[-4.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 0.0, -4.0]];
//! let (bvh, _report) = Builder::new().bake(&[Mesh::from_soup(floor).with_transform(place)])?;
//!
//! // let (eye, down): ([f32; 3], [f32; 3]) = (eye.into(), down.into());
//! let (eye, down) = ([1.0, 5.0, 0.0], [0.0, -1.0, 0.0]);
//! let hit = bvh.closest_hit(&Ray::new(eye, down), &Query::new()).expect("the floor is there");
//! let point = bvh.point(&hit).expect("the hit is of this tree").to_array();
//! assert_eq!((hit.t, point), (3.0, [1.0, 2.0, 0.0]));
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! To pass points and directions of mint as they are, depend on the version of glam that hitscan
//! uses, with its feature `mint-05`.
