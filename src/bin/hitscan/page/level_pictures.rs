//! The pictures of a report: the level from above, from a good place, and what rays cost there.

use hitscan::Query;
use hitscan::query::Question;

use super::Section;
use crate::level::Level;
use crate::picture::auto_view::{self, View};
use crate::picture::camera::Camera;
use crate::picture::image::Size;
use crate::picture::legend::draw_all;
use crate::picture::measured::{self, Count};
use crate::picture::surface::{self, Picture};
use crate::picture::traced::Traced;

/// Small enough for three of them on a page of less than two megabytes.
const WIDTH: u32 = 720;
const HEIGHT: u32 = 405;

/// Degrees, as `hitscan render` has it.
const FIELD_OF_VIEW: f64 = 60.0;

/// One for each picture; none if the level is empty.
pub(crate) fn sections(level: Level<'_>) -> Vec<Section> {
    let size = Size::new(WIDTH, HEIGHT);
    let Some(size) = size.filter(|_| !level.bounds().is_empty()) else { return Vec::new() };
    let (query, quiet) = (&Query::new(), &|_: f64| ());
    let plan = Camera::plan(&level.bounds(), None, size);
    let View { eye, target } = auto_view::best(level, query, FIELD_OF_VIEW, size);
    let view = Camera::looking_at(eye, target, FIELD_OF_VIEW, size);
    let [plan, view] = [&plan, &view].map(|camera| Traced::new(level, camera, query, quiet));
    let cost = |traced| measured::cost(traced, Count::Nodes, Question::ClosestHit, quiet);
    let pictures = [
        ("From above", "", surface::shaded(&plan, quiet)),
        ("From inside", "Where most of the level is seen.", surface::shaded(&view, quiet)),
        (
            "What a ray costs there",
            "Nodes of the tree that a ray looks at, for each pixel: the brighter, the slower.",
            cost(&view),
        ),
    ];
    let pictures = pictures.into_iter().filter_map(|(title, note, picture)| {
        let Picture { mut image, legend } = picture;
        draw_all(legend.as_slice(), &mut image);
        Some(Section::picture(title, note, image.to_png(&[]).ok()?))
    });
    pictures.collect()
}
