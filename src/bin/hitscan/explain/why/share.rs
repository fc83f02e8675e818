//! The part of all triangle tests that something takes.

use std::cmp::Ordering;

use serde::Serialize;

use crate::terminal::text;

/// How often triangles are tested, and how often in vain.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) tests: u64,
    pub(super) in_vain: u64,
}

impl Count {
    pub(super) fn add(&mut self, other: Self) {
        self.tests += other.tests;
        self.in_vain += other.in_vain;
    }
}

/// The part of all triangle tests that one instance, tree, mesh, material or triangle takes.
#[derive(Default, Serialize)]
pub(super) struct Share {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instance: Option<u32>,
    /// In a scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tree: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) triangle: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) material: Option<u32>,
    pub(super) name: String,
    pub(super) tests: f64,
    pub(super) share: f64,
    pub(super) in_vain: f64,
}

impl Share {
    pub(super) fn new(count: Count, rays: u64, all_tests: u64) -> Self {
        let part = |number: u64, of: u64| number as f64 / of.max(1) as f64;
        Self {
            tests: part(count.tests, rays),
            share: part(count.tests, all_tests),
            in_vain: part(count.in_vain, count.tests),
            ..Self::default()
        }
    }

    pub(super) fn to_line(&self) -> String {
        let Self { tests, share, in_vain, .. } = self;
        let numbers = [
            ("triangle", self.triangle),
            ("mesh", self.mesh),
            ("material", self.material),
            ("instance", self.instance),
            ("tree", self.tree),
        ];
        let mut what = String::new();
        for (label, number) in numbers {
            let Some(number) = number else { continue };
            // The title of the table is the label of the first.
            match what.is_empty() {
                true => what += &number.to_string(),
                false => what += &format!(" of {label} {number}"),
            }
        }
        let what = format!("{what} {}", text::printable(&self.name));
        let (share, in_vain) = (100.0 * share, 100.0 * in_vain);
        format!("{share:>6.1} % {tests:>12.3} {in_vain:>6.1} %  {}\n", what.trim_end())
    }
}

/// The order of shares.
pub(super) fn largest_first(a: &Share, b: &Share) -> Ordering {
    b.tests.total_cmp(&a.tests)
}
