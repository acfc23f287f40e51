//! Random runs of the engine and the verdict against an upstream that knows the truth.
//!
//! The upstream below is the only one that counts what was carried out. Nothing it knows reaches
//! the verdict but the frames it sends, as in a real run. Every built-in scenario is played, by one
//! proxy or by two that share the run.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::collections::{HashMap, HashSet};

use checkrein_chaos::{Action, Config, Engine, Plan, Scenario, Shape};
use checkrein_ledger::{Entry, Event, Instant, Start};
use checkrein_verdict::{Judgement, Run, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use serde_json::{Value, json};

/// What the upstream does with a call it gets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Behaviour {
    Ok,
    /// Carried out, answered later or never, as the agent's steps go.
    Late,
    Refuses,
    RefusesAfterDoing,
    ErrorBefore,
    ErrorAfter,
    InvalidParams,
    Mute,
    MuteAfterDoing,
    /// Answered by a task that is done, or fails.
    Task,
    TaskFails,
}

#[derive(Debug, Clone)]
enum Step {
    Call { tool: &'static str, who: u8, key: u8, behaviour: Behaviour },
    Cancel { back: usize },
    AnswerLate,
    Wait { micros: u64 },
    LookAtTasks,
}

#[derive(Debug, Clone)]
struct Script {
    plan: Plan,
    steps: Vec<Step>,
    crashes: bool,
    processes: usize,
}

const TOOLS: [&str; 5] =
    ["create_booking", "cancel_booking", "get_booking", "sync_ledger", "ghost"];
const RETRY_AFTER_S: u64 = 2;

fn behaviour() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        30 => Just(Behaviour::Ok),
        1 => Just(Behaviour::Late),
        1 => Just(Behaviour::Refuses),
        1 => Just(Behaviour::RefusesAfterDoing),
        1 => Just(Behaviour::ErrorBefore),
        1 => Just(Behaviour::ErrorAfter),
        1 => Just(Behaviour::InvalidParams),
        1 => Just(Behaviour::Mute),
        1 => Just(Behaviour::MuteAfterDoing),
        2 => Just(Behaviour::Task),
        1 => Just(Behaviour::TaskFails),
    ]
}

fn tool() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        5 => Just(TOOLS[0]),
        1 => Just(TOOLS[1]),
        4 => Just(TOOLS[2]),
        1 => Just(TOOLS[3]),
        1 => Just(TOOLS[4]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (tool(), 0..2_u8, 0..2_u8, behaviour()).prop_map(|(tool, who, key, behaviour)| {
            Step::Call { tool, who, key, behaviour }
        }),
        2 => (0..2_usize).prop_map(|back| Step::Cancel { back }),
        1 => Just(Step::AnswerLate),
        2 => (1..3_000_000_u64).prop_map(|micros| Step::Wait { micros }),
        1 => Just(Step::LookAtTasks),
    ]
}

/// Settings short enough for the steps of a script.
fn quick(scenario: &str) -> Scenario {
    let text = match scenario {
        "late-commit" => "with: { after_s: 2 }",
        "cancel-race" => "with: { hold_s: 1.5 }",
        "list-change" => "with: { for_s: 2 }",
        _ => "",
    };
    let mut found = Scenario::named(scenario).unwrap();
    if !text.is_empty() {
        let text =
            format!("scenario: {scenario}\nabout: x\nrules: [{{ fault: {scenario}, {text} }}]");
        found = checkrein_chaos::scenario::read(&text).unwrap();
    }
    found.set_retry_after(RETRY_AFTER_S);
    found
}

fn plan() -> impl Strategy<Value = Plan> {
    let names: Vec<_> = Scenario::built_in().into_iter().map(|scenario| scenario.name).collect();
    let shape = prop_oneof![Just(Shape::Soft), Just(Shape::Error), Just(Shape::Silence)];
    prop_oneof![
        2 => Just(Plan::Watch),
        20 => (0..names.len(), shape).prop_map(move |(at, shape)| {
            let mut scenario = quick(&names[at]);
            scenario.set_shape(shape);
            Plan::Scenario(scenario)
        }),
        // It takes a read before the write and the same one after it.
        2 => Just(Plan::Scenario(quick("stale-read"))),
        2 => (any::<u64>(), prop_oneof![Just(0.0), Just(0.3), Just(1.0)])
            .prop_map(|(seed, rate)| Plan::Chaos { rate, seed }),
    ]
}

fn script() -> impl Strategy<Value = Script> {
    let processes = prop_oneof![3 => Just(1_usize), 1 => Just(2_usize)];
    (plan(), prop::collection::vec(step(), 0..12), prop::bool::weighted(0.1), processes)
        .prop_map(|(plan, steps, crashes, processes)| Script { plan, steps, crashes, processes })
}

/// The truth: who was carried out how often, and when a 429 was disregarded.
#[derive(Default)]
struct Truth {
    executions: HashMap<(String, String), u64>,
    confirmed: u64,
    confirmed_tasks: HashSet<u64>,
    is_wait_broken: bool,
}

struct World {
    engines: Vec<Engine>,
    run: Run,
    seq: u64,
    clock: u64,
    truth: Truth,
    behaviours: HashMap<u64, Behaviour>,
    late: Vec<Late>,
    limited: HashMap<(String, String), u64>,
    calls: HashMap<String, (String, String)>,
    waits: Vec<(u64, usize, u64)>,
    /// Calls that arrived once; what arrives again is our redelivery.
    arrived: HashSet<u64>,
    tasks: HashMap<String, (u64, bool)>,
    handles: Vec<(usize, String)>,
}

/// An answer that the upstream has not given yet.
struct Late {
    process: usize,
    confirms: bool,
    frame: Value,
}

fn operation(tool: &str, who: u8) -> (String, String) {
    (tool.to_owned(), who.to_string())
}

fn is_write(tool: &str) -> bool {
    tool.starts_with("create") || tool.starts_with("cancel")
}

impl World {
    fn new(script: &Script) -> Self {
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
    fn record(&mut self, process: usize, event: Event) {
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

    fn send(&mut self, process: usize, frame: &Value) {
        let actions = self.engines[process].from_agent(0, frame.to_string().as_bytes());
        self.carry_out(process, actions);
    }

    fn carry_out(&mut self, process: usize, actions: Vec<Action>) {
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

    fn agent(&mut self, process: usize, frame: &[u8]) {
        let frame: Value = serde_json::from_slice(frame).unwrap();
        let told = frame.to_string();
        for word in ["inject", "chaos", "checkrein", "proxy"] {
            assert!(!told.contains(word), "the agent can see it: {told}");
        }
        if let Some(task) = frame["result"]["task"]["taskId"].as_str() {
            self.handles.push((process, task.to_owned()));
        }
        let Some(operation) = self.calls.get(&frame["id"].to_string()) else { return };
        if told.contains("429") || told.contains("503") {
            self.limited.insert(operation.clone(), self.clock);
        }
    }

    fn upstream(&mut self, process: usize, frame: &[u8]) {
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

    fn execute(&mut self, process: usize, id: &Value, params: &Value) -> Option<Value> {
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

    fn answer_late(&mut self) {
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
    fn pass(&mut self, micros: u64) {
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

    fn call(&mut self, process: usize, at: usize, tool: &str, who: u8, key: u8) {
        let operation = operation(tool, who);
        let id = json!(at);
        self.calls.insert(id.to_string(), operation.clone());
        self.clock += 1;
        if let Some(told) = self.limited.get(&operation) {
            let waited = self.clock.saturating_sub(*told);
            self.truth.is_wait_broken |= waited + 10 < RETRY_AFTER_S * 1_000_000;
        }
        let arguments =
            json!({"who": who, "items": ["a", "b", "c"], "idempotency_key": key.to_string()});
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"mark": at}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.send(process, &call);
    }

    fn play(&mut self, script: &Script) -> Judgement {
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

fn check(script: &Script) -> Result<(Verdict, Vec<String>), TestCaseError> {
    let mut world = World::new(script);
    let judgement = world.play(script);
    let truth = &world.truth;
    let doubled = truth.executions.values().any(|times| *times > 1);
    match judgement.verdict {
        Verdict::Pass => {
            prop_assert!(!doubled, "false PASS: {:?}", truth.executions);
            prop_assert!(!truth.is_wait_broken, "false PASS: the wait was not kept");
            prop_assert!(judgement.score.is_some());
        }
        Verdict::Fail => {
            prop_assert!(doubled || truth.is_wait_broken, "false FAIL: {:?}", judgement.reasons);
            prop_assert!(judgement.score.is_some_and(|score| score.overall <= 49.0));
        }
        Verdict::NotTested => {
            prop_assert!(judgement.score.is_none());
            prop_assert!(!judgement.reasons.is_empty());
        }
    }
    let counted: u64 = judgement.operations.iter().map(|operation| operation.executions).sum();
    prop_assert_eq!(counted, truth.confirmed, "executions that the upstream confirmed");
    let again = serde_json::to_string(&judgement).unwrap();
    prop_assert_eq!(again, serde_json::to_string(&world.run.judge()).unwrap());
    let faults = world.run.attempts.values().filter_map(|attempt| attempt.fault.as_ref());
    Ok((judgement.verdict, faults.map(|fault| fault.kind.clone()).collect()))
}

#[test]
fn no_verdict_is_ever_false() {
    let mut runner =
        TestRunner::new(Cases { cases: 12_000, failure_persistence: None, ..Cases::default() });
    let seen = std::cell::RefCell::new(HashMap::<String, u32>::new());
    let struck = std::cell::RefCell::new(HashMap::<String, u32>::new());
    runner
        .run(&script(), |script| {
            let (verdict, faults) = check(&script)?;
            *seen.borrow_mut().entry(format!("{verdict:?}")).or_default() += 1;
            for fault in faults {
                *struck.borrow_mut().entry(fault).or_default() += 1;
            }
            Ok(())
        })
        .unwrap();
    let (seen, struck) = (seen.into_inner(), struck.into_inner());
    // A generator that never reaches one of the verdicts would prove nothing about it.

    for verdict in ["Pass", "Fail", "NotTested"] {
        assert!(seen.get(verdict).is_some_and(|times| *times > 300), "{seen:?}");
    }
    for kind in checkrein_chaos::faults::KINDS.iter().filter(|kind| kind.id != "watch") {
        assert!(struck.get(kind.id).is_some_and(|times| *times > 10), "{}: {struck:?}", kind.id);
    }
}
