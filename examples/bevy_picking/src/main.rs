//! A floor and three cubes. Click on one.

use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy_picking::{bake_level, pick};

fn main() {
    App::new()
        .add_plugins(DefaultPlugins)
        .add_systems(Startup, build)
        .add_systems(PostStartup, bake_level.after(TransformSystems::Propagate))
        .add_systems(Update, pick.pipe(show).run_if(input_just_pressed(MouseButton::Left)))
        .run();
}

fn show(In(picked): In<Option<(Entity, Vec3)>>, names: Query<NameOrEntity>) {
    match picked.and_then(|(entity, point)| Some((names.get(entity).ok()?, point))) {
        Some((name, point)) => println!("{name} at {point}"),
        None => println!("nothing"),
    }
}

fn build(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let (cube, floor) = (meshes.add(Cuboid::default()), meshes.add(Cuboid::new(10.0, 0.1, 10.0)));
    let grey = materials.add(Color::WHITE);
    commands.spawn((Name::new("floor"), Mesh3d(floor), MeshMaterial3d(grey.clone())));
    for (x, name) in [(-2.0, "left"), (0.0, "middle"), (2.0, "right")] {
        let place = Transform::from_xyz(x, 0.55, 0.0);
        let (mesh, material) = (Mesh3d(cube.clone()), MeshMaterial3d(grey.clone()));
        commands.spawn((Name::new(name), mesh, material, place));
    }
    let above = Transform::from_xyz(4.0, 8.0, 6.0);
    commands.spawn((PointLight { intensity: 4e6, ..default() }, above));
    let eye = Transform::from_xyz(3.0, 4.0, 7.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((Camera3d::default(), eye));
}
