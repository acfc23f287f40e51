//! Strict decoding of a tree: every mistake is noted with its place, and reading goes on.

use std::path::Path;

use super::problem::{Position, Problem, unknown};
use super::tree::{Key, Node, Style, Tree};
use crate::jq;

/// Decodes one file and collects what is wrong with it.
pub(crate) struct Reader<'f> {
    file: &'f Path,
    text: &'f str,
    /// What was found so far.
    pub(crate) problems: Vec<Problem>,
}

/// The entries of a mapping, each key known and there once.
pub(crate) struct Fields<'n> {
    /// Where the mapping begins.
    pub(crate) at: Position,
    entries: Vec<(&'n Key, &'n Node)>,
}

impl<'n> Fields<'n> {
    /// The value under a key.
    pub(crate) fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| *node)
    }

    /// All entries in the order of the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'n Key, &'n Node)> + '_ {
        self.entries.iter().copied()
    }
}

impl<'f> Reader<'f> {
    /// A reader of this file, whose text helps to place mistakes inside programs.
    pub(crate) fn new(file: &'f Path, text: &'f str) -> Self {
        Self { file, text, problems: Vec::new() }
    }

    /// Notes a mistake.
    pub(crate) fn problem(&mut self, at: Position, message: impl Into<String>) {
        let file = self.file.to_path_buf();
        self.problems.push(Problem { file, at, message: message.into() });
    }

    /// The entries of a mapping whose keys are free.
    pub(crate) fn entries<'n>(&mut self, node: &'n Node, what: &str) -> Option<Fields<'n>> {
        let Tree::Map(entries) = &node.value else {
            self.problem(node.at, format!("{what} must be a mapping (`key: value`)"));
            return None;
        };
        let mut fields = Fields { at: node.at, entries: Vec::with_capacity(entries.len()) };
        for (key, value) in entries {
            if fields.get(&key.name).is_some() {
                self.problem(key.at, format!("`{}` is there twice; keep one", key.name));
                continue;
            }
            fields.entries.push((key, value));
        }
        Some(fields)
    }

    /// The entries of a mapping that may have these keys only.
    pub(crate) fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        known: &[&str],
    ) -> Option<Fields<'n>> {
        let fields = self.entries(node, what)?;
        for (key, _) in fields.iter() {
            if !known.contains(&key.name.as_str()) {
                let message = unknown("key", &key.name, known.iter().copied());
                self.problem(key.at, format!("{message} in {what}"));
            }
        }
        Some(fields)
    }

    /// The text of a scalar that is neither null nor empty.
    pub(crate) fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        match &node.value {
            Tree::Scalar(text, style)
                if !(text.is_empty() || *style == Style::Plain && is_null(text)) =>
            {
                Some(text.trim_end().to_owned())
            }
            Tree::Scalar(..) => {
                self.problem(
                    node.at,
                    format!("{what} is empty; write a value or leave the key out"),
                );
                None
            }
            _ => {
                self.problem(node.at, format!("{what} must be text"));
                None
            }
        }
    }

    /// A text that has to be there.
    pub(crate) fn required_text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        match fields.get(key) {
            Some(node) => self.text(node, &format!("`{key}`")),
            None => {
                self.problem(fields.at, format!("`{key}` is missing"));
                None
            }
        }
    }

    /// A text that may be left out.
    pub(crate) fn optional_text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|node| self.text(node, &format!("`{key}`")))
    }

    /// A boolean; false when left out.
    pub(crate) fn flag(&mut self, fields: &Fields<'_>, key: &str) -> bool {
        self.optional_flag(fields, key).unwrap_or(false)
    }

    /// A boolean that may be left out.
    pub(crate) fn optional_flag(&mut self, fields: &Fields<'_>, key: &str) -> Option<bool> {
        let node = fields.get(key)?;
        match &node.value {
            Tree::Scalar(text, Style::Plain) if text == "true" => Some(true),
            Tree::Scalar(text, Style::Plain) if text == "false" => Some(false),
            _ => {
                self.problem(node.at, format!("`{key}` must be true or false"));
                None
            }
        }
    }

    /// The items of a list; a lone value counts as a mistake.
    pub(crate) fn list<'n>(&mut self, fields: &Fields<'n>, key: &str) -> &'n [Node] {
        match fields.get(key).map(|node| (&node.value, node.at)) {
            None => &[],
            Some((Tree::List(items), _)) => items,
            Some((_, at)) => {
                self.problem(at, format!("`{key}` must be a list (`[a, b]`)"));
                &[]
            }
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, fields: &Fields<'_>, key: &str) -> Vec<String> {
        let items = self.list(fields, key);
        items.iter().filter_map(|node| self.text(node, &format!("an entry of `{key}`"))).collect()
    }

    /// One word of a closed list.
    pub(crate) fn word<T: Clone>(
        &mut self,
        node: &Node,
        kind: &str,
        table: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(node, kind)?;
        let found = table.iter().find(|(word, _)| *word == text).map(|(_, value)| value.clone());
        if found.is_none() {
            let words = table.iter().map(|(word, _)| *word);
            self.problem(node.at, unknown(kind, &text, words));
        }
        found
    }

    /// Notes every flaw of a program at its own place.
    pub(crate) fn flaws(&mut self, node: &Node, source: &str, flaws: Vec<jq::Flaw>) {
        for flaw in flaws {
            let at = self.place(node, source, flaw.offset);
            self.problem(at, format!("jq: {}", flaw.message));
        }
    }

    /// Where an offset of a scalar's text lies in the file.
    fn place(&self, node: &Node, source: &str, offset: usize) -> Position {
        let before = source.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let Tree::Scalar(_, style) = node.value else {
            return node.at;
        };
        match style {
            Style::Block => {
                let first = node.at.line + usize::from(self.is_header(node.at));
                let content =
                    self.text.lines().skip(first - 1).find(|text| !text.trim().is_empty());
                let indent = content.map_or(0, |text| text.len() - text.trim_start().len());
                Position { line: first + line, column: indent + column + 1 }
            }
            Style::Plain if line == 0 => Position { column: node.at.column + column, ..node.at },
            Style::Quoted if line == 0 => {
                Position { column: node.at.column + column + 1, ..node.at }
            }
            _ => node.at,
        }
    }

    /// Whether the place of a block scalar is its `|`, rather than its first line.
    fn is_header(&self, at: Position) -> bool {
        let line = self.text.lines().nth(at.line - 1).unwrap_or_default();
        matches!(line.chars().nth(at.column - 1), Some('|' | '>'))
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "~" | "null")
}
