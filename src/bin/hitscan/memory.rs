//! Memory, as the system counts it; `None` where it does not say.

use std::fs;

/// The most that the program has had at a time, models included.
pub(crate) fn peak_bytes() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

/// What the program may still take: of the machine, and of its container where it has one.
pub(crate) fn available_bytes() -> Option<u64> {
    let of_machine = kibibytes("/proc/meminfo", "MemAvailable:")?;
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let of_container = number("/sys/fs/cgroup/memory.max").and_then(|most| {
        let used = number("/sys/fs/cgroup/memory.current")?;
        Some(most.saturating_sub(used))
    });
    Some(of_container.map_or(of_machine, |bytes| bytes.min(of_machine)))
}

/// A quantity in a file of lines such as `VmHWM:  1234 kB`.
fn kibibytes(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}
