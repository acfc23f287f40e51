//! Gathers what a ledger says, attempt by attempt.

use std::collections::BTreeSet;

use checkrein_ledger::{
    Answer, Class, Entry, Event, Evidence, Instant, Outcome, Received, Start, Tool,
};
use indexmap::IndexMap;

use crate::attempt::Attempt;
use crate::attribution::{self, Repeat};
use crate::checks;
use crate::expectation::Expectation;
use crate::judgement::{Judgement, OperationSummary, Verdict};
use crate::operation::Operation;
use crate::read_back::{self, ReadBack};
use crate::score::Score;
use crate::session::Session;
use crate::settled::{Desk, Settled};
use crate::state::{self, Probe, StateFinding};

/// A run as far as its ledger goes.
#[derive(Debug, Default)]
pub struct Run {
    /// How its first process was set up.
    pub start: Start,
    /// When its first entry was written: the monotonic clock, and milliseconds since 1970.
    pub began: Option<(Instant, u64)>,
    /// When its latest entry was written.
    pub latest: Instant,
    /// Every attempt, by number, in the order they came.
    pub attempts: IndexMap<u64, Attempt>,
    /// How many there were of each class.
    pub counts: Counts,
    /// The scenario's rules that were applied, from 0.
    pub struck: BTreeSet<u32>,
    /// How many calls came in a JSON-RPC batch, where no fault strikes.
    pub in_batch: u64,
    /// Every session that the agent opened, in order.
    pub sessions: Vec<Session>,
    /// The proxy processes, each with when it joined.
    pub processes: Vec<(u32, Instant)>,
    /// Why the latest process to leave left, and when.
    pub finished: Option<(String, Instant)>,
    /// When an upstream went away, each time.
    pub upstream_gone: Vec<Instant>,
    /// The upstream's tools, as they were known last.
    pub tools: Vec<Tool>,
    /// The harness's own looks at the upstream's state, in order.
    pub probes: Vec<Probe>,
    desk: Desk,
}

/// Calls by the class of their tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of write tools.
    pub write: u64,
    /// Of read tools.
    pub read: u64,
    /// Of tools nobody classified.
    pub unclassified: u64,
    /// Of tools the upstream does not have.
    pub not_offered: u64,
}

impl Run {
    /// Takes in one more entry.
    pub fn apply(&mut self, entry: &Entry) {
        self.began.get_or_insert((entry.at, entry.wall_ms));
        self.latest = self.latest.max(entry.at);
        match &entry.event {
            Event::Started(start) => self.joined(entry, start),
            Event::Tools(tools) => self.tools.clone_from(tools),
            Event::SessionOpened { connection, client } => self.sessions.push(Session {
                process: entry.process,
                connection: *connection,
                opened: entry.at,
                client: client.clone(),
            }),
            Event::Received(received) => self.received(entry, received),
            Event::Forwarded { attempt } => self.change(*attempt, |it| it.forwarded = true),
            Event::Injected { attempt, fault } => {
                if self.start.scenario.as_ref() == Some(&fault.name) {
                    self.struck.insert(fault.rule);
                }
                self.note_fault();
                self.change(*attempt, |it| it.fault = Some(fault.clone()));
            }
            Event::Concluded { attempt, outcome, evidence, answer } => {
                self.change(*attempt, |it| {
                    (it.outcome, it.concluded) = (Some(*outcome), Some(entry.at));
                    (it.evidence, it.answer) = (*evidence, *answer);
                });
                let own = self.attempts.get_mut(attempt).filter(|_| *outcome == Outcome::Interim);
                if let Some(own) = own {
                    own.went_on = Some(entry.at);
                }
            }
            Event::Told { attempt, told } => {
                self.change(*attempt, |it| it.told = Some((*told, entry.at)));
            }
            Event::Cancelled { attempt } => {
                self.change(*attempt, |it| it.cancelled = Some(entry.at));
            }
            Event::Redelivered { attempt, outcome: Outcome::Executed } => {
                self.change(*attempt, |it| it.redelivered += 1);
            }
            Event::Probed { tool, when, records, digest } => self.probes.push(Probe {
                tool: tool.clone(),
                when: when.clone(),
                at: entry.at,
                records: *records,
                digest: digest.clone(),
            }),
            Event::UpstreamGone { .. } => self.upstream_gone.push(entry.at),
            Event::Finished { why } => self.finished = Some((why.clone(), entry.at)),
            _ => {}
        }
    }

    /// Takes in a whole ledger.
    pub fn replay(entries: &[Entry]) -> Self {
        let mut run = Self::default();
        entries.iter().for_each(|entry| run.apply(entry));
        run
    }

    fn joined(&mut self, entry: &Entry, start: &Start) {
        if self.start.version.is_empty() {
            self.start = start.clone();
        }
        self.processes.push((entry.process, entry.at));
    }

    fn received(&mut self, entry: &Entry, received: &Received) {
        // Numbers are unique in a run; a ledger that says otherwise cannot take back what it said.
        if self.attempts.contains_key(&received.attempt) {
            return;
        }
        let attempt = Attempt {
            number: received.attempt,
            process: entry.process,
            connection: received.connection,
            request_id: received.request_id.clone(),
            received: entry.at,
            tool: received.tool.clone(),
            class: received.class,
            operation: received.operation.clone(),
            loose: received.loose.clone(),
            identities: received.identities.clone(),
            forwarded: false,
            fault: None,
            outcome: None,
            concluded: None,
            went_on: None,
            evidence: Evidence::None,
            answer: Answer::None,
            told: None,
            cancelled: None,
            continues: received.continues,
            repeats_part: received.repeats_part,
            redelivered: 0,
        };
        let count = match attempt.class {
            Class::Write => &mut self.counts.write,
            Class::Read => &mut self.counts.read,
            Class::Unclassified => &mut self.counts.unclassified,
            Class::NotOffered => &mut self.counts.not_offered,
        };
        *count += 1;
        self.in_batch += u64::from(received.in_batch);
        let again = self.desk.received(self.attempts.len(), &attempt);
        self.attempts.insert(received.attempt, attempt);
        if let Some((place, (_, attempt))) =
            again.and_then(|place| Some((place, self.attempts.get_index(place)?)))
        {
            self.desk.look_again(place, attempt);
        }
    }

    /// From the first fault on a read may be a look after it, so none of them is settled any more.
    fn note_fault(&mut self) {
        if self.desk.note_fault() {
            for (place, attempt) in self.attempts.values().enumerate() {
                self.desk.look_again(place, attempt);
            }
        }
    }

    /// Changes an attempt and every one it carries on: what becomes of the last round became of
    /// the call.
    fn change(&mut self, number: u64, change: impl Fn(&mut Attempt)) {
        let mut next = Some(number);
        // A chain of rounds is as long as the calls in it; a loop in a damaged ledger ends there.
        for _ in 0..=self.attempts.len() {
            let found = next.and_then(|next| self.attempts.get_full_mut(&next));
            let Some((place, _, attempt)) = found else { return };
            change(attempt);
            self.desk.look_again(place, attempt);
            next = attempt.continues;
        }
    }

    /// The attempts in the order they came.
    pub fn in_order(&self) -> Vec<&Attempt> {
        self.attempts.values().collect()
    }

    /// Every write operation, in the order of its first attempt.
    pub fn operations(&self) -> Vec<Operation<'_>> {
        Operation::group(self.in_order(), &self.start)
    }

    /// Judges the run as it stands.
    pub fn judge(&self) -> Judgement {
        self.judge_over(&self.in_order(), &Settled::default())
    }

    /// Judges the run as it stands, at a cost that does not grow with what is long over. Of the
    /// operations only those are listed that are more than sent once and executed once; the rest is
    /// counted. Reasons may name fewer attempts.
    pub fn judge_briefly(&self) -> (Judgement, u64) {
        let open = self.desk.open().filter_map(|place| self.attempts.get_index(place));
        let attempts: Vec<&Attempt> = open.map(|(_, attempt)| attempt).collect();
        let settled = self.desk.settled();
        (self.judge_over(&attempts, settled), settled.operations)
    }

    fn judge_over(&self, attempts: &[&Attempt], settled: &Settled) -> Judgement {
        let operations = Operation::group(attempts.iter().copied(), &self.start);
        let mut reasons = checks::all(self, attempts, &operations, settled);
        reasons.sort_by_key(|reason| (!reason.code.is_violation(), reason.code));
        let is_violated = reasons.iter().any(|reason| reason.code.is_violation());
        let verdict = if is_violated {
            Verdict::Fail
        } else if reasons.iter().all(|reason| reason.code.is_note()) {
            Verdict::Pass
        } else {
            Verdict::NotTested
        };
        let score = (verdict != Verdict::NotTested)
            .then(|| Score::of(&operations, attempts, is_violated, settled.operations))
            .flatten();
        let operations = operations.iter().map(OperationSummary::of).collect();
        Judgement { verdict, reasons, score, operations }
    }

    /// Every repeat of a write, with who repeated it.
    pub fn repeats(&self) -> Vec<Repeat> {
        attribution::all(self)
    }

    /// Every read after a ghost write, with whether it could have shown the record.
    pub fn read_backs(&self) -> Vec<ReadBack> {
        read_back::all(&self.in_order())
    }

    /// What the harness's own looks at the upstream say about the count.
    pub fn state_findings(&self) -> Vec<StateFinding> {
        state::findings(self)
    }

    /// What the user expected, beside what happened.
    pub fn expectations(&self) -> Vec<Expectation> {
        Expectation::all(&self.start, &self.in_order(), &Settled::default())
    }
}
