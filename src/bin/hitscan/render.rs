//! `hitscan render`: draws a picture of a level, or of what queries cost in it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hitscan::glam::Vec3;
use hitscan::query::Question;
use hitscan::{Query, Ray};
use rayon::ThreadPoolBuilder;

use crate::level::Level;
use crate::level::baked::Baked;
use crate::picture::auto_view::{self, View};
use crate::picture::boxes::{Boxes, deepest};
use crate::picture::camera::Camera;
use crate::picture::image::{Image, Size};
use crate::picture::legend::{Key, Legend, draw_all};
use crate::picture::lines::{Canvas, key_of_rays};
use crate::picture::surface::Picture;
use crate::picture::traced::{Progress, Traced};
use crate::picture::{edges, measured, surface};
use crate::picture_file;
use crate::ray_file::RayReader;
use crate::terminal::args::{self, QueryArgs};
use crate::terminal::failure::Failure;
use crate::terminal::output;
use crate::terminal::progress::{progress_bar, show_progress};
use crate::terminal::text::{self, Rows};

/// Draw a picture of a level, or of what queries cost in it.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Render {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The picture to write: .png
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// What to draw
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Mode::Shaded)]
    mode: Mode,
    /// Where the camera is; without --eye and --top, a good view is found by itself
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point,
        requires = "target")]
    eye: Option<Vec3>,
    /// The point that it looks at
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point,
        requires = "eye")]
    target: Option<Vec3>,
    /// Field of view from the lower to the upper edge, 1 to 170
    #[arg(long, value_name = "DEGREES", default_value = "60", value_parser = field_of_view)]
    fov: f64,
    /// Find a good view, inside or outside; this is the default
    #[arg(long, conflicts_with_all = ["eye", "top"])]
    auto: bool,
    /// Draw a plan from above: no perspective, x to the right, z down
    #[arg(long, conflicts_with = "eye")]
    top: bool,
    /// Leave out all above this height (y) in a plan
    #[arg(long, value_name = "HEIGHT", allow_hyphen_values = true, requires = "top",
        value_parser = height)]
    cut: Option<f32>,
    /// The picture's size in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    size: Size,
    /// Which boxes mode `boxes` draws: 0 the whole tree's, 1 those in its root, ... [default: 1]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// What mode `cost` counts [default: nodes]
    #[arg(long, value_name = "WHAT", value_enum)]
    count: Option<Count>,
    /// The question whose cost is counted [default: closest]
    #[arg(long, value_name = "HIT", value_enum)]
    question: Option<AskedHit>,
    /// Draw a file of rays as lines (as for `hitscan rays`): hits orange, misses blue
    #[arg(long, value_name = "RAYS")]
    rays: Option<PathBuf>,
    /// Draw no legend
    #[arg(long)]
    no_legend: bool,
    #[command(flatten)]
    query: QueryArgs,
    /// Threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
}

const AFTER_HELP: &str = "\
Example: a picture of the level, and one of the nodes that each of its rays tests
  hitscan render level.hbvh -o level.png
  hitscan render level.hbvh -o cost.png --mode cost --count nodes

The view and the numbers of the legend are printed, and stand in the PNG's text `hitscan`. The same
level and options give the same file, byte for byte, on any machine.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Shaded,
    Depth,
    Normals,
    Facing,
    Mesh,
    Material,
    Quality,
    Edges,
    Boxes,
    Cost,
}

impl Mode {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Count {
    Nodes,
    Triangles,
}

impl From<Count> for measured::Count {
    fn from(count: Count) -> Self {
        match count {
            Count::Nodes => Self::Nodes,
            Count::Triangles => Self::Triangles,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum AskedHit {
    Closest,
    Any,
}

impl From<AskedHit> for Question {
    fn from(asked: AskedHit) -> Self {
        match asked {
            AskedHit::Closest => Self::ClosestHit,
            AskedHit::Any => Self::AnyHit,
        }
    }
}

pub(crate) fn field_of_view(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(degrees) if (1.0..=170.0).contains(&degrees) => Ok(degrees),
        _ => Err("expected degrees between 1 and 170".to_owned()),
    }
}

fn height(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(height) if height.is_finite() => Ok(height),
        _ => Err("expected a finite number".to_owned()),
    }
}

pub(crate) fn size(text: &str) -> Result<Size, String> {
    let parts = text.split_once('x');
    let parts = parts.and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let Some((width, height)) = parts else {
        return Err("expected a width and a height such as 1280x720".to_owned());
    };
    Size::new(width, height)
        .ok_or_else(|| format!("expected 1 to {} pixels", text::count(Size::MOST)))
}

impl Render {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.check()?;
        let baked = Baked::open(&self.file)?;
        let level = baked.level();
        if level.bounds().is_empty() {
            return Err(Failure::at(&self.file, "whole file", "there are no triangles in it"));
        }
        let boxes = self.boxes(level)?;
        let pool = self.threads.map(|n| ThreadPoolBuilder::new().num_threads(n).build());
        let pool = pool.transpose().map_err(|e| Failure::Input(format!("--threads: {e}")))?;
        let bar = progress_bar();
        let progress = |message: &'static str, done: f64| show_progress(&bar, message, done);
        let drawn = match &pool {
            Some(pool) => pool.install(|| self.draw(level, &boxes, &progress)),
            None => self.draw(level, &boxes, &progress),
        };
        bar.finish_and_clear();
        let (image, mut rows) = drawn?;

        let written = picture_file::write(&self.output, &image, &rows)?;
        rows.0.insert(0, ("drawn", written));
        output::print(&rows.to_text())
    }

    /// What can be told from the command line alone.
    fn check(&self) -> Result<(), Failure> {
        let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
        picture_file::refuse_bad_name(&self.output)?;
        if self.eye.is_some() && self.eye == self.target {
            return usage("--eye and --target are the same point");
        }
        if self.depth.is_some() && self.mode != Mode::Boxes {
            return usage("--depth goes with --mode boxes only");
        }
        if (self.count.is_some() || self.question.is_some()) && self.mode != Mode::Cost {
            return usage("--count and --question go with --mode cost only");
        }
        // Before the picture is drawn, which may take a while.
        if let Some(path) = self.rays.as_deref().filter(|path| path.as_os_str() != "-") {
            fs::metadata(path).map_err(|error| Failure::opening(path, &error))?;
        }
        let inputs: Vec<&Path> =
            [Some(&*self.file), self.rays.as_deref()].into_iter().flatten().collect();
        args::refuse_overwrite(&self.output, &inputs)
    }

    /// The picture, and what there is to say about it.
    fn draw(
        &self,
        level: Level<'_>,
        boxes: &Option<Boxes<'_>>,
        progress: &dyn Fn(&'static str, f64),
    ) -> Result<(Image, Rows), Failure> {
        let query = self.query.query();
        let mut rows = Rows::default();
        rows.add("mode", self.mode.name());
        progress("looking around", 0.0);
        let camera = self.camera(level, &query, &mut rows);
        let traced = Traced::new(level, &camera, &query, &|done| progress("casting rays", done));
        let hits = traced.hits.iter().flatten().count();
        let of = text::counted(traced.hits.len(), "pixel");
        rows.add("hits", format!("{} of {of}", text::count(hits)));

        let progress_drawing = |done| progress("drawing", done);
        let Picture { mut image, legend } = self.picture(&traced, &progress_drawing);
        if let Some(boxes) = boxes {
            boxes.draw(&mut Canvas::new(&mut image, &traced));
        }
        let mut legends: Vec<Legend> = legend.into_iter().collect();
        if let Some(path) = &self.rays {
            progress("drawing rays", 0.0);
            let (drawn, key) = draw_rays(path, &traced, &mut image)?;
            rows.add("rays", drawn);
            legends.push(Legend::Key(key));
        }
        if let Some(Legend::Scale(scale)) = legends.first() {
            let numbers = scale.numbers().map(|(name, value)| format!("{name} {value}"));
            rows.add("values", format!("{}: {}", scale.title, numbers.join(", ")));
        }
        if !self.no_legend {
            draw_all(&legends, &mut image);
        }
        Ok((image, rows))
    }

    fn camera(&self, level: Level<'_>, query: &Query<'_>, rows: &mut Rows) -> Camera {
        let size = self.size;
        let (label, shown) = ("view", format!("--size {}x{}", size.width, size.height));
        if self.top {
            let cut = self.cut.map(|height| format!(" --cut {height}")).unwrap_or_default();
            rows.add(label, format!("--top{cut} {shown}"));
            return Camera::plan(&level.bounds(), self.cut, size);
        }
        let View { eye, target } = match (self.eye, self.target) {
            (Some(eye), Some(target)) => View { eye, target },
            _ => auto_view::best(level, query, self.fov, size),
        };
        let ends = format!("--eye {} --target {}", text::point(eye), text::point(target));
        rows.add(label, format!("{ends} --fov {} {shown}", self.fov));
        Camera::looking_at(eye, target, self.fov, size)
    }

    /// The boxes that mode `boxes` draws.
    fn boxes<'a>(&self, level: Level<'a>) -> Result<Option<Boxes<'a>>, Failure> {
        if self.mode != Mode::Boxes {
            return Ok(None);
        }
        let depth = self.depth.unwrap_or(1);
        let boxes = Boxes::new(level, depth);
        let wrong = match boxes.count() {
            0 => format!("the deepest boxes are at {}", deepest(level)),
            count if count > Boxes::MOST => {
                let [count, most] = [count, Boxes::MOST].map(text::count);
                format!("{count} boxes are too many to draw, {most} are the most")
            }
            _ => return Ok(Some(boxes)),
        };
        Err(Failure::Usage(format!("--depth {depth}: {wrong}")))
    }

    fn picture(&self, traced: &Traced<'_>, progress: Progress<'_>) -> Picture {
        match self.mode {
            Mode::Shaded => surface::shaded(traced, progress),
            Mode::Depth => measured::depth(traced),
            Mode::Normals => surface::normals(traced),
            Mode::Facing => surface::facing(traced),
            Mode::Mesh => surface::mesh(traced),
            Mode::Material => surface::material(traced),
            Mode::Quality => surface::quality(traced),
            Mode::Edges => edges::edges(traced),
            Mode::Boxes => Picture { image: surface::dark(traced), legend: None },
            Mode::Cost => {
                let count = self.count.unwrap_or(Count::Nodes).into();
                let question = self.question.unwrap_or(AskedHit::Closest).into();
                measured::cost(traced, count, question, progress)
            }
        }
    }
}

/// Draws the rays of a file over a picture, and says how many there were, and which is which.
fn draw_rays(
    path: &Path,
    traced: &Traced<'_>,
    image: &mut Image,
) -> Result<(String, Key), Failure> {
    let mut reader = RayReader::open(path, None)?;
    let mut canvas = Canvas::new(image, traced);
    let (mut count, mut hit_count, mut invalid) = (0, 0, 0);
    while let Some(rays) = reader.read()? {
        let mut hits = vec![None; rays.len()];
        traced
            .level
            .closest_hit_batch(&rays, traced.query, &mut hits)
            .expect("a place for each hit");
        let mut draw = |ray: &Ray, hit: &Option<_>| {
            invalid += usize::from(!canvas.ray(ray, hit.as_ref()));
        };
        // Hits are drawn over misses.
        let both = || rays.iter().zip(&hits);
        both().filter(|(_, hit)| hit.is_none()).for_each(|(ray, hit)| draw(ray, hit));
        both().filter(|(_, hit)| hit.is_some()).for_each(|(ray, hit)| draw(ray, hit));
        count += rays.len();
        hit_count += hits.iter().flatten().count();
    }
    let key = key_of_rays(hit_count, (count - hit_count).saturating_sub(invalid));
    let (rays, hits) = (text::counted(count, "ray"), text::counted(hit_count, "hit"));
    let invalid = match invalid {
        0 => String::new(),
        _ => format!(", {} not drawn, as their numbers are invalid", text::count(invalid)),
    };
    Ok((format!("{rays}, {hits}{invalid}"), key))
}
