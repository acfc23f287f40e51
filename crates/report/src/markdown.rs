//! A report for a pull request or a wiki.

use crate::document::Document;
use crate::escape::markdown as escape;
use crate::rows::{self, Row};
use crate::wording;

/// The first line of every one.
pub(crate) const OPENING: &str = "<!-- checkrein report -->\n";

pub(crate) fn render(document: &Document) -> String {
    let verdict = document.verdict;
    let mut out = format!(
        "{OPENING}\n# Checkrein: {}\n\n{}.\n\n",
        escape(verdict.name()),
        escape(&capitalised(wording::verdict(verdict)))
    );
    for reason in &document.reasons {
        let calls = rows::in_brackets(document, &reason.attempts);
        let detail = escape(&format!("{}{calls}", reason.detail));
        out.push_str(&format!("- **{}**: {detail}\n", escape(reason.code.name())));
    }
    out.push_str("\n| | |\n|---|---|\n");
    for (name, fact) in rows::facts(document) {
        out.push_str(&format!("| {name} | {} |\n", escape(&fact)));
    }
    timeline(document, &mut out);
    for (heading, sentences) in rows::sections(document) {
        if sentences.is_empty() {
            continue;
        }
        out.push_str(&format!("\n## {heading}\n\n"));
        for sentence in sentences {
            out.push_str(&format!("- {}\n", escape(&sentence)));
        }
    }
    advice(document, &mut out);
    out
}

fn timeline(document: &Document, out: &mut String) {
    out.push_str("\n## Timeline\n\n");
    if !document.is_detailed {
        out.push_str("The details come when the run ends.\n");
        return;
    }
    out.push_str("| time | call | what the agent was told | what really happened |\n");
    out.push_str("|---:|---|---|---|\n");
    for (at_us, row) in rows::rows(document) {
        let time = wording::duration(at_us);
        let (call, told, happened) = match row {
            Row::Note(what) => (what.to_owned(), String::new(), String::new()),
            Row::Call(call) => {
                let mark = if call.is_contradicted { "; the agent cannot know" } else { "" };
                (
                    format!("call {}: {}", call.call, rows::name_of(call)),
                    wording::told(&call.told),
                    format!("{}{mark}", wording::happened(&call.happened)),
                )
            }
        };
        let cells = [time, call, told, happened].map(|cell| escape(&cell));
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    if document.left_out > 0 {
        out.push_str(&format!("\n{} more calls are in the run directory.\n", document.left_out));
    }
}

fn advice(document: &Document, out: &mut String) {
    if document.advice.is_empty() {
        return;
    }
    out.push_str("\n## What would mend it\n");
    for advice in &document.advice {
        let calls = rows::in_brackets(document, &advice.attempts);
        let layer = capitalised(wording::layer(advice.layer));
        let detail = escape(&format!("{}{calls}", advice.detail));
        out.push_str(&format!("\n**{}.** {detail}\n", escape(&layer)));
        for patch in &advice.patches {
            let language = wording::language(patch.language);
            out.push_str(&format!("\n{language}:\n\n> {}\n", escape(&patch.text)));
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
