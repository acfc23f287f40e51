//! Whether an agent whose answer was lost can find out what became of its write.
//!
//! It never got the record's id, so a read that asks for one is no help. What helps is a read that
//! can be narrowed by what the agent sent.

use super::{Finding, Level, Reviewed, words};

const CHECK: &str = "look_up";

/// How a read tool can show a write's outcome, the best first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// By fields that the write has, too.
    ByFields(Vec<String>),
    /// By words to look for.
    ByText(String),
    /// By reading everything.
    Whole,
    /// By something the write does not have and an agent may know.
    Guess(Vec<String>),
    /// Only by an identifier that was in the lost answer.
    NeedsId(Vec<String>),
}

pub(super) fn check(tools: &[Reviewed<'_>]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for write in tools.iter().filter(|tool| tool.is_write()) {
        let found = of(write, tools);
        let same = findings.iter_mut().find(|known| {
            (known.level, &known.text, &known.mend) == (found.level, &found.text, &found.mend)
        });
        match same {
            Some(known) => known.tools.extend(found.tools),
            None => findings.push(found),
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

fn of(write: &Reviewed<'_>, tools: &[Reviewed<'_>]) -> Finding {
    let reads = || tools.iter().filter(|tool| tool.is_read());
    let named = reads().filter(|read| is_about(read, write));
    let named = named.map(|read| (way(read, write), read.name())).min();
    // A read of another thing is no help, and one that nothing narrows says too little of this one.
    let helps = |way: &Way| matches!(way, Way::ByFields(_) | Way::ByText(_));
    let is_of_another = |read: &&Reviewed<'_>| {
        tools.iter().any(|tool| tool.is_write() && !tool.nouns.is_empty() && is_about(read, tool))
    };
    let other = || {
        let ways = reads().filter(|read| !is_of_another(read));
        let ways = ways.map(|read| (way(read, write), read.name()));
        ways.filter(|(way, _)| helps(way)).min()
    };
    let bad = if write.is_idempotent() { Level::Note } else { Level::Warning };
    let finding = match named {
        Some((Way::ByFields(fields), read)) => {
            let text = format!("its outcome can be looked up by {} in `{read}`", listed(&fields));
            Finding::new(Level::Ok, CHECK, text)
        }
        Some((Way::ByText(field), read)) => {
            let text = format!("its outcome can be searched for by `{field}` in `{read}`");
            Finding::new(Level::Ok, CHECK, text)
        }
        Some((Way::Whole, read)) => Finding::new(
            Level::Note,
            CHECK,
            format!("its outcome shows only in all that `{read}` lists: nothing narrows it"),
        )
        .mend("let that tool filter by the fields that make the record what it is"),
        Some((Way::Guess(fields), read)) => Finding::new(
            Level::Note,
            CHECK,
            format!("`{read}` may show its outcome, but asks for {}", listed(&fields)),
        )
        .mend("offer a list or search tool that filters by the write's own fields"),
        Some((Way::NeedsId(fields), read)) => match other() {
            Some((way, other)) => unrelated(&way, other),
            None => Finding::new(
                bad,
                CHECK,
                format!(
                    "its outcome cannot be looked up after a lost answer: `{read}` asks for {}, \
                     which was in that answer",
                    listed(&fields)
                ),
            )
            .mend("offer a list or search tool that filters by the write's own fields"),
        },
        None => match other() {
            Some((way, other)) => unrelated(&way, other),
            None => Finding::new(bad, CHECK, "no read tool shows its outcome after a lost answer")
                .mend("offer a list or search tool that filters by the write's own fields"),
        },
    };
    finding.about(vec![write.name().to_owned()])
}

fn unrelated(way: &Way, read: &str) -> Finding {
    let how = match way {
        Way::ByFields(fields) => format!(" by {}", listed(fields)),
        Way::ByText(field) => format!(" by `{field}`"),
        _ => String::new(),
    };
    let text = format!("no read tool is named like it; `{read}` may show its outcome{how}");
    Finding::new(Level::Note, CHECK, text)
        .mend("say in the write's description which tool shows whether it was carried out")
}

/// Whether both are about the same thing; tools that name nothing are about everything.
fn is_about(read: &Reviewed<'_>, write: &Reviewed<'_>) -> bool {
    let names_nothing = read.nouns.is_empty() && write.nouns.is_empty();
    names_nothing || read.nouns.iter().any(|noun| write.nouns.contains(noun))
}

fn way(read: &Reviewed<'_>, write: &Reviewed<'_>) -> Way {
    let sent: Vec<_> = write.definition.deep_fields.iter().map(|name| words::bare(name)).collect();
    let is_sent = |field: &&String| sent.contains(&words::bare(field));
    let is_free = |field: &&String| words::is_paging(field) || words::is_free_text(field);
    let missing =
        read.definition.required.iter().filter(|field| !is_sent(field) && !is_free(field));
    let missing = missing.cloned().collect::<Vec<_>>();
    if missing.iter().any(|field| words::is_identifier(field)) {
        return Way::NeedsId(missing);
    }
    if !missing.is_empty() {
        return Way::Guess(missing);
    }
    let shared = read
        .definition
        .deep_fields
        .iter()
        .filter(|field| is_sent(field) && !words::is_paging(field));
    let mut shared: Vec<_> = shared.cloned().collect();
    shared.dedup();
    if !shared.is_empty() {
        return Way::ByFields(shared);
    }
    match read.definition.fields.iter().find(|field| words::is_free_text(field)) {
        Some(field) => Way::ByText(field.clone()),
        None => Way::Whole,
    }
}

fn listed(fields: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut shown: Vec<_> = fields.iter().take(SHOWN).map(|field| format!("`{field}`")).collect();
    if fields.len() > SHOWN {
        shown.push(format!("{} more", fields.len() - SHOWN));
    }
    shown.join(", ")
}
