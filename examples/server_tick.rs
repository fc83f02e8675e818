//! A tick of a game server: everything that 64 players ask of a level in one frame.
//!
//! `cargo run --release --features import --example server_tick`
//!
//! Sight lines of all pairs, bullets against players and walls, moves, an explosion, and the ground
//! under all players.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use hitscan::geometry::PreparedRay;
use hitscan::glam::Vec3;
use hitscan::{Aabb, BatchError, Builder, Bvh, Capsule, ClosestPoint, Import, Query, Ray};

pub(crate) const PLAYERS: usize = 64;
pub(crate) const BLAST_RADIUS: f32 = 4.0;

/// A player, by where the feet are and where the next step leads.
#[derive(Clone, Copy)]
pub(crate) struct Player {
    pub(crate) feet: Vec3,
    pub(crate) step: Vec3,
}

impl Player {
    /// 1.8 m tall, and off the ground so far that small steps are no obstacle.
    pub(crate) fn body(&self) -> Capsule {
        Capsule::new(self.feet + 0.65 * Vec3::Y, self.feet + 1.5 * Vec3::Y, 0.3)
    }

    pub(crate) fn eye(&self) -> Vec3 {
        self.feet + 1.65 * Vec3::Y
    }
}

/// All answers of a tick.
pub(crate) struct Tick {
    /// Of each pair, whether a wall is between them.
    pub(crate) hidden: Vec<bool>,
    /// Of each bullet, at which `t` it ends, and the player that it hits.
    pub(crate) strikes: Vec<(f32, Option<usize>)>,
    /// The part of its step that each player can make.
    pub(crate) moves: Vec<f32>,
    /// The closest point of each mesh that the explosion touches, the nearest first.
    pub(crate) blast: Vec<ClosestPoint>,
    /// The ground under each player after the step.
    pub(crate) ground: Vec<Option<f32>>,
}

/// Players all over the level, where a body has room above the floor.
pub(crate) fn players(bvh: &Bvh) -> Vec<Player> {
    let query = &Query::new();
    let start = |i: usize| {
        let (x, z) = (4.0 * (i % 20) as f32 - 38.0, 3.0 * (i / 20) as f32 - 28.5);
        let floor = bvh.closest_hit(&Ray::new([x, 1.3, z], Vec3::NEG_Y), query)?;
        let step = 0.2 * Vec3::new((i as f32).cos(), 0.0, (i as f32).sin());
        let player = Player { feet: bvh.point(&floor)?, step };
        (!bvh.any_overlap(player.body(), query)).then_some(player)
    };
    (0..400).step_by(3).filter_map(start).take(PLAYERS).collect()
}

/// The lines from each player to those after it.
pub(crate) fn sight_lines(players: &[Player]) -> Vec<Ray> {
    let pairs = (0..players.len()).flat_map(|a| (a + 1..players.len()).map(move |b| (a, b)));
    pairs.map(|(a, b)| Ray::between(players[a].eye(), players[b].eye())).collect()
}

/// The bullet of each player, aimed at the next.
pub(crate) fn bullets(players: &[Player]) -> Vec<Ray> {
    let pairs = players.iter().zip(players.iter().cycle().skip(1));
    pairs.map(|(from, to)| Ray::new(from.eye(), to.body().b - from.eye())).collect()
}

/// Down from each player after the step.
pub(crate) fn ground_rays(players: &[Player], moves: &[f32]) -> Vec<Ray> {
    let moved = players.iter().zip(moves).map(|(player, t)| player.body().a + *t * player.step);
    moved.map(|from| Ray::new(from, Vec3::NEG_Y)).collect()
}

pub(crate) fn tick(bvh: &Bvh, players: &[Player]) -> Result<Tick, BatchError> {
    let query = &Query::new();
    let lines = sight_lines(players);
    let mut hidden = vec![false; lines.len()];
    bvh.any_hit_batch(&lines, query, &mut hidden)?;

    // Players move, so they are in no tree: a box of each, and behind it the capsule.
    let bodies: Vec<Capsule> = players.iter().map(Player::body).collect();
    let boxes: Vec<Aabb> = bodies.iter().map(Capsule::bounds).collect();
    let bullets = bullets(players);
    let mut walls = vec![None; bullets.len()];
    bvh.closest_hit_batch(&bullets, query, &mut walls)?;
    let strike = |shooter: usize| {
        let t = walls[shooter].map_or(f32::INFINITY, |hit| hit.t);
        let (mut ray, mut victim) = (PreparedRay::new(bullets[shooter].with_range(0.0, t)), None);
        let is_near = |ray: &PreparedRay, i: usize| i != shooter && ray.intersects(&boxes[i]);
        for i in 0..bodies.len() {
            let interval = is_near(&ray, i).then(|| bodies[i].ray_interval(ray.ray())).flatten();
            if let Some(hit) = interval.and_then(|interval| interval.clipped(ray.ray())) {
                (ray, victim) = (ray.with_range(0.0, hit.enter), Some(i));
            }
        }
        (ray.ray().t_max, victim)
    };

    let stop = |player: &Player| bvh.first_contact(player.body(), player.step, query);
    let moves = players.iter().map(|player| stop(player).map_or(1.0, |contact| contact.t));
    let moves: Vec<f32> = moves.collect();
    let down = ground_rays(players, &moves);
    let mut floors = vec![None; down.len()];
    bvh.closest_hit_batch(&down, query, &mut floors)?;
    let height = |hit: &Option<_>| bvh.point(hit.as_ref()?).map(|point| point.y);

    let mut blast = Vec::new();
    bvh.all_within(players[0].eye(), BLAST_RADIUS, query, &mut blast);
    let mut seen = HashSet::new();
    blast.retain(|near| seen.insert(near.hit.mesh));
    let strikes = (0..players.len()).map(strike).collect();
    Ok(Tick { hidden, strikes, moves, blast, ground: floors.iter().map(height).collect() })
}

#[allow(dead_code, reason = "benchmarks take the tick from this file")]
fn main() -> Result<(), Box<dyn Error>> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (bvh, _report) = Builder::new().bake(&Import::open(model)?)?;
    let mut players = players(&bvh);
    let mut fastest = Duration::MAX;
    for number in 1..=30 {
        let start = Instant::now();
        let tick = tick(&bvh, &players)?;
        fastest = fastest.min(start.elapsed());

        let visible = tick.hidden.iter().filter(|hidden| !**hidden).count();
        let struck = tick.strikes.iter().filter(|strike| strike.1.is_some()).count();
        let stopped = tick.moves.iter().filter(|t| **t < 1.0).count();
        if number % 10 == 1 {
            println!("tick {number}: {visible} of {} pairs see each other", tick.hidden.len());
            println!("  {struck} bullets hit a player, {stopped} steps end at a wall");
            println!("  the explosion at player 0 touches {} meshes:", tick.blast.len());
            for near in tick.blast.iter().take(3) {
                let name = bvh.mesh_name(near.hit.mesh).unwrap_or_default();
                println!("  {:6.2} m: `{name}`", near.distance);
            }
        }
        for ((player, t), ground) in players.iter_mut().zip(&tick.moves).zip(&tick.ground) {
            // Those that a wall stops turn around.
            let is_free = *t == 1.0;
            player.feet += if is_free { player.step } else { Vec3::ZERO };
            player.step *= if is_free { 1.0 } else { -1.0 };
            player.feet.y = ground.unwrap_or(player.feet.y);
        }
    }
    println!("{} players, fastest tick: {fastest:.2?}", players.len());
    Ok(())
}
