//! What questions test, counted in unit tests, on each thread by itself.

use std::cell::Cell;

/// How much was tested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) nodes: usize,
    pub(crate) triangles: usize,
    /// Decisions in integers.
    pub(crate) exact: usize,
}

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work { nodes: 0, triangles: 0, exact: 0 }) };
}

fn change(change: impl FnOnce(&mut Work)) {
    let mut work = WORK.get();
    change(&mut work);
    WORK.set(work);
}

pub(crate) fn count_node() {
    change(|work| work.nodes += 1);
}

pub(crate) fn count_block(triangles: usize) {
    change(|work| work.triangles += triangles);
}

pub(crate) fn count_exact() {
    change(|work| work.exact += 1);
}

/// What `ask` tests.
pub(crate) fn work_of<R>(ask: impl FnOnce() -> R) -> (R, Work) {
    WORK.set(Work::default());
    let result = ask();
    (result, WORK.get())
}
