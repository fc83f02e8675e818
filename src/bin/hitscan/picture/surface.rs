//! Modes that need no more than the hit of a pixel.

use std::collections::{BTreeMap, HashMap};

use hitscan::{Face, Hit, InstanceId, Triangle};

use super::colour::{Rgb, grey, lit, of_number};
use super::image::Image;
use super::legend::{Entry, Key, Legend};
use super::occlusion::open_sky;
use super::traced::{Progress, Traced};
use super::vector::Vector;

/// What a mode draws.
pub(crate) struct Picture {
    pub(crate) image: Image,
    pub(crate) legend: Option<Legend>,
}

/// The least light on a surface, where the lamp does not shine.
const AMBIENT: f64 = 0.12;

/// The part of the light from a lamp above the camera's left shoulder that a hit sends back. A
/// surface that turns away darkens slowly, so that its shape shows everywhere.
pub(super) fn light(traced: &Traced<'_>, hit: &Hit) -> f64 {
    let camera = traced.camera;
    let lamp = (camera.side_light() - camera.forward()).normalized();
    let half = 0.5 + 0.5 * lamp.dot(traced.seen_normal(hit));
    AMBIENT + (1.0 - AMBIENT) * half * half
}

/// Grey in this light, and darker where other triangles are near.
pub(crate) fn shaded(traced: &Traced<'_>, progress: Progress<'_>) -> Picture {
    Picture { image: tinted(traced, |_| None, progress), legend: None }
}

/// The same, with some surfaces in colours.
pub(super) fn tinted(
    traced: &Traced<'_>,
    colour: impl Fn(&Hit) -> Option<Rgb> + Sync,
    progress: Progress<'_>,
) -> Image {
    let sky = open_sky(traced, progress);
    traced.paint(|i, hit| {
        let sky = f64::from(sky[i]);
        let light = light(traced, hit) * (0.1 + 0.9 * sky * sky);
        // Colours stay bright in the shade.
        colour(hit).map_or(grey(0.85 * light), |colour| lit(colour, 0.3 + 0.7 * light))
    })
}

/// Dark grey in this light: what lines are drawn on.
pub(crate) fn dark(traced: &Traced<'_>) -> Image {
    traced.paint(|_, hit| grey(0.2 * light(traced, hit)))
}

/// `x`, `y` and `z` of the front's normal, from -1 to 1, as red, green and blue.
pub(crate) fn normals(traced: &Traced<'_>) -> Picture {
    let image = traced.paint(|_, hit| {
        let Vector { x, y, z } = traced.normal(hit);
        [x, y, z].map(|part| (127.5 + 127.5 * part.clamp(-1.0, 1.0) + 0.5) as u8)
    });
    Picture { image, legend: None }
}

const BACK: Rgb = [214, 48, 38];
const FRONT: Rgb = [190, 190, 190];

/// Fronts grey, backs red.
pub(crate) fn facing(traced: &Traced<'_>) -> Picture {
    let kind = |hit: &Hit| match hit.face {
        Face::Front => 0,
        Face::Back => 1,
    };
    by_kind(traced, "facing", &[(FRONT, "front"), (BACK, "back")], kind)
}

/// Quality of triangles from here on, their colours and names. The quality is 1 for three equal
/// sides, and near 0 for a needle.
const QUALITIES: [(f64, (Rgb, &str)); 5] = [
    (0.5, ([150, 160, 170], "good, 0.5 and more")),
    (0.2, ([88, 150, 110], "fair, 0.2 to 0.5")),
    (0.05, ([236, 190, 60], "thin, 0.05 to 0.2")),
    (0.01, ([240, 110, 20], "sliver, 0.01 to 0.05")),
    (0.0, ([226, 0, 120], "needle, below 0.01")),
];

/// Triangles that are far from having equal sides stand out.
pub(crate) fn quality(traced: &Traced<'_>) -> Picture {
    let kind = |hit: &Hit| {
        let (bvh, _) = traced.level.local(hit, &traced.camera.ray(0.0, 0.0))?;
        let quality = quality_of(&bvh.triangle(hit)?);
        QUALITIES.iter().position(|&(from, _)| quality >= from)
    };
    let kinds = QUALITIES.map(|(_, kind)| kind);
    by_kind(traced, "quality of triangles", &kinds, |hit| kind(hit).unwrap_or(kinds.len() - 1))
}

/// The area, divided by the squares of the sides, so that 1 is the most.
fn quality_of(triangle: &Triangle) -> f64 {
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(Vector::from);
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let squares = ab.dot(ab) + bc.dot(bc) + ca.dot(ca);
    let twice_area = ab.cross(ca).length();
    let quality = 2.0 * 3f64.sqrt() * twice_area / squares;
    if quality.is_finite() { quality } else { 0.0 }
}

/// A colour for each mesh. In a scene the meshes of each tree have numbers after those before it,
/// and instances of one tree have the same colours.
pub(crate) fn mesh(traced: &Traced<'_>) -> Picture {
    let trees = traced.level.trees();
    let meshes: BTreeMap<u32, u32> = trees.iter().map(|p| (p.tree, p.bvh.mesh_count())).collect();
    let mut first_of_tree = BTreeMap::new();
    let mut count = 0;
    for (tree, meshes) in meshes {
        first_of_tree.insert(tree, count);
        count += meshes;
    }
    let first: HashMap<InstanceId, u32> =
        trees.iter().map(|placed| (placed.instance, first_of_tree[&placed.tree])).collect();
    let number = |hit: &Hit| first.get(&hit.instance).map(|first| first + hit.mesh);
    let name = |hit: &Hit| {
        let name = traced.level.mesh_name(hit).unwrap_or_default();
        format!("{} {name}", number(hit).unwrap_or(hit.mesh))
    };
    by_number(traced, "meshes", number, name)
}

const NO_MATERIAL: Rgb = [150, 150, 150];

/// A colour for each material; grey where there is none.
pub(crate) fn material(traced: &Traced<'_>) -> Picture {
    let name = |hit: &Hit| match hit.material() {
        Some(number) => {
            format!("{number} {}", traced.level.material_name(hit).unwrap_or_default())
        }
        None => "none".to_owned(),
    };
    by_number(traced, "materials", Hit::material, name)
}

/// Colours of kinds, and how many pixels have each.
fn by_kind(
    traced: &Traced<'_>,
    title: &'static str,
    kinds: &[(Rgb, &str)],
    kind: impl Fn(&Hit) -> usize + Sync,
) -> Picture {
    let image = traced.paint(|_, hit| lit(kinds[kind(hit)].0, light(traced, hit)));
    let mut pixels = vec![0; kinds.len()];
    traced.hits.iter().flatten().for_each(|hit| pixels[kind(hit)] += 1);
    let entries = kinds.iter().zip(pixels);
    let entries = entries.map(|(&(colour, name), pixels)| Entry {
        colour,
        name: name.to_owned(),
        count: pixels,
    });
    Picture { image, legend: Some(Legend::Key(Key { title, entries: entries.collect() })) }
}

/// Colours of numbers. The legend begins with those that are seen most.
fn by_number(
    traced: &Traced<'_>,
    title: &'static str,
    number: impl Fn(&Hit) -> Option<u32> + Sync,
    name: impl Fn(&Hit) -> String,
) -> Picture {
    let colour = |hit: &Hit| number(hit).map_or(NO_MATERIAL, of_number);
    let image = traced.paint(|_, hit| lit(colour(hit), light(traced, hit)));
    let mut found: HashMap<Option<u32>, (usize, &Hit)> = HashMap::new();
    for hit in traced.hits.iter().flatten() {
        found.entry(number(hit)).or_insert((0, hit)).0 += 1;
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable_by_key(|&(number, (pixels, _))| (usize::MAX - pixels, number));
    let entries = found.into_iter().map(|(_, (pixels, hit))| Entry {
        colour: colour(hit),
        name: name(hit),
        count: pixels,
    });
    Picture { image, legend: Some(Legend::Key(Key { title, entries: entries.collect() })) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quality_of_a_triangle_is_its_area_by_its_sides() {
        let quality = |c: [f32; 3]| quality_of(&Triangle::new([0.0; 3], [2.0, 0.0, 0.0], c));
        assert!((quality([1.0, 3f32.sqrt(), 0.0]) - 1.0).abs() < 1e-6);
        assert!((quality([0.0, 0.0, 2.0]) - 0.866).abs() < 1e-3);
        assert!(quality([1.0, 1e-3, 0.0]) < 0.002 && quality([1.0, 1e-3, 0.0]) > 0.0);
        assert_eq!(quality([1.0, 0.0, 0.0]), 0.0);
        assert_eq!(quality_of(&Triangle::new([1.0; 3], [1.0; 3], [1.0; 3])), 0.0);
    }
}
