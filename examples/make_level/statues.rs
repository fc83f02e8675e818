//! Statues: smooth bodies with many small triangles.

use glam::{Vec3, vec3};

use crate::{
    field::{blend, capsule, ellipsoid, folds, surface},
    mesh::Mesh,
    shapes::{block, stand, turned},
};

/// Fine enough for folds and faces, coarse enough for a game.
const CELL: f32 = 0.075;

/// The lower body of a robed figure: a cone of cloth whose folds fade upwards.
fn robe(p: Vec3) -> f32 {
    let depth = 0.035 * (1.0 - p.y / 1.2).clamp(0.0, 1.0);
    let cone = capsule(p, [0.0, 0.0, 0.0], [0.0, 1.15, 0.0], 0.34, 0.17);
    cone * 0.9 + depth * folds(p, 4)
}

/// Chest, shoulders, neck and head.
fn bust_field(p: Vec3) -> f32 {
    let chest = capsule(p, [0.0, 1.1, 0.0], [0.0, 1.32, 0.0], 0.18, 0.17);
    let shoulders = capsule(p, [-0.18, 1.38, 0.0], [0.18, 1.38, 0.0], 0.1, 0.1);
    let neck = capsule(p, [0.0, 1.4, 0.0], [0.0, 1.56, 0.01], 0.065, 0.055);
    let head = ellipsoid(p, [0.0, 1.66, 0.02], [0.095, 0.13, 0.115]);
    let nose = capsule(p, [0.0, 1.69, 0.125], [0.0, 1.63, 0.15], 0.012, 0.02);
    let hair = ellipsoid(p, [0.0, 1.69, -0.03], [0.115, 0.13, 0.115]);
    let body = blend(blend(chest, shoulders, 0.12), neck, 0.08);
    blend(blend(body, blend(head, nose, 0.03), 0.04), hair, 0.02)
}

/// Cuts a field off at the height where it stands.
fn standing(p: Vec3, field: f32) -> f32 {
    field.max(-p.y)
}

/// Facing +z, hands folded, 1.8 m high.
pub(crate) fn saint() -> Mesh {
    surface(vec3(-0.5, 0.0, -0.5), vec3(0.5, 1.95, 0.5), CELL, |p| {
        let q = vec3(p.x.abs(), p.y, p.z);
        let upper = capsule(q, [0.26, 1.36, 0.0], [0.33, 1.08, 0.04], 0.085, 0.085);
        let sleeve = capsule(q, [0.33, 1.08, 0.04], [0.04, 1.2, 0.3], 0.1, 0.055);
        let hands = capsule(q, [0.03, 1.18, 0.3], [0.01, 1.34, 0.33], 0.04, 0.025);
        let arms = blend(blend(upper, sleeve, 0.06), hands, 0.03);
        standing(p, blend(blend(robe(p), bust_field(p), 0.1), arms, 0.05))
    })
}

/// Facing +z, a staff in the raised right hand, a shield at the left.
pub(crate) fn guardian() -> Mesh {
    surface(vec3(-0.65, 0.0, -0.55), vec3(0.65, 2.3, 0.6), CELL * 1.15, |p| {
        let leg = |side: f32| {
            let thigh = capsule(p, [side * 0.12, 0.95, 0.0], [side * 0.15, 0.5, 0.05], 0.13, 0.09);
            let shin = capsule(p, [side * 0.15, 0.5, 0.05], [side * 0.17, 0.06, 0.0], 0.09, 0.065);
            let foot = capsule(p, [side * 0.17, 0.04, 0.0], [side * 0.2, 0.04, 0.16], 0.07, 0.06);
            blend(blend(thigh, shin, 0.05), foot, 0.05)
        };
        let hips = ellipsoid(p, [0.0, 1.0, 0.0], [0.24, 0.2, 0.18]);
        let skirt = capsule(p, [0.0, 0.75, 0.0], [0.0, 1.05, 0.0], 0.28, 0.19) + 0.02 * folds(p, 4);
        let body = blend(blend(leg(1.0), leg(-1.0), 0.05), blend(hips, skirt, 0.06), 0.06);
        let body = blend(body, bust_field(p), 0.1);
        let right = blend(
            capsule(p, [-0.26, 1.38, 0.0], [-0.46, 1.3, 0.1], 0.085, 0.065),
            capsule(p, [-0.46, 1.3, 0.1], [-0.45, 1.58, 0.24], 0.065, 0.05),
            0.04,
        );
        let left = capsule(p, [0.26, 1.36, 0.0], [0.36, 1.02, 0.08], 0.085, 0.06);
        let staff = capsule(p, [-0.45, 0.0, 0.26], [-0.45, 2.15, 0.26], 0.05, 0.045);
        let shield = ellipsoid(p, [0.36, 0.85, 0.24], [0.26, 0.4, 0.07]);
        let cloak = ellipsoid(p, [0.0, 0.85, -0.2], [0.3, 0.75, 0.1]);
        let arms = blend(blend(right, left, 0.03), staff.min(shield), 0.03);
        let base = ellipsoid(p, [0.0, 0.0, 0.06], [0.55, 0.08, 0.45]);
        standing(p, blend(blend(body, cloak, 0.06), blend(arms, base, 0.04), 0.04))
    })
}

/// Head and shoulders on a turned foot, 0.75 m high.
pub(crate) fn bust() -> Mesh {
    let body = surface(vec3(-0.4, 1.05, -0.3), vec3(0.4, 1.9, 0.35), 0.06, |p| {
        let egg = ellipsoid(p, [0.0, 1.42, 0.0], [0.36, 0.24, 0.25]);
        bust_field(p).max(egg.min(1.5 - p.y))
    });
    let foot = [(0.16, 0.0), (0.16, 0.05), (0.08, 0.1), (0.07, 0.18), (0.12, 0.24), (0.1, 0.3)];
    turned(&foot, 12).with(&[body.at(0.0, -1.05, 0.0)])
}

/// One metre high, 0.8 m wide.
pub(crate) fn pedestal() -> Mesh {
    stand(0.0, 0.0, 0.0, [0.9, 0.15, 0.9])
        .with(&[stand(0.0, 0.15, 0.0, [0.7, 0.72, 0.7]), stand(0.0, 0.87, 0.0, [0.9, 0.13, 0.9])])
}

/// A stone coffin, 2.2 m long, with a lying figure on its lid; the head towards -z.
pub(crate) fn sarcophagus() -> Mesh {
    let figure = surface(vec3(-0.45, 0.0, -1.1), vec3(0.45, 0.6, 1.1), 0.09, |p| {
        // The saint's body, laid on its back.
        let q = vec3(p.x, 0.9 - p.z, p.y);
        let side = vec3(q.x.abs(), q.y, q.z);
        let arm = capsule(side, [0.26, 1.36, 0.0], [0.05, 1.12, 0.2], 0.085, 0.06);
        blend(blend(robe(q) + 0.04, bust_field(q), 0.1), arm, 0.05).max(-p.y).max(-q.y)
    });
    block([-0.6, 0.0, -1.2], [0.6, 0.12, 1.2]).with(&[
        block([-0.5, 0.12, -1.1], [0.5, 0.62, 1.1]),
        block([-0.58, 0.62, -1.18], [0.58, 0.74, 1.18]),
        figure.at(0.0, 0.74, 0.0),
    ])
}
