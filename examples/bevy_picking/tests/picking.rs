//! The example without a window.

use bevy::asset::RenderAssetUsages;
use bevy::camera::{ComputedCameraValues, RenderTargetInfo};
use bevy::ecs::system::RunSystemOnce;
use bevy::mesh::{PrimitiveTopology, skinning::SkinnedMesh};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_picking::{Level, bake_level, pick};
use hitscan::Ray;

/// A world without a window, in which what `build` spawns is baked at the start.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default()))
        .init_asset::<Mesh>()
        .add_systems(PostStartup, bake_level.after(TransformSystems::Propagate));
    app
}

fn add(app: &mut App, mesh: impl Into<Mesh>) -> Mesh3d {
    Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh))
}

/// The entity and the point that a ray meets first.
fn cast(app: &App, ray: &Ray) -> Option<(Entity, [f32; 3])> {
    let Level(bvh) = app.world().resource();
    let hit = bvh.closest_hit(ray, &hitscan::Query::new())?;
    Some((Entity::from_bits(hit.user_id), bvh.point(&hit)?.to_array()))
}

#[test]
fn a_ray_finds_the_entity_whose_mesh_it_meets() {
    let mut app = app();
    let cube = add(&mut app, Cuboid::new(2.0, 2.0, 2.0));
    let near = app.world_mut().spawn((cube.clone(), Transform::from_xyz(10.0, 0.0, 0.0))).id();
    // As the child of a parent that is moved, turned and scaled: from y = 3 to 7.
    let child = app.world_mut().spawn((cube, Transform::from_xyz(0.0, 1.0, 0.0))).id();
    let place = Transform::from_xyz(-10.0, 3.0, 0.0)
        .with_rotation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2))
        .with_scale(Vec3::splat(2.0));
    app.world_mut().spawn((place, Visibility::default())).add_child(child);
    app.update();

    let down = |x| Ray::new([x, 20.0, 0.25], [0.0, -1.0, 0.0]);
    assert_eq!(cast(&app, &down(10.0)), Some((near, [10.0, 1.0, 0.25])));
    assert_eq!(cast(&app, &down(-10.0)), Some((child, [-10.0, 7.0, 0.25])));
    assert_eq!(cast(&app, &down(0.0)), None);
}

#[test]
fn indices_of_16_and_32_bits_and_none_are_read() {
    let cube = || Mesh::from(Cuboid::new(2.0, 2.0, 2.0));
    let mut narrow = cube();
    let indices = narrow.remove_indices().expect("a cube has indices");
    narrow.insert_indices(bevy::mesh::Indices::U16(indices.iter().map(|i| i as u16).collect()));
    let mut flat = cube();
    flat.duplicate_vertices();
    for mesh in [cube(), narrow, flat] {
        let mut app = app();
        let mesh = add(&mut app, mesh);
        let entity = app.world_mut().spawn(mesh).id();
        app.update();
        let level: &Level = app.world().resource();
        assert_eq!(level.0.triangles().count(), 12);
        let ray = Ray::new([0.5, 20.0, 0.25], [0.0, -1.0, 0.0]);
        assert_eq!(cast(&app, &ray), Some((entity, [0.5, 1.0, 0.25])));
    }
}

#[test]
fn skinned_meshes_and_those_without_triangles_or_positions_are_left_out() {
    let mut app = app();
    let usage = RenderAssetUsages::default();
    let lines = Mesh::new(PrimitiveTopology::LineList, usage)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0; 3], [1.0; 3]]);
    let empty = Mesh::new(PrimitiveTopology::TriangleList, usage);
    let mut on_the_gpu = Mesh::from(Cuboid::default());
    on_the_gpu.take_gpu_data().expect("it is still here");
    let meshes = [lines, empty, on_the_gpu, Cuboid::default().into()];
    let [.., cube] = meshes.map(|mesh| {
        let mesh = add(&mut app, mesh);
        app.world_mut().spawn(mesh).id()
    });
    app.world_mut().spawn(Mesh3d::default()); // not loaded
    let skinned = add(&mut app, Cuboid::default());
    app.world_mut().spawn((skinned, SkinnedMesh::default()));
    app.update();

    let level: &Level = app.world().resource();
    assert_eq!(level.0.mesh_count(), 1);
    assert_eq!(level.0.mesh(0).map(|mesh| mesh.user_id), Some(cube.to_bits()));
}

#[test]
fn the_cursor_picks_what_it_points_at() {
    let mut app = app();
    let cube = add(&mut app, Cuboid::new(2.0, 2.0, 2.0));
    let [left, right] = [-2.0, 2.0].map(|x| {
        let place = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((cube.clone(), place)).id()
    });
    // A renderer would fill in what the camera computes.
    let size = UVec2::new(800, 600);
    let projection = PerspectiveProjection { aspect_ratio: 800.0 / 600.0, ..default() };
    let target = RenderTargetInfo { physical_size: size, scale_factor: 1.0 };
    let computed = ComputedCameraValues {
        clip_from_view: bevy::camera::CameraProjection::get_clip_from_view(&projection),
        target_info: Some(target),
        ..default()
    };
    let eye = Transform::from_xyz(0.0, 0.0, 11.0);
    app.world_mut().spawn((Camera { computed, ..default() }, eye));
    let window = Window { resolution: size.into(), ..default() };
    let window = app.world_mut().spawn((window, PrimaryWindow)).id();
    app.update();

    let mut pick_at = |x: f32, y: f32| {
        let mut window = app.world_mut().entity_mut(window);
        window.get_mut::<Window>().expect("spawned").set_cursor_position(Some(Vec2::new(x, y)));
        app.world_mut().run_system_once(pick).expect("a level, a window and a camera")
    };
    // The field of view is 45 degrees, so the face at z = 1 is 10 units away, and a pixel there is
    // 20 tan(22.5 degrees) / 600 units.
    let pixel = 20.0 * 22.5_f32.to_radians().tan() / 600.0;
    for (entity, x) in [(left, -2.0), (right, 2.0)] {
        let (picked, point) = pick_at(400.0 + x / pixel, 300.0 - 0.5 / pixel).expect("a cube");
        assert_eq!(picked, entity);
        assert!(point.distance(Vec3::new(x, 0.5, 1.0)) < 1e-4, "{point}");
    }
    assert_eq!(pick_at(400.0, 300.0), None);
    assert_eq!(pick_at(400.0, 10.0), None);
}
