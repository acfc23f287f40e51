//! YAML text as a tree that remembers where everything was written.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::Position;

/// Deeper nesting is refused: nothing sensible needs it, and recursion stays shallow.
const MAX_DEPTH: usize = 64;

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub value: Tree,
}

/// A YAML value.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Text as written, and how.
    Scalar(String, Style),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping in the order of the file; duplicates are kept for the reader to refuse.
    Map(Vec<(Key, Node)>),
}

/// The key of a mapping entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Where it begins.
    pub at: Position,
    /// Its text.
    pub name: String,
}

/// How a scalar was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Bare: may be a number, a boolean or null.
    Plain,
    /// In quotes.
    Quoted,
    /// After `|` or `>`.
    Block,
}

/// What a text may contain beyond plain values.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Anchors and aliases are followed rather than refused.
    pub aliases: bool,
    /// The most values a text may hold once aliases are followed.
    pub max_nodes: usize,
}

/// Where reading stopped, and why.
pub type Refusal = (Position, String);

/// Reads one document; empty text is `None`.
pub fn parse(text: &str, rules: Rules) -> Result<Option<Node>, Refusal> {
    let mut builder = Builder { rules, nodes: 0, anchors: HashMap::new() };
    let mut events = Events { parser: Parser::new_from_str(text) };
    let mut root = None;
    loop {
        let (event, at) = events.next()?;
        match event {
            Event::StreamEnd => return Ok(root),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
            _ if root.is_some() => return Err((at, "keep to one document per text".to_owned())),
            event => root = Some(builder.node(event, at, &mut events, 0)?),
        }
    }
}

struct Events<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Position), Refusal> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, position(&span))),
            Some(Err(error)) => {
                let mark = error.marker();
                let at = Position { line: mark.line().max(1), column: mark.col() + 1 };
                Err((at, format!("not YAML: {}", error.info())))
            }
            None => Ok((Event::StreamEnd, Position::START)),
        }
    }
}

fn position(span: &Span) -> Position {
    Position { line: span.start.line().max(1), column: span.start.col() + 1 }
}

struct Builder {
    rules: Rules,
    nodes: usize,
    anchors: HashMap<usize, (Node, usize)>,
}

impl Builder {
    fn node<'a>(
        &mut self,
        event: Event<'a>,
        at: Position,
        events: &mut Events<'a>,
        depth: usize,
    ) -> Result<Node, Refusal> {
        if depth > MAX_DEPTH {
            return Err((at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let before = self.nodes;
        self.count(at, 1)?;
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, _) => (anchor, scalar(text, style)),
            Event::SequenceStart(anchor, _) => (anchor, self.list(events, depth)?),
            Event::MappingStart(anchor, _) => (anchor, self.map(events, depth)?),
            Event::Alias(id) => return self.alias(id, at),
            _ => return Err((at, "expected a value here".to_owned())),
        };
        let node = Node { at, value };
        if anchor != 0 {
            if !self.rules.aliases {
                return Err((at, "anchors are not used here; write the value out".to_owned()));
            }
            self.anchors.insert(anchor, (node.clone(), self.nodes - before));
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, at: Position) -> Result<Node, Refusal> {
        if !self.rules.aliases {
            return Err((at, "aliases are not used here; write the value out".to_owned()));
        }
        let Some((node, size)) = self.anchors.get(&id) else {
            return Err((at, "this alias refers to itself or to nothing".to_owned()));
        };
        let (node, size) = (node.clone(), *size);
        self.count(at, size)?;
        Ok(Node { at, value: node.value })
    }

    /// Counted before anything is copied, so that nested aliases cannot multiply unseen.
    fn count(&mut self, at: Position, more: usize) -> Result<(), Refusal> {
        self.nodes += more;
        if self.nodes > self.rules.max_nodes {
            return Err((at, format!("more than {} values", self.rules.max_nodes)));
        }
        Ok(())
    }

    fn list<'a>(&mut self, events: &mut Events<'a>, depth: usize) -> Result<Tree, Refusal> {
        let mut items = Vec::new();
        loop {
            let (event, at) = events.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(Tree::List(items));
            }
            items.push(self.node(event, at, events, depth + 1)?);
        }
    }

    fn map<'a>(&mut self, events: &mut Events<'a>, depth: usize) -> Result<Tree, Refusal> {
        let mut entries = Vec::new();
        loop {
            let (event, at) = events.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(Tree::Map(entries));
            }
            let key = self.node(event, at, events, depth + 1)?;
            let Tree::Scalar(name, _) = key.value else {
                return Err((at, "a key must be plain text".to_owned()));
            };
            let (event, value_at) = events.next()?;
            let value = self.node(event, value_at, events, depth + 1)?;
            entries.push((Key { at, name }, value));
        }
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Tree {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
    };
    Tree::Scalar(text.into_owned(), style)
}
