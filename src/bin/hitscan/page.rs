//! A report as one page, in Markdown or HTML, that needs no other file.

use std::fmt::{self, Write as _};
use std::path::Path;

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

/// What is on the page.
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) sections: Vec<Section>,
}

pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// What it shows, in a sentence; may be empty.
    pub(crate) note: String,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    /// Rows of texts, the first of them the heads of the columns.
    Table(Vec<Vec<String>>),
    /// Quantities to compare.
    Bars(Vec<Bar>),
}

pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The value in words.
    pub(crate) shown: String,
}

impl Page {
    pub(crate) fn write(&self, form: Form) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = match form {
            Form::Markdown => self.markdown(&mut text),
            Form::Html => self.html(&mut text),
        };
        text
    }

    fn markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# {}", markdown_text(&self.title))?;
        for section in &self.sections {
            writeln!(out, "\n## {}\n", section.title)?;
            if !section.note.is_empty() {
                writeln!(out, "{}\n", markdown_text(&section.note))?;
            }
            match &section.body {
                Body::Table(rows) => {
                    for (number, row) in rows.iter().enumerate() {
                        let cells: Vec<_> = row.iter().map(|cell| markdown_text(cell)).collect();
                        writeln!(out, "| {} |", cells.join(" | "))?;
                        if number == 0 {
                            writeln!(out, "|{}", "---|".repeat(row.len()))?;
                        }
                    }
                }
                Body::Bars(bars) => {
                    writeln!(out, "| | | |\n|---|---:|---|")?;
                    let most = most(bars);
                    for bar in bars {
                        let length = (20.0 * bar.value / most).round() as usize;
                        let (label, shown) = (markdown_text(&bar.label), markdown_text(&bar.shown));
                        writeln!(out, "| {label} | {shown} | {} |", "█".repeat(length.min(20)))?;
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
        for section in &self.sections {
            writeln!(out, "<section>\n<h2>{}</h2>", html_text(section.title))?;
            if !section.note.is_empty() {
                writeln!(out, "<p>{}</p>", html_text(&section.note))?;
            }
            match &section.body {
                Body::Table(rows) => {
                    writeln!(out, "<table>")?;
                    for (number, row) in rows.iter().enumerate() {
                        let cell = if number == 0 { "th" } else { "td" };
                        write!(out, "<tr>")?;
                        for text in row {
                            write!(out, "<{cell}>{}</{cell}>", html_text(text))?;
                        }
                        writeln!(out, "</tr>")?;
                    }
                    writeln!(out, "</table>")?;
                }
                Body::Bars(bars) => html_bars(out, bars)?,
            }
            writeln!(out, "</section>")?;
        }
        writeln!(out, "</html>")
    }
}

const STYLE: &str = "
:root { color-scheme: light dark; --bar: #4a7fb5; --line: #8883; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0 .5rem; opacity: .75; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; } svg { width: 100%; height: auto; } rect { fill: var(--bar); }
text { font: 13px system-ui, sans-serif; fill: currentColor; }
";

/// One bar a line: label, bar, value.
fn html_bars(out: &mut String, bars: &[Bar]) -> fmt::Result {
    const LINE: usize = 22;
    const LABELS: f64 = 110.0;
    const LENGTH: f64 = 500.0;
    let (most, height) = (most(bars), LINE * bars.len());
    writeln!(out, "<svg viewBox=\"0 0 760 {height}\" role=\"img\">")?;
    for (line, bar) in bars.iter().enumerate() {
        let (top, base) = (line * LINE, line * LINE + 15);
        let length = LENGTH * bar.value / most;
        let end = LABELS + length + 8.0;
        let (label, shown) = (html_text(&bar.label), html_text(&bar.shown));
        writeln!(
            out,
            "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{label}</text>\
             <rect x=\"{LABELS}\" y=\"{}\" width=\"{length:.1}\" height=\"14\" rx=\"2\"/>\
             <text x=\"{end:.1}\" y=\"{base}\">{shown}</text>",
            LABELS - 8.0,
            top + 4,
        )?;
    }
    writeln!(out, "</svg>")
}

/// The greatest value, or something to divide by.
fn most(bars: &[Bar]) -> f64 {
    let most = bars.iter().fold(0.0, |most: f64, bar| most.max(bar.value));
    if most > 0.0 { most } else { 1.0 }
}

fn html_text(text: &str) -> String {
    escaped(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        _ => None,
    })
}

fn markdown_text(text: &str) -> String {
    escaped(text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '|' => Some("\\|"),
        '\\' => Some("\\\\"),
        '`' => Some("\\`"),
        '*' => Some("\\*"),
        '_' => Some("\\_"),
        '[' => Some("\\["),
        _ => None,
    })
}

/// The text on one line, with some characters replaced.
fn escaped(text: &str, replacement: impl Fn(char) -> Option<&'static str>) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in crate::text::printable(text).chars() {
        match replacement(c) {
            Some(other) => safe.push_str(other),
            None => safe.push(c),
        }
    }
    safe
}
