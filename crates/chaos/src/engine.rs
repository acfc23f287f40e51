//! The proxy's decisions: frames in, actions out, no input or output of its own.

use std::collections::{HashSet, VecDeque};

use checkrein_ledger::{
    Answer, Class, Entry, Event, Evidence, Fault, KeyFields, Outcome, Received, Told, Tool,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer;
use crate::call::Call;
use crate::classify::Patterns;
use crate::draw::draw;
use crate::faults::{self, Moment, Scenario, Shape, random};
use crate::frame::{Body, Frame, Message};
use crate::listing::Listing;
use crate::pending::{Connection, Pending, Waiting, WaitingCall};

/// What is to happen to calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Plan {
    /// Nothing: the run is a baseline.
    #[default]
    Watch,
    /// One scenario.
    Scenario {
        /// Which.
        scenario: Scenario,
        /// In which shape.
        shape: Shape,
        /// How long F2 asks to wait, in seconds.
        retry_after_s: u64,
    },
    /// Random errors on any call.
    Chaos {
        /// Their probability, 0 to 1.
        rate: f64,
        /// The seed of the draws.
        seed: u64,
    },
}

/// How the engine is set up.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// What is to happen.
    pub plan: Plan,
    /// The user's word on tool classes.
    pub patterns: Patterns,
    /// The arguments that are idempotency keys.
    pub keys: KeyFields,
    /// `TOOL=field,field`: what alone makes an operation of this tool.
    pub operation_keys: Vec<(String, Vec<String>)>,
    /// Whether the agent is offered the two audit tools.
    pub audit_tools: bool,
}

/// Which audit tool was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audit {
    /// The whole report.
    Report,
    /// The score alone.
    Score,
}

/// What the loop around the engine does, in this order, records first.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Write this into the ledger before anything that follows.
    Record(Event),
    /// Send this frame to the upstream.
    ToUpstream(Vec<u8>),
    /// Send this frame to the agent.
    ToAgent(Vec<u8>),
    /// Answer an audit call; the id is the request's, as written.
    Audit {
        /// The request's id.
        id: String,
        /// The tool.
        audit: Audit,
        /// Whether the answer needs the newer revision's fields.
        is_modern: bool,
    },
    /// The tools are known now; say so to the user.
    Announce(Vec<Tool>),
    /// Close the agent's connection: the silence of a server that died.
    CloseAgent,
}

/// The names of the audit tools.
pub const AUDIT_TOOLS: [(&str, Audit); 2] =
    [("checkrein__get_report", Audit::Report), ("checkrein__get_score", Audit::Score)];

/// The proxy's state.
#[derive(Debug)]
pub struct Engine {
    config: Config,
    member: u64,
    calls: u64,
    is_armed: bool,
    listing: Listing,
    pending: Pending,
    interim: Vec<WaitingCall>,
    ghosted: HashSet<(Connection, String)>,
    held: VecDeque<(Connection, Vec<u8>)>,
    held_bytes: usize,
}

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

impl Engine {
    /// An engine for the process that joined the run with ledger entry `member`.
    pub fn new(config: Config, member: u64) -> Self {
        Self {
            is_armed: matches!(config.plan, Plan::Scenario { .. }),
            config,
            member,
            calls: 0,
            listing: Listing::new(),
            pending: Pending::default(),
            interim: Vec::new(),
            ghosted: HashSet::new(),
            held: VecDeque::new(),
            held_bytes: 0,
        }
    }

    /// Takes in what another process of the run wrote: a scenario is used up for all of them.
    pub fn observe(&mut self, entry: &Entry) {
        if let (Event::Injected { fault, .. }, Plan::Scenario { scenario, .. }) =
            (&entry.event, &self.config.plan)
        {
            self.is_armed &= fault.name != scenario.name();
        }
    }

    /// Whether calls are held until the upstream's tools are known.
    pub fn is_holding(&self) -> bool {
        self.listing.is_underway()
    }

    /// How many bytes are held; the loop stops reading beyond its limit.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// The upstream did not say in time which tools it has.
    pub fn listing_timed_out(&mut self) -> Vec<Action> {
        self.listing.give_up();
        let mut actions = vec![Action::Announce(Vec::new())];
        self.release(&mut actions);
        actions
    }

    /// A frame from the agent.
    pub fn from_agent(&mut self, connection: Connection, bytes: &[u8]) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.listing.is_underway() || !self.held.is_empty() {
            self.hold(connection, bytes);
            return actions;
        }
        self.agent_frame(connection, bytes, &mut actions);
        actions
    }

    fn hold(&mut self, connection: Connection, bytes: &[u8]) {
        self.held_bytes += bytes.len();
        self.held.push_back((connection, bytes.to_vec()));
    }

    fn release(&mut self, actions: &mut Vec<Action>) {
        while !self.listing.is_underway() {
            let Some((connection, bytes)) = self.held.pop_front() else { return };
            self.held_bytes -= bytes.len();
            self.agent_frame(connection, &bytes, actions);
        }
    }

    fn agent_frame(&mut self, connection: Connection, bytes: &[u8], actions: &mut Vec<Action>) {
        match Frame::read(bytes) {
            Frame::Single(Message::Request { id, method, params }) => {
                self.request(connection, bytes, (id, method, params), actions);
            }
            Frame::Batch(messages) => {
                for message in messages {
                    if let Message::Request { id, method: "tools/call", params } = message
                        && let Some(call) = Call::read(params)
                    {
                        let waiting = self.receive(connection, id, &call, actions);
                        self.forward(connection, id, waiting, true, actions);
                    }
                }
                actions.push(Action::ToUpstream(bytes.to_vec()));
            }
            Frame::Single(Message::Response { .. }) | Frame::Opaque => {
                actions.push(Action::ToUpstream(bytes.to_vec()));
            }
        }
    }

    fn request(
        &mut self,
        connection: Connection,
        bytes: &[u8],
        (id, method, params): (Option<&str>, &str, Option<&str>),
        actions: &mut Vec<Action>,
    ) {
        match method {
            "tools/call" => match Call::read(params) {
                Some(call) => self.call(connection, bytes, id, &call, actions),
                None => actions.push(Action::ToUpstream(bytes.to_vec())),
            },
            "initialize" => {
                actions.push(Action::Record(Event::SessionOpened {
                    connection,
                    client: client_name(params),
                }));
                actions.push(Action::ToUpstream(bytes.to_vec()));
            }
            "notifications/initialized" => {
                actions.push(Action::ToUpstream(bytes.to_vec()));
                if self.listing.is_unasked() {
                    actions.push(Action::ToUpstream(self.listing.begin(None)));
                }
            }
            "notifications/cancelled" => self.cancel(connection, bytes, params, actions),
            "tools/list" => {
                if let Some(id) = id {
                    let is_first_page = !params.is_some_and(|params| params.contains("\"cursor\""));
                    self.pending.push(connection, id, Waiting::List { is_first_page });
                }
                actions.push(Action::ToUpstream(bytes.to_vec()));
            }
            _ => actions.push(Action::ToUpstream(bytes.to_vec())),
        }
    }

    fn cancel(
        &mut self,
        connection: Connection,
        bytes: &[u8],
        params: Option<&str>,
        actions: &mut Vec<Action>,
    ) {
        let target = params.and_then(|params| serde_json::from_str::<Cancelled<'_>>(params).ok());
        if let Some(target) = target {
            let id = target.request_id.get();
            if let Some(attempt) = self.pending.cancel(connection, id) {
                actions.push(Action::Record(Event::Cancelled { attempt }));
            } else if self.ghosted.contains(&(connection, id.to_owned())) {
                // For the upstream this call is over; it must not undo what it carried out.
                return;
            }
        }
        actions.push(Action::ToUpstream(bytes.to_vec()));
    }

    fn call(
        &mut self,
        connection: Connection,
        bytes: &[u8],
        id: Option<&str>,
        call: &Call<'_>,
        actions: &mut Vec<Action>,
    ) {
        if let (Some(audit), Some(id)) = (self.audit(&call.name), id) {
            let is_modern = call.is_modern();
            return actions.push(Action::Audit { id: id.to_owned(), audit, is_modern });
        }
        if self.listing.is_unasked() {
            // An agent that calls at once: its call waits until we know what the tool does.
            let meta = call.is_modern().then(|| meta_of(bytes)).flatten();
            actions.push(Action::ToUpstream(self.listing.begin(meta)));
            return self.hold(connection, bytes);
        }
        let waiting = self.receive(connection, id, call, actions);
        match (self.fault_before(&waiting), id) {
            (Some((fault, reply, shape)), Some(id)) => {
                let attempt = waiting.attempt;
                actions.push(Action::Record(Event::Injected { attempt, fault }));
                Self::tell(attempt, &reply, shape, id, waiting.is_modern, actions);
            }
            _ => {
                self.forward(connection, id, waiting, false, actions);
                actions.push(Action::ToUpstream(bytes.to_vec()));
            }
        }
    }

    fn audit(&self, name: &str) -> Option<Audit> {
        let known = self.config.audit_tools.then_some(AUDIT_TOOLS)?;
        known.iter().find(|(tool, _)| *tool == name).map(|(_, audit)| *audit)
    }

    fn receive(
        &mut self,
        connection: Connection,
        id: Option<&str>,
        call: &Call<'_>,
        actions: &mut Vec<Action>,
    ) -> WaitingCall {
        self.calls += 1;
        let only = self.config.operation_keys.iter().find(|(tool, _)| *tool == call.name);
        let (operation, loose) =
            call.operation(&self.config.keys, only.map(|(_, fields)| fields.as_slice()));
        let waiting = WaitingCall {
            attempt: (self.member << 32) | self.calls,
            class: self.listing.class(&call.name, &self.config.patterns),
            tool: call.name.clone().into_owned(),
            operation: operation.clone(),
            is_modern: call.is_modern(),
            is_cancelled: false,
            is_in_batch: false,
        };
        let continues = self.continues(call, &waiting);
        actions.push(Action::Record(Event::Received(Received {
            attempt: waiting.attempt,
            connection,
            request_id: id.unwrap_or_default().to_owned(),
            tool: waiting.tool.clone(),
            class: waiting.class,
            operation,
            loose,
            arguments_digest: call.digest(),
            identities: call.identities(),
            continues,
        })));
        waiting
    }

    /// The attempt that this call goes on with, when the upstream had answered it by a question.
    fn continues(&mut self, call: &Call<'_>, waiting: &WaitingCall) -> Option<u64> {
        if !call.is_next_round() {
            return None;
        }
        let at = self
            .interim
            .iter()
            .rposition(|it| it.tool == waiting.tool && it.operation == waiting.operation)?;
        Some(self.interim.remove(at).attempt)
    }

    fn forward(
        &mut self,
        connection: Connection,
        id: Option<&str>,
        mut waiting: WaitingCall,
        is_in_batch: bool,
        actions: &mut Vec<Action>,
    ) {
        actions.push(Action::Record(Event::Forwarded { attempt: waiting.attempt }));
        waiting.is_in_batch = is_in_batch;
        if let Some(id) = id {
            self.pending.push(connection, id, Waiting::Call(waiting));
        }
    }

    /// The fault that strikes before the call is forwarded.
    fn fault_before(&mut self, call: &WaitingCall) -> Option<(Fault, faults::Reply, Shape)> {
        match self.config.plan {
            Plan::Chaos { rate, seed } => (draw(seed, self.calls) < rate)
                .then(|| (random::fault(), random::reply(), Shape::Soft)),
            Plan::Scenario { scenario, shape, retry_after_s }
                if self.is_armed
                    && call.class == Class::Write
                    && scenario.moment() == Moment::Before =>
            {
                self.is_armed = false;
                Some((scenario.fault(retry_after_s), scenario.reply(retry_after_s), shape))
            }
            _ => None,
        }
    }

    /// The fault that strikes after the upstream carried the call out.
    fn fault_after(
        &mut self,
        call: &WaitingCall,
        outcome: Outcome,
    ) -> Option<(Fault, faults::Reply, Shape)> {
        let Plan::Scenario { scenario, shape, retry_after_s } = self.config.plan else {
            return None;
        };
        let strikes = self.is_armed
            && scenario.moment() == Moment::After
            && call.class == Class::Write
            && outcome == Outcome::Executed
            && !call.is_cancelled
            && !call.is_in_batch
            && !self.pending.has_earlier_write(call.attempt);
        strikes.then(|| {
            self.is_armed = false;
            (scenario.fault(retry_after_s), scenario.reply(retry_after_s), shape)
        })
    }

    fn tell(
        attempt: u64,
        reply: &faults::Reply,
        shape: Shape,
        id: &str,
        is_modern: bool,
        actions: &mut Vec<Action>,
    ) {
        let frame = faults::write(reply, shape, id, is_modern);
        let told = if frame.is_some() { Told::Injected } else { Told::Nothing };
        actions.push(Action::Record(Event::Told { attempt, told }));
        actions.extend(frame.map(Action::ToAgent));
        if shape == Shape::Close {
            actions.push(Action::CloseAgent);
        }
    }

    /// A frame from the upstream.
    pub fn from_upstream(&mut self, connection: Connection, bytes: &[u8]) -> Vec<Action> {
        let mut actions = Vec::new();
        match Frame::read(bytes) {
            Frame::Single(Message::Response { id, body }) => {
                self.response(connection, bytes, id, body, &mut actions);
            }
            Frame::Batch(messages) => {
                for message in messages {
                    if let Message::Response { id, body } = message
                        && let Some(Waiting::Call(call)) = self.pending.pop(connection, id)
                    {
                        let (outcome, answer) = answer::judge(body);
                        self.conclude(call, outcome, answer, &mut actions);
                    }
                }
                actions.push(Action::ToAgent(bytes.to_vec()));
            }
            Frame::Single(Message::Request { method, .. }) => {
                actions.push(Action::ToAgent(bytes.to_vec()));
                if method == "notifications/tools/list_changed" && !self.listing.is_unasked() {
                    let again = self.listing.begin(None);
                    actions.push(Action::ToUpstream(again));
                }
            }
            Frame::Opaque => actions.push(Action::ToAgent(bytes.to_vec())),
        }
        actions
    }

    fn response(
        &mut self,
        connection: Connection,
        bytes: &[u8],
        id: &str,
        body: Body<'_>,
        actions: &mut Vec<Action>,
    ) {
        if self.listing.owns(id) {
            match self.listing.answered(body, &self.config.patterns) {
                Some(next) => actions.push(Action::ToUpstream(next)),
                None => {
                    let tools = self.listing.tools();
                    actions.push(Action::Record(Event::Tools(tools.clone())));
                    actions.push(Action::Announce(tools));
                    self.release(actions);
                }
            }
            return;
        }
        match self.pending.pop(connection, id) {
            Some(Waiting::Call(call)) => {
                let (outcome, answer) = answer::judge(body);
                match self.fault_after(&call, outcome) {
                    None => {
                        self.conclude(call, outcome, answer, actions);
                        actions.push(Action::ToAgent(bytes.to_vec()));
                    }
                    Some((fault, reply, shape)) => {
                        let (attempt, is_modern) = (call.attempt, call.is_modern);
                        let evidence = Evidence::Answer;
                        self.ghosted.insert((connection, id.to_owned()));
                        actions.push(Action::Record(Event::Concluded {
                            attempt,
                            outcome,
                            evidence,
                            answer,
                        }));
                        actions.push(Action::Record(Event::Injected { attempt, fault }));
                        Self::tell(attempt, &reply, shape, id, is_modern, actions);
                    }
                }
            }
            Some(Waiting::List { is_first_page }) if self.config.audit_tools && is_first_page => {
                let offered = with_audit_tools(bytes, body).unwrap_or_else(|| bytes.to_vec());
                actions.push(Action::ToAgent(offered));
            }
            Some(Waiting::List { .. }) | None => actions.push(Action::ToAgent(bytes.to_vec())),
        }
    }

    fn conclude(
        &mut self,
        call: WaitingCall,
        outcome: Outcome,
        answer: Answer,
        actions: &mut Vec<Action>,
    ) {
        let attempt = call.attempt;
        let evidence = match (outcome, call.is_cancelled) {
            (Outcome::Unknown, _) => Evidence::None,
            (_, true) => Evidence::LateAnswer,
            (_, false) => Evidence::Answer,
        };
        actions.push(Action::Record(Event::Concluded { attempt, outcome, evidence, answer }));
        actions.push(Action::Record(Event::Told { attempt, told: Told::Upstream }));
        if outcome == Outcome::Interim {
            self.interim.push(call);
        }
    }

    /// The upstream went away: every call that waits is lost, and the agent is told so.
    pub fn upstream_gone(&mut self, code: Option<i32>) -> Vec<Action> {
        let mut actions = vec![Action::Record(Event::UpstreamGone { code })];
        self.listing.give_up();
        self.release(&mut actions);
        // What was released just now can be sent nowhere.
        actions.retain(|action| !matches!(action, Action::ToUpstream(_)));
        for (_, id, call) in self.pending.drain_calls() {
            let attempt = call.attempt;
            actions.push(Action::Record(Event::Concluded {
                attempt,
                outcome: Outcome::Unknown,
                evidence: Evidence::None,
                answer: Answer::None,
            }));
            actions.push(Action::Record(Event::Told { attempt, told: Told::Lost }));
            let text = r#"{"code":-32603,"message":"Connection closed: the server went away"}"#;
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{text}}}"#);
            actions.push(Action::ToAgent(frame.into_bytes()));
        }
        actions
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

/// The upstream's list with our two tools put in front, byte for byte otherwise.
fn with_audit_tools(bytes: &[u8], body: Body<'_>) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Tools<'a> {
        #[serde(borrow)]
        tools: &'a RawValue,
    }
    let Body::Result(result) = body else { return None };
    let tools: Tools<'_> = serde_json::from_str(result).ok()?;
    let array = tools.tools.get();
    let inner = array.strip_prefix('[')?;
    let at = array.as_ptr().addr().checked_sub(bytes.as_ptr().addr())? + 1;
    let is_empty = inner.trim_start().starts_with(']');
    let ours = AUDIT_TOOLS.map(|(name, audit)| {
        let about = match audit {
            Audit::Report => "The report of this run as it stands.",
            Audit::Score => "The verdict and score of this run as it stands.",
        };
        format!(
            r#"{{"name":"{name}","description":"{about}","inputSchema":{{"type":"object"}},"annotations":{{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}}}"#
        )
    });
    let separator = if is_empty { "" } else { "," };
    let (before, after) = (bytes.get(..at)?, bytes.get(at..)?);
    Some([before, ours.join(",").as_bytes(), separator.as_bytes(), after].concat())
}
