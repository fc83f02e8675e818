//! Stairs and railings.

use glam::{Vec2, Vec3, vec2, vec3};

use crate::{
    maths::turn,
    mesh::Mesh,
    place::{at, between},
    polygon::Polygon,
    scene::{Group, Scene},
    shapes::{block, rod, turned},
};

/// A step's height: 0.17 m everywhere.
pub(crate) const RISE: f32 = 0.17;

/// A straight flight that climbs along +x from the origin, `width` wide about z = 0.
///
/// Without a `waist` it is solid to the ground, with one it is a slab that thick.
pub(crate) fn flight(steps: usize, tread: f32, width: f32, waist: Option<f32>) -> Mesh {
    let corner = |i: usize, j: usize| vec2(i as f32 * tread, j as f32 * RISE);
    let under = |i: usize| {
        let slope = waist.map_or(0.0, |waist| (i as f32 * RISE - waist).max(0.0));
        vec2(i as f32 * tread, slope)
    };
    let left = |p: Vec2| vec3(p.x, p.y, width * 0.5);
    let right = |p: Vec2| vec3(p.x, p.y, width * -0.5);
    let mut mesh = Mesh::default();
    // A face all across, whose outside is to the right of the way from `a` to `b`.
    let across = |mesh: &mut Mesh, a, b| mesh.quad(left(a), right(a), right(b), left(b));
    for i in 0..steps {
        let (foot, nose, back) = (corner(i, i), corner(i, i + 1), corner(i + 1, i + 1));
        let (low, next) = (under(i), under(i + 1));
        // Each side is cut so that the last step's tread ends on a corner of this one.
        for [a, b, c] in [[low, next, foot], [foot, next, back], [foot, back, nose]] {
            mesh.triangle(left(a), left(b), left(c));
            mesh.triangle(right(a), right(c), right(b));
        }
        across(&mut mesh, nose, foot);
        across(&mut mesh, back, nose);
        across(&mut mesh, low, next);
    }
    across(&mut mesh, under(steps), corner(steps, steps));
    mesh.closed()
}

/// One step of a winding stair around the y axis: a twenty-fourth of a turn and a little more,
/// from 0.2 to 1.8 m, its upper side one rise above the origin.
pub(crate) fn spiral_step() -> Mesh {
    let (first, last) = (-0.004, 1.0 / 24.0 + 0.006);
    let arc = |radius: f32, i: i32| turn(first + (last - first) * i as f32 / 3.0) * radius;
    let mut outline: Vec<Vec2> = (0..=3).map(|i| arc(1.8, i)).collect();
    outline.extend((0..=3).rev().map(|i| arc(0.2, i)));
    let polygon = Polygon { outline, holes: Vec::new() };
    polygon.extrude(|p, up| vec3(p.x, if up > 0.5 { RISE } else { -0.05 }, -p.y))
}

/// A turned stone baluster, 0.8 m high.
pub(crate) fn baluster() -> Mesh {
    let profile =
        [(0.07, 0.0), (0.045, 0.08), (0.075, 0.28), (0.035, 0.52), (0.07, 0.74), (0.07, 0.8)];
    turned(&profile, 5)
}

/// One metre along x, to be stretched; its lower side at y = 0.
pub(crate) fn handrail() -> Mesh {
    block([0.0, 0.0, -0.09], [1.0, 0.1, 0.09])
}

/// One metre high, with a knob.
pub(crate) fn iron_post() -> Mesh {
    let profile = [(0.05, 0.0), (0.022, 0.04), (0.022, 1.0), (0.036, 1.06)];
    turned(&profile, 5)
}

/// One metre along x, to be stretched.
pub(crate) fn iron_rail() -> Mesh {
    rod([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.02, 5)
}

/// A stone balustrade along points at floor level.
pub(crate) fn balustrade(scene: &mut Scene, parent: Group, path: &[[f32; 3]]) {
    let group = scene.group(parent, "balustrade", at(0.0, 0.0, 0.0));
    for pair in path.windows(2) {
        let (a, b) = (Vec3::from(pair[0]), Vec3::from(pair[1]));
        let rail = Vec3::Y * 0.8;
        scene.put(group, "handrail", between(a + rail, b + rail));
        for p in posts(a, b, 0.62) {
            scene.put(group, "baluster", at(p.x, p.y, p.z));
        }
    }
}

/// An iron railing along points at floor level.
pub(crate) fn iron_railing(scene: &mut Scene, parent: Group, path: &[[f32; 3]]) {
    let group = scene.group(parent, "railing", at(0.0, 0.0, 0.0));
    for pair in path.windows(2) {
        let (a, b) = (Vec3::from(pair[0]), Vec3::from(pair[1]));
        for height in [0.35, 0.68, 1.0] {
            let up = Vec3::Y * height;
            scene.put(group, "iron_rail", between(a + up, b + up));
        }
        for p in posts(a, b, 2.0) {
            scene.put(group, "iron_post", at(p.x, p.y, p.z));
        }
    }
}

/// Points about a spacing apart, half a spacing in from both ends.
fn posts(a: Vec3, b: Vec3, spacing: f32) -> impl Iterator<Item = Vec3> {
    let count = ((b - a).length() / spacing).round().max(1.0) as usize;
    (0..count).map(move |i| a + (b - a) * ((i as f32 + 0.5) / count as f32))
}
