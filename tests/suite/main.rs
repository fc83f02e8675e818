//! All integration tests that need no program of their own: one program links in a fraction of the
//! time of forty. A file is a subject: `cargo test --test suite sweeps::` runs those of one.
//!
//! Beside it stand tests with programs of their own: some count allocations or measure the stack,
//! some run under Miri or on other machines, and two are not part of the package.

#[path = "../moves/mod.rs"]
mod moves;
#[path = "../questions/mod.rs"]
mod questions;
#[path = "../scenes/mod.rs"]
mod scenes;
#[path = "../support/mod.rs"]
mod support;

mod adversarial;
mod batch;
mod character;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_diff;
#[cfg(feature = "cli")]
mod cli_errors;
#[cfg(feature = "cli")]
mod cli_gates;
#[cfg(feature = "cli")]
mod cli_help;
#[cfg(feature = "cli")]
mod cli_questions;
#[cfg(feature = "cli")]
mod cli_ray_texts;
#[cfg(feature = "cli")]
mod cli_replay;
#[cfg(feature = "cli")]
mod cli_report;
#[cfg(feature = "cli")]
mod cli_scenes;
#[cfg(feature = "cli")]
mod cli_why;
#[cfg(feature = "cli")]
mod cli_why_not;
#[cfg(feature = "cli")]
mod cli_why_scene;
#[cfg(feature = "cli")]
mod command_line;
mod crossing;
mod degenerate;
mod determinism;
mod double_sided;
mod editor;
#[cfg(feature = "stats")]
mod explain;
#[cfg(feature = "stats")]
mod explain_scene;
mod features;
mod guided;
#[cfg(feature = "import")]
mod import;
mod inside;
mod interval_ends;
mod leaving;
#[cfg(feature = "import")]
mod level;
mod moving;
mod near_shape;
mod nearest;
mod options;
mod oracle;
mod overlap;
mod progress;
#[cfg(feature = "cli")]
mod reader;
#[cfg(feature = "record")]
mod record;
mod reference;
mod refit;
mod refit_mesh;
#[cfg(feature = "cli")]
mod render;
mod rooms;
mod save;
mod scene;
mod scene_batch;
mod scene_far;
mod scene_inside;
mod scene_refit;
mod scene_scales;
mod scene_shapes;
mod scene_targets;
mod scene_volumes;
mod shape_batches;
mod shapes;
mod splits;
mod stats;
mod steam_audio;
mod sweep_ties;
mod sweeps;
mod turning;
#[cfg(feature = "visibility")]
mod visibility;
mod visit;
#[cfg(feature = "import")]
mod wasm;
mod watertight;
