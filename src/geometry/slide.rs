//! Motions along planes.

use glam::Vec3;
use smallvec::SmallVec;

use super::vec3_f64::{Vec3F64, dot, max, sub, to_f64, unit};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A plane that a motion must not go through, and how far it is away: see [`slide`].
///
/// A [`Contact`](crate::Contact) turns into one with `into`: `room` is then minus its depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidePlane {
    /// The direction from the plane towards the shape, of any length but zero.
    pub normal: Vec3,
    /// How far the shape may move against the normal. Zero if it touches the plane. If negative,
    /// how far it must move along the normal, to get out.
    pub room: f32,
}

impl SlidePlane {
    /// From the normal and the room.
    #[must_use]
    pub fn new(normal: impl Into<Vec3>, room: f32) -> Self {
        Self { normal: normal.into(), room }
    }
}

/// The motion that is closest to `motion` and goes through none of the planes: what remains of a
/// step along walls and floors, and where a shape has to go that is too deep in them.
///
/// For each plane the answer's dot product with the normal, made of unit length, is at least
/// `-room`. Of all such motions it is the one whose difference from `motion` is the shortest, which
/// is unique: along one plane, along the edge between two, into the corner of three. It is computed
/// in `f64` and rounded, so it is off by a rounding of the longest motion and push involved. The
/// order of the planes does not matter, nor that some are given twice.
///
/// - **To get out**: a motion of zero and the planes of
///   [`Bvh::penetrations`](crate::Bvh::penetrations).
/// - **To move a character**: [`Bvh::move_and_slide`](crate::Bvh::move_and_slide) does it all.
/// - **To clip a velocity**: the velocity and the planes that are touched, with a room of zero.
/// - **Where pushes contradict each other**, as the pushes of two walls that have closed do, the
///   answer balances them: it is in the middle between two walls. Pushes count as contradicting
///   where the way out is more than 64 times as long as the longest of them, as between walls at an
///   angle of less than two degrees. The shape then stays in some planes, goes no deeper into them,
///   and moves along them. No plane is missed by more than that and a millionth of the longest
///   motion and push.
///
/// The answer is never NaN: a motion that is not finite counts as zero; planes that are not, or
/// whose normal is zero, are left out. Time is in proportion to the number of planes, times the
/// number of planes that turn out to matter on the way, mostly one to four.
///
/// ```
/// use hitscan::geometry::{SlidePlane, slide};
/// use hitscan::glam::Vec3;
///
/// let floor = SlidePlane::new(Vec3::Y, 0.0);
/// let wall = SlidePlane::new(Vec3::NEG_X, 0.25);
/// // Down and ahead, up to the wall: the rest leads along both.
/// assert_eq!(slide([1.0, -1.0, 2.0], &[floor, wall]), Vec3::new(0.25, 0.0, 2.0));
/// // Out of two walls at once.
/// let pushes = [SlidePlane::new(Vec3::X, -0.5), SlidePlane::new(Vec3::Z, -0.125)];
/// assert_eq!(slide(Vec3::ZERO, &pushes), Vec3::new(0.5, 0.0, 0.125));
/// // Between walls that have closed.
/// let closed = [SlidePlane::new(Vec3::X, -0.5), SlidePlane::new(Vec3::NEG_X, -0.25), floor];
/// let between = slide([0.0, -9.0, 1.0], &closed);
/// assert!((between - Vec3::new(0.125, 0.0, 1.0)).length() < 1e-5);
/// ```
#[must_use]
pub fn slide(motion: impl Into<Vec3>, planes: &[SlidePlane]) -> Vec3 {
    let motion = motion.into();
    let wanted = to_f64(if motion.is_finite() { motion } else { Vec3::ZERO });
    let mut bounds: SmallVec<[Bound; 16]> = planes.iter().filter_map(Bound::new).collect();
    let push = bounds.iter().fold(0.0, |push, bound| max(bound.least, push));

    let (found, violation) = search(wanted, &bounds);
    let (found, length_wanted) = (xyz(found), length(wanted));
    let error = TOLERANCE * (push + length_wanted + length(found));
    let is_near = length(sub(found, wanted)) <= length_wanted + MOST * push + error;
    if violation <= error && is_near {
        return rounded(found);
    }
    // Everything gives way a little, at a price: so there is always an answer.
    for bound in &mut bounds {
        bound.normal[3] = 1.0 / MOST;
    }
    let balanced = search([0.0; 3], &bounds).0;
    let slack = SLACK * (length_wanted + push);
    for bound in &mut bounds {
        bound.normal[3] = 0.0;
        bound.least = bound.least.min(dot4(bound.normal, balanced) - slack);
    }
    rounded(xyz(search(wanted, &bounds).0))
}

/// How much longer than the longest push a way out may be.
const MOST: f64 = 64.0;

/// What a violation may be, in parts of the longest vector: a rounding to `f32`. A smaller one
/// changes a squared distance by less than `f64` shows.
const TOLERANCE: f64 = 1.0 / (1u64 << 24) as f64;

/// The room that is left between planes that contradict each other, in parts of the longest motion
/// and push: more than roundings make of normals that are opposite, so that the motion along is
/// free.
const SLACK: f64 = 1.0 / (1u64 << 21) as f64;

/// The sine of an angle below which a normal is taken for one in the span of others.
const DEPENDENT: f64 = 1.0 / (1u64 << 42) as f64;

type Vec4F64 = [f64; 4];

/// The vectors whose dot product with the normal is at least that. The fourth component is by how
/// much all bounds give way.
#[derive(Clone, Copy)]
struct Bound {
    normal: Vec4F64,
    least: f64,
}

impl Bound {
    fn new(plane: &SlidePlane) -> Option<Self> {
        let [x, y, z] = unit(to_f64(plane.normal));
        let is_sound = [x, y, z] != [0.0; 3] && plane.room.is_finite();
        is_sound.then(|| Self { normal: [x, y, z, 0.0], least: -f64::from(plane.room) })
    }

    /// How far a vector is beyond it.
    fn violation(&self, at: Vec4F64) -> f64 {
        self.least - dot4(self.normal, at)
    }
}

/// Of the vectors within all bounds the one that is closest to `wanted`, and by how much it
/// violates a bound: more than roundings if there are no such vectors.
///
/// A dual method (Goldfarb and Idnani 1983), as the basis exchange of an LP-type problem (Sharir
/// and Welzl 1992). A set of bounds whose planes meet, with a point that pulls away from each of
/// them, is a relaxed problem that is solved. The bound that this point violates most joins them,
/// and the best subset is the next set. The distance grows with each step, so there is an end, and
/// it depends on the order of the bounds by roundings only: the closest vector is unique.
fn search(wanted: Vec3F64, bounds: &[Bound]) -> (Vec4F64, f64) {
    let wanted = [wanted[0], wanted[1], wanted[2], 0.0];
    let mut at = Active { point: wanted, square: 0.0, bounds: SmallVec::new() };
    loop {
        let violated = bounds.iter().map(|bound| (bound.violation(at.point), bound));
        let worst = violated.max_by(|(one, _), (other, _)| one.total_cmp(other));
        let Some((violation, worst)) = worst else { return (at.point, 0.0) };
        if violation <= 0.0 {
            return (at.point, 0.0);
        }
        let candidates = (0..1 << at.bounds.len()).filter_map(|subset: u32| {
            let chosen = at.bounds.iter().enumerate().filter(|(i, _)| subset >> i & 1 != 0);
            Active::new(wanted, chosen.map(|(_, bound)| *bound).chain([*worst]).collect())
        });
        let next = candidates.max_by(|one, other| one.square.total_cmp(&other.square));
        match next {
            Some(next) if next.square > at.square => at = next,
            _ => return (at.point, violation),
        }
    }
}

/// A vector on the planes of some bounds that is closest to the wanted one, and its squared
/// distance from it.
struct Active {
    point: Vec4F64,
    square: f64,
    bounds: SmallVec<[Bound; 4]>,
}

impl Active {
    /// `None` if the normals are not independent, or if it would be closer without one of the
    /// bounds.
    fn new(wanted: Vec4F64, bounds: SmallVec<[Bound; 4]>) -> Option<Self> {
        let count = bounds.len();
        if count > 4 {
            return None;
        }
        // Gram and Schmidt: the normals are made of orthogonal `axes`, by `parts`.
        let (mut axes, mut parts, mut steps) = ([[0.0; 4]; 4], [[0.0; 4]; 4], [0.0; 4]);
        let mut point = wanted;
        for j in 0..count {
            let mut rest = bounds[j].normal;
            // Twice, for what roundings leave.
            for i in (0..j).chain(0..j) {
                let part = dot4(axes[i], rest);
                parts[i][j] += part;
                rest = add_scaled(rest, axes[i], -part);
            }
            let length = dot4(rest, rest).sqrt();
            if length < DEPENDENT {
                return None;
            }
            axes[j] = rest.each(|x| x / length);
            parts[j][j] = length;
            steps[j] = bounds[j].violation(point) / length;
            point = add_scaled(point, axes[j], steps[j]);
        }
        // How hard each bound pushes.
        let mut forces = [0.0; 4];
        for j in (0..count).rev() {
            let others: f64 = (j + 1..count).map(|k| parts[j][k] * forces[k]).sum();
            forces[j] = (steps[j] - others) / parts[j][j];
        }
        let square = steps.iter().map(|step| step * step).sum();
        let is_needed = forces.iter().all(|&force| force >= 0.0);
        is_needed.then_some(Self { point, square, bounds })
    }
}

fn dot4(a: Vec4F64, b: Vec4F64) -> f64 {
    dot(xyz(a), xyz(b)) + a[3] * b[3]
}

fn add_scaled(a: Vec4F64, b: Vec4F64, factor: f64) -> Vec4F64 {
    [0, 1, 2, 3].each(|k| a[k] + b[k] * factor)
}

fn xyz([x, y, z, _]: Vec4F64) -> Vec3F64 {
    [x, y, z]
}

fn length(v: Vec3F64) -> f64 {
    dot(v, v).sqrt()
}

fn rounded(v: Vec3F64) -> Vec3 {
    let most = f64::from(f32::MAX);
    Vec3::from(v.each(|x| x.clamp(-most, most) as f32))
}
