//! Writes files, questions and native answers into a folder, for `test/bits.test.js`, which asks
//! the same through the package and compares every bit.
//!
//! `cases FOLDER MODEL.glb COUNT`

mod answer;
mod question;

use std::error::Error;
use std::fs;
use std::path::Path;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::import::Format;
use hitscan::scene::Instance;
use hitscan::{Aabb, Builder, Bvh, Import, Mesh, Quality, Scene, Sphere};

use crate::answer::Answers;
use crate::question::{Question, Random};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, model, count] = arguments.as_slice() else {
        return Err("usage: cases FOLDER MODEL.glb COUNT".into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;

    let import = Import::from_bytes(&fs::read(model)?, Format::Gltf, "model", None)?;
    let (level, _report) = Builder::new().bake(&import)?;
    fs::write(folder.join("level.hbvh"), level.to_bytes())?;

    let positions = scattered(4000);
    fs::write(folder.join("positions.f32"), bytes_of_numbers(positions.as_flattened()))?;
    let soup = [Mesh::from_soup(positions).with_name("scattered").with_user_id(7)];
    for (quality, name) in [(Quality::Fast, "fast"), (Quality::Best, "best")] {
        let (tree, _report) = Builder::new().quality(quality).bake(&soup)?;
        fs::write(folder.join(name).with_extension("hbvh"), tree.to_bytes())?;
    }

    let (cube, _report) = Builder::new().bake(&[cube()])?;
    fs::write(folder.join("cube.hbvh"), cube.to_bytes())?;
    let mut scene = scene(&level, &cube)?;
    fs::write(folder.join("scene.hscn"), scene.to_bytes())?;

    let questions = Question::list(&level.bounds(), count.parse()?);
    let numbers: Vec<f32> = questions.iter().flat_map(Question::numbers).collect();
    fs::write(folder.join("questions.f32"), bytes_of_numbers(&numbers))?;
    let mut answers = Answers::default();
    for question in &questions {
        answers.of_tree(&level, question);
        answers.inside(&cube, question);
        answers.of_scene(&mut scene, question)?;
    }
    let words: Vec<u8> = answers.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(folder.join("answers.u32"), words)?;
    Ok(())
}

fn bytes_of_numbers(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Triangles in all directions, some of which have no area.
fn scattered(count: usize) -> Vec<[f32; 3]> {
    let mut random = Random::new(1);
    let mut positions = Vec::new();
    for triangle in 0..count {
        let base = [0; 3].map(|_| random.between(-50.0, 50.0));
        for _ in 0..3 {
            let reach = if triangle.is_multiple_of(100) { 0.0 } else { 3.0 };
            positions.push(base.map(|x| x + random.between(-reach, reach)));
        }
    }
    positions
}

/// A closed mesh.
fn cube() -> Mesh {
    let at = |i: u32, bit: u32| if i & 1 << bit == 0 { -1.0 } else { 1.0 };
    let corners = (0..8).map(|i| [at(i, 0), at(i, 1), at(i, 2)]).collect();
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    Mesh::new(corners, indices).with_name("cube")
}

/// A level, cubes and volumes.
fn scene(level: &Bvh, cube: &Bvh) -> Result<Scene, Box<dyn Error>> {
    let mut scene = Scene::new();
    scene.insert(Instance::new(level).with_name("level"))?;
    for i in 0..8u8 {
        let place = Vec3::new(f32::from(i) - 4.0, 1.0, f32::from(i % 3));
        let instance = Instance::new(cube).with_transform(Affine3A::from_translation(place));
        scene.insert(
            instance.with_name(format!("cube {i}")).with_user_id(u64::MAX - u64::from(i)),
        )?;
    }
    scene.insert(Instance::new(Sphere::new([0.0, 1.0, 0.0], 2.0)).with_name("ball"))?;
    scene.insert(Instance::new(Aabb::from_min_max([2.0; 3], [4.0; 3])).with_mask(2))?;
    scene.commit();
    Ok(scene)
}
