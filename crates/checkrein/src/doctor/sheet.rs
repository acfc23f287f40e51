//! What the doctor found, for people and for programs.

use std::time::Duration;

use checkrein_chaos::review::{Finding, Level};
use checkrein_ledger::{Class, Tool};
use serde_json::{Value, json};

use crate::terminal::{Style, table};

/// The name and version of the JSON form.
const SCHEMA: &str = "checkrein.doctor.v1";
/// More names than these are counted.
const NAMES_SHOWN: usize = 8;
/// Where the text of a finding begins.
const INDENT: &str = "             ";

/// Everything that was found.
#[derive(Default)]
pub(super) struct Sheet {
    /// From the upstream's start to its first answer.
    pub(super) start: Option<Duration>,
    /// Its tools and their classes.
    pub(super) tools: Vec<Tool>,
    sections: Vec<(&'static str, Vec<Finding>)>,
}

impl Sheet {
    /// Adds what was found in one area.
    pub(super) fn section(&mut self, area: &'static str, findings: Vec<Finding>) {
        self.sections.push((area, findings));
    }

    /// How many findings have a level.
    pub(super) fn count(&self, level: Level) -> usize {
        let findings = self.sections.iter().flat_map(|(_, findings)| findings);
        findings.filter(|finding| finding.level == level).count()
    }

    /// For people.
    pub(super) fn to_text(&self) -> String {
        let style = Style::of_stdout();
        let mut lines = Vec::new();
        for (area, findings) in &self.sections {
            lines.push(style.bold(title(area)));
            for finding in findings {
                lines.extend(told(finding, style));
            }
            if *area == "tools" && !self.tools.is_empty() {
                lines.extend(self.classes().lines().map(|line| format!("  {line}")));
            }
            lines.push(String::new());
        }
        let count = |level, one: &str, many: &str| match self.count(level) {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        lines.push(format!(
            "{}, {}, {}",
            count(Level::Problem, "problem", "problems"),
            count(Level::Warning, "warning", "warnings"),
            count(Level::Note, "note", "notes")
        ));
        lines.join("\n")
    }

    fn classes(&self) -> String {
        let rows: Vec<_> = self
            .tools
            .iter()
            .map(|tool| vec![tool.name.clone(), class(tool).to_owned(), tool.reason.clone()])
            .collect();
        table(&["tool", "class", "because"], &rows)
    }

    /// For programs.
    pub(super) fn to_json(&self) -> String {
        let findings = self.sections.iter().flat_map(|(area, findings)| {
            findings.iter().map(move |finding| {
                let mut value = serde_json::to_value(finding).unwrap_or_default();
                if let Value::Object(fields) = &mut value {
                    fields.shift_insert(0, "area".to_owned(), json!(area));
                }
                value
            })
        });
        let tools = self
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "class": class(tool), "reason": tool.reason}));
        json!({
            "schema": SCHEMA,
            "checkrein": env!("CARGO_PKG_VERSION"),
            "start_ms": self.start.map(|start| u64::try_from(start.as_millis()).unwrap_or(u64::MAX)),
            "problems": self.count(Level::Problem),
            "warnings": self.count(Level::Warning),
            "notes": self.count(Level::Note),
            "tools": tools.collect::<Vec<_>>(),
            "findings": findings.collect::<Vec<_>>(),
        })
        .to_string()
    }
}

fn title(area: &str) -> &'static str {
    match area {
        "upstream" => "The upstream",
        "tools" => "Its tools",
        "schemas" => "How its tools are defined",
        "places" => "Where the run is kept",
        _ => "The agents",
    }
}

fn told(finding: &Finding, style: Style) -> Vec<String> {
    let level = format!("{:<9}", finding.level.name());
    let level = match finding.level {
        Level::Ok => style.good(&level),
        Level::Problem => style.bad(&level),
        Level::Note | Level::Warning => level,
    };
    let mut lines = vec![format!("  {level}  {}", finding.text)];
    if !finding.tools.is_empty() {
        lines.push(format!("{INDENT}{}", names(&finding.tools)));
    }
    if let Some(mend) = &finding.mend {
        lines.push(style.dim(&format!("{INDENT}mend: {mend}")));
    }
    lines
}

fn names(tools: &[String]) -> String {
    let mut shown = tools.iter().take(NAMES_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if tools.len() > NAMES_SHOWN {
        shown.push_str(&format!(" and {} more", tools.len() - NAMES_SHOWN));
    }
    shown
}

fn class(tool: &Tool) -> &'static str {
    match tool.class {
        Class::Write => "write",
        Class::Read => "read",
        Class::Unclassified | Class::NotOffered => "unclassified",
    }
}
