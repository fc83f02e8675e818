//! Reads Rust source as far as the rooms need it: which modules there are, what each imports,
//! and which paths its code names. Comments, strings and test code are left out.

use std::collections::{BTreeMap, BTreeSet};

/// A `use`, or a path in the code.
pub(crate) struct Path {
    pub(crate) line: usize,
    pub(crate) segments: Vec<String>,
}

pub(crate) struct Import {
    pub(crate) path: Path,
    /// The name that it brings in; `*` brings in all.
    pub(crate) name: String,
    /// It has a visibility, so other modules may see the name here.
    pub(crate) is_reexport: bool,
}

#[derive(Default)]
pub(crate) struct Module {
    /// The module's path from the crate's root, without `crate`.
    pub(crate) path: Vec<String>,
    pub(crate) file: String,
    pub(crate) children: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
    pub(crate) paths: Vec<Path>,
    /// Every identifier of the code outside its imports.
    pub(crate) words: BTreeSet<String>,
}

/// All modules of a crate by their paths.
#[derive(Default)]
pub(crate) struct Modules {
    pub(crate) by_path: BTreeMap<Vec<String>, Module>,
    /// Files without `.rs`, and folders, of modules that only tests have.
    pub(crate) test_only: Vec<String>,
}

impl Modules {
    /// Follows `mod` from the root file on. `read` gives a file's source, if there is such a file.
    pub(crate) fn read(root: &str, read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut modules = Self::default();
        modules.add(root.to_owned(), Vec::new(), read);
        modules
    }

    fn add(&mut self, file: String, path: Vec<String>, read: &dyn Fn(&str) -> Option<String>) {
        let source = read(&file).unwrap_or_else(|| panic!("{file} cannot be read"));
        let mut scan = Scan { tokens: &tokens(&source), at: 0, file: &file, found: Vec::new() };
        scan.module(path.clone());
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", &file));
        let folder = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => file.trim_end_matches(".rs").to_owned(),
        };
        let within = |name: &str| format!("{folder}/{name}").trim_start_matches('/').to_owned();
        for found in scan.found {
            match found {
                Found::Module(module) => {
                    self.by_path.insert(module.path.clone(), module);
                }
                Found::TestFile(name) => self.test_only.push(within(&name)),
                Found::File(parent, name) => {
                    let child = within(&name);
                    let candidates = [format!("{child}.rs"), format!("{child}/mod.rs")];
                    let file = candidates.into_iter().find(|file| read(file).is_some());
                    let file = file.unwrap_or_else(|| panic!("{child} has no file"));
                    self.add(file, [parent, vec![name]].concat(), read);
                }
            }
        }
    }
}

/// What one file holds.
enum Found {
    Module(Module),
    /// `mod name;` in the module of this path.
    File(Vec<String>, String),
    /// The same in test code.
    TestFile(String),
}

struct Token {
    line: usize,
    /// An identifier, a number, `::`, or one other character.
    text: String,
}

/// The code without comments, strings, characters and lifetimes.
fn tokens(source: &str) -> Vec<Token> {
    let text: Vec<char> = source.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let starts =
        |at: usize, with: &str| with.chars().enumerate().all(|(i, c)| text.get(at + i) == Some(&c));
    let mut tokens = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while at < text.len() {
        line += text[counted..at].iter().filter(|c| **c == '\n').count();
        counted = at;
        if starts(at, "//") {
            while at < text.len() && text[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            let mut depth = 0;
            loop {
                if starts(at, "/*") {
                    (depth, at) = (depth + 1, at + 2);
                } else if starts(at, "*/") {
                    (depth, at) = (depth - 1, at + 2);
                } else {
                    at += 1;
                }
                if depth == 0 || at >= text.len() {
                    break;
                }
            }
        } else if let Some(length) = raw_string(&text[at..]) {
            at += length;
        } else if text[at] == '"' {
            at += 1;
            while at < text.len() && text[at] != '"' {
                at += if text[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if text[at] == '\'' {
            // A lifetime is a quote and a word without a second quote.
            if text.get(at + 1) == Some(&'\\') {
                at += 3;
                while at < text.len() && text[at] != '\'' {
                    at += 1;
                }
                at += 1;
            } else if text.get(at + 2) == Some(&'\'') {
                at += 3;
            } else {
                at += 1;
                while at < text.len() && is_word(text[at]) {
                    at += 1;
                }
            }
        } else if is_word(text[at]) {
            let from = at;
            while at < text.len() && is_word(text[at]) {
                at += 1;
            }
            // The letter before a string: b"", c"".
            if text.get(at) != Some(&'"') {
                tokens.push(Token { line, text: text[from..at].iter().collect() });
            }
        } else if starts(at, "::") {
            tokens.push(Token { line, text: "::".into() });
            at += 2;
        } else {
            if !text[at].is_whitespace() {
                tokens.push(Token { line, text: text[at].into() });
            }
            at += 1;
        }
    }
    tokens
}

/// The length of the raw string that the text begins with.
fn raw_string(text: &[char]) -> Option<usize> {
    let head = text.iter().take_while(|c| matches!(c, 'b' | 'c' | 'r')).count();
    if head == 0 || head > 2 || text[head - 1] != 'r' {
        return None;
    }
    let hashes = text[head..].iter().take_while(|c| **c == '#').count();
    let from = head + hashes + 1;
    if text.get(from - 1) != Some(&'"') {
        return None;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let length = text[from..].windows(end.len()).position(|window| window == end);
    Some(from + length.unwrap_or(text.len()) + end.len())
}

struct Scan<'a> {
    tokens: &'a [Token],
    at: usize,
    file: &'a str,
    found: Vec<Found>,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn starts(&self, with: &[&str]) -> bool {
        with.iter().enumerate().all(|(i, text)| self.peek(i) == *text)
    }

    /// A module to its closing brace, or to the end of the file.
    fn module(&mut self, path: Vec<String>) {
        let mut module = Module { path, file: self.file.to_owned(), ..Module::default() };
        let mut depth = 0;
        while self.at < self.tokens.len() {
            let is_name = is_identifier(self.peek(1));
            match self.peek(0) {
                "#" if self.is_test() => self.skip_item(),
                "mod" if is_name && self.peek(2) == ";" => {
                    let name = self.peek(1).to_owned();
                    module.children.insert(name.clone());
                    self.found.push(Found::File(module.path.clone(), name));
                    self.at += 3;
                }
                "mod" if is_name && self.peek(2) == "{" => {
                    let name = self.peek(1).to_owned();
                    module.children.insert(name.clone());
                    self.at += 3;
                    self.module([module.path.clone(), vec![name]].concat());
                }
                // Not the `use<'a>` of a type.
                "use" if self.peek(1) != "<" => {
                    let is_reexport = self.at > 0
                        && matches!(self.tokens[self.at - 1].text.as_str(), "pub" | ")");
                    self.at += 1;
                    self.import(&mut module, &[], is_reexport);
                }
                text => {
                    match text {
                        "{" => depth += 1,
                        "}" if depth == 0 => {
                            self.at += 1;
                            break;
                        }
                        "}" => depth -= 1,
                        _ => {}
                    }
                    self.code(&mut module);
                }
            }
        }
        self.found.push(Found::Module(module));
    }

    /// At an attribute that keeps an item for tests.
    fn is_test(&self) -> bool {
        let cfg = ["#", "[", "cfg", "("];
        self.starts(&[&cfg[..], &["test", ")"]].concat())
            || self.starts(&[&cfg[..], &["all", "(", "test"]].concat())
    }

    /// Over attributes and the item that they stand at. Names the file of a test module.
    fn skip_item(&mut self) {
        while self.peek(0) == "#" {
            self.at += 1;
            self.skip_group();
        }
        let mut is_import = false;
        loop {
            match self.peek(0) {
                "" => return,
                ";" => break,
                "use" => is_import = true,
                "mod" if self.peek(2) == ";" => {
                    let name = self.peek(1).to_owned();
                    self.found.push(Found::TestFile(name));
                }
                "{" if !is_import => return self.skip_group(),
                "(" | "[" | "{" => {
                    self.skip_group();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
    }

    /// From an opening bracket past its closing one.
    fn skip_group(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.peek(0) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }

    /// One tree of a `use`, behind the segments `before`.
    fn import(&mut self, module: &mut Module, before: &[String], is_reexport: bool) {
        let mut segments = before.to_vec();
        let line = self.tokens[self.at.min(self.tokens.len() - 1)].line;
        loop {
            match self.peek(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.peek(0), "}" | "") {
                        self.import(module, &segments, is_reexport);
                        if self.peek(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "::" => {}
                text if is_identifier(text) || text == "*" => segments.push(text.to_owned()),
                _ => break,
            }
            self.at += 1;
            if self.peek(0) == "as" {
                break;
            }
        }
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let mut name = segments.last().cloned().unwrap_or_default();
        if self.peek(0) == "as" {
            name = self.peek(1).to_owned();
            self.at += 2;
        }
        if segments.is_empty() {
            // Not Rust that this reader knows, as within a macro.
            self.at += 1;
            return;
        }
        module.imports.push(Import { path: Path { line, segments }, name, is_reexport });
    }

    /// One token of code, or the path that begins here.
    fn code(&mut self, module: &mut Module) {
        let is_start = is_identifier(self.peek(0))
            && !(self.at > 0
                && matches!(self.tokens[self.at - 1].text.as_str(), "::" | "in" | "."));
        let line = self.tokens[self.at].line;
        let mut segments = Vec::new();
        if is_identifier(self.peek(0)) {
            module.words.insert(self.peek(0).to_owned());
        }
        if is_start {
            segments.push(self.peek(0).to_owned());
            while self.peek(1) == "::" && is_identifier(self.peek(2)) {
                self.at += 2;
                segments.push(self.peek(0).to_owned());
            }
        }
        self.at += 1;
        if segments.len() > 1 {
            module.paths.push(Path { line, segments });
        }
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
