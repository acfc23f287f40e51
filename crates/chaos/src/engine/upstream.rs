//! Frames from the upstream.

use checkrein_ledger::{Answer, Event, Evidence, Outcome, Told};

use super::audit::with_audit_tools;
use super::own::Purpose;
use super::strike::Answered;
use super::{Action, Engine, Part};
use crate::answer;
use crate::faults::Moment;
use crate::frame::{Body, Frame, Message};
use crate::listing::Whose;
use crate::pending::{Connection, Waiting, WaitingCall};

impl Engine {
    /// A frame from the upstream.
    pub fn from_upstream(&mut self, connection: Connection, bytes: &[u8]) -> Vec<Action> {
        if self.restart.is_between_two() {
            // The last words of a process that was ended on purpose.
            self.lane = None;
            return Vec::new();
        }
        match Frame::read(bytes) {
            Frame::Single(Message::Response { id, body }) => {
                self.response(connection, bytes, id, body);
            }
            Frame::Batch(messages) => {
                for message in messages {
                    let Message::Response { id, body } = message else { continue };
                    match self.pending.pop(connection, id, self.lane) {
                        Some(Waiting::Call(call)) => {
                            let (outcome, answer) = answer::judge(body);
                            self.conclude(&call, outcome, answer);
                            self.told_upstream(call, outcome, body);
                        }
                        Some(Waiting::Task { attempt, is_result }) => {
                            self.task_answered(attempt, is_result, body);
                        }
                        Some(Waiting::List { .. } | Waiting::Other) | None => {}
                    }
                }
                self.send_to_agent(connection, bytes.to_vec());
            }
            Frame::Single(Message::Request { method, params, .. }) => {
                self.upstream_says(connection, bytes, method, params);
            }
            Frame::Opaque => self.send_to_agent(connection, bytes.to_vec()),
        }
        self.done()
    }

    fn upstream_says(
        &mut self,
        connection: Connection,
        bytes: &[u8],
        method: &str,
        params: Option<&str>,
    ) {
        if method.starts_with("notifications/tasks") {
            self.task_says(connection, params);
        }
        self.send_to_agent(connection, bytes.to_vec());
        if method == "notifications/tools/list_changed" && !self.listing.is_unasked() {
            self.begin_listing(connection, None);
        }
    }

    fn response(&mut self, connection: Connection, bytes: &[u8], id: &str, body: Body<'_>) {
        if let Some(purpose) = self.own.take(connection, id) {
            return self.own_answer(connection, bytes, body, purpose);
        }
        match self.listing.whose(id) {
            Whose::ThisLook => return self.listed(connection, body),
            Whose::EarlierLook => return,
            Whose::NotOurs => {}
        }
        match self.pending.pop(connection, id, self.lane) {
            Some(Waiting::Call(call)) => {
                let (outcome, answer) = answer::judge(body);
                let at = Answered { connection, id, bytes, outcome, answer };
                self.answered(at, body, call);
            }
            Some(Waiting::List { is_first_page }) => {
                let visible = self.without_missing(bytes, body);
                let offered = visible.unwrap_or_else(|| bytes.to_vec());
                let with_ours = (self.config.audit_tools && is_first_page)
                    .then(|| self.offer_audit(&offered))
                    .flatten();
                self.send_to_agent(connection, with_ours.unwrap_or(offered));
            }
            Some(Waiting::Task { attempt, is_result }) => {
                self.task_answered(attempt, is_result, body);
                self.send_to_agent(connection, bytes.to_vec());
            }
            Some(Waiting::Other) | None => self.send_to_agent(connection, bytes.to_vec()),
        }
    }

    fn offer_audit(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let Frame::Single(Message::Response { body, .. }) = Frame::read(bytes) else { return None };
        with_audit_tools(bytes, body)
    }

    fn listed(&mut self, connection: Connection, body: Body<'_>) {
        if let Some(next) = self.listing.answered(body, &self.config.patterns) {
            return self.send_to_upstream(connection, next);
        }
        let tools = self.listing.tools();
        self.record(Event::Tools(tools.clone()));
        self.act(Action::Announce(tools));
        self.probe_at_start(connection);
    }

    fn answered(&mut self, at: Answered<'_>, body: Body<'_>, call: WaitingCall) {
        let handle = (at.outcome == Outcome::Interim).then(|| answer::handle(body)).flatten();
        if let Some(task) = handle {
            return self.handed_over(at, call, task);
        }
        let is_done = at.outcome == Outcome::Executed;
        if is_done {
            self.look_up_or_write(&call, body);
            self.probe_after(at.connection, &call);
        }
        if let Some(rule) = call.split_by {
            self.rules.let_go(rule);
            // One that was refused, or goes on and comes again whole, was not cut to any effect.
            if !matches!(at.outcome, Outcome::Rejected | Outcome::Interim) {
                self.inject(call.attempt, rule);
            }
        }
        if let Some(rule) = call.split_by.filter(|_| is_done) {
            self.parts.push(Part {
                attempt: call.attempt,
                tool: call.tool.clone(),
                operation: call.operation.clone(),
                lists: call.part.clone(),
            });
            self.conclude(&call, at.outcome, at.answer);
            self.ghost(at.connection, at.id);
            return self.tell_rule(at.connection, at.id, call.attempt, rule, call.is_modern);
        }
        match self.rule_at(&call, Moment::Executed).filter(|_| is_done) {
            Some(rule) => self.strike_answer(at, call, rule),
            None => self.pass(at, call, body),
        }
    }

    /// Passes the upstream's answer on.
    pub(super) fn pass(&mut self, at: Answered<'_>, call: WaitingCall, body: Body<'_>) {
        self.conclude(&call, at.outcome, at.answer);
        self.told_upstream(call, at.outcome, body);
        self.send_to_agent(at.connection, at.bytes.to_vec());
    }

    fn told_upstream(&mut self, call: WaitingCall, outcome: Outcome, body: Body<'_>) {
        self.record(Event::Told { attempt: call.attempt, told: Told::Upstream });
        if outcome == Outcome::Interim {
            self.interim.push((call, answer::state(body)));
        }
    }

    fn own_answer(
        &mut self,
        connection: Connection,
        bytes: &[u8],
        body: Body<'_>,
        purpose: Purpose,
    ) {
        match purpose {
            Purpose::Late(call) => self.late_answer(connection, body, &call),
            Purpose::Again(again) => {
                let (outcome, _) = answer::judge(body);
                self.delivered_again(connection, *again, Some((outcome, bytes.to_vec())));
            }
            Purpose::Probe { tool, when } => self.probed(tool, when, body),
            Purpose::Opening => self.opened(connection),
            Purpose::Overdue => {}
            Purpose::Task { attempt, task } => self.looked_at_task(connection, attempt, task, body),
        }
    }

    /// The answer to a call that the agent believes to have timed out.
    fn late_answer(&mut self, connection: Connection, body: Body<'_>, call: &WaitingCall) {
        let (outcome, answer) = answer::judge(body);
        let attempt = call.attempt;
        let handle = (outcome == Outcome::Interim).then(|| answer::handle(body)).flatten();
        if let Some(task) = handle {
            return self.follow(connection, attempt, task);
        }
        let is_known = outcome != Outcome::Unknown;
        let evidence = if is_known { Evidence::LateAnswer } else { Evidence::None };
        self.record(Event::Concluded { attempt, outcome, evidence, answer });
        if outcome == Outcome::Executed {
            self.look_up_or_write(call, body);
            self.probe_after(connection, call);
        }
    }

    /// A request of ours was not answered in time. Its answer may come all the same, and is not for
    /// the agent.
    pub(super) fn overdue(&mut self, connection: Connection, id: &str) {
        let Some(purpose) = self.own.take(connection, id) else { return };
        if matches!(purpose, Purpose::Late(_) | Purpose::Task { .. }) {
            return self.own.ask(connection, id.to_owned(), purpose);
        }
        self.own.ask(connection, id.to_owned(), Purpose::Overdue);
        match purpose {
            Purpose::Again(again) => self.delivered_again(connection, *again, None),
            Purpose::Probe { .. } => self.probes.answered(),
            Purpose::Opening => self.opened(connection),
            Purpose::Late(_) | Purpose::Task { .. } | Purpose::Overdue => {}
        }
    }

    /// The outcome of a call that nobody will ever answer.
    pub(super) fn lose(&mut self, attempt: u64) {
        let (outcome, evidence, answer) = (Outcome::Unknown, Evidence::None, Answer::None);
        self.record(Event::Concluded { attempt, outcome, evidence, answer });
    }
}
