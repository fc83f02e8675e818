//! The process that the library runs in.

/// A number that tells this process from others that run at the same time, or 0 where processes
/// have none. On WebAssembly, with or without files, Rust's standard library ends a program that
/// asks for it.
pub(crate) fn process_number() -> u32 {
    #[cfg(any(unix, windows))]
    return std::process::id();
    #[cfg(not(any(unix, windows)))]
    0
}
