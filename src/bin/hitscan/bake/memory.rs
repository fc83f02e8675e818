//! Memory as the system counts it; `None` where it gives no numbers.

use std::fs;

/// The most memory that the program has used at a time, models included.
pub(crate) fn peak_bytes() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

/// The memory that is free on the machine, or in its container if that has less.
pub(crate) fn available_bytes() -> Option<u64> {
    let of_machine = kibibytes("/proc/meminfo", "MemAvailable:")?;
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let of_container = number("/sys/fs/cgroup/memory.max").and_then(|limit| {
        let used = number("/sys/fs/cgroup/memory.current")?;
        Some(limit.saturating_sub(used))
    });
    Some(of_container.map_or(of_machine, |bytes| bytes.min(of_machine)))
}

/// A quantity from a file of lines such as `VmHWM:  1234 kB`.
fn kibibytes(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}
