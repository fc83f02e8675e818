//! The stack that questions need: no more than the table of `what_to_expect` says.
//!
//! Each question is asked on a thread with just so much stack, on every instruction set: of levels
//! on a grid, where all is decided in exact integers; of triangles whose numbers have the largest
//! range that there is, which need the longest integers; of slivers, of far coordinates, of large
//! scenes. A stack that is too small ends the test with the thread's name, which is the question.
//!
//! `cargo test --test stack -- --ignored --nocapture` measures what each question takes.

mod scenes;
mod support;

#[cfg(target_os = "linux")]
#[path = "stack/measure.rs"]
mod measure;
#[path = "stack/questions.rs"]
mod questions;
#[path = "stack/worlds.rs"]
mod worlds;

use std::sync::atomic::{AtomicUsize, Ordering};

use questions::{Question, questions};
use worlds::Worlds;

/// What is enough for all of them in builds that are not optimised, in KiB.
const NOT_OPTIMISED: usize = 2048;

/// The rows of the table: what is asked, and the KiB that it needs in optimised builds.
fn table() -> Vec<(String, usize)> {
    let text = include_str!("../src/what_to_expect.rs");
    let rows = text.lines().skip_while(|line| !line.starts_with("//! # Stack"));
    let rows = rows.filter_map(|line| line.strip_prefix("//! | ")).skip(1);
    let row = |row: &str| {
        let mut cells = row.trim_end_matches('|').split('|').map(str::trim);
        let name = cells.next().expect("a name").to_owned();
        (name, cells.next().and_then(|cell| cell.parse().ok()).expect("a number"))
    };
    rows.map(row).collect()
}

/// Whether the compiler keeps what is never read: without optimisation it does.
fn is_optimised() -> bool {
    #[inline(never)]
    fn address() -> usize {
        let here = 0u8;
        std::hint::black_box(&raw const here).addr()
    }
    #[inline(never)]
    fn below(number: u8) -> usize {
        let unread = [number; 1 << 14];
        address() + usize::from(unread[0] - number)
    }
    address().abs_diff(below(std::hint::black_box(1))) < 1 << 13
}

/// Asks a question on a thread with so much stack, in KiB.
fn ask(question: &'static Question, worlds: &'static Worlds, stack: usize) {
    let thread = std::thread::Builder::new().name(question.name.into()).stack_size(stack << 10);
    let thread = thread.spawn(move || (question.ask)(worlds));
    thread.expect("a thread starts").join().expect("an answer");
}

#[test]
fn no_question_needs_more_stack_than_is_stated() {
    let (table, is_optimised) = (table(), is_optimised());
    println!("optimised: {is_optimised}; {table:?}");
    let worlds: &Worlds = Box::leak(Box::new(Worlds::new()));
    let questions: &[Question] = Box::leak(questions().into_boxed_slice());
    for (row, _) in &table {
        assert!(
            questions.iter().any(|question| question.row == row),
            "nothing is asked for: {row}"
        );
    }
    let next = AtomicUsize::new(0);
    let ask_some = || {
        while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = table.iter().find(|(row, _)| row == question.row);
            let Some((_, stack)) = row else { panic!("{} has no row", question.name) };
            ask(question, worlds, if is_optimised { *stack } else { NOT_OPTIMISED });
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(ask_some);
        }
    });
}

/// What each question takes of a stack.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "measures"]
fn measure() {
    println!("optimised: {}", is_optimised());
    let worlds = Worlds::new();
    let mut rows = std::collections::BTreeMap::new();
    for question in questions() {
        let used = measure::used(|| (question.ask)(&worlds)) as f64 / 1024.0;
        println!("{used:8.1} KiB  {}", question.name);
        let most: &mut f64 = rows.entry(question.row).or_default();
        *most = most.max(used);
    }
    for (row, used) in rows {
        println!("{used:8.1} KiB  {row}");
    }
}
