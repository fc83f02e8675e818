//! A report as one page of tables, in Markdown or HTML, that needs no other file.

use std::fmt::{self, Write as _};
use std::path::Path;

use crate::text::printable;

/// How a page is written.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Markdown,
    Html,
}

impl Form {
    /// By the file's extension.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let extension = file.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) sections: Vec<Section>,
}

/// A table.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// What the table shows; may be empty.
    pub(crate) note: &'static str,
    pub(crate) head: &'static [&'static str],
    pub(crate) rows: Vec<Vec<Cell>>,
}

pub(crate) enum Cell {
    Text(String),
    /// A bar of this length, from 0 to 1.
    Bar(f64),
}

impl Page {
    pub(crate) fn write(&self, form: Form) -> String {
        let mut text = String::new();
        let written = match form {
            Form::Markdown => self.markdown(&mut text),
            Form::Html => self.html(&mut text),
        };
        written.expect("a string takes all that is written");
        text
    }

    fn markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# {}", markdown_text(&self.title))?;
        for Section { title, note, head, rows } in &self.sections {
            writeln!(out, "\n## {title}\n\n{}\n", markdown_text(note))?;
            writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()))?;
            for row in rows {
                for cell in row {
                    match cell {
                        Cell::Text(text) => write!(out, "| {} ", markdown_text(text))?,
                        Cell::Bar(length) => {
                            write!(out, "| {} ", "█".repeat((20.0 * length).round() as usize))?;
                        }
                    }
                }
                writeln!(out, "|")?;
            }
        }
        Ok(())
    }

    fn html(&self, out: &mut String) -> fmt::Result {
        let title = html_text(&self.title);
        writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>")?;
        for Section { title, note, head, rows } in &self.sections {
            writeln!(out, "<h2>{title}</h2>\n<p>{}</p>\n<table>", html_text(note))?;
            writeln!(out, "<tr><th>{}</th></tr>", head.join("</th><th>"))?;
            for row in rows {
                write!(out, "<tr>")?;
                for cell in row {
                    match cell {
                        Cell::Text(text) => write!(out, "<td>{}</td>", html_text(text))?,
                        Cell::Bar(length) => write!(
                            out,
                            "<td><svg width=\"{:.1}\" height=\"12\">\
                             <rect width=\"100%\" height=\"100%\" rx=\"2\"/></svg></td>",
                            400.0 * length
                        )?,
                    }
                }
                writeln!(out, "</tr>")?;
            }
            writeln!(out, "</table>")?;
        }
        writeln!(out, "</html>")
    }
}

const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0 .5rem; opacity: .75; } rect { fill: #4a7fb5; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid #8883; }
td { overflow-wrap: anywhere; }
";

const HTML: &[(char, &str)] = &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];

fn html_text(text: &str) -> String {
    escaped(text, HTML)
}

fn markdown_text(text: &str) -> String {
    let marks =
        [('|', "\\|"), ('\\', "\\\\"), ('`', "\\`"), ('*', "\\*"), ('_', "\\_"), ('[', "\\[")];
    escaped(text, &[&marks[..], &HTML[..2]].concat())
}

/// The text on one line, with some characters replaced.
fn escaped(text: &str, replacements: &[(char, &str)]) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match replacements.iter().find(|(from, _)| *from == c) {
            Some((_, to)) => safe.push_str(to),
            None => safe.push(c),
        }
    }
    safe
}
