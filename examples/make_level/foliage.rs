//! Trees, bushes and grass: round wood and flat cards; and stones.

use glam::{Vec3, vec3};

use crate::{
    material::Material::{self, *},
    maths::{Random, Rotation, lerp, noise, turn},
    mesh::Mesh,
    shapes::{ball, tube, unit},
};

/// A square card of a size about a point, facing any way.
fn card(mesh: &mut Mesh, centre: Vec3, size: f32, rotation: Rotation) {
    let u = rotation.turn(Vec3::X) * (size * 0.5);
    let v = rotation.turn(Vec3::Y) * (size * 0.5);
    mesh.quad(centre - u - v, centre + u - v, centre + u + v, centre - u + v);
}

/// A rotation without preference.
fn any_rotation(random: &mut Random) -> Rotation {
    loop {
        let (v, w) = (random.cube(), random.range(-1.0, 1.0));
        let square = v.length_squared() + w * w;
        if square > 0.01 && square < 1.0 {
            let length = square.sqrt();
            return Rotation { v: v / length, w: w / length };
        }
    }
}

/// A tapering limb that wanders a little.
fn limb(random: &mut Random, from: Vec3, to: Vec3, radii: [f32; 2], sides: usize) -> Mesh {
    let steps = 4;
    let wander = (to - from).length() * 0.05;
    let path: Vec<_> = (0..=steps)
        .map(|i| {
            let t = i as f32 / steps as f32;
            let ends = i == 0 || i == steps;
            let off = if ends { Vec3::ZERO } else { random.cube() * wander };
            (from + (to - from) * t + off, lerp(radii[0], radii[1], t))
        })
        .collect();
    tube(&path, sides, false)
}

/// A broad tree, 5.5 m high.
pub(crate) fn broad_tree() -> Vec<(Material, Mesh)> {
    let mut random = Random(77);
    let fork = vec3(0.1, 2.0, 0.0);
    let mut wood = limb(&mut random, vec3(0.0, -0.4, 0.0), fork, [0.26, 0.17], 8);
    let mut leaves = Mesh::default();
    for i in 0..7 {
        let around = turn(i as f32 / 7.0 + random.range(0.0, 0.06));
        let reach = random.range(1.1, 1.8);
        let tip = vec3(around.x * reach, random.range(3.2, 4.7), around.y * reach);
        let start = fork - vec3(0.0, random.range(0.05, 0.5), 0.0);
        wood = wood.with(&[limb(&mut random, start, tip, [0.1, 0.025], 4)]);
        for _ in 0..13 {
            let centre = tip + random.cube() * vec3(0.95, 0.7, 0.95);
            let rotation = any_rotation(&mut random);
            card(&mut leaves, centre, random.range(0.7, 1.15), rotation);
        }
    }
    vec![(Bark, wood), (Leaves, leaves)]
}

/// A slim, pointed tree, 6 m high.
pub(crate) fn slim_tree() -> Vec<(Material, Mesh)> {
    let mut random = Random(91);
    let wood = limb(&mut random, vec3(0.0, -0.3, 0.0), vec3(0.0, 5.2, 0.0), [0.14, 0.03], 8);
    let mut leaves = Mesh::default();
    for i in 0..70 {
        let t = i as f32 / 70.0;
        let around = turn(i as f32 * 0.382) * (0.75 * (1.0 - t) + 0.06) * random.range(0.6, 1.0);
        let centre = vec3(around.x, 0.7 + t * 5.1, around.y);
        let rotation = any_rotation(&mut random);
        card(&mut leaves, centre, lerp(0.85, 0.45, t), rotation);
    }
    vec![(Bark, wood), (Leaves, leaves)]
}

/// About 1.2 m across.
pub(crate) fn bush() -> Mesh {
    let mut random = Random(13);
    let mut mesh = Mesh::default();
    for _ in 0..28 {
        let p = random.cube() * vec3(0.5, 0.35, 0.5) + vec3(0.0, 0.38, 0.0);
        let rotation = any_rotation(&mut random);
        card(&mut mesh, p, random.range(0.35, 0.6), rotation);
    }
    mesh
}

/// Three cards crossed at sixty degrees, 0.4 m high, sunk a little into the ground.
pub(crate) fn grass_tuft() -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..3 {
        let side = turn(i as f32 / 6.0) * 0.3;
        let u = vec3(side.x, 0.0, side.y);
        let lean = vec3(-side.y, 0.0, side.x) * 0.3;
        let (low, high) = (Vec3::Y * -0.06, Vec3::Y * 0.36 + lean);
        mesh.quad(low - u, low + u, high + u, high - u);
    }
    mesh
}

/// A ball beaten out of shape, about 1 m across, its foot below the ground.
pub(crate) fn boulder(seed: u64, segments: usize, rings: usize) -> Mesh {
    let round = ball(0.5, segments, rings);
    let mut mesh = Mesh::default();
    let shaped = |v: u32| {
        let p = Vec3::from(round.positions[v as usize]);
        let out = unit(p);
        let bumps = 0.2 * noise(out * 1.6, seed) + 0.08 * noise(out * 4.0, seed);
        p * vec3(1.0, 0.75, 0.85) + out * bumps * 0.7 + Vec3::Y * 0.22
    };
    for t in &round.triangles {
        mesh.triangle(shaped(t[0]), shaped(t[1]), shaped(t[2]));
    }
    mesh.closed()
}
