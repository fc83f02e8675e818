//! The `hitscan` command line: bakes models, inspects baked files, casts rays.
//!
//! One file for each subcommand. All work is done by the library; the files here read arguments
//! and print results.

use std::env;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

mod args;
mod bake;
mod failure;
mod info;
mod layers;
mod memory;
mod output;
mod page;
mod ray;
mod ray_file;
mod rays;
mod report;
mod text;

use failure::Failure;

/// Ray queries against level geometry: bake once, cast millions of rays.
///
/// `hitscan bake` turns models into a baked tree (.hbvh). `hitscan info` checks a baked file and
/// shows what is in it. `hitscan ray` and `hitscan rays` cast rays.
#[derive(Parser)]
#[command(version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Example:
  hitscan bake level.glb -o level.hbvh
  hitscan ray level.hbvh --from 0,1.7,0 --dir 0,0,-1

Exit codes:
  0  success; a ray that hits nothing is a success too
  1  bad input: one line on standard error names the file, the place and the reason
  2  wrong command line";

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
    match result {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(Failure::Input(message)) => {
            text::say(&format!("hitscan: {message}"));
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            // Shows the usage of the subcommand, not of the whole program.
            let mut cli = Cli::command();
            cli.build();
            let name = env::args_os().nth(1).unwrap_or_default();
            let command = cli.find_subcommand_mut(name).expect("a subcommand has run");
            let _ = command.error(ErrorKind::ValueValidation, message).print();
            ExitCode::from(2)
        }
    }
}
