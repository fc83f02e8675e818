//! Debug drawing: the boxes of a tree at a depth, and the walk of a ray, as lists of lines.
//!
//! `cargo run --release --features import,stats --example debug_draw [MODEL [DEPTH]]`
//!
//! A game hands the lines to its renderer. Here they go into an OBJ file, which most viewers show.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use hitscan::explain::{Entry, Outcome, Step, Walk};
use hitscan::glam::Vec3;
use hitscan::query::Question;
use hitscan::{Aabb, Builder, Import, Query, Ray, Triangle};

/// The ends of a line.
type Line = [Vec3; 2];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let level = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let model = args.next().map_or_else(level, PathBuf::from);
    let depth = args.next().map_or(Ok(2), |text| text.parse())?;
    let (bvh, _report) = Builder::new().bake(&Import::open(&model)?)?;

    let boxes = bvh.boxes_at(depth);
    let of_boxes: Vec<Line> = boxes.iter().flat_map(|one| edges(&one.bounds)).collect();

    // A ray from corner to corner of the level.
    let Aabb { min, max } = bvh.bounds();
    let ray = Ray::between(min, max);
    let walk = bvh.explain(&ray, &Query::new(), Question::ClosestHit);
    let end = walk.hit.map_or(1.0, |hit| hit.t);
    let of_ray = vec![[ray.origin, ray.at(end)]];

    let groups = [("boxes", of_boxes), ("ray", of_ray), ("walk", lines(&walk))];
    let path = std::env::temp_dir().join("debug_draw.obj");
    fs::write(&path, obj(&groups))?;
    let [boxes, _, walk_lines] = groups.map(|(_, lines)| lines.len());
    println!(
        "{boxes} lines of boxes, {walk_lines} of {} steps: {}",
        walk.steps.len(),
        path.display()
    );
    println!("{:?}; the walk ended: {:?}", walk.stats(), walk.end);
    Ok(())
}

/// The boxes that the ray enters, and the triangles that it hits.
fn lines(walk: &Walk) -> Vec<Line> {
    let mut lines = Vec::new();
    for step in &walk.steps {
        match step {
            Step::Node { children, .. } => {
                let entered = |entry: &Entry| matches!(entry, Entry::Enters { .. });
                let entered = children.iter().filter(|child| entered(&child.entry));
                lines.extend(entered.flat_map(|child| edges(&child.bounds)));
            }
            Step::Block { triangles, .. } => {
                for one in
                    triangles.iter().filter(|one| matches!(one.outcome, Outcome::Best { .. }))
                {
                    let Triangle { v0, v1, v2 } = one.vertices;
                    lines.extend([[v0, v1], [v1, v2], [v2, v0]]);
                }
            }
            _ => {}
        }
    }
    lines
}

/// The twelve edges of a box: corners whose numbers differ in one bit are neighbours.
fn edges(bounds: &Aabb) -> impl Iterator<Item = Line> + use<> {
    let corners = bounds.corners();
    let ends = |from: usize| [1, 2, 4].map(|bit| (from, from | bit));
    (0..8)
        .flat_map(ends)
        .filter(|(from, to)| from != to)
        .map(move |(a, b)| [corners[a], corners[b]])
}

/// A model of lines, each list a group.
fn obj(groups: &[(&str, Vec<Line>)]) -> String {
    let (mut text, mut vertices) = (String::new(), 0);
    for (name, lines) in groups {
        let _ = writeln!(text, "o {name}");
        for Vec3 { x, y, z } in lines.iter().flatten() {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for line in 0..lines.len() {
            let first = vertices + 2 * line + 1;
            let _ = writeln!(text, "l {first} {}", first + 1);
        }
        vertices += 2 * lines.len();
    }
    text
}
