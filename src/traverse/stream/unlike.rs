//! Rays taken up one after the other, as others end.

use super::flights::{Wave, at};
use super::queues::{FLIGHTS, Kind, Place};
use super::ray_state::Flight;
use super::steps::step;
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::platform::prefetch_value;
use crate::simd::Isa;
use crate::traverse::collect::RayIndex;
use crate::traverse::collect::batch::BatchCollector;
use crate::traverse::ray::f64_fallback;

/// The last word is said on so many rays at once.
const DONE: usize = 16;

/// Asks each ray the same question, or those whose numbers are given. `first` is the index of the
/// first of `rays` in the batch.
///
/// # Safety
/// The tree is valid, as for [`ray::walk`](crate::traverse::ray::walk), but may be without a node: then no ray sets out.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: BatchCollector>(
    isa: I,
    tree: &TreeView<'_>,
    (first, rays): (usize, &[Ray]),
    numbers: Option<&[u32]>,
    input: V::Input,
    results: &mut [V::Output],
) {
    let mut wave = Wave::<V>::new(tree, rays);
    let mut answers = V::NO_ANSWERS;
    // The first `landed` of these have no ray.
    let mut free = Place::all(size_of::<Flight<V>>());
    let mut landed = FLIGHTS;
    let count = numbers.map_or(rays.len(), <[u32]>::len);
    let mut next = 0;
    while next < count || landed < FLIGHTS {
        while next < count && landed > 0 {
            let fresh = numbers.map_or(next, |numbers| numbers[next] as usize);
            // It is written while others are taken up, which then would have to wait.
            prefetch_value(&results[fresh]);
            let (ray, place) = (&rays[fresh], free[landed - 1]);
            let flight: *mut Flight<V> = at(wave.flights.as_mut_ptr().cast(), place);
            // SAFETY: a free place is room for a flight.
            if unsafe { Flight::start(isa, flight, tree, ray, (first, fresh), input) } {
                wave.queues.push(Kind::NODE, place);
                landed -= 1;
            } else {
                let mut collector = V::new(input, V::Index::new(first + fresh), ray.t_max);
                f64_fallback::walk(tree, ray, &mut collector);
                results[fresh] = collector.finish(isa, ray);
            }
            next += 1;
        }
        // Those worked out before these rays set out: to write them right away would be to wait for them.
        V::write(&mut answers, tree, rays, results);
        // SAFETY: all flights in the queues were started above, at the root, or sent on by a step.
        let on_their_way = unsafe { step(isa, &mut wave) };
        if on_their_way && wave.queues.len(Kind::END) < DONE {
            continue;
        }
        let ended = wave.queues.len(Kind::END).min(V::MOST);
        let done = wave.queues.take(Kind::END, ended);
        // Their places are taken next, by rays that do not lie in a row.
        if let Some(numbers) = numbers {
            for &number in numbers.iter().skip(next).take(done.len()) {
                prefetch_value(&rays[number as usize]);
            }
        }
        let (first, queues) = (wave.flights.as_mut_ptr().cast(), &wave.queues);
        let collectors = done.clone().map(|i| {
            let flight: *mut Flight<V> = at(first, queues.at(Kind::END, i));
            // SAFETY: the places in the queue of those that end still have their rays.
            let flight = unsafe { &*flight };
            (flight.number, &flight.collector)
        });
        V::answer::<I>(collectors, tree, rays, results, &mut answers);
        for i in done {
            free[landed] = wave.queues.at(Kind::END, i);
            landed += 1;
        }
    }
    V::write(&mut answers, tree, rays, results);
}
