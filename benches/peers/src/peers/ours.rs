//! hitscan: one ray at a time, and in batches.

use std::time::Instant;

use hitscan::query::Question;
use hitscan::{Builder, Bvh, Hit, Indices, MeshView, Positions, Quality, Query};

use super::{Bakery, Build, Entrant, Role};
use crate::peer::{Answer, MISS, Peer, Ray, Triangle};

/// hitscan one ray at a time, and in batches.
pub fn entrants(isa: hitscan::InstructionSet) -> Vec<Entrant> {
    // A baked tree says what baked it.
    let builder = bake(&[]).metadata().builder;
    let entrant = |name: &str, build: Build| Entrant {
        name: name.to_owned(),
        version: format!("{builder}, {isa}"),
        role: Role::Ours,
        build,
    };
    let query = Query::new().instruction_set(isa);
    vec![
        entrant(
            "hitscan",
            Box::new(move |triangles| {
                let bvh = bake(triangles);
                Box::new(Single { bvh, query })
            }),
        ),
        entrant(
            "hitscan-batch",
            Box::new(move |triangles| {
                Box::new(Batch { bvh: bake(triangles), query, rays: Vec::new(), hits: Vec::new() })
            }),
        ),
    ]
}

/// hitscan's bakes of every quality, on the threads of the rayon pool.
pub fn bakeries() -> Vec<Bakery> {
    let version = bake(&[]).metadata().builder;
    let bakery = |name: &str, quality: Quality| {
        let builder = Builder::new().quality(quality);
        Bakery {
            name: name.to_owned(),
            version: format!("{version}, {quality:?}"),
            bake: Box::new(move |triangles| {
                let start = Instant::now();
                let bvh = bake_with(&builder, triangles);
                let elapsed = start.elapsed();
                drop(bvh);
                elapsed
            }),
        }
    };
    vec![
        bakery("hitscan-fast", Quality::Fast),
        bakery("hitscan-balanced", Quality::Balanced),
        bakery("hitscan-best", Quality::Best),
    ]
}

pub fn bake(triangles: &[Triangle]) -> Bvh {
    // Embree's HIGH and tinybvh's HQ split triangles too.
    bake_with(&Builder::new().quality(Quality::Best), triangles)
}

fn bake_with(builder: &Builder, triangles: &[Triangle]) -> Bvh {
    let mesh = MeshView::new(Positions::Arrays(triangles.as_flattened()), Indices::None);
    let (bvh, _report) = builder.bake(&[mesh]).expect("the scenes hold no bad triangles");
    bvh
}

#[inline(always)]
fn convert(ray: &Ray) -> hitscan::Ray {
    hitscan::Ray::new(ray.origin, ray.dir).with_range(ray.t_min, ray.t_max)
}

#[inline(always)]
fn answer(hit: Option<Hit>) -> Answer {
    hit.map_or(MISS, |hit| Answer { t: hit.t, triangle: hit.triangle })
}

struct Single {
    bvh: Bvh,
    query: Query<'static>,
}

impl Peer for Single {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        let view = &self.bvh;
        for (ray, out) in rays.iter().zip(answers) {
            *out = answer(view.closest_hit(&convert(ray), &self.query));
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        let view = &self.bvh;
        for (ray, out) in rays.iter().zip(answers) {
            *out = view.any_hit(&convert(ray), &self.query);
        }
    }

    fn looked_at(&self, any: bool, rays: &[Ray]) -> Option<[f64; 3]> {
        let view = &self.bvh;
        let mut sums = [0.0; 3];
        for ray in rays {
            let ray = convert(ray);
            let question = if any { Question::AnyHit } else { Question::ClosestHit };
            let stats = view.query_stats(&ray, &self.query, question);
            let counts = [stats.nodes, stats.blocks, stats.triangles];
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += f64::from(count);
            }
        }
        Some(sums.map(|sum| sum / rays.len() as f64))
    }
}

struct Batch {
    bvh: Bvh,
    query: Query<'static>,
    rays: Vec<hitscan::Ray>,
    hits: Vec<Option<Hit>>,
}

impl Peer for Batch {
    fn prepare(&mut self, rays: &[Ray]) {
        self.rays.clear();
        self.rays.extend(rays.iter().map(convert));
        self.hits.resize(rays.len(), None);
    }

    fn closest_all(&mut self, _rays: &[Ray], _answers: &mut [Answer]) {
        self.bvh
            .closest_hit_batch(&self.rays, &self.query, &mut self.hits)
            .expect("as many answers as rays");
    }

    fn collect_closest(&mut self, answers: &mut [Answer]) {
        for (hit, out) in self.hits.iter().zip(answers) {
            *out = answer(*hit);
        }
    }

    fn any_all(&mut self, _rays: &[Ray], answers: &mut [bool]) {
        self.bvh.any_hit_batch(&self.rays, &self.query, answers).expect("as many answers as rays");
    }
}
