//! Frames from the agent.

use checkrein_ledger::{Class, Event, Received, Told};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Action, Engine, Part};
use crate::call::{Call, List};
use crate::faults::Shape;
use crate::frame::{Frame, Message};
use crate::pending::{Connection, Waiting, WaitingCall};
use crate::request_id::by_value;

#[derive(Deserialize)]
struct Cancelled<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: &'a RawValue,
}

#[derive(Deserialize)]
struct WithMeta {
    #[serde(rename = "_meta")]
    meta: Value,
}

/// A request as it came.
#[derive(Clone, Copy)]
struct Request<'a> {
    connection: Connection,
    bytes: &'a [u8],
    id: Option<&'a str>,
    method: &'a str,
    params: Option<&'a str>,
}

impl Engine {
    /// A frame from the agent.
    pub fn from_agent(&mut self, connection: Connection, bytes: &[u8]) -> Vec<Action> {
        if self.is_holding() || !self.held.is_empty() {
            self.hold(connection, bytes);
            self.lane = None;
            return Vec::new();
        }
        self.agent_frame(connection, bytes);
        self.done()
    }

    pub(super) fn agent_frame(&mut self, connection: Connection, bytes: &[u8]) {
        match Frame::read(bytes) {
            Frame::Single(Message::Request { id, method, params }) => {
                self.request(Request { connection, bytes, id, method, params });
            }
            Frame::Batch(messages) => self.batch(connection, bytes, &messages),
            Frame::Single(Message::Response { .. }) | Frame::Opaque => {
                self.send_to_upstream(connection, bytes.to_vec());
            }
        }
    }

    /// A batch is passed on whole: its calls are counted, and no fault strikes them.
    fn batch(&mut self, connection: Connection, bytes: &[u8], messages: &[Message<'_>]) {
        let is_call =
            |it: &Message<'_>| matches!(it, Message::Request { method: "tools/call", .. });
        if self.listing.is_unasked() && messages.iter().any(is_call) {
            self.begin_listing(connection, None);
            return self.hold(connection, bytes);
        }
        for message in messages {
            let Message::Request { id, method, params } = *message else { continue };
            match (method, id) {
                ("tools/call", _) => {
                    if let Some(call) = Call::read(params) {
                        let waiting = self.receive(connection, id, &call, true);
                        self.forward(connection, id, waiting);
                    }
                }
                ("notifications/cancelled", _) => {
                    self.cancel(connection, params);
                }
                ("tasks/get" | "tasks/result", Some(id)) => {
                    self.agent_looks_at_task(connection, id, params, method == "tasks/result");
                }
                _ => {}
            }
        }
        self.send_to_upstream(connection, bytes.to_vec());
    }

    fn request(&mut self, request: Request<'_>) {
        let Request { connection, bytes, id, method, params } = request;
        if method == "tools/call" {
            return match Call::read(params) {
                Some(call) => self.call(request, &call),
                None => self.send_to_upstream(connection, bytes.to_vec()),
            };
        }
        if let Some(id) = id
            && let Some(rule) = self.rules.meet_method(method)
        {
            return self.withhold_request(connection, id, method, rule);
        }
        match method {
            "initialize" => {
                let client = client_name(params);
                self.record(Event::SessionOpened { connection, client });
                self.restart.remember_opening(connection, bytes);
            }
            "notifications/cancelled" if self.cancel(connection, params) => return,
            "notifications/initialized" => self.restart.remember_opened(connection, bytes),
            "tools/list" => {
                if let Some(id) = id {
                    let is_first_page = !params.is_some_and(|params| params.contains("\"cursor\""));
                    self.pending.push(connection, id, self.lane, Waiting::List { is_first_page });
                }
            }
            "tasks/get" | "tasks/result" => {
                if let Some(id) = id {
                    self.agent_looks_at_task(connection, id, params, method == "tasks/result");
                }
            }
            _ => {
                if let Some(id) = id {
                    self.pending.push(connection, id, self.lane, Waiting::Other);
                }
            }
        }
        self.send_to_upstream(connection, bytes.to_vec());
        if method == "notifications/initialized" && self.listing.is_unasked() {
            self.begin_listing(connection, None);
        }
    }

    /// Takes in a cancel; whether the upstream must not hear of it.
    fn cancel(&mut self, connection: Connection, params: Option<&str>) -> bool {
        let target = params.and_then(|params| serde_json::from_str::<Cancelled<'_>>(params).ok());
        let Some(target) = target else { return false };
        let id = target.request_id.get();
        if let Some(attempt) = self.pending.cancel(connection, id, self.lane) {
            self.record(Event::Cancelled { attempt });
            return false;
        }
        if self.cancel_crosses(connection, id) {
            return true;
        }
        // For the upstream this call is over; it must not undo what it carried out.
        self.ghosted.contains(&(connection, by_value(id).into_owned()))
    }

    fn call(&mut self, request: Request<'_>, call: &Call<'_>) {
        let Request { connection, bytes, id, .. } = request;
        if self.audit(connection, id, &call.name, call.is_modern()) {
            return;
        }
        if self.listing.is_unasked() {
            // An agent that calls at once: its call waits until we know what the tool does.
            let meta = call.is_modern().then(|| meta_of(bytes)).flatten();
            self.begin_listing(connection, meta);
            return self.hold(connection, bytes);
        }
        let mut waiting = self.receive(connection, id, call, false);
        let mut frame = bytes.to_vec();
        if let Some(id) = id {
            match self.strike_at_arrival(connection, id, bytes, call, waiting) {
                Ok(()) => return,
                Err(on_its_way) => (waiting, frame) = *on_its_way,
            }
        }
        self.forward(connection, id, waiting);
        self.send_to_upstream(connection, frame);
    }

    pub(super) fn receive(
        &mut self,
        connection: Connection,
        id: Option<&str>,
        call: &Call<'_>,
        is_in_batch: bool,
    ) -> WaitingCall {
        let class = self.listing.class(&call.name, &self.config.patterns);
        let only = self.config.operation_keys.iter().find(|(tool, _)| *tool == call.name);
        let (operation, loose) =
            call.operation(&self.config.keys, only.map(|(_, fields)| fields.as_slice()));
        let attempt = self.next_attempt();
        let continues = self.continues(call, &operation);
        let (rules, counted) = self.rules.meet(call, class, continues.is_none());
        let waiting = WaitingCall {
            attempt,
            class,
            tool: call.name.clone().into_owned(),
            operation: operation.clone(),
            is_modern: call.is_modern(),
            is_cancelled: false,
            is_in_batch,
            rules,
            split_by: None,
            part: Vec::new(),
            frame: None,
        };
        let repeats_part = self.part_in(call, &waiting);
        self.record(Event::Received(Received {
            attempt,
            connection,
            request_id: id.unwrap_or_default().to_owned(),
            tool: waiting.tool.clone(),
            class,
            operation,
            loose,
            arguments_digest: call.digest(),
            identities: call.identities(),
            continues,
            repeats_part,
            in_batch: is_in_batch,
        }));
        for rule in counted {
            self.record(Event::Matched { attempt, rule });
        }
        waiting
    }

    fn next_attempt(&mut self) -> u64 {
        self.calls += 1;
        (self.member << 32) | self.calls
    }

    /// The attempt that this call goes on with, when the upstream had answered it by a question:
    /// the one whose state it brings back.
    fn continues(&mut self, call: &Call<'_>, operation: &str) -> Option<u64> {
        if !call.is_next_round() {
            return None;
        }
        let state = call.state();
        let at = self.interim.iter().rposition(|(it, asked)| {
            it.tool == call.name && it.operation == operation && *asked == state
        })?;
        Some(self.interim.remove(at).0.attempt)
    }

    /// The call of which this one holds items that were carried out before.
    fn part_in(&self, call: &Call<'_>, waiting: &WaitingCall) -> Option<u64> {
        let fits = |part: &&Part| part.tool == waiting.tool && part.operation != waiting.operation;
        let mut parts = self.parts.iter().filter(fits).peekable();
        parts.peek()?;
        let lists = call.lists(&self.config.keys);
        let is_again = |list: &List, done: &List| {
            list.name == done.name
                && list.others == done.others
                && list.items.iter().any(|item| done.items.contains(item))
        };
        let holds =
            |part: &&Part| part.lists.iter().any(|done| lists.iter().any(|it| is_again(it, done)));
        Some(parts.find(holds)?.attempt)
    }

    fn forward(&mut self, connection: Connection, id: Option<&str>, waiting: WaitingCall) {
        self.record(Event::Forwarded { attempt: waiting.attempt });
        if let Some(id) = id {
            self.pending.push(connection, id, self.lane, Waiting::Call(waiting));
        }
    }

    /// A request that is no tool call, answered by a rule's fault instead.
    fn withhold_request(&mut self, connection: Connection, id: &str, method: &str, rule: usize) {
        let attempt = self.next_attempt();
        self.record(Event::Received(Received {
            attempt,
            connection,
            request_id: id.to_owned(),
            tool: method.to_owned(),
            class: Class::Unclassified,
            operation: String::new(),
            loose: String::new(),
            arguments_digest: String::new(),
            identities: Vec::new(),
            continues: None,
            repeats_part: None,
            in_batch: false,
        }));
        self.inject(attempt, rule);
        // A tool result answers no other method.
        match self.rule_reply(rule) {
            Some((reply, Shape::Soft)) => {
                self.tell(connection, id, attempt, &reply, Shape::Error, false);
            }
            Some((reply, shape)) => self.tell(connection, id, attempt, &reply, shape, false),
            None => self.record(Event::Told { attempt, told: Told::Nothing }),
        }
    }
}

fn client_name(params: Option<&str>) -> Option<String> {
    let params: Value = serde_json::from_str(params?).ok()?;
    let client = params.get("clientInfo")?;
    let name = client.get("name")?.as_str()?;
    let version = client.get("version").and_then(Value::as_str).unwrap_or_default();
    Some(format!("{name} {version}").trim_end().to_owned())
}

fn meta_of(bytes: &[u8]) -> Option<Value> {
    let Frame::Single(Message::Request { params, .. }) = Frame::read(bytes) else { return None };
    let mut meta = serde_json::from_str::<WithMeta>(params?).ok()?.meta;
    // A progress token belongs to the call it came with.
    meta.as_object_mut()?.shift_remove("progressToken");
    Some(meta)
}
