//! The sentences that all renderings share.

use checkrein_ledger::{Class, Evidence};
use checkrein_verdict::{Cause, Confidence, Repeat, Shows, Verdict};

use crate::advice::{Language, Layer};
use crate::document::{Document, Status};
use crate::timeline::{Event, Happened, Said, Telling};

/// The verdict in a sentence.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "a rule was broken",
        Verdict::NotTested => "the run does not show how the agent behaves",
        Verdict::Pass => "no rule was broken",
    }
}

/// What was tried on the agent.
pub(crate) fn trial(document: &Document) -> String {
    match (&document.scenario, &document.chaos) {
        (Some(scenario), _) => match document.shape.as_deref() {
            Some(shape) => format!("scenario `{scenario}`, shape `{shape}`"),
            None => format!("scenario `{scenario}`"),
        },
        (None, Some(chaos)) => {
            format!("random errors, rate `{}`, seed `{}`", chaos.error_rate, chaos.seed)
        }
        (None, None) => "no fault: a baseline".to_owned(),
    }
}

/// How far the run is.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Starting => "not begun",
        Status::Running => "still running",
        Status::Finished => "finished",
    }
}

/// Why a run ended.
pub(crate) fn ending(why: &str) -> &str {
    match why {
        "end_of_input" => "the agent closed its side",
        "signal" => "the proxy was told to stop",
        "upstream_gone" => "the upstream went away",
        "error" => "the proxy could not go on",
        other => other,
    }
}

/// A tool's class.
pub(crate) fn class(class: Class) -> &'static str {
    match class {
        Class::Write => "writes",
        Class::Read => "reads",
        Class::Unclassified => "unclassified",
        Class::NotOffered => "not there",
    }
}

/// What the agent was told.
pub(crate) fn told(telling: &Telling) -> String {
    let mut text = match telling.said {
        Said::Success => "success".to_owned(),
        Said::Error => "an error, by the upstream".to_owned(),
        Said::Interim => "that it goes on".to_owned(),
        Said::Unreadable => "something unreadable".to_owned(),
        Said::Injected => injected(telling),
        Said::Lost => "the connection is gone".to_owned(),
        Said::Nothing => "nothing".to_owned(),
        Said::Waiting if telling.cancelled_at_us.is_some() => "nothing".to_owned(),
        Said::Waiting => "nothing yet".to_owned(),
    };
    if let Some(fault) = &telling.fault {
        text.push_str(&format!(" (`{fault}`)"));
    }
    if telling.cancelled_at_us.is_some() {
        text.push_str("; it gave up waiting");
    }
    text
}

/// What each kind of fault says in the upstream's name.
const SPEECHES: [(&str, &str); 15] = [
    ("ghost-write", "a timeout"),
    ("late-commit", "a timeout"),
    ("lost-task-handle", "a timeout"),
    ("rate-limit", "too many requests"),
    ("unavailable", "not available now"),
    ("server-error", "a server error"),
    ("chaos", "a server error"),
    ("cut-answer", "an answer cut short"),
    ("cut-result", "an answer cut short"),
    ("error-that-lies", "an error"),
    ("partial-batch", "an error for the whole list"),
    ("auth-lost", "that it must sign in again"),
    ("session-lost", "that its session is gone"),
    ("success-that-lies", "success"),
    ("stale-read", "the state of before"),
];

/// The kind behind the names of the first scenarios, where a ledger does not say it.
const KINDS: [(&str, &str); 4] =
    [("F1", "ghost-write"), ("F2", "rate-limit"), ("F3", "cut-answer"), ("F5", "server-error")];

fn injected(telling: &Telling) -> String {
    let speech = kind(telling).and_then(|kind| find(&SPEECHES, kind));
    let speech = speech.unwrap_or("an injected answer").to_owned();
    match telling.retry_after_us {
        Some(wait) => format!("{speech}: wait {}", duration(wait)),
        None => speech,
    }
}

/// The kind of fault that struck a call.
pub(crate) fn kind(telling: &Telling) -> Option<&str> {
    let fault = telling.fault.as_deref()?;
    telling.kind.as_deref().or_else(|| find(&KINDS, fault)).or(Some(fault))
}

fn find<'a>(table: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// What really happened.
pub(crate) fn happened(happened: &Happened) -> String {
    let what = match happened.event {
        Event::Executed if happened.executions > 1 => {
            return format!("executed {} times", happened.executions);
        }
        Event::Executed => "executed",
        Event::Rejected => "refused",
        Event::Unknown => "nobody can say",
        Event::Interim => "goes on",
        Event::NotSent => "never sent to the upstream",
        Event::Open => "no answer when the report was written",
    };
    match happened.evidence {
        Evidence::LateAnswer => format!("{what} (its answer came late)"),
        Evidence::Probe => format!("{what} (a look at the upstream shows it)"),
        Evidence::Answer | Evidence::None => what.to_owned(),
    }
}

/// Who repeated a write.
pub(crate) fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::ModelRetry => "the model decided to call again",
        Cause::ClientResend => "the client sent it again behind the model's back",
        Cause::ParallelCalls => "the model asked for it more than once in one turn",
        Cause::UpstreamDouble => "the upstream carried one call out more than once",
        Cause::Redelivery => "the scenario delivered one call more than once",
    }
}

/// How sure a cause is.
pub(crate) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    }
}

/// What a repeat did.
pub(crate) fn harm(repeat: &Repeat) -> &'static str {
    match (repeat.is_harmful, repeat.is_reworded) {
        (true, false) => "executed once too often",
        (true, true) => "executed once too often, in other words",
        (false, false) => "no second execution known",
        (false, true) => "in other words; no second execution known",
    }
}

/// Whether a read could have shown the record.
pub(crate) fn shows(shows: Shows) -> &'static str {
    match shows {
        Shows::Could => "could have shown the record",
        Shows::Unclear => "may have shown the record",
        Shows::Unlikely => "can hardly have shown the record",
    }
}

/// Where a mend belongs.
pub(crate) fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Prompt => "prompt",
        Layer::Client => "client settings",
        Layer::Schema => "tool schema",
        Layer::Upstream => "upstream",
    }
}

/// The name of a patch's language, in that language.
pub(crate) fn language(language: Language) -> &'static str {
    match language {
        Language::En => "English",
        Language::De => "Deutsch",
    }
}

/// A time in a unit that fits.
pub(crate) fn duration(micros: u64) -> String {
    let (whole, rest, unit) = match micros {
        0..1_000 => return format!("{micros} µs"),
        1_000..1_000_000 => (micros / 1_000, micros % 1_000 / 100, "ms"),
        _ => (micros / 1_000_000, micros % 1_000_000 / 100_000, "s"),
    };
    if rest == 0 { format!("{whole} {unit}") } else { format!("{whole}.{rest} {unit}") }
}

/// Points without a needless fraction.
pub(crate) fn points(points: f64) -> String {
    format!("{points:.1}").trim_end_matches(".0").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_points_read_well() {
        for (micros, text) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (1_000, "1 ms"),
            (1_250, "1.2 ms"),
            (60_000_000, "60 s"),
            (1_500_000, "1.5 s"),
        ] {
            assert_eq!(duration(micros), text);
        }
        assert_eq!(points(100.0), "100");
        assert_eq!(points(66.666), "66.7");
    }
}
