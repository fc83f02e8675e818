//! A tick of a game server, in hitscan and in parry3d: the one of hitscan's example, with the same
//! level, players and questions.

#[path = "../../../examples/server_tick.rs"]
mod server_tick;

use std::collections::HashMap;

use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Import, Quality};
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::query::{PointQuery, Ray, RayCast, ShapeCastOptions, cast_shapes};
use parry3d::shape::{Capsule, TriMesh};
use server_tick::{BLAST_RADIUS, Player, bullets, ground_rays, players, sight_lines, tick};

use crate::machine::thread_time;

/// Ticks of a pass.
const TICKS: u32 = 20;

/// What parry3d needs: a mesh of all triangles, and which of the level's meshes each is of.
struct Level {
    triangles: TriMesh,
    meshes: Vec<u32>,
}

/// All answers of a tick, as the example has them; of an explosion the meshes and distances.
struct Answers {
    hidden: Vec<bool>,
    strikes: Vec<(f32, Option<usize>)>,
    moves: Vec<f32>,
    blast: Vec<(u32, f32)>,
    ground: Vec<Option<f32>>,
}

/// Compares and times both.
pub fn run(passes: usize) -> Result<(), String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/level.glb");
    let import = Import::open(path).map_err(|error| error.to_string())?;
    let baked = Builder::new().quality(Quality::Best).bake(&import);
    let (bvh, _) = baked.map_err(|error| error.to_string())?;
    let level = Level::new(&bvh)?;
    let players = players(&bvh);
    let ours = |players: &[Player]| tick(&bvh, players).expect("as many answers as rays");

    // Compared with long steps, so that some end at a wall.
    let far: Vec<Player> = players.iter().map(|p| Player { step: 10.0 * p.step, ..*p }).collect();
    let expected = ours(&far);
    let blast = expected.blast.iter().map(|near| (near.hit.mesh, near.distance)).collect();
    let server_tick::Tick { hidden, strikes, moves, ground, .. } = expected;
    compare(&Answers { hidden, strikes, moves, blast, ground }, &level.tick(&far));

    let mut best = [f64::INFINITY; 2];
    let mut lap = |i: usize, tick: &dyn Fn()| {
        let start = thread_time();
        (0..TICKS).for_each(|_| tick());
        best[i] = best[i].min((thread_time() - start) as f64 / f64::from(TICKS) / 1e6);
    };
    for _ in 0..passes {
        lap(0, &|| drop(std::hint::black_box(ours(&players))));
        lap(1, &|| drop(std::hint::black_box(level.tick(&players))));
    }
    println!("a tick of {} players, one thread:", players.len());
    println!("    hitscan      {:>9.3} ms", best[0]);
    println!("    parry3d 0.31 {:>9.3} ms, {:.1} times as long", best[1], best[1] / best[0]);
    Ok(())
}

/// Prints how many answers are others.
fn compare(a: &Answers, b: &Answers) {
    fn others<T>(a: &[T], b: &[T], is_other: impl Fn(&T, &T) -> bool) -> String {
        let others =
            a.iter().zip(b).filter(|(a, b)| is_other(a, b)).count() + a.len().abs_diff(b.len());
        format!("{others} of {}", a.len())
    }
    // In units of the ray or the motion, or metres.
    let is_off = |a: f32, b: f32| (a - b).abs() > 1e-3;
    println!("answers of parry3d that are others:");
    println!("    sight lines {}", others(&a.hidden, &b.hidden, |a, b| a != b));
    let is_other = |a: &(f32, _), b: &(f32, _)| a.1 != b.1 || is_off(a.0, b.0);
    println!("    bullets     {}", others(&a.strikes, &b.strikes, is_other));
    println!("    moves       {}", others(&a.moves, &b.moves, |a, b| is_off(*a, *b)));
    let is_other = |a: &(u32, f32), b: &(u32, f32)| a.0 != b.0 || is_off(a.1, b.1);
    println!("    explosion   {}", others(&a.blast, &b.blast, is_other));
    let is_other = |a: &Option<f32>, b: &Option<f32>| match (a, b) {
        (Some(a), Some(b)) => is_off(*a, *b),
        _ => a.is_some() != b.is_some(),
    };
    println!("    ground      {}", others(&a.ground, &b.ground, is_other));
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn ray(ray: &hitscan::Ray) -> Ray {
    Ray::new(vector(ray.origin), vector(ray.dir))
}

impl Level {
    fn new(bvh: &Bvh) -> Result<Self, String> {
        let triangles: Vec<_> = bvh.triangles().collect();
        let corners = |t: &hitscan::query::MeshTriangle| {
            [t.vertices.v0, t.vertices.v1, t.vertices.v2].map(vector)
        };
        let vertices = triangles.iter().flat_map(corners).collect();
        let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
        let mesh = TriMesh::new(vertices, indices.collect()).map_err(|error| error.to_string())?;
        let meshes = triangles.iter().map(|triangle| triangle.mesh).collect();
        Ok(Self { triangles: mesh, meshes })
    }

    fn first_hit(&self, along: &hitscan::Ray) -> Option<f32> {
        self.triangles.cast_local_ray(&ray(along), along.t_max, true)
    }

    fn tick(&self, players: &[Player]) -> Answers {
        let lines = sight_lines(players);
        let hidden = lines.iter().map(|line| self.triangles.intersects_local_ray(&ray(line), 1.0));

        let body = |player: &Player| {
            let body = player.body();
            Capsule::new(vector(body.a), vector(body.b), body.radius)
        };
        let bodies: Vec<Capsule> = players.iter().map(body).collect();
        let boxes: Vec<Aabb> = bodies.iter().map(Capsule::local_aabb).collect();
        let strike = |(shooter, bullet): (usize, &hitscan::Ray)| {
            let mut nearest = (self.first_hit(bullet).unwrap_or(f32::INFINITY), None);
            let bullet = &ray(bullet);
            for (i, body) in bodies.iter().enumerate().filter(|(i, _)| *i != shooter) {
                if boxes[i].intersects_local_ray(bullet, nearest.0)
                    && let Some(t) = body.cast_local_ray(bullet, nearest.0, true)
                {
                    nearest = (t, Some(i));
                }
            }
            nearest
        };

        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let step = |(player, body): (&Player, &Capsule)| {
            let (at, mesh) = (&Pose::IDENTITY, &self.triangles);
            let hit = cast_shapes(at, vector(player.step), body, at, Vector::ZERO, mesh, options);
            hit.expect("it is supported").map_or(1.0, |hit| hit.time_of_impact)
        };
        let moves: Vec<f32> = players.iter().zip(&bodies).map(step).collect();

        let down = ground_rays(players, &moves);
        let ground = down.iter().map(|down| Some(down.origin.y - self.first_hit(down)?));
        Answers {
            hidden: hidden.collect(),
            strikes: bullets(players).iter().enumerate().map(strike).collect(),
            blast: self.blast(vector(players[0].eye())),
            ground: ground.collect(),
            moves,
        }
    }

    /// The distance of each mesh that the explosion touches, the nearest first.
    fn blast(&self, center: Vector) -> Vec<(u32, f32)> {
        let around = Aabb::from_half_extents(center, Vector::splat(BLAST_RADIUS));
        let mut nearest = HashMap::new();
        for i in self.triangles.bvh().intersect_aabb(&around) {
            let triangle = self.triangles.triangle(i);
            let distance = (triangle.project_local_point(center, true).point - center).length();
            if distance <= BLAST_RADIUS {
                let nearest = nearest.entry(self.meshes[i as usize]).or_insert(distance);
                *nearest = distance.min(*nearest);
            }
        }
        let mut meshes: Vec<(u32, f32)> = nearest.into_iter().collect();
        meshes.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        meshes
    }
}
