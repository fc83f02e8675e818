//! Rays taken up one after the other, as others end.

use super::flights::{Wave, at};
use super::queues::{Kind, Place, flights};
use super::ray_state::Flight;
use super::steps::step;
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::platform::prefetch_value;
use crate::simd::Isa;
use crate::traverse::collect::collector::Many;
use crate::traverse::ray::f64_fallback;

/// The last word is said on so many rays at once.
const DONE: usize = 16;

/// Asks each ray the same question, or those whose numbers are given.
///
/// # Safety
/// The CPU has the instruction set `I`, switched on. The tree is valid, as for
/// [`walk::walk`](crate::traverse::walk::walk), but may be without a node: then no ray sets out.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Many>(
    tree: &TreeView<'_>,
    rays: &[Ray],
    numbers: Option<&[u32]>,
    input: V::Input,
    results: &mut [V::Output],
) {
    let mut wave = Wave::<V>::new(tree, rays);
    let mut answers = V::NO_ANSWERS;
    // The first `landed` of these have no ray.
    let mut free = Place::all(size_of::<Flight<V>>());
    let flights = flights();
    let mut landed = flights;
    let count = numbers.map_or(rays.len(), <[u32]>::len);
    let mut next = 0;
    while next < count || landed < flights {
        while next < count && landed > 0 {
            let fresh = numbers.map_or(next, |numbers| numbers[next] as usize);
            // It is written while others are taken up, which then would have to wait.
            prefetch_value(&results[fresh]);
            let (ray, place) = (&rays[fresh], free[landed - 1]);
            let flight: *mut Flight<V> = at(wave.flights.as_mut_ptr().cast(), place);
            // SAFETY: the caller vouches for the CPU.
            if unsafe { Flight::start::<I>(flight, tree, ray, fresh, input) } {
                wave.queues.push(Kind::NODE, place);
                landed -= 1;
            } else {
                let mut visitor = V::new(input, ray.t_max);
                f64_fallback::walk(tree, ray, &mut visitor);
                // SAFETY: as above.
                results[fresh] = unsafe { visitor.finish::<I>(ray) };
            }
            next += 1;
        }
        // Those worked out before these rays set out: to write them right away would be to wait for them.
        // SAFETY: the caller vouches for the CPU.
        unsafe { V::write::<I>(&mut answers, tree, rays, results) };
        // SAFETY: the caller vouches for the CPU and the tree; everybody begins with a node.
        let on_their_way = unsafe { step::<I, V>(&mut wave) };
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
        let visitors = done.clone().map(|i| {
            let flight: *mut Flight<V> = at(first, queues.at(Kind::END, i));
            // SAFETY: whoever is done has a ray.
            let flight = unsafe { &*flight };
            (flight.number, &flight.visitor)
        });
        // SAFETY: the caller vouches for the CPU.
        unsafe { V::answer::<I>(visitors, tree, rays, results, &mut answers) };
        for i in done {
            free[landed] = wave.queues.at(Kind::END, i);
            landed += 1;
        }
    }
    // SAFETY: the caller vouches for the CPU.
    unsafe { V::write::<I>(&mut answers, tree, rays, results) };
}
