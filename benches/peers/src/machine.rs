//! The machine: one CPU for this process, its name, its floating-point control register.

/// Keeps this process (and threads that it starts later) on one CPU; the CPU's number,
/// or `None` where that is not to be had.
#[cfg(target_os = "linux")]
pub fn pin(cpu: Option<usize>) -> Option<usize> {
    // SAFETY: `cpu_set_t` is plain bits, and all that is passed lives through the calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        if libc::sched_getaffinity(0, size, &raw mut set) != 0 {
            return None;
        }
        // By default the last one allowed: the first ones serve most interrupts.
        let cpu = match cpu {
            Some(cpu) => cpu,
            None => {
                (0..libc::CPU_SETSIZE as usize).rev().find(|&cpu| libc::CPU_ISSET(cpu, &set))?
            }
        };
        libc::CPU_ZERO(&mut set);
        libc::CPU_SET(cpu, &mut set);
        (libc::sched_setaffinity(0, size, &raw const set) == 0).then_some(cpu)
    }
}

#[cfg(not(target_os = "linux"))]
pub fn pin(_cpu: Option<usize>) -> Option<usize> {
    None
}

/// The CPU's name, as far as the system tells it.
pub fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model\t")) {
        (Some(name), Some(family), Some(model)) => {
            format!("{name} (family {family}, model {model})")
        }
        _ => std::env::consts::ARCH.to_owned(),
    }
}

/// The time that this thread has spent on its CPU, in nanoseconds: other processes do not
/// count, however busy the machine is.
#[cfg(target_os = "linux")]
pub fn thread_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the one struct.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The time since the first call, in nanoseconds.
#[cfg(not(target_os = "linux"))]
pub fn thread_time() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// The floating-point control register as it is now; put back when this is dropped.
pub struct FloatControl(u32);

impl FloatControl {
    /// Remembers it.
    pub fn keep() -> Self {
        Self(read())
    }

    /// Remembers it and treats denormal numbers as zero, as Embree's manual advises.
    pub fn flush_denormals() -> Self {
        let kept = Self::keep();
        write(kept.0 | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
        kept
    }
}

impl Drop for FloatControl {
    fn drop(&mut self) {
        write(self.0);
    }
}

const FLUSH_TO_ZERO: u32 = 1 << 15;
const DENORMALS_ARE_ZERO: u32 = 1 << 6;

#[cfg(target_arch = "x86_64")]
fn read() -> u32 {
    let mut control = 0_u32;
    // SAFETY: stores four bytes there.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control) };
    control
}

#[cfg(target_arch = "x86_64")]
fn write(control: u32) {
    // SAFETY: loads four bytes that `read` stored, or its two flush bits set.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const control) };
}

#[cfg(not(target_arch = "x86_64"))]
fn read() -> u32 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
fn write(_control: u32) {}
