//! Where the questions are asked, and of what size.

use hitscan_levels::Level;
use hitscan_levels::math::{Random, add, cross, length, round, scale, sub, vec3};

use crate::peer::{Case, Kind, NO_TURN, Sizes};

/// Of the level's diagonal.
const RADIUS: f64 = 0.005;
const HALF_HEIGHT: f64 = 0.01;
const MOTION: f64 = 0.1;

/// `count` cases of a kind, the same in every run.
///
/// An overlap is asked up to two radii and a half from a surface, so that about half of them touch.
/// A cast begins where the shape is free, as `distance` tells, but for [`Kind::CastFromTouch`].
pub fn cases(
    kind: Kind,
    level: &Level,
    count: usize,
    distance: impl Fn([f32; 3]) -> f32,
) -> (Sizes, Vec<Case>) {
    let mut random = Random(1 + kind as u64);
    let diagonal = level.diagonal();
    let radius = RADIUS * diagonal;
    let sizes = Sizes { radius: radius as f32, half_height: (HALF_HEIGHT * diagonal) as f32 };
    let case = |random: &mut Random| {
        let at = match kind {
            Kind::ClosestAnywhere => anywhere(level, random),
            Kind::ClosestNear => near(level, random, [0.0, 2.0 * radius]),
            Kind::ClosestFar => far(level, random),
            Kind::SphereOverlap | Kind::BoxOverlap => near(level, random, [0.0, 2.5 * radius]),
            Kind::SphereCast | Kind::BoxCast | Kind::TurnedBoxCast => {
                near(level, random, [2.0 * radius; 2])
            }
            Kind::CapsuleCast => near(level, random, [3.5 * radius; 2]),
            Kind::CastFromTouch => near(level, random, [0.5 * radius; 2]),
        };
        let motion = round(scale(random.direction(), MOTION * diagonal));
        let turn = if kind == Kind::TurnedBoxCast { rotation(random) } else { NO_TURN };
        Case { at: round(at), motion, turn }
    };
    // The radius of a ball around the shape.
    let around = match kind {
        Kind::SphereCast => sizes.radius,
        Kind::BoxCast | Kind::TurnedBoxCast => 1.74 * sizes.radius,
        Kind::CapsuleCast => sizes.radius + sizes.half_height,
        _ => -1.0,
    };
    let is_free = |case: &Case| around < 0.0 || distance(case.at) > around;
    let mut cases = Vec::with_capacity(count);
    for _ in 0..100 * count {
        let case = case(&mut random);
        if is_free(&case) {
            cases.push(case);
        }
        if cases.len() == count {
            break;
        }
    }
    (sizes, cases)
}

/// A turn about any axis by any angle.
fn rotation(random: &mut Random) -> [f32; 4] {
    let ([x, y, z], half_angle) = (random.direction(), std::f64::consts::PI * random.unit());
    let (sin, cos) = half_angle.sin_cos();
    [sin * x, sin * y, sin * z, cos].map(|x| x as f32)
}

/// A point in the level's box.
fn anywhere(level: &Level, random: &mut Random) -> [f64; 3] {
    let (min, max) = (vec3(level.min), vec3(level.max));
    [0, 1, 2].map(|axis| min[axis] + random.unit() * (max[axis] - min[axis]))
}

/// A point at a distance of ten times the level's size and more, in any direction from any point of
/// its box.
fn far(level: &Level, random: &mut Random) -> [f64; 3] {
    let times = 10f64.powi(1 + (random.next() % 30) as i32);
    let way = scale(random.direction(), times * level.diagonal());
    add(anywhere(level, random), way)
}

/// A point off a triangle along its normal, on either side.
fn near(level: &Level, random: &mut Random, [least, most]: [f64; 2]) -> [f64; 3] {
    loop {
        let number = (random.next() % level.triangles.len() as u64) as usize;
        let [a, b, c] = level.triangles[number].map(vec3);
        let normal = cross(sub(b, a), sub(c, a));
        let size = length(normal);
        if size == 0.0 {
            continue;
        }
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let on = add(a, add(scale(sub(b, a), u), scale(sub(c, a), v)));
        let off = least + random.unit() * (most - least);
        let side = if random.next() & 1 == 0 { off } else { -off };
        return add(on, scale(normal, side / size));
    }
}
