//! The engine alone, with a ledger in memory.

use std::time::Duration;

use checkrein_chaos::{Action, Config, Engine, Plan, Probe, Scenario};
use checkrein_ledger::{Entry, Event, Instant, Start};
use checkrein_verdict::{Judgement, Run};
use serde_json::{Value, json};

/// An engine, its ledger, and what it let out.
pub(crate) struct Bench {
    pub(crate) engine: Engine,
    pub(crate) run: Run,
    seq: u64,
    pub(crate) to_agent: Vec<String>,
    pub(crate) to_upstream: Vec<String>,
    waits: Vec<(u64, Duration)>,
}

impl Bench {
    /// In front of an upstream with one tool, which has told of it.
    pub(crate) fn new(scenario: Option<&str>, probes: Vec<Probe>) -> Self {
        let plan =
            scenario.map_or(Plan::Watch, |name| Plan::Scenario(Scenario::named(name).unwrap()));
        Self::with(Config { plan, probes, ..Config::default() })
    }

    /// The same, set up like this.
    pub(crate) fn with(config: Config) -> Self {
        let scenario = match &config.plan {
            Plan::Scenario(scenario) => Some(scenario.name.clone()),
            _ => None,
        };
        let mut bench = Self {
            engine: Engine::new(config, 1),
            run: Run::default(),
            seq: 0,
            to_agent: Vec::new(),
            to_upstream: Vec::new(),
            waits: Vec::new(),
        };
        let start = Start { version: "test".to_owned(), ..Start::default() };
        bench.carry_out(vec![Action::Record(Event::Started(Start { scenario, ..start }))]);
        bench
    }

    pub(crate) fn agent(&mut self, frame: &str) {
        let actions = self.engine.from_agent(0, frame.as_bytes());
        self.carry_out(actions);
    }

    pub(crate) fn upstream(&mut self, frame: &str) {
        let actions = self.engine.from_upstream(0, frame.as_bytes());
        self.carry_out(actions);
    }

    /// Answers the latest request that the upstream got, under the id it came with.
    pub(crate) fn answer(&mut self, result: Value) {
        let asked: Value = serde_json::from_str(self.to_upstream.last().unwrap()).unwrap();
        self.upstream(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string());
    }

    /// The tools are told when the proxy asks.
    pub(crate) fn list(&mut self) {
        self.answer(json!({"tools": [
            {"name": "create_booking", "inputSchema": {"type": "object"}},
            {"name": "list_bookings", "inputSchema": {"type": "object"}},
        ]}));
    }

    pub(crate) fn overdue(&mut self) {
        for (token, _) in std::mem::take(&mut self.waits) {
            let actions = self.engine.timer(token);
            self.carry_out(actions);
        }
    }

    pub(crate) fn carry_out(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Record(event) => {
                    self.seq += 1;
                    let (at, prev) = (Instant(self.seq * 1_000_000), String::new());
                    let entry =
                        Entry { v: 1, seq: self.seq, at, wall_ms: 0, process: 0, event, prev };
                    self.run.apply(&entry);
                }
                Action::ToUpstream(_, frame) => {
                    self.to_upstream.push(String::from_utf8(frame).unwrap());
                }
                Action::ToAgent(_, frame) => self.to_agent.push(String::from_utf8(frame).unwrap()),
                Action::Wait { token, after } => self.waits.push((token, after)),
                _ => {}
            }
        }
    }

    pub(crate) fn judge(mut self) -> Judgement {
        let mut actions = self.engine.closing();
        actions.push(Action::Record(Event::Finished { why: "end_of_input".to_owned() }));
        self.carry_out(actions);
        self.run.judge()
    }
}

/// A call of the write tool.
pub(crate) fn call(id: &str, method: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{{"name":"create_booking","arguments":{{"a":1}}}}}}"#
    )
}

/// A result that says yes.
pub(crate) const DONE: &str = r#"{"content":[]}"#;
