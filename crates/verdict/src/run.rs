//! Gathers what a ledger says, attempt by attempt.

use std::collections::HashMap;

use checkrein_ledger::{Answer, Entry, Event, Evidence, Outcome, Start, Told};

use crate::attempt::Attempt;
use crate::checks;
use crate::judgement::{Judgement, OperationSummary, Verdict};
use crate::operation::Operation;
use crate::score::Score;

/// A run as far as its ledger goes.
#[derive(Debug, Default)]
pub struct Run {
    /// How its first process was set up.
    pub start: Start,
    /// Every attempt, by number.
    pub attempts: HashMap<u64, Attempt>,
    /// Their numbers, in the order they came.
    pub order: Vec<u64>,
    /// Whether the scenario's fault was applied.
    pub is_triggered: bool,
    /// When each session was opened.
    pub sessions: Vec<(u32, u64, checkrein_ledger::Instant)>,
}

impl Run {
    /// Takes in one more entry.
    pub fn apply(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Started(start) if self.start.version.is_empty() => self.start = start.clone(),
            Event::SessionOpened { connection, .. } => {
                self.sessions.push((entry.process, *connection, entry.at));
            }
            Event::Received(received) => {
                let attempt = Attempt {
                    number: received.attempt,
                    process: entry.process,
                    connection: received.connection,
                    received: entry.at,
                    tool: received.tool.clone(),
                    class: received.class,
                    operation: received.operation.clone(),
                    loose: received.loose.clone(),
                    identities: received.identities.clone(),
                    forwarded: false,
                    fault: None,
                    outcome: None,
                    evidence: Evidence::None,
                    answer: Answer::None,
                    told: None,
                    cancelled: false,
                    continues: received.continues,
                    redelivered: 0,
                };
                self.attempts.insert(received.attempt, attempt);
                self.order.push(received.attempt);
            }
            Event::Forwarded { attempt } => self.change(*attempt, |it| it.forwarded = true),
            Event::Injected { attempt, fault } => {
                self.is_triggered |= self.start.scenario.as_ref() == Some(&fault.name);
                self.change(*attempt, |it| it.fault = Some(fault.clone()));
            }
            Event::Concluded { attempt, outcome, evidence, answer } => {
                self.conclude(*attempt, *outcome, *evidence, *answer);
            }
            Event::Told { attempt, told } => {
                self.change(*attempt, |it| it.told = Some((*told, entry.at)));
            }
            Event::Cancelled { attempt } => self.change(*attempt, |it| it.cancelled = true),
            Event::Redelivered { attempt, outcome: Outcome::Executed } => {
                self.change(*attempt, |it| it.redelivered += 1);
            }
            _ => {}
        }
    }

    /// Takes in a whole ledger.
    pub fn replay(entries: &[Entry]) -> Self {
        let mut run = Self::default();
        entries.iter().for_each(|entry| run.apply(entry));
        run
    }

    fn change(&mut self, attempt: u64, change: impl FnOnce(&mut Attempt)) {
        if let Some(attempt) = self.attempts.get_mut(&attempt) {
            change(attempt);
        }
    }

    /// An attempt that carries on another one ends that one, too.
    fn conclude(&mut self, number: u64, outcome: Outcome, evidence: Evidence, answer: Answer) {
        let mut next = Some(number);
        // A chain of rounds is as long as the calls in it; a loop in a damaged ledger ends there.
        for _ in 0..=self.order.len() {
            let Some(attempt) = next.and_then(|next| self.attempts.get_mut(&next)) else { return };
            (attempt.outcome, attempt.evidence, attempt.answer) = (Some(outcome), evidence, answer);
            next = attempt.continues;
        }
    }

    /// The attempts in the order they came.
    pub fn in_order(&self) -> Vec<&Attempt> {
        self.order.iter().filter_map(|number| self.attempts.get(number)).collect()
    }

    /// Judges the run as it stands.
    pub fn judge(&self) -> Judgement {
        let attempts = self.in_order();
        let operations = Operation::group(attempts.iter().copied());
        let mut reasons = checks::all(self, &attempts, &operations);
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
            .then(|| Score::of(&operations, &attempts, is_violated))
            .flatten();
        let operations = operations
            .iter()
            .map(|operation| OperationSummary {
                tool: operation.tool.to_owned(),
                executions: operation.executions(),
                attempts: operation.attempts.len() as u64,
                faulted: operation.is_faulted(),
                attempt_numbers: operation.attempts.iter().map(|attempt| attempt.number).collect(),
            })
            .collect();
        Judgement { verdict, reasons, score, operations }
    }

    /// Whether the agent was told anything by the harness that the upstream did not say.
    pub fn is_faulted(&self) -> bool {
        self.attempts
            .values()
            .any(|it| it.fault.is_some() || matches!(it.told, Some((Told::Injected, _))))
    }
}
