//! What is played: an agent's steps, and what the upstream does with each.

use checkrein_chaos::{Plan, Scenario, Shape};
use proptest::prelude::*;

/// What the upstream does with a call it gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Behaviour {
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
pub(crate) enum Step {
    Call { tool: &'static str, who: u8, key: u8, behaviour: Behaviour },
    Cancel { back: usize },
    AnswerLate,
    Wait { micros: u64 },
    LookAtTasks,
}

#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) plan: Plan,
    pub(crate) steps: Vec<Step>,
    pub(crate) crashes: bool,
    pub(crate) processes: usize,
}

pub(crate) const TOOLS: [&str; 5] =
    ["create_booking", "cancel_booking", "get_booking", "sync_ledger", "ghost"];
pub(crate) const RETRY_AFTER_S: u64 = 2;

pub(crate) fn behaviour() -> impl Strategy<Value = Behaviour> {
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

pub(crate) fn tool() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        5 => Just(TOOLS[0]),
        1 => Just(TOOLS[1]),
        4 => Just(TOOLS[2]),
        1 => Just(TOOLS[3]),
        1 => Just(TOOLS[4]),
    ]
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (tool(), 0..2_u8, 0..2_u8, behaviour()).prop_map(|(tool, who, key, behaviour)| {
            Step::Call { tool, who, key, behaviour }
        }),
        2 => (0..2_usize).prop_map(|back| Step::Cancel { back }),
        1 => Just(Step::AnswerLate),
        2 => (1..4_000_000_u64).prop_map(|micros| Step::Wait { micros }),
        1 => Just(Step::LookAtTasks),
    ]
}

/// Settings short enough for the steps of a script.
pub(crate) fn quick(scenario: &str) -> Scenario {
    let text = match scenario {
        "late-commit" => "with: { after_s: 2 }",
        "cancel-race" => "with: { hold_s: 1.5 }",
        "list-change" => "with: { for_s: 2 }",
        _ => "",
    };
    let mut found = Scenario::named(scenario).unwrap();
    if !text.is_empty() {
        let text = format!(
            "scenario: quick-{scenario}\nabout: x\nrules: [{{ fault: {scenario}, {text} }}]"
        );
        found = checkrein_chaos::scenario::read(&text).unwrap();
    }
    found.set_retry_after(RETRY_AFTER_S);
    found
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
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

pub(crate) fn script() -> impl Strategy<Value = Script> {
    let processes = prop_oneof![3 => Just(1_usize), 1 => Just(2_usize)];
    (plan(), prop::collection::vec(step(), 0..12), prop::bool::weighted(0.1), processes)
        .prop_map(|(plan, steps, crashes, processes)| Script { plan, steps, crashes, processes })
}
