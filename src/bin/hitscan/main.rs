//! The `hitscan` command line: bakes levels, looks into baked files, casts rays at them.
//!
//! One file a subcommand. Everything that it can do, the library can do; what lives here is
//! arguments, files and words.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod args;
mod bake;
mod exit;
mod info;
mod memory;
mod output;
mod page;
mod ray;
mod rays;
mod record;
mod report;
mod text;

/// Ray queries against level geometry: bake once, ask millions of times.
///
/// `hitscan bake` turns models into a baked tree (.hbvh). `hitscan info` tells what is in one
/// and whether it is sound. `hitscan ray` and `hitscan rays` ask what rays hit.
#[derive(Parser)]
#[command(version, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Example:
  hitscan bake level.glb -o level.hbvh
  hitscan ray level.hbvh --from 0,1.7,0 --dir 0,0,-1

Exit codes:
  0  done; a ray that hits nothing is an answer, too
  1  the input is bad: one line on standard error says file, place and reason
  2  the command line is wrong";

#[derive(Subcommand)]
enum Command {
    Bake(bake::Bake),
    Info(info::Info),
    Ray(ray::CastOne),
    Rays(rays::CastMany),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Bake(command) => command.run(),
        Command::Info(command) => command.run(),
        Command::Ray(command) => command.run(),
        Command::Rays(command) => command.run(),
    };
    exit::code(result)
}
