//! An agent, proxies and an upstream that counts what it carries out.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use checkrein_chaos::{Action, Config, Engine, Plan};
use checkrein_ledger::{Entry, Event, Instant, Start};
use checkrein_verdict::{Judgement, Run};
use serde_json::{Value, json};

use crate::script::{Behaviour, RETRY_AFTER_S, Script, Step, TOOLS};

/// How long a date is (RFC 9110 section 5.6.7).
const DATE: &str = "Thu, 01 Jan 1970 00:00:03 GMT";

/// What the proxy allows for two clocks that differ.
const CLOCKS: Duration = Duration::from_millis(10);

/// The truth: who was carried out how often, and when a 429 was disregarded.
#[derive(Default)]
pub(crate) struct Truth {
    pub(crate) executions: HashMap<(String, String), u64>,
    pub(crate) confirmed: u64,
    pub(crate) confirmed_tasks: HashSet<u64>,
    pub(crate) is_wait_broken: bool,
}

pub(crate) struct World {
    pub(crate) engines: Vec<Engine>,
    pub(crate) run: Run,
    pub(crate) seq: u64,
    pub(crate) clock: u64,
    pub(crate) truth: Truth,
    pub(crate) behaviours: HashMap<u64, Behaviour>,
    pub(crate) late: Vec<Late>,
    /// Since when an operation must wait, and how long, in microseconds.
    pub(crate) limited: HashMap<(String, String), (u64, u64)>,
    pub(crate) calls: HashMap<String, (String, String)>,
    pub(crate) waits: Vec<(u64, usize, u64)>,
    /// Calls that arrived once; what arrives again is our redelivery.
    pub(crate) arrived: HashSet<u64>,
    pub(crate) tasks: HashMap<String, (u64, bool)>,
    pub(crate) handles: Vec<(usize, String)>,
}

/// An answer that the upstream has not given yet.
pub(crate) struct Late {
    pub(crate) process: usize,
    pub(crate) confirms: bool,
    pub(crate) frame: Value,
}

pub(crate) fn operation(tool: &str, who: u8) -> (String, String) {
    (tool.to_owned(), who.to_string())
}

pub(crate) fn is_write(tool: &str) -> bool {
    tool.starts_with("create") || tool.starts_with("cancel")
}

impl World {
    pub(crate) fn new(script: &Script) -> Self {
        let mut start = Start { version: "test".to_owned(), ..Start::default() };
        match &script.plan {
            Plan::Watch => {}
            Plan::Scenario(scenario) => start.scenario = Some(scenario.name.clone()),
            Plan::Chaos { .. } => start.chaos = true,
        }
        let config = Config { plan: script.plan.clone(), ..Config::default() };
        let members = 1..=script.processes as u64;
        let mut world = Self {
            engines: members.map(|member| Engine::new(config.clone(), member)).collect(),
            run: Run::default(),
            seq: 0,
            clock: 0,
            truth: Truth::default(),
            behaviours: HashMap::new(),
            late: Vec::new(),
            limited: HashMap::new(),
            calls: HashMap::new(),
            waits: Vec::new(),
            arrived: HashSet::new(),
            tasks: HashMap::new(),
            handles: Vec::new(),
        };
        world.record(0, Event::Started(start));
        world
    }

    /// What one process writes the others know before they decide again.
    pub(crate) fn record(&mut self, process: usize, event: Event) {
        self.seq += 1;
        self.clock += 1;
        let entry = Entry {
            v: 1,
            seq: self.seq,
            at: Instant(self.clock),
            wall_ms: 0,
            process: process as u32,
            event,
            prev: String::new(),
        };
        let others = self.engines.iter_mut().enumerate().filter(|(at, _)| *at != process);
        others.for_each(|(_, engine)| engine.observe(&entry));
        self.run.apply(&entry);
    }

    pub(crate) fn send(&mut self, process: usize, frame: &Value) {
        let actions = self.engines[process].from_agent(0, frame.to_string().as_bytes());
        self.carry_out(process, actions);
    }

    pub(crate) fn carry_out(&mut self, process: usize, actions: Vec<Action>) {
        // As in the loop, everything is written down before anything is let out.
        let (records, effects): (Vec<_>, Vec<_>) =
            actions.into_iter().partition(|action| matches!(action, Action::Record(_)));
        for action in records.into_iter().chain(effects) {
            match action {
                Action::Record(event) => self.record(process, event),
                Action::ToUpstream(_, frame) => self.upstream(process, &frame),
                Action::ToAgent(_, frame) | Action::Drip { frame, .. } => {
                    self.agent(process, &frame);
                }
                Action::Wait { token, after } => {
                    let due = self.clock + u64::try_from(after.as_micros()).unwrap();
                    self.waits.push((due, process, token));
                }
                Action::RestartUpstream => {
                    self.late.retain(|late| late.process != process);
                    let actions = self.engines[process].upstream_started();
                    self.carry_out(process, actions);
                }
                Action::Announce(_) | Action::Audit { .. } | Action::Break { .. } => {}
            }
        }
    }

    pub(crate) fn agent(&mut self, process: usize, frame: &[u8]) {
        let frame: Value = serde_json::from_slice(frame).unwrap();
        let told = frame.to_string();
        for word in ["inject", "chaos", "checkrein", "proxy"] {
            assert!(!told.contains(word), "the agent can see it: {told}");
        }
        if let Some(task) = frame["result"]["task"]["taskId"].as_str() {
            self.handles.push((process, task.to_owned()));
        }
        let Some(operation) = self.calls.get(&frame["id"].to_string()) else { return };
        if told.contains("429") {
            self.limited.insert(operation.clone(), (self.clock, RETRY_AFTER_S * 1_000_000));
        }
        if let Some((_, date)) = told.split_once("Retry-After: ") {
            // The engine's wall clock stands still in these runs.
            let date = httpdate::parse_http_date(&date[..DATE.len()]).unwrap();
            let wait = date.duration_since(SystemTime::UNIX_EPOCH).unwrap() - CLOCKS;
            let wait = u64::try_from(wait.as_micros()).unwrap();
            self.limited.insert(operation.clone(), (self.clock, wait));
        }
    }

    pub(crate) fn upstream(&mut self, process: usize, frame: &[u8]) {
        let frame: Value = serde_json::from_slice(frame).unwrap();
        let id = frame["id"].clone();
        let answer = match frame["method"].as_str().unwrap() {
            "initialize" => Some(json!({"jsonrpc": "2.0", "id": id, "result": {}})),
            "tools/list" => {
                let tools: Vec<_> = TOOLS[..4]
                    .iter()
                    .map(|name| json!({"name": name, "inputSchema": {}}))
                    .collect();
                Some(json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}))
            }
            "tools/call" => self.execute(process, &id, &frame["params"]),
            "tasks/get" => {
                let task = frame["params"]["taskId"].as_str().unwrap();
                let (mark, is_done) = self.tasks[task];
                if is_done && self.truth.confirmed_tasks.insert(mark) {
                    self.truth.confirmed += 1;
                }
                let status = if is_done { "completed" } else { "failed" };
                let result = json!({"taskId": task, "status": status});
                Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
            }
            _ => None,
        };
        if let Some(answer) = answer {
            let actions = self.engines[process].from_upstream(0, answer.to_string().as_bytes());
            self.carry_out(process, actions);
        }
    }

    pub(crate) fn execute(&mut self, process: usize, id: &Value, params: &Value) -> Option<Value> {
        let tool = params["name"].as_str().unwrap();
        let error =
            |code: i64| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": ""}});
        let result = |is_error: bool| json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "isError": is_error}});
        if !TOOLS[..4].contains(&tool) {
            return Some(error(-32602));
        }
        let mark = params["_meta"]["mark"].as_u64().unwrap();
        let is_first = self.arrived.insert(mark);
        let behaviour = self.behaviours[&mark];
        let is_done = matches!(
            behaviour,
            Behaviour::Ok
                | Behaviour::Late
                | Behaviour::RefusesAfterDoing
                | Behaviour::ErrorAfter
                | Behaviour::MuteAfterDoing
                | Behaviour::Task
        );
        let counts = is_write(tool) && is_first;
        if is_done && counts {
            let who = params["arguments"]["who"].to_string();
            *self.truth.executions.entry((tool.to_owned(), who)).or_default() += 1;
        }
        match behaviour {
            Behaviour::Ok => {
                self.truth.confirmed += u64::from(counts);
                Some(result(false))
            }
            Behaviour::Late => {
                self.late.push(Late { process, confirms: counts, frame: result(false) });
                None
            }
            Behaviour::Refuses | Behaviour::RefusesAfterDoing => Some(result(true)),
            Behaviour::ErrorBefore | Behaviour::ErrorAfter => Some(error(-32603)),
            Behaviour::InvalidParams => Some(error(-32602)),
            Behaviour::Mute | Behaviour::MuteAfterDoing => None,
            Behaviour::Task | Behaviour::TaskFails => {
                let task = format!("task-{mark}");
                let is_done = behaviour == Behaviour::Task;
                if !is_write(tool) {
                    self.truth.confirmed_tasks.insert(mark);
                }
                self.tasks.insert(task.clone(), (mark, is_done));
                let task = json!({"taskId": task, "status": "working"});
                Some(json!({"jsonrpc": "2.0", "id": id, "result": {"task": task}}))
            }
        }
    }

    pub(crate) fn answer_late(&mut self) {
        // One by one: a restart takes those of its process with it.
        for _ in 0..self.late.len() {
            if self.late.is_empty() {
                return;
            }
            let late = self.late.remove(0);
            self.truth.confirmed += u64::from(late.confirms);
            let frame = late.frame.to_string();
            let actions = self.engines[late.process].from_upstream(0, frame.as_bytes());
            self.carry_out(late.process, actions);
        }
    }

    /// Lets time pass, and everything happen that was to happen by then.
    pub(crate) fn pass(&mut self, micros: u64) {
        let until = self.clock + micros;
        loop {
            self.waits.sort_unstable();
            let due = self.waits.first().copied().filter(|(at, _, _)| *at <= until);
            let Some((at, process, token)) = due else { break };
            self.waits.remove(0);
            self.clock = self.clock.max(at);
            let actions = self.engines[process].timer(token);
            self.carry_out(process, actions);
        }
        self.clock = self.clock.max(until);
    }

    pub(crate) fn call(&mut self, process: usize, at: usize, tool: &str, who: u8, key: u8) {
        let operation = operation(tool, who);
        let id = json!(at);
        self.calls.insert(id.to_string(), operation.clone());
        self.clock += 1;
        if let Some((told, wait)) = self.limited.get(&operation) {
            let waited = self.clock.saturating_sub(*told);
            self.truth.is_wait_broken |= waited + 10 < *wait;
        }
        let arguments =
            json!({"who": who, "items": ["a", "b", "c"], "idempotency_key": key.to_string()});
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"mark": at}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.send(process, &call);
    }

    pub(crate) fn play(&mut self, script: &Script) -> Judgement {
        for process in 0..script.processes {
            let hello = json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {}});
            self.send(process, &hello);
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            self.send(process, &ready);
        }
        for (at, step) in script.steps.iter().enumerate() {
            let process = at % script.processes;
            match step {
                Step::Call { tool, who, key, behaviour } => {
                    self.behaviours.insert(at as u64, *behaviour);
                    self.call(process, at, tool, *who, *key);
                }
                Step::Cancel { back } => {
                    let request = at.saturating_sub(back + 1);
                    let cancel = json!({
                        "jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": request}
                    });
                    self.send(process, &cancel);
                }
                Step::AnswerLate => self.answer_late(),
                Step::Wait { micros } => self.pass(*micros),
                Step::LookAtTasks => {
                    for (process, task) in self.handles.clone() {
                        let look = json!({
                            "jsonrpc": "2.0", "id": format!("look-{at}"), "method": "tasks/get",
                            "params": {"taskId": task}
                        });
                        self.send(process, &look);
                    }
                }
            }
        }
        for process in 0..script.processes {
            let actions = if script.crashes {
                self.engines[process].upstream_gone(Some(1))
            } else {
                self.engines[process].closing()
            };
            self.carry_out(process, actions);
            self.record(process, Event::Finished { why: "end_of_input".to_owned() });
        }
        self.run.judge()
    }
}
