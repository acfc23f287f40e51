//! The timeline as rows, calls and everything else in one order, as all renderings show it.

use crate::document::Document;
use crate::timeline::{Event, Moment, Said, Telling};
use crate::wording;

/// One row of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row<'a> {
    /// A call.
    Call(&'a Moment),
    /// Something else, in a sentence.
    Note(&'a str),
}

/// Every row, with its time in microseconds since the run began.
pub(crate) fn rows(document: &Document) -> Vec<(u64, Row<'_>)> {
    let calls = document.timeline.iter().map(|it| (it.at_us, Row::Call(it)));
    let notes = document.happenings.iter().map(|it| (it.at_us, Row::Note(it.what.as_str())));
    let mut rows: Vec<_> = notes.chain(calls).collect();
    rows.sort_by_key(|(at_us, _)| *at_us);
    rows
}

/// How a cell is to be felt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Something was done, or success was told.
    Done,
    /// A failure, or nothing was done.
    Failed,
    /// It is not known.
    Open,
}

/// What the agent had to believe.
pub(crate) fn mood_of_telling(telling: &Telling) -> Mood {
    match telling.said {
        Said::Success => Mood::Done,
        Said::Injected if wording::kind(telling) == Some("success-that-lies") => Mood::Done,
        Said::Injected if wording::kind(telling) == Some("stale-read") => Mood::Done,
        Said::Error | Said::Injected | Said::Lost | Said::Unreadable => Mood::Failed,
        Said::Interim | Said::Nothing | Said::Waiting => Mood::Open,
    }
}

/// What was.
pub(crate) fn mood_of_event(event: Event) -> Mood {
    match event {
        Event::Executed => Mood::Done,
        Event::Rejected | Event::NotSent => Mood::Failed,
        Event::Unknown | Event::Interim | Event::Open => Mood::Open,
    }
}

/// The calls in brackets after a sentence, or nothing.
pub(crate) fn in_brackets(document: &Document, attempts: &[u64]) -> String {
    match calls(document, attempts).as_str() {
        "" => String::new(),
        calls => format!(" ({calls})"),
    }
}

/// `call 3`, `calls 1, 3`, or nothing where the timeline does not have them.
pub(crate) fn calls(document: &Document, attempts: &[u64]) -> String {
    let numbers: Vec<_> = attempts
        .iter()
        .filter_map(|attempt| document.call(*attempt))
        .map(|call| call.to_string())
        .collect();
    match numbers.as_slice() {
        [] => String::new(),
        [one] => format!("call {one}"),
        many => format!("calls {}", many.join(", ")),
    }
}

/// `create_booking (operation 2)`, the tool in backticks.
pub(crate) fn name_of(moment: &Moment) -> String {
    let tool = &moment.tool;
    let class = match moment.class {
        checkrein_ledger::Class::Write => "",
        checkrein_ledger::Class::Read => ", a read",
        checkrein_ledger::Class::Unclassified => ", unclassified",
        checkrein_ledger::Class::NotOffered => ", no such tool",
    };
    let going_on = if moment.continues.is_some() { ", goes on with an earlier call" } else { "" };
    let operation =
        moment.operation.map(|operation| format!(", operation {operation}")).unwrap_or_default();
    format!("`{tool}`{operation}{class}{going_on}")
}

/// Facts of the run, each with its name.
pub(crate) fn facts(document: &Document) -> Vec<(&'static str, String)> {
    let run = &document.run;
    let mut facts = vec![("tried", wording::trial(document))];
    facts.push(("score", score(document)));
    let mut about =
        format!("{} after {}", wording::status(document.status), wording::duration(run.lasted_us));
    if let Some(ended) = &run.ended {
        about.push_str(&format!(": {}", wording::ending(ended)));
    }
    if run.processes > 1 {
        about.push_str(&format!("; {} proxy processes shared it", run.processes));
    }
    facts.push(("run", about));
    if !run.clients.is_empty() {
        let clients: Vec<_> = run.clients.iter().map(|client| format!("`{client}`")).collect();
        facts.push(("client", clients.join(", ")));
    }
    let calls = &document.calls;
    let mut counts = format!("{} write, {} read", calls.write, calls.read);
    if calls.unclassified > 0 {
        counts.push_str(&format!(", {} unclassified and not judged", calls.unclassified));
    }
    if calls.not_offered > 0 {
        counts.push_str(&format!(", {} of tools that do not exist", calls.not_offered));
    }
    facts.push(("calls", counts));
    if let Some(damage) = &run.damage {
        facts.push(("ledger", format!("damaged: {damage}; what is before counts")));
    }
    facts.push((
        "proof",
        format!("{}: a run through a proxy proves nothing about production", document.verification),
    ));
    facts
}

fn score(document: &Document) -> String {
    let Some(score) = document.score else { return "none: nothing was tested".to_owned() };
    let failure = match score.failure_handling {
        Some(points) => format!(", failure handling {}", wording::points(points)),
        None => String::new(),
    };
    format!(
        "{} of 100 (duplicate safety {}{failure})",
        wording::points(score.overall),
        wording::points(score.duplicate_safety)
    )
}

/// What the renderings say of a section besides the timeline: a heading and its sentences.
pub(crate) fn sections(document: &Document) -> Vec<(&'static str, Vec<String>)> {
    let operations = document.operations.iter().zip(1..).map(|(it, number)| {
        let meant = if it.allowed == 1 {
            String::new()
        } else {
            format!(" (meant to be {})", times(it.allowed))
        };
        let faulted = if it.faulted { ", a fault was injected on it" } else { "" };
        format!(
            "operation {number}, `{}`: sent {}, {}{meant}{faulted}",
            it.tool,
            times(it.attempts),
            executed(it.executions)
        )
    });
    let repeats = document.repeats.iter().map(|it| {
        let of = it.repeats.map(|first| calls(document, &[first])).filter(|it| !it.is_empty());
        let of = of.map(|of| format!(", a repeat of {of}")).unwrap_or_default();
        let evidence: Vec<_> = it.evidence.iter().map(|clue| clue.detail.as_str()).collect();
        format!(
            "{} of `{}`{of}: {} ({}); {}. Evidence: {}",
            calls(document, &[it.attempt]),
            it.tool,
            wording::cause(it.cause),
            wording::confidence(it.confidence),
            wording::harm(it),
            evidence.join("; ")
        )
    });
    let read_backs = document.read_backs.iter().map(|it| {
        let late = if it.is_in_time { "" } else { ", but after it had been sent again" };
        format!(
            "{} by `{}` after the ghost write of {}: {}{late}; {}",
            calls(document, &[it.read]),
            it.tool,
            calls(document, &[it.ghost]),
            wording::shows(it.shows),
            it.detail
        )
    });
    let expectations = document.expectations.iter().map(|it| {
        let unknown = match it.unknown {
            0 => String::new(),
            more => format!(", and perhaps {} more", times(more)),
        };
        format!(
            "`{}` was meant to be executed {}, and was {}{unknown}",
            it.tool,
            times(it.expected),
            executed(it.executed)
        )
    });
    let state = document.state.iter().map(|it| it.detail.clone());
    vec![
        ("Operations", operations.collect()),
        ("Repeats, and who repeated", repeats.collect()),
        ("Looks after a ghost write", read_backs.collect()),
        ("Expected", expectations.collect()),
        ("The upstream's own state", state.collect()),
    ]
}

fn times(number: u64) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    }
}

fn executed(number: u64) -> String {
    match number {
        0 => "never executed".to_owned(),
        many => format!("executed {}", times(many)),
    }
}
