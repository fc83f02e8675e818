//! The answer to a question about a point or a shape: the triangles that it found.

use serde::Serialize;

use super::triangle_row::{Found, list};
use crate::terminal::failure::Failure;
use crate::terminal::output;

#[derive(Serialize)]
pub(crate) struct Answer<T> {
    found: bool,
    /// Absent if it was only asked whether there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    triangles: Option<Vec<T>>,
}

impl<T> Answer<T> {
    /// Whether there is a triangle.
    pub(crate) fn any(found: bool) -> Self {
        Self { found, triangles: None }
    }

    pub(crate) fn is_found(&self) -> bool {
        self.found
    }

    /// These triangles.
    pub(crate) fn of(triangles: impl Iterator<Item = T>) -> Self {
        let triangles: Vec<T> = triangles.collect();
        Self { found: !triangles.is_empty(), triangles: Some(triangles) }
    }
}

impl<T: Found + Serialize> Answer<T> {
    /// Prints it, with these words for any triangle and for none.
    pub(crate) fn print(&self, json: bool, words: [&str; 2]) -> Result<(), Failure> {
        if json { output::print_json(self) } else { output::print(&self.to_text(words)) }
    }

    pub(crate) fn to_text(&self, [something, nothing]: [&str; 2]) -> String {
        match &self.triangles {
            Some(triangles) => list(triangles, nothing),
            None => format!("{}\n", if self.found { something } else { nothing }),
        }
    }
}
