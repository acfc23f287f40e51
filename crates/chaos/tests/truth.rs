//! Ten thousand random runs of the engine and the verdict against an upstream that knows the truth.
//!
//! The upstream below is the only one that counts what was carried out. Nothing it knows reaches
//! the verdict but the frames it sends, as in a real run.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::collections::HashMap;

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
}

#[derive(Debug, Clone)]
enum Step {
    Call { tool: &'static str, who: u8, key: u8, behaviour: Behaviour },
    Cancel { back: usize },
    AnswerLate,
    Wait { micros: u64 },
}

#[derive(Debug, Clone)]
struct Script {
    plan: Plan,
    steps: Vec<Step>,
    crashes: bool,
}

const TOOLS: [&str; 5] =
    ["create_booking", "cancel_booking", "get_booking", "sync_ledger", "ghost"];
const RETRY_AFTER_S: u64 = 2;

fn behaviour() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        8 => Just(Behaviour::Ok),
        1 => Just(Behaviour::Late),
        1 => Just(Behaviour::Refuses),
        1 => Just(Behaviour::RefusesAfterDoing),
        1 => Just(Behaviour::ErrorBefore),
        1 => Just(Behaviour::ErrorAfter),
        1 => Just(Behaviour::InvalidParams),
        1 => Just(Behaviour::Mute),
        1 => Just(Behaviour::MuteAfterDoing),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (0..TOOLS.len(), 0..3_u8, 0..2_u8, behaviour()).prop_map(|(tool, who, key, behaviour)| {
            Step::Call { tool: TOOLS[tool], who, key, behaviour }
        }),
        1 => (0..3_usize).prop_map(|back| Step::Cancel { back }),
        1 => Just(Step::AnswerLate),
        1 => (1..3_000_000_u64).prop_map(|micros| Step::Wait { micros }),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let shape = prop_oneof![Just(Shape::Soft), Just(Shape::Error), Just(Shape::Silence)];
    prop_oneof![
        Just(Plan::Watch),
        (0..Scenario::ALL.len(), shape).prop_map(|(at, shape)| {
            let scenario = Scenario::ALL[at];
            let shape = scenario.seen_as(shape).map_or(Shape::Soft, |_| shape);
            Plan::Scenario { scenario, shape, retry_after_s: RETRY_AFTER_S }
        }),
        (any::<u64>(), prop_oneof![Just(0.0), Just(0.3), Just(1.0)])
            .prop_map(|(seed, rate)| Plan::Chaos { rate, seed }),
    ]
}

fn script() -> impl Strategy<Value = Script> {
    (plan(), prop::collection::vec(step(), 0..10), prop::bool::weighted(0.1))
        .prop_map(|(plan, steps, crashes)| Script { plan, steps, crashes })
}

/// The truth: who was carried out how often, and when a 429 was disregarded.
#[derive(Default)]
struct Truth {
    executions: HashMap<(String, String), u64>,
    confirmed: u64,
    is_wait_broken: bool,
}

struct World {
    engine: Engine,
    run: Run,
    seq: u64,
    clock: u64,
    truth: Truth,
    behaviours: HashMap<String, Behaviour>,
    late: Vec<Vec<u8>>,
    limited: HashMap<(String, String), u64>,
    calls: HashMap<String, (String, String)>,
}

fn operation(tool: &str, who: u8) -> (String, String) {
    (tool.to_owned(), who.to_string())
}

impl World {
    fn new(plan: &Plan) -> Self {
        let mut start = Start { version: "test".to_owned(), ..Start::default() };
        match plan {
            Plan::Watch => {}
            Plan::Scenario { scenario, .. } => start.scenario = Some(scenario.name().to_owned()),
            Plan::Chaos { .. } => start.chaos = true,
        }
        let config = Config { plan: plan.clone(), ..Config::default() };
        let mut world = Self {
            engine: Engine::new(config, 1),
            run: Run::default(),
            seq: 0,
            clock: 0,
            truth: Truth::default(),
            behaviours: HashMap::new(),
            late: Vec::new(),
            limited: HashMap::new(),
            calls: HashMap::new(),
        };
        world.record(Event::Started(start));
        world
    }

    fn record(&mut self, event: Event) {
        self.seq += 1;
        self.clock += 1;
        let entry = Entry {
            v: 1,
            seq: self.seq,
            at: Instant(self.clock),
            wall_ms: 0,
            process: 1,
            event,
            prev: String::new(),
        };
        self.run.apply(&entry);
    }

    fn send(&mut self, frame: &Value) {
        let actions = self.engine.from_agent(0, frame.to_string().as_bytes());
        self.carry_out(actions);
    }

    fn carry_out(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Record(event) => self.record(event),
                Action::ToUpstream(frame) => self.upstream(&frame),
                Action::ToAgent(frame) => self.agent(&frame),
                Action::Announce(_) | Action::Audit { .. } | Action::CloseAgent => {}
            }
        }
    }

    fn agent(&mut self, frame: &[u8]) {
        let frame: Value = serde_json::from_slice(frame).unwrap();
        let Some(operation) = self.calls.get(&frame["id"].to_string()) else { return };
        if frame.to_string().contains("429") {
            self.limited.insert(operation.clone(), self.clock);
        }
    }

    fn upstream(&mut self, frame: &[u8]) {
        let frame: Value = serde_json::from_slice(frame).unwrap();
        let id = frame["id"].clone();
        let answer = match frame["method"].as_str().unwrap() {
            "tools/list" => {
                let tools: Vec<_> = TOOLS[..4]
                    .iter()
                    .map(|name| json!({"name": name, "inputSchema": {}}))
                    .collect();
                Some(json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}))
            }
            "tools/call" => self.execute(&id, &frame["params"]),
            _ => None,
        };
        if let Some(answer) = answer {
            let actions = self.engine.from_upstream(0, answer.to_string().as_bytes());
            self.carry_out(actions);
        }
    }

    fn execute(&mut self, id: &Value, params: &Value) -> Option<Value> {
        let tool = params["name"].as_str().unwrap();
        let error =
            |code: i64| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": ""}});
        let result = |is_error: bool| json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "isError": is_error}});
        if !TOOLS[..4].contains(&tool) {
            return Some(error(-32602));
        }
        let behaviour = self.behaviours[&id.to_string()];
        let is_done = matches!(
            behaviour,
            Behaviour::Ok
                | Behaviour::Late
                | Behaviour::RefusesAfterDoing
                | Behaviour::ErrorAfter
                | Behaviour::MuteAfterDoing
        );
        let is_write = tool.starts_with("create") || tool.starts_with("cancel");
        if is_done && is_write {
            let who = params["arguments"]["who"].to_string();
            *self.truth.executions.entry((tool.to_owned(), who)).or_default() += 1;
        }
        match behaviour {
            Behaviour::Ok => {
                self.truth.confirmed += u64::from(is_write);
                Some(result(false))
            }
            Behaviour::Late => {
                let answer = json!({"is_write": is_write, "frame": result(false)});
                self.late.push(answer.to_string().into_bytes());
                None
            }
            Behaviour::Refuses | Behaviour::RefusesAfterDoing => Some(result(true)),
            Behaviour::ErrorBefore | Behaviour::ErrorAfter => Some(error(-32603)),
            Behaviour::InvalidParams => Some(error(-32602)),
            Behaviour::Mute | Behaviour::MuteAfterDoing => None,
        }
    }

    fn answer_late(&mut self) {
        for late in std::mem::take(&mut self.late) {
            let late: Value = serde_json::from_slice(&late).unwrap();
            self.truth.confirmed += u64::from(late["is_write"] == json!(true));
            let actions = self.engine.from_upstream(0, late["frame"].to_string().as_bytes());
            self.carry_out(actions);
        }
    }

    fn play(&mut self, script: &Script) -> Judgement {
        self.send(&json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {}}));
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        for (at, step) in script.steps.iter().enumerate() {
            match step {
                Step::Call { tool, who, key, behaviour } => {
                    let operation = operation(tool, *who);
                    let id = json!(at);
                    self.behaviours.insert(id.to_string(), *behaviour);
                    self.calls.insert(id.to_string(), operation.clone());
                    self.clock += 1;
                    if let Some(told) = self.limited.get(&operation) {
                        let waited = self.clock.saturating_sub(*told);
                        self.truth.is_wait_broken |= waited + 10 < RETRY_AFTER_S * 1_000_000;
                    }
                    let arguments = json!({"who": who, "idempotency_key": key.to_string()});
                    let params = json!({"name": tool, "arguments": arguments});
                    self.send(&json!({
                        "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params
                    }));
                }
                Step::Cancel { back } => {
                    let request = at.saturating_sub(back + 1);
                    self.send(&json!({
                        "jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": request}
                    }));
                }
                Step::AnswerLate => self.answer_late(),
                Step::Wait { micros } => self.clock += micros,
            }
        }
        if script.crashes {
            let actions = self.engine.upstream_gone(Some(1));
            self.carry_out(actions);
        }
        self.record(Event::Finished { why: "end_of_input".to_owned() });
        self.run.judge()
    }
}

fn check(script: &Script) -> Result<Verdict, TestCaseError> {
    let mut world = World::new(&script.plan);
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
    Ok(judgement.verdict)
}

#[test]
fn no_verdict_is_ever_false() {
    let mut runner = TestRunner::new(Cases { cases: 12_000, ..Cases::default() });
    let seen = std::cell::RefCell::new(HashMap::<String, u32>::new());
    runner
        .run(&script(), |script| {
            let verdict = check(&script)?;
            *seen.borrow_mut().entry(format!("{verdict:?}")).or_default() += 1;
            Ok(())
        })
        .unwrap();
    // A generator that never reaches one of the verdicts would prove nothing about it.
    let seen = seen.into_inner();
    for verdict in ["Pass", "Fail", "NotTested"] {
        assert!(seen.get(verdict).is_some_and(|times| *times > 300), "{seen:?}");
    }
}
