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
    let mut text = match (telling.said, telling.fault.as_deref()) {
        (Said::Success, _) => "success".to_owned(),
        (Said::Error, _) => "an error, by the upstream".to_owned(),
        (Said::Interim, _) => "that it goes on".to_owned(),
        (Said::Unreadable, _) => "something unreadable".to_owned(),
        (Said::Injected, Some(fault)) => injected(fault, telling.retry_after_us),
        (Said::Injected, None) => "an injected answer".to_owned(),
        (Said::Lost, _) => "the connection is gone".to_owned(),
        (Said::Nothing, Some(fault)) => format!("nothing, by `{fault}`"),
        (Said::Nothing, None) => "nothing".to_owned(),
        (Said::Waiting, _) if telling.cancelled_at_us.is_some() => "nothing".to_owned(),
        (Said::Waiting, _) => "nothing yet".to_owned(),
    };
    if telling.cancelled_at_us.is_some() {
        text.push_str("; it gave up waiting");
    }
    text
}

fn injected(fault: &str, retry_after_us: Option<u64>) -> String {
    let scenario = fault.split(':').next().unwrap_or_default();
    match (scenario, retry_after_us) {
        (_, Some(wait)) => format!("too many requests: wait {} (`{fault}`)", duration(wait)),
        ("F1", _) => format!("a timeout (`{fault}`)"),
        ("F3", _) => format!("an answer cut short (`{fault}`)"),
        ("F5" | "chaos", _) => format!("a server error (`{fault}`)"),
        _ => format!("an injected answer (`{fault}`)"),
    }
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
