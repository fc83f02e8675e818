//! The picture of a comparison: the level after with its changes in colours.

use hitscan::{Aabb, Hit, Query};

use super::level_changes::LevelChanges;
use super::targets::Targets;
use crate::picture::auto_view::{self, View};
use crate::picture::camera::Camera;
use crate::picture::compared::{Compared, Kind, compared, pixels_shown};
use crate::picture::image::{Image, Size};
use crate::picture::legend::draw_all;
use crate::picture::surface::Picture;
use crate::picture::traced::Traced;
use crate::terminal::text::{self, Rows};

/// As `hitscan render` has them: degrees, and pixels.
const FIELD_OF_VIEW: f64 = 60.0;
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 720;

/// Boxes that are drawn around changes: more would hide the level.
const BOXES: usize = 256;

/// From where most of the changes are seen. The rows say where that is. Nothing if the level after
/// has no triangles.
pub(super) fn draw(
    changes: &LevelChanges<'_>,
    progress: &dyn Fn(&'static str, f64),
) -> Option<(Image, Rows)> {
    let [before, after] = changes.contents.map(|content| content.level);
    let size = Size::new(WIDTH, HEIGHT).filter(|_| !after.bounds().is_empty())?;
    let query = Query::new();
    let kind_before = |hit: &Hit| changes.kind(0, hit);
    let kind_after = |hit: &Hit| changes.kind(1, hit);
    let with_both = |camera: &Camera, then: &mut dyn FnMut(&Compared<'_>, &Compared<'_>)| {
        let [one, other] = [before, after].map(|level| Traced::new(level, camera, &query, &|_| ()));
        let before = Compared { traced: &one, kind: &kind_before };
        let after = Compared { traced: &other, kind: &kind_after };
        then(&before, &after);
    };
    let seen = |camera: &Camera| {
        let mut count = 0;
        with_both(camera, &mut |before, after| count = pixels_shown(before, after));
        count
    };

    progress("looking around", 0.0);
    let targets = Targets::new(changes);
    let part = targets.bounds();
    let View { eye, target } = match part.is_empty() {
        true => auto_view::best(after, &query, FIELD_OF_VIEW, size),
        false => auto_view::of_part(after, &query, &part, FIELD_OF_VIEW, size, &seen),
    };
    let mut rows = Rows::default();
    let ends = format!("--eye {} --target {}", text::point(eye), text::point(target));
    rows.add("view", format!("{ends} --fov {FIELD_OF_VIEW} --size {WIDTH}x{HEIGHT}"));
    let camera = Camera::looking_at(eye, target, FIELD_OF_VIEW, size);
    let boxes = outer(targets.boxes().take(BOXES).collect());
    let mut picture = None;
    with_both(&camera, &mut |before, after| {
        picture = Some(compared(before, after, &boxes, &|done| progress("drawing", done)));
    });
    let Picture { mut image, legend } = picture?;
    draw_all(legend.as_slice(), &mut image);
    Some((image, rows))
}

/// Without boxes that nearly fill others of the same kind. A little larger, so that no side lies in
/// a surface.
fn outer(mut boxes: Vec<(Kind, Aabb)>) -> Vec<(Kind, Aabb)> {
    const LARGER: f32 = 0.02;
    const FILLS: f32 = 0.5;
    // An outer box is as large at least.
    let size = |bounds: &Aabb| bounds.size().length();
    boxes.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
    let mut outer: Vec<(Kind, Aabb)> = Vec::new();
    for (kind, bounds) in boxes {
        let is_filled = |(other, outer): &(Kind, Aabb)| {
            let is_large = size(&bounds) > FILLS * size(outer);
            *other == kind && is_large && outer.contains_box(&bounds)
        };
        if !outer.iter().any(is_filled) {
            outer.push((kind, bounds.expanded(LARGER * bounds.size())));
        }
    }
    // What there is now is drawn over what was before.
    outer.sort_by_key(|(kind, _)| *kind != Kind::Gone);
    outer
}
