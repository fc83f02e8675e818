//! The results as Markdown.

use crate::kind::Kind;
use crate::measure::{Measurement, Time};
use crate::peers::Role;

/// What the best peer is one of.
const BEST_PEER: [Role; 1] = [Role::Peer];

/// What the best mode is one of.
const BEST_MODE: [Role; 2] = [Role::Peer, Role::OtherMode];

/// The results of a scene.
pub struct Results {
    /// Of each peer: its name, what it is compared with, its results by kind.
    pub rows: Vec<(String, Role, Vec<Measurement>)>,
    pub kinds: Vec<Kind>,
    /// What an average ray of some peer looks at, by kind: nodes, leaf blocks, triangles.
    pub looked_at: Vec<(String, Kind, [f64; 3])>,
}

impl Results {
    /// The best times for a kind among the rows of some roles, by minimum and by median.
    fn best(&self, kind: usize, roles: &[Role]) -> Option<Time> {
        self.rows
            .iter()
            .filter(|row| roles.contains(&row.1))
            .map(|row| row.2[kind].time)
            .reduce(|a, b| Time { min: a.min.min(b.min), median: a.median.min(b.median) })
    }

    /// How many times as fast as the best of some roles a row is.
    fn speed(&self, row: usize, kind: usize, roles: &[Role]) -> Option<Time> {
        let (best, own) = (self.best(kind, roles)?, self.rows[row].2[kind].time);
        Some(Time { min: best.min / own.min, median: best.median / own.median })
    }

    /// The scene's table.
    pub fn print(&self) {
        print_head(&self.kinds);
        for (row, (name, _, measurements)) in self.rows.iter().enumerate() {
            print!("| {name} |");
            for (kind, measurement) in measurements.iter().enumerate() {
                let time = measurement.time;
                print!(" {:.1} ({:.1})", time.min, time.median);
                if let Some(speed) = self.speed(row, kind, &BEST_PEER) {
                    print!(" **{:.2}** ({:.2})", speed.min, speed.median);
                }
                print!(" |");
            }
            println!();
        }
        println!();
        for (name, kind, [nodes, blocks, triangles]) in &self.looked_at {
            println!(
                "- {name}, {}: a ray visits {nodes:.1} nodes, {blocks:.1} leaf blocks, \
                 {triangles:.1} triangles",
                kind.name()
            );
        }
        self.print_differences();
    }

    fn print_differences(&self) {
        let first = &self.rows[0].0;
        let mut any = false;
        for (name, _, measurements) in &self.rows {
            for (kind, measurement) in self.kinds.iter().zip(measurements) {
                let differences = measurement.differences;
                if differences.hits + differences.distances > 0 {
                    any = true;
                    println!(
                        "- {name}, {}: {} rays hit or miss differently from {first}, \
                         {} hit at another distance",
                        kind.name(),
                        differences.hits,
                        differences.distances,
                    );
                }
            }
        }
        if !any {
            println!("All answers agree.");
        }
        println!();
    }
}

fn print_head(kinds: &[Kind]) {
    print!("| |");
    for kind in kinds {
        print!(" {} |", kind.name());
    }
    println!("\n|---|{}", "---|".repeat(kinds.len()));
}

/// Over all scenes: geometric mean and worst of the speed against the best peer, and of ours
/// against the best mode.
pub fn print_summary(scenes: &[Results]) {
    println!("## All scenes\n");
    println!(
        "Speed against each scene's best peer: geometric mean over the scenes [worst], \
         by minimum and (by median).\n"
    );
    print_speeds(scenes, &BEST_PEER, |_| true);
    println!("\nSpeed against the fastest of all peers and all their modes, in the same way.\n");
    print_speeds(scenes, &BEST_MODE, |role| role == Role::Ours);
}

/// The rows that are `shown`, against the best of some roles.
fn print_speeds(scenes: &[Results], roles: &[Role], shown: fn(Role) -> bool) {
    let Some(first) = scenes.first() else { return };
    print_head(&first.kinds);
    for (row, (name, role, _)) in first.rows.iter().enumerate() {
        if !shown(*role) {
            continue;
        }
        print!("| {name} |");
        for kind in 0..first.kinds.len() {
            let speeds: Vec<Time> =
                scenes.iter().filter_map(|scene| scene.speed(row, kind, roles)).collect();
            if speeds.is_empty() {
                print!(" |");
                continue;
            }
            let by = |of: fn(&Time) -> f64| {
                let logs: f64 = speeds.iter().map(|speed| of(speed).ln()).sum();
                let worst = speeds.iter().map(of).fold(f64::INFINITY, f64::min);
                format!("{:.2} [{worst:.2}]", (logs / speeds.len() as f64).exp())
            };
            print!(" {} ({}) |", by(|speed| speed.min), by(|speed| speed.median));
        }
        println!();
    }
}
