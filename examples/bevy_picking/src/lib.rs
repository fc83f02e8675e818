//! Picking in Bevy: the meshes of a world become a tree, and a click finds an entity in it.
//!
//! `cargo run --manifest-path examples/bevy_picking/Cargo.toml --features window`

use bevy::mesh::{Indices, PrimitiveTopology, skinning::SkinnedMesh};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use hitscan::glam::Affine3A;
use hitscan::{Builder, Bvh, MeshView, Positions, Ray};

/// The tree over all meshes that stand still.
#[derive(Resource)]
pub struct Level(pub Bvh);

/// Bakes the meshes of all entities into the [`Level`].
///
/// Run it when the meshes are loaded, and after `TransformSystems::Propagate`.
pub fn bake_level(
    mut commands: Commands,
    meshes: Res<Assets<Mesh>>,
    entities: Query<(Entity, &Mesh3d, &GlobalTransform), Without<SkinnedMesh>>,
) -> Result {
    let mut views = Vec::new();
    for (entity, mesh, transform) in &entities {
        match meshes.get(mesh).ok_or("is not loaded").and_then(view) {
            Ok(view) => {
                let transform = Affine3A::from_cols_array(&transform.affine().to_cols_array());
                views.push(view.with_transform(transform).with_user_id(entity.to_bits()));
            }
            Err(why) => warn!("{entity} is not in the level: its mesh {why}"),
        }
    }
    let (bvh, _report) = Builder::new().bake(&views)?;
    commands.insert_resource(Level(bvh));
    Ok(())
}

/// The triangles of a mesh, in Bevy's own buffers.
fn view(mesh: &Mesh) -> Result<MeshView<'_>, &'static str> {
    if mesh.primitive_topology() != PrimitiveTopology::TriangleList {
        return Err("is not a list of triangles");
    }
    // A mesh that was loaded without `RenderAssetUsages::MAIN_WORLD` is only on the GPU.
    let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION);
    let positions = positions.map_err(|_| "has no positions here")?;
    let positions = positions.as_float3().ok_or("has positions of another type")?;
    let indices = match mesh.try_indices_option().map_err(|_| "has no indices here")? {
        Some(Indices::U16(indices)) => hitscan::Indices::U16(indices),
        Some(Indices::U32(indices)) => hitscan::Indices::U32(indices),
        None => hitscan::Indices::None,
    };
    Ok(MeshView::new(Positions::Arrays(positions), indices))
}

/// The entity under the cursor, and the point that is hit.
pub fn pick(
    level: Res<Level>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
) -> Option<(Entity, Vec3)> {
    let (camera, transform) = *camera;
    let ray = camera.viewport_to_world(transform, window.cursor_position()?).ok()?;
    let ray = Ray::new(ray.origin.to_array(), ray.direction.to_array());
    let hit = level.0.closest_hit(&ray, &hitscan::Query::new())?;
    let point = level.0.point(&hit)?.to_array();
    Some((Entity::try_from_bits(hit.user_id)?, point.into()))
}
