//! A report as one page of lists and tables, in Markdown or HTML, that needs no other file.

pub(crate) mod advice;
pub(crate) mod level_page;
pub(crate) mod level_pictures;
pub(crate) mod report;

use std::fmt::{self, Write as _};
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::terminal::text::{Rows, printable};

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

pub(crate) struct Section {
    pub(crate) title: String,
    /// How the rest is to be read; may be empty.
    pub(crate) note: &'static str,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    /// One sentence or more each.
    List(Vec<String>),
    /// Without a head if that is empty. In HTML a click on a column's head sorts by it.
    Table { head: &'static [&'static str], rows: Vec<Vec<Cell>> },
    /// A PNG. Only HTML can hold it: a page in Markdown leaves it out.
    Picture(Vec<u8>),
}

pub(crate) enum Cell {
    Text(String),
    /// As text, and the number to sort by.
    Number(String, f64),
    /// A bar of this length, from 0 to 1.
    Bar(f64),
}

impl Section {
    pub(crate) fn picture(title: &str, note: &'static str, png: Vec<u8>) -> Self {
        Self { title: title.to_owned(), note, body: Body::Picture(png) }
    }

    /// Labels and values.
    pub(crate) fn facts(title: &str, note: &'static str, rows: Rows) -> Self {
        let row =
            |(label, value): (&str, String)| vec![Cell::Text(label.to_owned()), Cell::Text(value)];
        Self::table(title, note, &[], rows.0.into_iter().map(row).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.body {
            Body::List(lines) => lines.is_empty(),
            Body::Table { rows, .. } => rows.is_empty(),
            Body::Picture(png) => png.is_empty(),
        }
    }

    pub(crate) fn list(title: &str, note: &'static str, lines: Vec<String>) -> Self {
        Self { title: title.to_owned(), note, body: Body::List(lines) }
    }

    pub(crate) fn table(
        title: &str,
        note: &'static str,
        head: &'static [&'static str],
        rows: Vec<Vec<Cell>>,
    ) -> Self {
        Self { title: title.to_owned(), note, body: Body::Table { head, rows } }
    }
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
        for Section { title, note, body } in &self.sections {
            if matches!(body, Body::Picture(_)) {
                continue;
            }
            writeln!(out, "\n## {}\n", markdown_text(title))?;
            if !note.is_empty() {
                writeln!(out, "{}\n", markdown_text(note))?;
            }
            match body {
                Body::Picture(_) => {}
                Body::List(lines) => {
                    for line in lines {
                        writeln!(out, "- {}", markdown_text(line))?;
                    }
                }
                Body::Table { head, rows } => {
                    let columns = rows.first().map_or(head.len(), Vec::len);
                    let head = if head.is_empty() { vec![""; columns] } else { head.to_vec() };
                    writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(columns))?;
                    for row in rows {
                        row.iter().try_for_each(|cell| cell.markdown(out))?;
                        writeln!(out, "|")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn html(&self, out: &mut String) -> fmt::Result {
        let title = html_text(&self.title);
        writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>")?;
        for Section { title, note, body } in &self.sections {
            let title = html_text(title);
            writeln!(out, "<h2>{title}</h2>")?;
            if !note.is_empty() {
                writeln!(out, "<p>{}</p>", html_text(note))?;
            }
            match body {
                Body::List(lines) => {
                    writeln!(out, "<ul>")?;
                    for line in lines {
                        writeln!(out, "<li>{}</li>", html_text(line))?;
                    }
                    writeln!(out, "</ul>")?;
                }
                Body::Picture(png) => {
                    let png = BASE64_STANDARD.encode(png);
                    writeln!(out, "<img alt=\"{title}\" src=\"data:image/png;base64,{png}\">")?;
                }
                Body::Table { head, rows } => {
                    let is_long = if rows.len() > ROWS_SHOWN { " class=\"long\"" } else { "" };
                    writeln!(out, "<div{is_long}><table>")?;
                    if !head.is_empty() {
                        let th = "<th tabindex=\"0\">";
                        let head = head.join(&format!("</th>{th}"));
                        writeln!(out, "<thead><tr>{th}{head}</th></tr></thead>")?;
                    }
                    writeln!(out, "<tbody>")?;
                    for row in rows {
                        write!(out, "<tr>")?;
                        row.iter().try_for_each(|cell| cell.html(out))?;
                        writeln!(out, "</tr>")?;
                    }
                    writeln!(out, "</tbody></table></div>")?;
                }
            }
        }
        writeln!(out, "<script>{SORT}</script>\n</html>")
    }
}

impl Cell {
    fn markdown(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Number(text, _) => write!(out, "| {} ", markdown_text(text)),
            Self::Bar(length) => {
                write!(out, "| {} ", "█".repeat((20.0 * length).round() as usize))
            }
        }
    }

    fn html(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Text(text) => write!(out, "<td>{}</td>", html_text(text)),
            Self::Number(text, number) => {
                write!(out, "<td data-by=\"{number}\">{}</td>", html_text(text))
            }
            Self::Bar(length) => write!(
                out,
                "<td data-by=\"{length:.4}\"><svg width=\"{:.1}\" height=\"12\">\
                 <rect width=\"100%\" height=\"100%\" rx=\"2\"/></svg></td>",
                200.0 * length
            ),
        }
    }
}

/// A longer table scrolls in a box, and of a table no more rows are printed on paper.
const ROWS_SHOWN: usize = 40;

const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0 .5rem; opacity: .75; } rect { fill: #4a7fb5; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid #8883; }
td { overflow-wrap: break-word; } div { overflow-x: auto; } [data-by] { white-space: nowrap; }
th { cursor: pointer; position: sticky; top: 0; background: Canvas; }
.long { max-height: 36rem; overflow: auto; border: 1px solid #8883; padding: 0 .6rem; }
ul { padding-left: 1.2rem; } li { margin: .3rem 0; } img { max-width: 100%; }
@media print {
  body { max-width: none; font-size: 10pt; } tr, li, img { break-inside: avoid; }
  h2 { break-after: avoid; } .long { max-height: none; border: 0; padding: 0; }
  .long tr:nth-child(n+41) { display: none; }
  .long::after { content: 'The first 40 rows. The page on a screen has all.'; }
}
";

/// Sorts a table by the column whose head was clicked, or has the focus when Enter is pressed:
/// numbers the largest first, then the other way round.
const SORT: &str = "
const sort = head => {
  const table = head.closest('table'), at = head.cellIndex;
  const down = head.ariaSort !== 'descending';
  for (const other of table.querySelectorAll('th')) other.ariaSort = null;
  head.ariaSort = down ? 'descending' : 'ascending';
  const key = row => row.cells[at].dataset.by, text = row => row.cells[at].textContent;
  const rows = [...table.tBodies[0].rows].sort((a, b) => key(a) === undefined
    ? text(a).localeCompare(text(b), undefined, {numeric: true}) : key(b) - key(a));
  table.tBodies[0].append(...(down ? rows : rows.reverse()));
};
for (const head of document.querySelectorAll('th')) {
  head.onclick = () => sort(head);
  head.onkeydown = event => event.key === 'Enter' && sort(head);
}
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
