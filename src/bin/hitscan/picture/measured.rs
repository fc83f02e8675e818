//! Modes that show a number of each pixel: the depth, and what its query costs.

use hitscan::query::{QueryStats, Question};
use rayon::prelude::*;

use super::colour::Rgb;
use super::distribution::Distribution;
use super::image::Image;
use super::legend::{Legend, Scale};
use super::palette::{greys, viridis};
use super::surface::Picture;
use super::traced::{BAND, Progress, Traced};

/// The part of a query that is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Nodes,
    Triangles,
}

/// How far away each hit is, along the direction in which the camera looks.
pub(crate) fn depth(traced: &Traced<'_>) -> Picture {
    let values = traced.hits.iter().flatten().map(|hit| f64::from(hit.t)).collect();
    let scale = scale("depth".to_owned(), values, "");
    // Near is bright.
    let image = traced.paint(|_, hit| viridis(1.0 - scale.part(hit.t.into())));
    Picture { image, legend: Some(Legend::Scale(Scale { is_reversed: true, ..scale })) }
}

/// What [`Bvh::query_stats`](hitscan::Bvh::query_stats) counts for the ray of each pixel.
pub(crate) fn costs(
    traced: &Traced<'_>,
    count: Count,
    question: Question,
    progress: Progress<'_>,
) -> Vec<u32> {
    let whole = traced.hits.len();
    let counted = |stats: QueryStats| match count {
        Count::Nodes => stats.nodes,
        Count::Triangles => stats.triangles,
    };
    let cost = |pixel: usize| {
        let ray = traced.camera.ray_of_pixel(pixel);
        counted(traced.level.query_stats(&ray, traced.query, question))
    };
    let mut costs = Vec::with_capacity(whole);
    while costs.len() < whole {
        progress(costs.len() as f64 / whole as f64);
        let band = costs.len()..(costs.len() + BAND).min(whole);
        costs.par_extend(band.into_par_iter().map(cost));
    }
    costs
}

/// A picture of [`costs`]. Rays that miss cost something too, and are grey.
pub(crate) fn cost(
    traced: &Traced<'_>,
    count: Count,
    question: Question,
    progress: Progress<'_>,
) -> Picture {
    let costs = costs(traced, count, question, progress);
    let what = match count {
        Count::Nodes => "nodes",
        Count::Triangles => "triangles",
    };
    let asked = match question {
        Question::ClosestHit => "closest hit",
        Question::AnyHit => "any hit",
    };
    let misses = traced.hits.iter().any(Option::is_none);
    let note = if misses { "grey: rays that miss, light to dark" } else { "" };
    let values = costs.iter().copied().map(f64::from).collect();
    let scale = scale(format!("{what} per ray, {asked}"), values, note);
    let pixel = |(hit, &cost): (&Option<_>, &u32)| -> Rgb {
        let part = scale.part(f64::from(cost));
        if hit.is_some() { viridis(part) } else { greys(part) }
    };
    let pixels = traced.hits.par_iter().zip(&costs).map(pixel).collect();
    let image = Image { size: traced.camera.size(), pixels };
    Picture { image, legend: Some(Legend::Scale(scale)) }
}

/// From the least value to the 99th percentile: beyond are so few that they would leave most
/// colours to nothing.
fn scale(title: String, values: Vec<f64>, note: &'static str) -> Scale {
    let values = Distribution::new(values);
    let low = values.least();
    let high = [values.percentile(99), values.most()].into_iter().find(|&high| high > low);
    Scale { title, low, high: high.unwrap_or(low + 1.0), values, note, is_reversed: false }
}
