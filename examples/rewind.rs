//! Lag compensation: a server asks where everything was when a player fired.
//!
//! `cargo run --release --features import --example rewind`
//!
//! Players run through the level. The server keeps the snapshots of the last 128 ticks. A shot
//! arrives with the tick that its player saw, and is asked of that tick.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Import, Mesh, Query, Ray};

const PLAYERS: usize = 64;
const TICKS: usize = 128;
/// The players' layer. The level is in all layers but this.
const PLAYER: u32 = 1;

/// Counts the bytes in use.
struct Counting;
static BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: all is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Where a player is at a tick: each runs on a circle.
fn player(i: usize, tick: usize) -> Vec3 {
    let turn = 0.02 * tick as f32 + i as f32;
    Vec3::new(2.0 * (i % 8) as f32 - 7.0, 1.0, 2.0 * (i / 8) as f32 - 7.0)
        + 0.4 * Vec3::new(turn.cos(), 0.0, turn.sin())
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (level, _report) = Builder::new().bake(&Import::open(model)?)?;
    // What can be hit of a player: a spindle of eight triangles, 0.6 m wide and 1.8 m tall.
    let ends = [[0.0, -0.9, 0.0], [0.0, 0.9, 0.0]];
    let waist = [[0.3, 0.0, 0.0], [0.0, 0.0, 0.3], [-0.3, 0.0, 0.0], [0.0, 0.0, -0.3]];
    let sides = (0..4).flat_map(|k| [[0, 2 + k, 2 + (k + 1) % 4], [1, 2 + (k + 1) % 4, 2 + k]]);
    let body = Mesh::new([&ends[..], &waist[..]].concat(), sides.flatten().collect());
    let (body, _report) = Builder::new().bake(&[body])?;

    let mut scene = Scene::new();
    scene.insert(Instance::new(level).with_mask(!PLAYER))?;
    let ids = (0..PLAYERS)
        .map(|i| scene.insert(Instance::new(body.clone()).with_user_id(i as u64).with_mask(PLAYER)))
        .collect::<Result<Vec<_>, _>>()?;

    let before = BYTES.load(Relaxed);
    let mut ticks: VecDeque<Snapshot> = VecDeque::with_capacity(TICKS);
    for tick in 0..1000 {
        for (i, &id) in ids.iter().enumerate() {
            scene.set_transform(id, Affine3A::from_translation(player(i, tick)))?;
        }
        if ticks.len() == TICKS {
            ticks.pop_front();
        }
        ticks.push_back(scene.commit());
    }
    let memory = (BYTES.load(Relaxed) - before) as f64 / TICKS as f64 / 1024.0;
    println!("{TICKS} ticks of {PLAYERS} players are kept: {memory:.1} KB a tick");

    // Some players stand in walls here, so this sees players only. With all layers, walls stop
    // shots.
    let query = Query::new().mask(PLAYER);
    // Each player fires at where another was `late` ticks ago, from 0.8 m away.
    for late in [0, 10, 30, 100] {
        let then = &ticks[TICKS - 1 - late];
        let (mut now, mut rewound) = (0, 0);
        for i in 0..PLAYERS {
            let victim = player(i, 999 - late);
            let shot = Ray::between(victim + Vec3::new(0.5, 0.6, 0.3), victim);
            let hits = |tick: &Snapshot| {
                let hit = tick.closest_hit(&shot, &query);
                hit.is_some_and(|hit| hit.instance == ids[i])
            };
            now += usize::from(hits(&ticks[TICKS - 1]));
            rewound += usize::from(hits(then));
        }
        println!("{late:3} ticks late: {now} of {PLAYERS} shots hit now, {rewound} when rewound");
        assert_eq!(rewound, PLAYERS);
    }
    Ok(())
}
