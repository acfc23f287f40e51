//! A report for a terminal.

use crate::document::Document;
use crate::escape::terminal;
use crate::rows::{self, Row};
use crate::wording;

/// The first line of every one.
pub(crate) const OPENING: &str = "Checkrein report\n================\n";

pub(crate) fn render(document: &Document) -> String {
    let mut lines: Vec<String> = Vec::new();
    let verdict = document.verdict;
    lines.push(format!("{}: {}", verdict.name(), wording::verdict(verdict)));
    for reason in &document.reasons {
        let calls = rows::in_brackets(document, &reason.attempts);
        lines.push(format!("  {}: {}{calls}", reason.code.name(), reason.detail));
    }
    lines.push(String::new());
    for (name, fact) in rows::facts(document) {
        lines.push(format!("{name:<7} {fact}"));
    }
    if document.is_detailed {
        timeline(document, &mut lines);
    } else {
        lines.push(String::new());
        lines.push("The details come when the run ends.".to_owned());
    }
    for (heading, sentences) in rows::sections(document) {
        section(heading, &sentences, &mut lines);
    }
    advice(document, &mut lines);
    let mut out = format!("{OPENING}\n");
    for line in lines {
        out.push_str(terminal(&line).trim_end());
        out.push('\n');
    }
    out
}

fn section(heading: &str, sentences: &[String], lines: &mut Vec<String>) {
    if sentences.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(heading.to_owned());
    lines.extend(sentences.iter().map(|sentence| format!("  - {sentence}")));
}

fn timeline(document: &Document, lines: &mut Vec<String>) {
    lines.push(String::new());
    lines.push("What the agent was told, and what really happened".to_owned());
    for (at_us, row) in rows::rows(document) {
        let time = wording::duration(at_us);
        match row {
            Row::Note(what) => lines.push(format!("  {time:>8}  {what}")),
            Row::Call(call) => {
                lines.push(format!("  {time:>8}  call {}: {}", call.call, rows::name_of(call)));
                lines.push(format!("            told      {}", wording::told(&call.told)));
                let mark = if call.is_contradicted { "  <- the agent cannot know" } else { "" };
                let happened = wording::happened(&call.happened);
                lines.push(format!("            happened  {happened}{mark}"));
            }
        }
    }
    if document.left_out > 0 {
        lines.push(format!("  {} more calls are in the run directory", document.left_out));
    }
}

fn advice(document: &Document, lines: &mut Vec<String>) {
    if document.advice.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push("What would mend it".to_owned());
    for advice in &document.advice {
        let calls = rows::in_brackets(document, &advice.attempts);
        lines.push(format!("  - {}: {}{calls}", wording::layer(advice.layer), advice.detail));
        for patch in &advice.patches {
            lines.push(format!("      {}: {}", wording::language(patch.language), patch.text));
        }
    }
}
