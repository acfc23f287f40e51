//! What the reader of the demo sees, and the count of what came true.

use serde_json::Value;

use crate::terminal::{Style, say};

/// Longer lines are cut: the point of a step fits into one.
const WIDEST: usize = 150;

/// Prints the story and counts its expectations.
pub(crate) struct Transcript {
    style: Style,
    steps: usize,
    held: usize,
    broken: Vec<String>,
}

impl Transcript {
    pub(crate) fn new(style: Style) -> Self {
        Self { style, steps: 0, held: 0, broken: Vec::new() }
    }

    /// Opens a step.
    pub(crate) fn step(&mut self, title: &str) {
        self.steps += 1;
        say(&format!("\n{}", self.style.bold(&format!("{}. {title}", self.steps))));
    }

    /// What the agent asked for.
    pub(crate) fn asks(&self, tool: &str, arguments: &Value) {
        say(&self.style.dim(&cut(&format!("   → {tool} {arguments}"))));
    }

    /// What the server asked back, and what the person said.
    pub(crate) fn asked_back(&self, message: &str, accepted: bool) {
        let reply = if accepted { "yes" } else { "no" };
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        say(&cut(&format!("   ? {message}  ({reply})")));
    }

    /// What came back.
    pub(crate) fn hears(&self, text: &str) {
        say(&cut(&format!("   ← {text}")));
    }

    /// Something that must be so for the demo to have worked.
    pub(crate) fn expect(&mut self, statement: &str, is_so: bool) {
        if is_so {
            self.held += 1;
            say(&self.style.good(&format!("   ✓ {statement}")));
        } else {
            self.broken.push(statement.to_owned());
            say(&self.style.bad(&format!("   ✗ {statement}")));
        }
    }

    /// The last word.
    pub(crate) fn sum_up(&self) {
        let counted =
            format!("{} steps, {} of {} expectations held", self.steps, self.held, self.all());
        if self.broken.is_empty() {
            say(&format!("\n{}", self.style.good(&counted)));
            return;
        }
        say(&format!("\n{}", self.style.bad(&counted)));
        for statement in &self.broken {
            say(&format!("  ✗ {statement}"));
        }
    }

    /// How many expectations did not hold.
    pub(crate) fn broken(&self) -> usize {
        self.broken.len()
    }

    fn all(&self) -> usize {
        self.held + self.broken.len()
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}
