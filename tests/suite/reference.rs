//! The reference ray-triangle test against an independent exact judge.
//!
//! `Triangle::intersect` promises a hit exactly when the exact ray meets the exact triangle, with
//! `t`, `u` and `v` the exact values rounded once. The judge works with integers of any size and
//! another method than the reference: `t` comes from the triangle's plane, cross products along
//! the normal test the point against the three edges, and quotients are rounded bit by bit. No
//! wrong hit, miss or bit is allowed.
//!
//! `HITSCAN_LONG=100` tests more than ten million pairs.

use crate::support;
pub(crate) mod judge;
mod lattice;
mod pairs;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hitscan::glam::Vec3;
use hitscan::{Face, InstructionSet, Ray, Triangle};
use judge::{Truth, Verdict, is_degenerate, judge, parts, rounded};
use num_bigint::BigInt;
use pairs::KINDS;
use support::{Random, long};

#[derive(Clone, Copy, Default)]
struct Count {
    pairs: usize,
    hits: usize,
    on_edge: usize,
    parallel: usize,
    /// Hits and misses that Möller and Trumbore's test gets wrong in `f64`.
    moller_trumbore: usize,
}

/// Compares the two on one pair.
fn try_pair(t: &Triangle, ray: &Ray, count: &mut Count) -> Result<(), String> {
    let degenerate = is_degenerate(t);
    if degenerate != t.is_degenerate() {
        return Err(format!("is_degenerate says {}", t.is_degenerate()));
    }
    let verdict = if ray.dir == Vec3::ZERO || degenerate { Verdict::Miss } else { judge(t, ray) };
    let truth = match verdict {
        Verdict::Hit(truth) if truth.t.is_finite() => Some(truth),
        Verdict::Parallel => {
            count.parallel += 1;
            None
        }
        _ => None,
    };
    count.pairs += 1;
    count.hits += usize::from(truth.is_some());
    count.on_edge += usize::from(truth.as_ref().is_some_and(|truth| truth.on_edge));
    count.moller_trumbore +=
        usize::from(t.intersect_moller_trumbore(ray).is_some() != truth.is_some());

    let got = t.intersect(ray);
    let bits = |t: f32, u: f32, v: f32, front: bool| (t.to_bits(), u.to_bits(), v.to_bits(), front);
    let is = got.map(|h| bits(h.t, h.u, h.v, h.face == Face::Front));
    let should = truth.as_ref().map(|h| bits(h.t, h.u, h.v, h.front));
    if is != should {
        return Err(format!("the reference says {got:?}, the judge {truth:?}"));
    }
    // The interval is closed, and the rounded `t` is compared with it.
    if let Some(Truth { t: at, .. }) = truth {
        for (t_min, t_max, inside) in [
            (at, at, true),
            (f32::NEG_INFINITY, at, true),
            (f32::NEG_INFINITY, at.next_down(), false),
            (at.next_up(), f32::INFINITY, false),
            (at, at.next_down(), false),
            (0.0, f32::INFINITY, at >= 0.0),
            (f32::NAN, at, false),
            (at, f32::NAN, false),
        ] {
            let got = t.intersect(&ray.with_range(t_min, t_max));
            if got.map(|h| bits(h.t, h.u, h.v, h.face == Face::Front)) != should.filter(|_| inside)
            {
                return Err(format!("{t_min}..={t_max} gives {got:?}, the judge {truth:?}"));
            }
        }
    }
    Ok(())
}

const CHUNK: usize = 1000;

#[test]
fn every_bit_is_exact() {
    println!("the scalar reference; kernels here: {:?}", InstructionSet::available());
    let chunks = 5 * long();
    let next = AtomicUsize::new(0);
    let counts = Mutex::new([Count::default(); KINDS.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    let (chunk, which) = (task / KINDS.len(), task % KINDS.len());
                    if chunk >= chunks {
                        return;
                    }
                    let kind = &KINDS[which];
                    let mut random = Random::new(((which as u64) << 32) + chunk as u64);
                    let mut count = Count::default();
                    for number in 0..CHUNK {
                        let (t, ray) = (kind.make)(&mut random);
                        if let Err(error) = try_pair(&t, &ray, &mut count) {
                            panic!(
                                "{}, chunk {chunk}, pair {number}: {error}\n{t:?}\n{ray:?}",
                                kind.name
                            );
                        }
                    }
                    let total = &mut counts.lock().unwrap()[which];
                    total.pairs += count.pairs;
                    total.hits += count.hits;
                    total.on_edge += count.on_edge;
                    total.parallel += count.parallel;
                    total.moller_trumbore += count.moller_trumbore;
                }
            });
        }
    });

    let counts = counts.into_inner().unwrap();
    let mut all = Count::default();
    println!(
        "{:30} {:>10} {:>10} {:>10} {:>10} {:>16}",
        "", "pairs", "hits", "on edges", "parallel", "wrong by M.-T."
    );
    for (kind, count) in KINDS.iter().zip(&counts) {
        let Count { pairs, hits, on_edge, parallel, moller_trumbore } = *count;
        println!(
            "{:30} {pairs:>10} {hits:>10} {on_edge:>10} {parallel:>10} {moller_trumbore:>16}",
            kind.name
        );
        all.pairs += pairs;
        all.hits += hits;
        all.on_edge += on_edge;
        all.parallel += parallel;
        all.moller_trumbore += moller_trumbore;
    }
    println!(
        "{:30} {:>10} {:>10} {:>10} {:>10} {:>16}",
        "all, without a difference",
        all.pairs,
        all.hits,
        all.on_edge,
        all.parallel,
        all.moller_trumbore
    );

    // The pairs are as hard as they should be.
    assert_eq!(all.pairs, chunks * CHUNK * KINDS.len());
    for (kind, count) in KINDS.iter().zip(&counts) {
        let share = count.hits as f64 / count.pairs as f64;
        let (least, most) = kind.hits;
        assert!(least <= share && share <= most, "{}: {share} of the pairs hit", kind.name);
    }
    assert!(all.on_edge > all.pairs / 50, "few rays are exactly on an edge");
    assert!(all.moller_trumbore > all.pairs / 100, "plain f64 would do for these pairs");
}

/// The judge against hardware, which rounds quotients of two `f32` correctly.
#[test]
fn the_judge_rounds_like_hardware() {
    println!("the judge alone; kernels here: {:?}", InstructionSet::available());
    let mut random = Random::new(77);
    let mut checked = 0;
    while checked < 20_000 * long().min(20) {
        let (a, b) = (f32::from_bits(random.next()), f32::from_bits(random.next()));
        // Half of them near each other, so that the quotient is an ordinary number; and some
        // with few bits, so that there are ties and exact ones.
        let b = if checked % 2 == 0 { b } else { f32::from_bits(a.to_bits() ^ b.to_bits() >> 8) };
        let b = if checked % 3 == 0 { f32::from_bits(b.to_bits() & !0xf_ffff) } else { b };
        if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
            continue;
        }
        let ((m, e), (n, f)) = (parts(a), parts(b));
        let top = BigInt::from(m * n.signum());
        let got = rounded(&top, BigInt::from(n).magnitude(), e - f);
        assert_eq!(got.to_bits(), (a / b).to_bits(), "{a:e} / {b:e}");
        checked += 1;
    }
}

/// The judge's answer for a case with an obvious result.
#[test]
fn the_judge_knows_the_simple_case() {
    println!("the judge alone; kernels here: {:?}", InstructionSet::available());
    let t = Triangle::new([0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [0.0, 8.0, 2.0]);
    let from_below = Ray::new([1.0, 2.0, 0.0], [0.0, 0.0, 4.0]);
    let Verdict::Hit(hit) = judge(&t, &from_below) else { panic!("it is hit") };
    assert_eq!((hit.t, hit.u, hit.v, hit.front, hit.on_edge), (0.5, 0.25, 0.25, false, false));
    let on_edge = Ray::new([4.0, 0.0, 0.0], [-2.0, 4.0, 2.0]);
    let Verdict::Hit(hit) = judge(&t, &on_edge) else { panic!("it is hit") };
    assert_eq!((hit.t, hit.u, hit.v, hit.front, hit.on_edge), (1.0, 0.5, 0.5, false, true));
    assert!(matches!(judge(&t, &Ray::new([5.0, 0.0, 0.0], [0.0, 0.0, 1.0])), Verdict::Miss));
    assert!(matches!(judge(&t, &Ray::new([0.0, 0.0, 2.0], [1.0, 1.0, 0.0])), Verdict::Parallel));
}
