//! The timed passes, and the check of the answers.

use crate::kind::Kind;
use crate::machine::{FloatControl, thread_time};
use crate::peer::{Answer, MISS, Peer, Ray};

/// How long a peer took for a set of rays.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Nanoseconds a ray in the fastest pass.
    pub min: f64,
    /// Nanoseconds a ray in the middle pass.
    pub median: f64,
}

impl Time {
    /// Of passes, at least one, in whatever unit they are measured.
    pub fn of(mut passes: Vec<f64>) -> Self {
        passes.sort_by(f64::total_cmp);
        Self { min: passes[0], median: passes[passes.len() / 2] }
    }
}

/// Where a peer's answers differ from the first peer's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Differences {
    /// One hits and the other does not.
    pub hits: usize,
    /// Both hit, but not in the same place.
    pub distances: usize,
}

/// A peer's measurement.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    pub time: Time,
    pub differences: Differences,
}

/// What a pass answers.
#[derive(Clone)]
enum Answers {
    Closest(Vec<Answer>),
    Any(Vec<bool>),
}

/// Times the peers in turn, pass by pass, so that what slows the machine down slows all
/// of them. A first pass of each is not counted; its answers are checked.
pub fn measure(
    peers: &mut [Box<dyn Peer>],
    kind: Kind,
    rays: &[Ray],
    passes: usize,
    tolerance: f64,
) -> Vec<Measurement> {
    let mut times = vec![Vec::with_capacity(passes); peers.len()];
    let mut differences = Vec::with_capacity(peers.len());
    let mut first = None;
    for pass in 0..=passes {
        for (peer, times) in peers.iter_mut().zip(&mut times) {
            let (nanoseconds, answers) = run(peer.as_mut(), kind, rays);
            if pass == 0 {
                let first = first.get_or_insert_with(|| answers.clone());
                differences.push(compare(first, &answers, tolerance));
            } else {
                times.push(nanoseconds / rays.len() as f64);
            }
        }
    }
    times
        .into_iter()
        .zip(differences)
        .map(|(times, differences)| Measurement { time: Time::of(times), differences })
        .collect()
}

/// One pass: nanoseconds and answers.
fn run(peer: &mut dyn Peer, kind: Kind, rays: &[Ray]) -> (f64, Answers) {
    let _float_control = FloatControl::keep();
    peer.prepare(rays);
    if kind.asks_any() {
        let mut answers = vec![false; rays.len()];
        let start = thread_time();
        peer.any_all(rays, &mut answers);
        let elapsed = thread_time() - start;
        peer.collect_any(&mut answers);
        (elapsed as f64, Answers::Any(answers))
    } else {
        let mut answers = vec![MISS; rays.len()];
        let start = thread_time();
        peer.closest_all(rays, &mut answers);
        let elapsed = thread_time() - start;
        peer.collect_closest(&mut answers);
        (elapsed as f64, Answers::Closest(answers))
    }
}

/// Distances differ if they do by more than 1 in 10,000 and by more than `tolerance`.
/// (Two triangles in one place may both be right, so triangles are not compared.)
fn compare(first: &Answers, second: &Answers, tolerance: f64) -> Differences {
    let mut differences = Differences::default();
    match (first, second) {
        (Answers::Closest(first), Answers::Closest(second)) => {
            for (a, b) in first.iter().zip(second) {
                let (a, b) = (f64::from(a.t), f64::from(b.t));
                if a.is_finite() != b.is_finite() {
                    differences.hits += 1;
                } else if (a - b).abs() > tolerance.max(1e-4 * a.abs()) {
                    differences.distances += 1;
                }
            }
        }
        (Answers::Any(first), Answers::Any(second)) => {
            differences.hits = first.iter().zip(second).filter(|(a, b)| a != b).count();
        }
        _ => unreachable!("one kind of rays at a time"),
    }
    differences
}
