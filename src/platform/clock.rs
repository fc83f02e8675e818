//! Time that passes, on machines that have a clock.

use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use no_clock::Instant;

/// Measures laps, and the time since it was started.
///
/// `wasm32-unknown-unknown`, the target of browsers, has no clock: asked for the time, Rust's
/// standard library ends the program there. All times are zero then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    start: Instant,
    lap: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { start: now, lap: now }
    }

    /// The time since the last lap ended, or since the start.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.lap, now))
    }

    /// The time since the start.
    pub(crate) fn total(&self) -> Duration {
        Instant::now().duration_since(self.start)
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod no_clock {
    use std::time::Duration;

    /// Stands for [`std::time::Instant`].
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Instant;

    impl Instant {
        pub(super) fn now() -> Self {
            Self
        }

        pub(super) fn duration_since(self, _earlier: Self) -> Duration {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_follow_each_other() {
        let mut watch = Stopwatch::start();
        let laps = [(); 3].map(|()| {
            let mut rounds = 0;
            while std::hint::black_box(rounds) < 100_000 {
                rounds += 1;
            }
            watch.lap()
        });
        assert!(laps.iter().all(|&lap| lap > Duration::ZERO), "{laps:?}");
        assert!(watch.total() >= laps.iter().sum());
    }
}
