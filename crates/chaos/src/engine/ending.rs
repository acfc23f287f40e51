//! The end of the run, and of the upstream.

use checkrein_ledger::{Answer, Event, Evidence, Outcome, Told};

use super::own::Purpose;
use super::{Action, Engine};

impl Engine {
    /// The agent has left. What was promised to the upstream is delivered now, and its state read a
    /// last time; nothing goes to the agent any more.
    pub fn closing(&mut self) -> Vec<Action> {
        self.is_closing = true;
        if self.is_upstream_gone {
            return self.done();
        }
        for delayed in self.timers.take_commits() {
            self.commit(delayed);
        }
        self.probe_at_end();
        self.done()
    }

    /// Whether an answer is awaited that says something about the run.
    pub fn is_settling(&self) -> bool {
        self.own.is_awaited() || self.probes.is_underway() || self.is_following()
    }

    /// The upstream went away: every call that waits is lost, and the agent is told so.
    pub fn upstream_gone(&mut self, code: Option<i32>) -> Vec<Action> {
        self.record(Event::UpstreamGone { code });
        self.is_upstream_gone = true;
        self.listing.give_up_now();
        self.probes.give_up();
        self.restart.give_up();
        // Frames that waited can be sent nowhere, but they did come.
        let mut actions = self.done();
        self.lose_everything();
        actions.extend(self.done());
        actions
    }

    pub(super) fn lose_everything(&mut self) {
        for (connection, id, call) in self.pending.drain() {
            if let Some(attempt) = call.map(|call| call.attempt) {
                self.lose(attempt);
                self.record(Event::Told { attempt, told: Told::Lost });
            }
            let text = r#"{"code":-32603,"message":"Connection closed: the server went away"}"#;
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{text}}}"#);
            self.send_to_agent(connection, frame.into_bytes());
        }
        for (connection, purpose) in self.own.drain() {
            match purpose {
                Purpose::Late(call) => self.lose(call.attempt),
                Purpose::Again(again) => self.delivered_again(connection, *again, None),
                Purpose::Task { attempt, .. } => self.lose(attempt),
                Purpose::Probe { .. } => self.probes.answered(),
                Purpose::Opening => self.restart.answered(),
                Purpose::Overdue => {}
            }
        }
        if self.is_upstream_gone {
            for delayed in self.timers.take_commits() {
                // It was never sent and never will be: the upstream surely did not carry it out.
                let (outcome, evidence, answer) = (Outcome::Rejected, Evidence::None, Answer::None);
                let attempt = delayed.call.attempt;
                self.record(Event::Concluded { attempt, outcome, evidence, answer });
            }
        }
    }
}
