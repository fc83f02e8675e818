//! The `hitscan` command line: bakes models, inspects baked files, casts rays.
//!
//! A folder for each kind of subcommand. All work is done by the library; the files here read
//! arguments and print results.

use std::env;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use serde::Serialize;

mod ask;
mod bake;
mod explain;
mod export;
mod gate;
mod info;
mod level;
mod page;
mod picture;
mod picture_file;
mod random;
mod ray_file;
mod render;
mod sampled_rays;
mod terminal;

use terminal::failure::Failure;
use terminal::{output, text};

/// Ray queries against level geometry: bake once, cast millions of rays.
///
/// `hitscan bake` turns models into a baked tree (.hbvh), or into a scene (.hscn) with
/// `--instanced`. `info` shows what is in a file, `export` writes it as a model. `ray`, `rays`,
/// `near`, `overlap`, `sweep` and `inside` ask questions. `render` draws pictures, `why` and
/// `why-not` explain, `report` writes a page. `replay` asks the questions of a recording again,
/// `check`, `diff` and `verify` are for continuous integration.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = AFTER_HELP)]
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
  1  bad input, or an output that cannot be written: one line on standard error names the file,
     the place and the reason
  2  wrong command line
  3  `check` has found a value above its limit, `verify`, `replay` or `diff` a difference

`bake`, `info` and all that answer questions but `rays` take --json: standard output is then one
JSON object, whose `schema` is 1. It is `{schema, error}` where the exit code is 1 or 2; the error
is on standard error, too. `--help` of each of them names the fields.

In file names, bytes that are not UTF-8 become U+FFFD.";

#[derive(Subcommand)]
enum Command {
    Bake(bake::Bake),
    Info(info::Info),
    Ray(ask::CastOne),
    Rays(ask::CastMany),
    Near(ask::Near),
    Overlap(ask::Overlap),
    Sweep(ask::Sweep),
    Inside(ask::Inside),
    Render(render::Render),
    Why(explain::Why),
    WhyNot(explain::AskWhyNot),
    Report(page::report::Report),
    Replay(gate::Replay),
    Check(gate::Check),
    Diff(gate::Diff),
    Verify(gate::Verify),
    Export(export::Export),
    /// Print a script that completes this program's arguments in a shell
    #[command(after_help = "Example:\n  source <(hitscan completions bash)")]
    Completions {
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  hitscan man > hitscan.1")]
    Man,
}

fn main() -> ExitCode {
    // Read before the command line is known to be right: its errors are JSON too.
    let json = env::args_os().any(|arg| arg == "--json");
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let error = without_misleading_tips(error);
            return refuse(&error, json && error.use_stderr());
        }
    };
    let result = match cli.command {
        Command::Bake(command) => command.run(),
        Command::Info(command) => command.run(),
        Command::Ray(command) => command.run(),
        Command::Rays(command) => command.run(),
        Command::Near(command) => command.run(),
        Command::Overlap(command) => command.run(),
        Command::Sweep(command) => command.run(),
        Command::Inside(command) => command.run(),
        Command::Render(command) => command.run(),
        Command::Why(command) => command.run(),
        Command::WhyNot(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "hitscan", &mut io::stdout());
            Ok(())
        }
        Command::Man => man(),
    };
    match result {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(Failure::Input(message)) => {
            if json {
                print_error(&message);
            }
            text::say(&format!("hitscan: {message}"));
            ExitCode::from(1)
        }
        Err(Failure::Verdict(message)) => {
            text::say(&format!("hitscan: {message}"));
            ExitCode::from(3)
        }
        Err(Failure::Usage(message)) => {
            // Shows the usage of the subcommand, not of the whole program.
            let mut cli = Cli::command();
            cli.build();
            let name = env::args_os().nth(1).unwrap_or_default();
            let command = cli.find_subcommand_mut(name).expect("a subcommand has run");
            refuse(&command.error(ErrorKind::ValueValidation, message), json)
        }
    }
}

/// Without "to pass '--json' as a value, use '-- --json'": no value of ours looks like an option.
fn without_misleading_tips(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains(" as a value"));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Prints the error in the command line, or the help that was asked for.
fn refuse(error: &clap::Error, json: bool) -> ExitCode {
    if json {
        print_error(&one_line(&error.to_string()));
    }
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// All that clap says but for the usage: the missing or wrong argument, and the possible values.
fn one_line(message: &str) -> String {
    let lines = message.trim_start_matches("error: ").lines().map(str::trim);
    let lines = lines.take_while(|line| {
        !["Usage:", "For more information"].iter().any(|end| line.starts_with(end))
    });
    let mut text = String::new();
    for line in lines.filter(|line| !line.is_empty()) {
        text.push_str(match () {
            () if text.is_empty() => "",
            () if line.starts_with("tip: ") => "; ",
            () if text.ends_with(':') || line.starts_with('[') => " ",
            () => ", ",
        });
        text.push_str(line);
    }
    text
}

/// The answer of a command with `--json` that failed.
fn print_error(message: &str) {
    #[derive(Serialize)]
    struct Error<'a> {
        error: &'a str,
    }
    // A closed standard output is ignored: the error is on standard error as well.
    let _ = output::print_json(&Error { error: message });
}

/// Prints the manual: a page for the program and one for each subcommand, one after the other.
fn man() -> Result<(), Failure> {
    let mut cli = Cli::command();
    cli.build();
    let mut page = Vec::new();
    for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
        let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
        rendered.map_err(|error| Failure::stdout(&error))?;
    }
    output::print(&String::from_utf8_lossy(&page))
}
