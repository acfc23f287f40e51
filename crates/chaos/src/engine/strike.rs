//! Carrying a fault out.

use std::time::Duration;

use checkrein_ledger::{Answer, Event, Evidence, Outcome, Told};

use super::own::{Again, Purpose};
use super::timer::{Delayed, Timer};
use super::{Action, Engine, Plan};
use crate::call::{Call, List};
use crate::draw::draw;
use crate::faults::{Effect, Moment, Reply, Shape, Speech, random, write};
use crate::frame::{Frame, Message};
use crate::pending::{Connection, WaitingCall};
use crate::request_id::by_value;
use crate::splice;

/// How long a second delivery may take before the agent gets the first one's answer.
const AGAIN_LIMIT: Duration = Duration::from_secs(30);

/// A dripping answer is through by then, whatever its length.
const DRIP_LIMIT: Duration = Duration::from_secs(60);

/// An answer that waits for the agent's cancel.
#[derive(Debug)]
pub(super) struct Crossing {
    attempt: u64,
    rule: usize,
    frame: Vec<u8>,
}

/// The upstream's answer to a call.
#[derive(Clone, Copy)]
pub(super) struct Answered<'a> {
    pub(super) connection: Connection,
    pub(super) id: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) outcome: Outcome,
    pub(super) answer: Answer,
}

impl Engine {
    /// Strikes a call before it is forwarded, or gives it back with the frame to forward.
    pub(super) fn strike_at_arrival(
        &mut self,
        connection: Connection,
        id: &str,
        bytes: &[u8],
        call: &Call<'_>,
        mut waiting: WaitingCall,
    ) -> Result<(), Box<(WaitingCall, Vec<u8>)>> {
        let attempt = waiting.attempt;
        if self.refuse_missing(connection, id, &waiting) {
            return Ok(());
        }
        if let Plan::Chaos { rate, seed } = self.config.plan
            && draw(seed, self.calls) < rate
        {
            self.record(Event::Injected { attempt, fault: random::fault() });
            let reply = random::reply();
            self.tell(connection, id, attempt, &reply, Shape::Soft, waiting.is_modern);
            return Ok(());
        }
        if self.show_stale(connection, id, &waiting) {
            return Ok(());
        }
        let mut frame = bytes.to_vec();
        let armed: Vec<_> = self.rules.armed(waiting.rules, Moment::Arrival).collect();
        for rule in armed {
            match self.rules.effect(rule) {
                Some(Effect::Withhold) => {
                    self.inject(attempt, rule);
                    self.tell_rule(connection, id, attempt, rule, waiting.is_modern);
                    return Ok(());
                }
                Some(Effect::Delay(by)) => {
                    self.delay(connection, id, bytes, waiting, rule, by);
                    return Ok(());
                }
                Some(Effect::Split(items)) => {
                    let cut = call
                        .cut_list(items)
                        .and_then(|(list, first)| splice::replace(bytes, list, first.as_bytes()));
                    if let Some(cut) = cut {
                        // What it came to shows only when the upstream has answered.
                        self.rules.hold(rule);
                        waiting.split_by = Some(rule);
                        waiting.part = self.lists_of(&cut);
                        frame = cut;
                        break;
                    }
                }
                _ => {}
            }
        }
        if self.rules.may_redeliver(waiting.rules) {
            waiting.frame = Some(bytes.to_vec());
        }
        Err(Box::new((waiting, frame)))
    }

    fn lists_of(&self, frame: &[u8]) -> Vec<List> {
        let Frame::Single(Message::Request { params, .. }) = Frame::read(frame) else {
            return Vec::new();
        };
        Call::read(params).map(|call| call.lists(&self.config.keys)).unwrap_or_default()
    }

    /// The fault that strikes at this answer.
    pub(super) fn rule_at(&self, call: &WaitingCall, moment: Moment) -> Option<usize> {
        if call.is_cancelled || call.is_in_batch {
            return None;
        }
        let is_first = |rule: &usize| !self.pending.has_earlier(call.attempt, *rule);
        self.rules.armed(call.rules, moment).find(is_first)
    }

    /// Strikes a call that the upstream has carried out.
    pub(super) fn strike_answer(&mut self, at: Answered<'_>, call: WaitingCall, rule: usize) {
        let (connection, id, attempt) = (at.connection, at.id, call.attempt);
        self.conclude(&call, at.outcome, at.answer);
        if let Some(Effect::AwaitCancel(most)) = self.rules.effect(rule) {
            self.rules.hold(rule);
            let crossing = Crossing { attempt, rule, frame: at.bytes.to_vec() };
            self.crossing.insert((connection, by_value(id).into_owned()), crossing);
            return self.wait(most, Timer::Crossing(connection, id.to_owned()));
        }
        self.inject(attempt, rule);
        match self.rules.effect(rule) {
            Some(Effect::Redeliver) => self.redeliver(at, call),
            Some(Effect::Restart) => {
                self.ghost(connection, id);
                self.tell_rule(connection, id, attempt, rule, call.is_modern);
                self.restart_upstream();
            }
            Some(Effect::Drip { bytes, every }) => {
                self.record(Event::Told { attempt, told: Told::Upstream });
                self.drip(connection, at.bytes, bytes, every);
            }
            Some(Effect::Double) => {
                self.record(Event::Told { attempt, told: Told::Upstream });
                self.send_to_agent(connection, at.bytes.to_vec());
                self.send_to_agent(connection, at.bytes.to_vec());
            }
            Some(Effect::HideTool(how_long)) => {
                self.record(Event::Told { attempt, told: Told::Upstream });
                self.send_to_agent(connection, at.bytes.to_vec());
                self.hide(connection, &call, rule, how_long);
            }
            _ => {
                self.ghost(connection, id);
                self.tell_rule(connection, id, attempt, rule, call.is_modern);
            }
        }
    }

    /// From now on a cancel of this call is not passed on.
    pub(super) fn ghost(&mut self, connection: Connection, id: &str) {
        self.ghosted.insert((connection, by_value(id).into_owned()));
    }

    pub(super) fn inject(&mut self, attempt: u64, rule: usize) {
        if let Some(fault) = self.rules.strike(rule, self.now) {
            self.record(Event::Injected { attempt, fault });
        }
    }

    /// What a rule has the agent told, and in which shape.
    pub(super) fn rule_reply(&self, rule: usize) -> Option<(Reply, Shape)> {
        let rule = self.rules.get(rule)?;
        let Speech::Instead(reply) = rule.kind.told else { return None };
        Some((reply(&rule.with, self.now).in_words(rule.with.words("text")), rule.shape))
    }

    pub(super) fn tell_rule(
        &mut self,
        connection: Connection,
        id: &str,
        attempt: u64,
        rule: usize,
        is_modern: bool,
    ) {
        if let Some((reply, shape)) = self.rule_reply(rule) {
            self.tell(connection, id, attempt, &reply, shape, is_modern);
        }
    }

    pub(super) fn tell(
        &mut self,
        connection: Connection,
        id: &str,
        attempt: u64,
        reply: &Reply,
        shape: Shape,
        is_modern: bool,
    ) {
        let frame = write(reply, shape, id, is_modern);
        let is_told = frame.is_some() || shape == Shape::Status;
        let told = if is_told { Told::Injected } else { Told::Nothing };
        self.record(Event::Told { attempt, told });
        match frame {
            Some(frame) => self.send_to_agent(connection, frame),
            None if shape == Shape::Silence => {}
            None => {
                let (id, reply) = (id.to_owned(), reply.clone());
                self.act(Action::Break { connection, id, shape, reply });
            }
        }
    }

    fn delay(
        &mut self,
        connection: Connection,
        id: &str,
        bytes: &[u8],
        call: WaitingCall,
        rule: usize,
        by: Duration,
    ) {
        self.inject(call.attempt, rule);
        self.ghost(connection, id);
        self.tell_rule(connection, id, call.attempt, rule, call.is_modern);
        let own = self.own.id();
        let Some(frame) = with_id(bytes, &own) else { return };
        let delayed = Delayed { connection, id: own, frame, call };
        self.wait(by, Timer::Commit(Box::new(delayed)));
    }

    /// A late commit lands.
    pub(super) fn commit(&mut self, delayed: Delayed) {
        let Delayed { connection, id, frame, call } = delayed;
        self.record(Event::Forwarded { attempt: call.attempt });
        self.own.ask(connection, id, Purpose::Late(call));
        self.send_to_upstream(connection, frame);
    }

    fn redeliver(&mut self, at: Answered<'_>, call: WaitingCall) {
        let (connection, attempt) = (at.connection, call.attempt);
        self.ghost(connection, at.id);
        let own = self.own.id();
        let again = call.frame.as_deref().and_then(|frame| with_id(frame, &own));
        let Some(again) = again else {
            self.record(Event::Told { attempt, told: Told::Upstream });
            return self.send_to_agent(connection, at.bytes.to_vec());
        };
        let (id, first) = (at.id.to_owned(), at.bytes.to_vec());
        let purpose = Purpose::Again(Box::new(Again { id, attempt, first }));
        self.own.ask(connection, own.clone(), purpose);
        self.send_to_upstream(connection, again);
        self.wait(AGAIN_LIMIT, Timer::Overdue(connection, own));
    }

    /// The second delivery was answered, or never will be.
    pub(super) fn delivered_again(
        &mut self,
        connection: Connection,
        again: Again,
        answer: Option<(Outcome, Vec<u8>)>,
    ) {
        let attempt = again.attempt;
        let outcome = answer.as_ref().map_or(Outcome::Unknown, |(outcome, _)| *outcome);
        let second = answer.and_then(|(_, bytes)| with_id(&bytes, &again.id));
        self.record(Event::Redelivered { attempt, outcome });
        self.record(Event::Told { attempt, told: Told::Upstream });
        self.send_to_agent(connection, second.unwrap_or(again.first));
    }

    /// Whether this cancel crosses an answer that waited for it; it leaves now.
    pub(super) fn cancel_crosses(&mut self, connection: Connection, id: &str) -> bool {
        let key = (connection, by_value(id).into_owned());
        let Some(crossing) = self.crossing.remove(&key) else { return false };
        let attempt = crossing.attempt;
        self.rules.let_go(crossing.rule);
        self.ghosted.insert(key);
        self.record(Event::Cancelled { attempt });
        self.inject(attempt, crossing.rule);
        self.record(Event::Told { attempt, told: Told::Upstream });
        self.send_to_agent(connection, crossing.frame);
        true
    }

    pub(super) fn nobody_cancelled(&mut self, connection: Connection, id: &str) {
        let Some(crossing) = self.crossing.remove(&(connection, by_value(id).into_owned())) else {
            return;
        };
        self.rules.let_go(crossing.rule);
        self.record(Event::Told { attempt: crossing.attempt, told: Told::Upstream });
        self.send_to_agent(connection, crossing.frame);
    }

    fn drip(&mut self, connection: Connection, frame: &[u8], bytes: u64, every: Duration) {
        if self.is_closing {
            return;
        }
        let pieces = DRIP_LIMIT.as_millis() / every.as_millis().max(1) + 1;
        let pieces = usize::try_from(pieces).unwrap_or(usize::MAX);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(frame.len() / pieces + 1);
        self.act(Action::Drip { connection, frame: frame.to_vec(), bytes, every });
    }

    pub(super) fn conclude(&mut self, call: &WaitingCall, outcome: Outcome, answer: Answer) {
        let evidence = match (outcome, call.is_cancelled) {
            (Outcome::Unknown, _) => Evidence::None,
            (_, true) => Evidence::LateAnswer,
            (_, false) => Evidence::Answer,
        };
        let attempt = call.attempt;
        self.record(Event::Concluded { attempt, outcome, evidence, answer });
    }
}

/// A request or response with this id instead of its own.
pub(super) fn with_id(bytes: &[u8], id: &str) -> Option<Vec<u8>> {
    let own = match Frame::read(bytes) {
        Frame::Single(Message::Request { id, .. }) => id?,
        Frame::Single(Message::Response { id, .. }) => id,
        Frame::Batch(_) | Frame::Opaque => return None,
    };
    splice::replace(bytes, own, id.as_bytes())
}
