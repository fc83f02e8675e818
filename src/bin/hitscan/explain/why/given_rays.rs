//! The rays of a file: as `hitscan rays` takes them, or the rays of a recording.

use std::path::Path;

use hitscan::query::Question;
use hitscan::record::{Asked, Content, Kind, Recording};
use hitscan::{Query, Ray};

use crate::ray_file::RayReader;
use crate::terminal::failure::{Failure, in_file};
use crate::terminal::text;

/// Calls `ask` with all rays of a file, or says why it has none.
///
/// Those of a recording are closest and any hits, asked as they were recorded, with their side and
/// layers, but without filters. Of a scene, only questions to scenes count, and of a tree questions
/// to trees.
pub(super) fn read(
    path: &Path,
    is_scene: bool,
    query: &Query<'_>,
    ask: &mut dyn FnMut(&Ray, &Query<'_>, Question),
) -> Result<(), Failure> {
    let mut count = 0u64;
    let mut ask = |ray: &Ray, query: &Query<'_>, question: Question| {
        count += 1;
        ask(ray, query, question);
    };
    let mut cut_at = None;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("hrays")) {
        cut_at = read_recording(path, is_scene, query, &mut ask)?;
    } else {
        let mut reader = RayReader::open(path, None)?;
        while let Some(rays) = reader.read()? {
            rays.iter().for_each(|ray| ask(ray, query, Question::ClosestHit));
        }
    }
    if count == 0 {
        return Err(Failure::Input(in_file(path, "it has no rays")));
    }
    if let Some(at) = cut_at {
        let message = in_file(path, &format!("cut off in the block at byte {at}"));
        text::say(&format!("hitscan: warning: {message}"));
    }
    Ok(())
}

/// Gives the place where the recording was cut off, if it was.
fn read_recording(
    path: &Path,
    is_scene: bool,
    query: &Query<'_>,
    ask: &mut dyn FnMut(&Ray, &Query<'_>, Question),
) -> Result<Option<u64>, Failure> {
    let recording = Recording::open(path).map_err(|error| Failure::opening(path, &error))?;
    for record in recording.records() {
        let record = record.map_err(|error| Failure::in_file(path, &error))?;
        let question = match record.kind {
            Kind::ClosestHit | Kind::ClosestHitBatch => Question::ClosestHit,
            Kind::AnyHit | Kind::AnyHitBatch => Question::AnyHit,
            _ => continue,
        };
        let Asked::Rays(rays) = &record.asked else { continue };
        if matches!(record.content, Content::Scene(_)) == is_scene {
            let query = query.mask(record.mask).facing(record.facing);
            rays.iter().for_each(|ray| ask(ray, &query, question));
        }
    }
    Ok(recording.cut_at())
}
