//! `hitscan replay`: asks all questions of a recording again, and compares the answers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use hitscan::InstructionSet;
use hitscan::record::{Answer, Content, Difference, Kind, Record, Recording, World};
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::replay_cost::cost;
use crate::level::baked::Baked;
use crate::terminal::args;
use crate::terminal::failure::{Failure, in_file};
use crate::terminal::output;
use crate::terminal::text::{self, count, counted, printable};

/// Ask all questions of a recording again, and compare the answers bit for bit.
///
/// Questions that were asked of another level than LEVEL are left out, if any were asked of it.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Replay {
    /// The recording (.hrays), which a program with the feature `record` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The baked file to ask: a tree or a scene
    #[arg(value_name = "LEVEL")]
    level: PathBuf,
    /// Ask only what was recorded with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Show times (the shortest of three), and the nodes and triangles that rays look at in a tree
    #[arg(long)]
    bench: bool,
    /// The instruction set to use: `auto`, or one that this machine has (a wrong name lists all)
    #[arg(long, default_value = "auto")]
    isa: InstructionSet,
    /// Threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: record a frame, and ask it again
  cargo run --features import,record --example record_frame -- frame.hrays level.hbvh
  hitscan replay frame.hrays level.hbvh

The exit code is 0 if all answers are equal, and 3 if one differs: then the first difference is
shown, with both values. A recording that was cut off is read up to there.

JSON, schema 1: level_is_recorded (false: LEVEL is none that was asked), cut_at (a byte, or null),
records, skipped, different, difference (null, or record, tag, frame, kind, item, entry, recorded
and found) and rows: for each tag and kind records, asked (rays, points or shapes) and different,
with --bench also seconds, nodes and triangles. The last two are counted for closest and any hits in
a tree, and null elsewhere.";

impl Replay {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let pool = self.threads.map(|n| ThreadPoolBuilder::new().num_threads(n).build());
        let pool =
            pool.transpose().map_err(|error| Failure::Input(format!("--threads: {error}")))?;
        let recording = Recording::open(&self.file);
        let recording = recording.map_err(|error| Failure::opening(&self.file, &error))?;
        let baked = Baked::open(&self.level)?;
        let world = match &baked {
            Baked::Tree(bvh) => World::Tree(bvh),
            Baked::Scene(scene) => World::Scene(scene.snapshot()),
        };
        let report = match &pool {
            Some(pool) => pool.install(|| self.ask_all(&recording, world)),
            None => self.ask_all(&recording, world),
        }?;
        let warn = |message: String| text::say(&format!("hitscan: warning: {message}"));
        if let Some(at) = recording.cut_at() {
            warn(in_file(&self.file, &format!("cut off in the block at byte {at}")));
        }
        if !report.level_is_recorded {
            let message = "its hash is none of those recorded; it is compared all the same";
            warn(in_file(&self.level, message));
        }
        match self.json {
            true => output::print_json(&report)?,
            false => output::print(&self.text(&report))?,
        }
        if report.different == 0 {
            return Ok(());
        }
        let differ = format!("{} answered otherwise", counted(report.different, "question"));
        Err(Failure::Verdict(in_file(&self.file, &differ)))
    }

    fn ask_all(&self, recording: &Recording, world: World<'_>) -> Result<Report, Failure> {
        let chosen = self.choose(recording, Content::of(world))?;
        let level_is_recorded = chosen.level_is_recorded;
        let mut report = Report { level_is_recorded, ..Report::of(recording) };
        let mut rows: BTreeMap<(String, Kind), Row> = BTreeMap::new();
        for record in recording.records() {
            let record = record.map_err(|error| Failure::in_file(&self.file, &error))?;
            let is_asked = self.has_tag(&record) && chosen.has(record.content);
            let Some(answer) = is_asked.then(|| self.ask(&record, world)).flatten() else {
                report.skipped += 1;
                continue;
            };
            let row = rows.entry((record.tag.to_string(), record.kind));
            let row = row.or_insert_with(|| Row::of(&record));
            row.records += 1;
            row.asked += record.asked.count();
            if self.bench {
                *row.seconds.get_or_insert_default() += answer.time.as_secs_f64();
                if let Some((nodes, triangles)) = cost(&record, world) {
                    *row.nodes.get_or_insert_default() += nodes;
                    *row.triangles.get_or_insert_default() += triangles;
                }
            }
            report.records += 1;
            if let Some(difference) = record.difference(&answer.answer) {
                row.different += 1;
                report.different += 1;
                report.difference.get_or_insert_with(|| difference.into());
            }
        }
        report.rows = rows.into_values().collect();
        Ok(report)
    }

    fn ask(&self, record: &Record, world: World<'_>) -> Option<Timed> {
        let mut fastest: Option<Timed> = None;
        for _ in 0..if self.bench { 3 } else { 1 } {
            let start = Instant::now();
            let answer = record.ask(world, self.isa)?;
            let time = start.elapsed();
            if fastest.as_ref().is_none_or(|fastest| time < fastest.time) {
                fastest = Some(Timed { answer, time });
            }
        }
        fastest
    }

    /// Which records are asked, of all with the tag.
    fn choose(&self, recording: &Recording, level: Content) -> Result<Chosen, Failure> {
        let (mut any, mut of_level, mut of_kind) = (false, false, false);
        for record in recording.records() {
            let record = record.map_err(|error| Failure::in_file(&self.file, &error))?;
            any |= self.has_tag(&record);
            of_level |= self.has_tag(&record) && record.content == level;
            of_kind |= self.has_tag(&record) && is_same_kind(record.content, level);
        }
        let nothing = |reason: &str| Err(Failure::Input(in_file(&self.file, reason)));
        match &self.tag {
            Some(tag) if !any => nothing(&format!("no record has the tag `{}`", printable(tag))),
            None if !any => nothing("there is no whole record in it"),
            _ if !of_kind => nothing(match level {
                Content::Tree(_) => "all was asked of scenes, and the level is a tree",
                Content::Scene(_) => "all was asked of trees, and the level is a scene",
            }),
            _ => Ok(Chosen { level, level_is_recorded: of_level }),
        }
    }

    fn has_tag(&self, record: &Record) -> bool {
        self.tag.as_ref().is_none_or(|tag| **tag == *record.tag)
    }

    fn text(&self, report: &Report) -> String {
        let width = report.rows.iter().map(|row| printable(&row.tag).chars().count()).max();
        let width = width.unwrap_or(0).max(3);
        let mut text = String::new();
        let mut line = |cells: [&str; 8]| {
            let [tag, kind, records, asked, different, time, nodes, triangles] = cells;
            let _ =
                write!(text, "{tag:<width$}  {kind:<19} {records:>9} {asked:>11} {different:>9}");
            if self.bench {
                let _ = write!(text, " {time:>12} {nodes:>8} {triangles:>9}");
            }
            text.push('\n');
        };
        let bench = ["ns each", "nodes", "triangles"];
        let [time, nodes, triangles] = bench;
        line(["tag", "kind", "records", "asked", "different", time, nodes, triangles]);
        for row in &report.rows {
            let each = |sum: Option<f64>| {
                sum.map_or("-".to_owned(), |sum| format!("{:.1}", sum / row.asked.max(1) as f64))
            };
            line([
                &printable(&row.tag),
                row.kind,
                &count(row.records),
                &count(row.asked),
                &count(row.different),
                &each(row.seconds.map(|seconds| 1e9 * seconds)),
                &each(row.nodes.map(|nodes| nodes as f64)),
                &each(row.triangles.map(|triangles| triangles as f64)),
            ]);
        }
        if report.skipped > 0 {
            let _ = writeln!(text, "skipped: {}", counted(report.skipped, "record"));
        }
        let records = counted(report.records, "record");
        match &report.difference {
            None => {
                let _ = writeln!(text, "{records}, all answers are equal ({})", self.isa);
            }
            Some(first) => {
                let different = count(report.different);
                let _ = writeln!(text, "{records}, {different} with another answer ({})", self.isa);
                let place = match (first.item, first.entry) {
                    (0, 0) => String::new(),
                    (item, 0) => format!(", item {item}"),
                    (item, entry) => format!(", item {item}, entry {entry}"),
                };
                let DifferenceRow { record, tag, frame, kind, recorded, found, .. } = first;
                let tag = printable(tag);
                let _ = writeln!(
                    text,
                    "first: record {record}, tag `{tag}`, frame {frame}, {kind}{place}\n  \
                     recorded  {recorded}\n  found     {found}"
                );
            }
        }
        text
    }
}

struct Chosen {
    level: Content,
    level_is_recorded: bool,
}

impl Chosen {
    fn has(&self, content: Content) -> bool {
        match self.level_is_recorded {
            true => content == self.level,
            false => is_same_kind(content, self.level),
        }
    }
}

fn is_same_kind(one: Content, other: Content) -> bool {
    std::mem::discriminant(&one) == std::mem::discriminant(&other)
}

/// An answer, and the time that it took.
struct Timed {
    answer: Answer,
    time: Duration,
}

#[derive(Serialize)]
struct Report {
    level_is_recorded: bool,
    cut_at: Option<u64>,
    records: usize,
    skipped: usize,
    different: usize,
    difference: Option<DifferenceRow>,
    rows: Vec<Row>,
}

impl Report {
    fn of(recording: &Recording) -> Self {
        Self {
            level_is_recorded: false,
            cut_at: recording.cut_at(),
            records: 0,
            skipped: 0,
            different: 0,
            difference: None,
            rows: Vec::new(),
        }
    }
}

/// What was asked with a tag by a kind of question.
#[derive(Serialize)]
struct Row {
    tag: String,
    kind: &'static str,
    records: usize,
    asked: usize,
    different: usize,
    /// Absent without --bench.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    nodes: Option<u64>,
    triangles: Option<u64>,
}

impl Row {
    fn of(record: &Record) -> Self {
        let (tag, kind) = (record.tag.to_string(), record.kind.name());
        Self {
            tag,
            kind,
            records: 0,
            asked: 0,
            different: 0,
            seconds: None,
            nodes: None,
            triangles: None,
        }
    }
}

#[derive(Serialize)]
struct DifferenceRow {
    record: u64,
    tag: String,
    frame: u64,
    kind: &'static str,
    item: usize,
    entry: usize,
    recorded: String,
    found: String,
}

impl From<Difference> for DifferenceRow {
    fn from(difference: Difference) -> Self {
        let Difference { number, frame, kind, item, entry, .. } = difference;
        Self {
            record: number,
            tag: difference.tag.to_string(),
            frame,
            kind: kind.name(),
            item,
            entry,
            recorded: difference.recorded.to_string(),
            found: difference.found.to_string(),
        }
    }
}
