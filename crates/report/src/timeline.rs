//! What happened, call by call, as the agent saw it and as it was.

use std::collections::{HashMap, HashSet};

use checkrein_ledger::{Answer, Class, Evidence, Instant, Outcome, Told};
use checkrein_verdict::{Attempt, Run};
use serde::{Deserialize, Serialize};

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// Its number for people, from 1, in the order calls came.
    pub call: u64,
    /// Its number in the ledger.
    pub attempt: u64,
    /// When it came, in microseconds since the run began.
    pub at_us: u64,
    /// The tool.
    pub tool: String,
    /// The tool's class.
    pub class: Class,
    /// The write operation, counted from 1 as `operations` lists them; null when it is none.
    pub operation: Option<u64>,
    /// The attempt it carries on, when it is no new one.
    pub continues: Option<u64>,
    /// What the agent was told.
    pub told: Telling,
    /// What really happened.
    pub happened: Happened,
    /// Whether the agent was told of a failure although the call was carried out, or of a success
    /// although it was not.
    pub is_contradicted: bool,
}

/// What the agent was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telling {
    /// By whom, or not at all.
    pub said: Said,
    /// When, in microseconds since the run began; null when it was told nothing.
    pub at_us: Option<u64>,
    /// The scenario whose fault struck the call.
    pub fault: Option<String>,
    /// The kind of fault, where the ledger says it.
    pub kind: Option<String>,
    /// How long it was asked to wait, in microseconds.
    pub retry_after_us: Option<u64>,
    /// When the agent gave up waiting, in microseconds since the run began.
    pub cancelled_at_us: Option<u64>,
}

/// Who told the agent what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The upstream: success.
    Success,
    /// The upstream: an error.
    Error,
    /// The upstream: that it needs more first, or goes on in the background.
    Interim,
    /// The upstream: something nobody could read.
    Unreadable,
    /// The harness, in the upstream's name.
    Injected,
    /// That the upstream is gone.
    Lost,
    /// Nothing, on purpose or because the agent had given up.
    Nothing,
    /// Nothing yet.
    Waiting,
}

/// What really happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Happened {
    /// What became of it.
    pub event: Event,
    /// When that was known, in microseconds since the run began.
    pub at_us: Option<u64>,
    /// How it is known.
    pub evidence: Evidence,
    /// How often it was executed, our own further deliveries counted.
    pub executions: u64,
}

/// What became of a call at the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It was carried out.
    Executed,
    /// It was surely refused.
    Rejected,
    /// Nobody can say.
    Unknown,
    /// It goes on.
    Interim,
    /// It never reached the upstream.
    NotSent,
    /// No answer came yet.
    Open,
}

/// Something that happened besides calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Happening {
    /// When, in microseconds since the run began.
    pub at_us: u64,
    /// What, in a sentence.
    pub what: String,
}

/// The first calls of a run, at most this many.
pub(crate) fn moments(run: &Run, limit: usize) -> Vec<Moment> {
    let began = run.began.map(|(at, _)| at).unwrap_or_default();
    let mut operations: HashMap<u64, u64> = HashMap::new();
    for (at, operation) in run.operations().iter().enumerate() {
        operations.extend(operation.attempts.iter().map(|it| (it.number, at as u64 + 1)));
    }
    let continued: HashSet<u64> =
        run.attempts.values().filter_map(|attempt| attempt.continues).collect();
    let attempts = run.in_order().into_iter().zip(1..).take(limit);
    attempts
        .map(|(attempt, call)| Moment {
            call,
            attempt: attempt.number,
            at_us: attempt.received.micros_since(began),
            tool: attempt.tool.clone(),
            class: attempt.class,
            operation: operations.get(&attempt.number).copied(),
            continues: attempt.continues,
            told: Telling::of(attempt, began),
            happened: Happened::of(attempt, began),
            is_contradicted: is_contradicted(attempt),
        })
        .map(|moment| {
            let attempt = run.attempts.get(&moment.attempt);
            let went_on = attempt.and_then(|attempt| attempt.went_on);
            match went_on.filter(|_| continued.contains(&moment.attempt)) {
                Some(at) => moment.into_round(at.micros_since(began)),
                None => moment,
            }
        })
        .collect()
}

fn is_contradicted(attempt: &Attempt) -> bool {
    let is_lied_to = attempt.is_withheld() && attempt.told_at().is_some();
    attempt.is_ghost() && (attempt.is_executed() || is_lied_to)
}

impl Moment {
    /// A call that another one carried on: it ended by going on, and what came after is that one's.
    fn into_round(self, at_us: u64) -> Self {
        let told = Telling {
            said: Said::Interim,
            at_us: Some(at_us),
            fault: None,
            kind: None,
            retry_after_us: None,
            cancelled_at_us: None,
        };
        let happened = Happened {
            event: Event::Interim,
            at_us: Some(at_us),
            evidence: Evidence::Answer,
            executions: 0,
        };
        Self { told, happened, is_contradicted: false, ..self }
    }
}

impl Telling {
    fn of(attempt: &Attempt, began: Instant) -> Self {
        let fault = attempt.fault.as_ref();
        let said = match (attempt.told.map(|(told, _)| told), attempt.answer) {
            (None, _) => Said::Waiting,
            (Some(Told::Injected), _) => Said::Injected,
            (Some(Told::Lost), _) => Said::Lost,
            (Some(Told::Nothing), _) => Said::Nothing,
            (Some(Told::Upstream), _) if attempt.outcome == Some(Outcome::Interim) => Said::Interim,
            (Some(Told::Upstream), Answer::Ok) => Said::Success,
            (Some(Told::Upstream), Answer::IsError | Answer::RpcError) => Said::Error,
            (Some(Told::Upstream), Answer::Unreadable | Answer::None) => Said::Unreadable,
        };
        Self {
            said,
            at_us: attempt.told_at().map(|at| at.micros_since(began)),
            fault: fault.map(|fault| fault.name.clone()),
            kind: fault.map(|fault| fault.kind.clone()).filter(|kind| !kind.is_empty()),
            retry_after_us: fault.and_then(|fault| fault.retry_after_us),
            cancelled_at_us: attempt.cancelled.map(|at| at.micros_since(began)),
        }
    }
}

impl Happened {
    fn of(attempt: &Attempt, began: Instant) -> Self {
        let event = match attempt.outcome {
            Some(Outcome::Executed) => Event::Executed,
            Some(Outcome::Rejected) => Event::Rejected,
            Some(Outcome::Interim) => Event::Interim,
            _ if attempt.is_withheld() => Event::NotSent,
            None if attempt.is_open() => Event::Open,
            Some(Outcome::Unknown) | None => Event::Unknown,
        };
        Self {
            event,
            at_us: attempt.concluded.map(|at| at.micros_since(began)),
            evidence: attempt.evidence,
            executions: u64::from(attempt.is_executed()) + attempt.redelivered,
        }
    }
}

/// The first things besides calls, at most this many.
pub(crate) fn happenings(run: &Run, limit: usize) -> Vec<Happening> {
    let began = run.began.map(|(at, _)| at).unwrap_or_default();
    let mut all: Vec<(Instant, String)> = Vec::new();
    for (process, at) in &run.processes {
        all.push((*at, format!("proxy process {process} joined the run")));
    }
    for session in &run.sessions {
        let client = session.client.as_deref().unwrap_or("an agent that gives no name");
        all.push((session.opened, format!("`{client}` opened a session")));
    }
    for probe in &run.probes {
        let records = match probe.records {
            Some(1) => "1 record".to_owned(),
            Some(records) => format!("{records} records"),
            None => format!("state {}", probe.digest.get(..12).unwrap_or(&probe.digest)),
        };
        all.push((probe.at, format!("the harness looked by `{}`: {records}", probe.tool)));
    }
    for at in &run.upstream_gone {
        all.push((*at, "the upstream went away".to_owned()));
    }
    if let Some((why, at)) = &run.finished {
        all.push((*at, format!("the run ended: {}", crate::wording::ending(why))));
    }
    all.sort_by_key(|(at, _)| *at);
    let all = all.into_iter().take(limit);
    all.map(|(at, what)| Happening { at_us: at.micros_since(began), what }).collect()
}
