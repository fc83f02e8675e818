//! A bar that shows how far a command is.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

const LENGTH: u64 = 1000;

/// A bar on a terminal, nothing in a pipe.
pub(crate) fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(LENGTH);
    let form = "{elapsed:>4} [{wide_bar}] {percent:>3} %, {eta} left: {msg}";
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Shows what is done now, and how much of all is done, from 0 to 1.
pub(crate) fn show_progress(bar: &ProgressBar, message: &'static str, done: f64) {
    bar.set_message(message);
    bar.set_position((done * LENGTH as f64) as u64);
}
