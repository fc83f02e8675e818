//! `hitscan report`: a baked file as a page for those who made the level.

use std::path::PathBuf;

use clap::Args;
use hitscan::glam::Vec3;
use hitscan::{Aabb, Bvh, Scene};

use super::advice::{advice, skipped};
use super::level_page::LevelPage;
use super::level_pictures;
use super::{Body, Cell, Form, Page, Section};
use crate::level::Level;
use crate::level::baked::{Baked, topology, trees_of};
use crate::terminal::args;
use crate::terminal::failure::Failure;
use crate::terminal::output::{self, Output};
use crate::terminal::text::{self, Rows};

/// Trees of a scene whose meshes are listed: those with the most triangles.
const TREES_SHOWN: usize = 20;

/// Write a page about a baked file: what to do, its meshes, its tree
///
/// The page is one file that needs no other and no network. A click on a column's head sorts a
/// table by it.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Report {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The page: .html or .md
    #[arg(short, long, value_name = "PAGE")]
    output: PathBuf,
}

const AFTER_HELP: &str = "\
Example: what should be repaired in this level?
  hitscan report level.hbvh -o level.html

`hitscan bake --report` makes the same page, with what the bake itself has to say.";

impl Report {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Some(form) = Form::of(&self.output) else {
            let message = "expected a report with the extension .md or .html";
            return Err(Failure::Usage(message.to_owned()));
        };
        args::refuse_missing_folder(&self.output)?;
        args::refuse_overwrite(&self.output, &[&self.file])?;
        let name = self.file.display().to_string();
        let sections = match Baked::open(&self.file)? {
            Baked::Tree(bvh) => of_tree(&bvh),
            Baked::Scene(scene) => of_scene(&scene),
        };
        let advice = advice_of(&sections);
        let mut output = Output::create(&self.output)?;
        output.write_all(Page { title: name, sections }.write(form).as_bytes())?;
        output.finish()?;
        output::print(&advice)
    }
}

/// What there is to do, for standard output.
fn advice_of(sections: &[Section]) -> String {
    let lines = sections.iter().find_map(|section| match &section.body {
        Body::List(lines) => Some(lines),
        _ => None,
    });
    let lines = lines.into_iter().flatten();
    lines.map(|line| format!("- {}\n", text::printable(line))).collect()
}

/// How the costs in a table are to be read.
pub(crate) const COSTS: &str = "Costs are in node tests per ray: SAH for a random line, EPO for \
    the nodes that a ray visits in vain. Lower is faster.";

fn of_tree(bvh: &Bvh) -> Vec<Section> {
    let level = LevelPage::new(bvh, topology(bvh));
    let mut rows = Rows::default();
    rows.add("size", size(&bvh.bounds()));
    rows.add("meshes", text::count(bvh.mesh_count()));
    rows.add_summary(&bvh.metadata().summary);
    rows.add_stats(level.stats(), bvh.epo_cost());
    let skipped = skipped(&bvh.metadata().summary);
    let mut lines: Vec<_> =
        skipped.map(|line| format!("{line} Nothing can hit them.")).into_iter().collect();
    lines.extend(advice(&[(None, &level)]));
    let mut sections = vec![what_to_do(lines)];
    sections.extend(level_pictures::sections(Level::Tree(bvh)));
    sections.extend(level.meshes());
    sections.push(Section::facts("The tree", COSTS, rows));
    sections.extend(level.tree());
    sections
}

/// A tree of a scene, and how often it stands there.
struct Tree<'a> {
    level: LevelPage<'a>,
    name: String,
    instances: u64,
}

pub(crate) fn of_scene(scene: &Scene) -> Vec<Section> {
    let trees = trees_of(scene).into_iter().enumerate().map(|(number, bvh)| {
        let first = bvh.mesh_name(0).map_or(String::new(), |name| format!(" \"{name}\""));
        let level = LevelPage::new(bvh, topology(bvh));
        Tree { level, name: format!("{number}{first}"), instances: 0 }
    });
    let mut trees: Vec<_> = trees.collect();
    let mut volumes = 0usize;
    for id in scene.instances() {
        match scene.tree_number(id).ok().and_then(|number| trees.get_mut(number as usize)) {
            Some(tree) => tree.instances += 1,
            None => volumes += 1,
        }
    }
    let named: Vec<_> = trees.iter().map(|tree| (Some(&*tree.name), &tree.level)).collect();
    let advice = advice(&named);
    let mut rows = Rows::default();
    rows.add("size", size(&scene.snapshot().bounds()));
    rows.add("instances", text::count(scene.len()));
    rows.add("trees", text::count(trees.len()));
    rows.add("volumes", text::count(volumes));
    let mut sections = vec![what_to_do(advice)];
    sections.extend(level_pictures::sections(Level::Scene(scene)));
    sections.push(Section::facts("The scene", "", rows));
    let row = |tree: &Tree<'_>| {
        let each = tree.level.triangle_count();
        let placed = each.saturating_mul(tree.instances);
        let number = |number: u64| Cell::Number(text::count(number), number as f64);
        vec![Cell::Text(tree.name.clone()), number(tree.instances), number(each), number(placed)]
    };
    sections.push(Section::table(
        "Trees",
        "The name is the name of a tree's first mesh.",
        &["tree", "instances", "triangles", "triangles placed"],
        trees.iter().map(row).collect(),
    ));
    trees.sort_by_key(|tree| std::cmp::Reverse(tree.level.triangle_count()));
    for Tree { level, name, .. } in trees.iter().take(TREES_SHOWN) {
        sections.extend(level.meshes().into_iter().map(|mut section| {
            section.title = format!("{} of tree {name}", section.title);
            section
        }));
    }
    sections
}

pub(crate) fn what_to_do(mut advice: Vec<String>) -> Section {
    if advice.is_empty() {
        advice.push("Nothing stands out.".to_owned());
    }
    Section::list("What to do", "", advice)
}

fn size(bounds: &Aabb) -> String {
    let size: Vec3 = if bounds.is_empty() { Vec3::ZERO } else { bounds.size() };
    format!("{} by {} by {}, from {}", size.x, size.y, size.z, text::point(bounds.min))
}
