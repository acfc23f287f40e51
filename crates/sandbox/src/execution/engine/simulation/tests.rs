use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Deed, Event, Mark, States, state_at};
use crate::execution::engine::compile::{Surroundings, compile};
use crate::execution::engine::expressions::Names;
use crate::execution::engine::plan::{Chain, Plan, Role};
use crate::execution::engine::status::{Status, of_active, of_ended};

const START: i64 = 1_000_000;

fn compiled(stages: Value) -> Plan {
    let child = json!({"pipeline": {"identifier": "child", "stages": [
        {"stage": {"identifier": "inner", "type": "Custom", "spec": {"execution": {"steps": [
            {"step": {"identifier": "deep", "type": "ShellScript"}}]}}}}]}});
    compile(
        &json!({"pipeline": {"identifier": "x", "stages": stages}}),
        &Surroundings {
            names: Names::default(),
            frozen: &|stage| (stage["identifier"] == "frozen").then(|| "xmas".to_owned()),
            chained: &|_: &Chain, _| Ok(child.clone()),
            home: ("o".to_owned(), "p".to_owned()),
            stages: &[],
        },
    )
    .unwrap()
}

fn stage(id: &str, steps: Value) -> Value {
    json!({"stage": {"identifier": id, "type": "Custom", "spec": {"execution": {"steps": steps}}}})
}

fn step(id: &str) -> Value {
    json!({"step": {"identifier": id, "type": "ShellScript", "tags": {"sandbox.duration": "10s"}}})
}

fn at(plan: &Plan, id: &str) -> usize {
    plan.nodes.iter().position(|node| node.identifier == id).unwrap()
}

fn status(plan: &Plan, states: &States, id: &str) -> Status {
    states.status(at(plan, id))
}

fn event(plan: &Plan, id: &str, after_ms: i64, deed: Deed) -> Event {
    Event { at_ms: START + after_ms, node: at(plan, id), deed }
}

const LATER: i64 = START + 100 * 24 * 3_600_000;

#[test]
fn steps_follow_each_other_and_branches_run_side_by_side() {
    let plan =
        compiled(json!([stage("s", json!([step("a"), {"parallel": [step("b"), step("c")]}]))]));
    let early = state_at(&plan, START, &[], 0, START + 5_000);
    assert_eq!(status(&plan, &early, "a"), Status::Running);
    assert_eq!(status(&plan, &early, "b"), Status::NotStarted);
    let middle = state_at(&plan, START, &[], 0, START + 15_000);
    assert_eq!(status(&plan, &middle, "b"), Status::Running);
    assert_eq!(status(&plan, &middle, "c"), Status::Running);
    assert_eq!(middle.of(0).unwrap().end_ms, None);
    let done = state_at(&plan, START, &[], 0, LATER);
    assert_eq!(done.status(0), Status::Success);
    assert_eq!(done.of(0).unwrap().end_ms, Some(START + 20_400));
}

#[test]
fn a_failure_stops_what_follows_and_runs_what_waits_for_it() {
    let mut cleanup = step("cleanup");
    cleanup["step"]["when"] = json!({"stageStatus": "Failure"});
    let plan = compiled(json!([
        stage("s", json!([step("will_fail"), step("next"), cleanup])),
        stage("t", json!([step("u")]))
    ]));
    let done = state_at(&plan, START, &[], 0, LATER);
    assert_eq!(status(&plan, &done, "will_fail"), Status::Failed);
    assert_eq!(status(&plan, &done, "next"), Status::NotStarted);
    assert_eq!(status(&plan, &done, "cleanup"), Status::Success);
    assert_eq!(status(&plan, &done, "t"), Status::NotStarted);
    assert_eq!(done.status(0), Status::Failed);
    assert_eq!(done.failure(&plan, 0).unwrap().0, at(&plan, "will_fail"));
}

#[test]
fn strategies_ignore_succeed_retry_and_roll_back() {
    let with = |action: Value| {
        let mut failing = step("will_fail");
        failing["step"]["failureStrategies"] =
            json!([{"onFailure": {"errors": ["AllErrors"], "action": action}}]);
        let mut deploy = stage("s", json!([failing, step("next")]));
        deploy["stage"]["spec"]["execution"]["rollbackSteps"] = json!([step("undo")]);
        let plan = compiled(json!([deploy]));
        let done = state_at(&plan, START, &[], 0, LATER);
        (done.status(0), status(&plan, &done, "next"), status(&plan, &done, "undo"))
    };
    use Status::{Failed, IgnoreFailed, NotStarted, Success};
    assert_eq!(with(json!({"type": "Ignore"})), (IgnoreFailed, Success, NotStarted));
    assert_eq!(with(json!({"type": "MarkAsSuccess"})), (Success, Success, NotStarted));
    assert_eq!(with(json!({"type": "Abort"})), (Failed, NotStarted, NotStarted));
    assert_eq!(with(json!({"type": "StageRollback"})), (Failed, NotStarted, Success));
    let retry = json!({"type": "Retry", "spec": {"retryCount": 1, "retryIntervals": ["5s"],
        "onRetryFailure": {"action": {"type": "Ignore"}}}});
    assert_eq!(with(retry), (IgnoreFailed, Success, NotStarted));
}

#[test]
fn an_approval_waits_until_somebody_decides_or_time_is_up() {
    let approval = json!({"step": {"identifier": "ok", "type": "HarnessApproval", "timeout": "1h",
        "spec": {"approvers": {"minimumCount": 2}}}});
    let plan = compiled(json!([stage("s", json!([approval, step("next")]))]));
    let by =
        |user: &str, after: i64| event(&plan, "ok", after, Deed::Approve { user: user.to_owned() });
    let waiting = state_at(&plan, START, &[by("ann", 5_000)], 0, START + 60_000);
    assert_eq!(waiting.status(0), Status::ApprovalWaiting);
    let twice = [by("ann", 5_000), by("ann", 6_000)];
    assert_eq!(state_at(&plan, START, &twice, 0, LATER).status(0), Status::Expired);
    let both = [by("ann", 5_000), by("ben", 6_000)];
    assert_eq!(state_at(&plan, START, &both, 0, LATER).status(0), Status::Success);
    let no = [by("ann", 5_000), event(&plan, "ok", 7_000, Deed::Reject)];
    assert_eq!(state_at(&plan, START, &no, 0, LATER).status(0), Status::ApprovalRejected);
}

#[test]
fn an_abort_discontinues_and_then_ends() {
    let plan = compiled(json!([stage("s", json!([step("a"), step("b")]))]));
    let events = [Event { at_ms: START + 5_000, node: 0, deed: Deed::Abort }];
    let during = state_at(&plan, START, &events, 0, START + 5_100);
    assert_eq!(during.status(0), Status::Discontinuing);
    let done = state_at(&plan, START, &events, 0, LATER);
    assert_eq!(done.status(0), Status::Aborted);
    assert_eq!(status(&plan, &done, "b"), Status::NotStarted);
}

#[test]
fn a_pause_lets_the_running_step_end_and_a_resume_goes_on() {
    let plan = compiled(json!([stage("s", json!([step("a"), step("b")]))]));
    let mut events = vec![Event { at_ms: START + 5_000, node: 0, deed: Deed::Pause }];
    assert_eq!(state_at(&plan, START, &events, 0, START + 6_000).status(0), Status::Pausing);
    assert_eq!(state_at(&plan, START, &events, 0, START + 60_000).status(0), Status::Paused);
    events.push(Event { at_ms: START + 90_000, node: 0, deed: Deed::Resume });
    let done = state_at(&plan, START, &events, 0, LATER);
    assert_eq!(done.status(0), Status::Success);
    assert_eq!(done.of(0).unwrap().end_ms, Some(START + 100_000));
}

#[test]
fn an_intervention_waits_and_a_person_decides() {
    let mut failing = step("will_fail");
    failing["step"]["failureStrategies"] = json!([{"onFailure": {"errors": ["AllErrors"],
        "action": {"type": "ManualIntervention", "spec": {"timeout": "1h",
            "onTimeout": {"action": {"type": "Abort"}}}}}}]);
    let plan = compiled(json!([stage("s", json!([failing, step("next")]))]));
    assert_eq!(
        state_at(&plan, START, &[], 0, START + 60_000).status(0),
        Status::InterventionWaiting
    );
    assert_eq!(state_at(&plan, START, &[], 0, LATER).status(0), Status::Failed);
    let go = [Event { at_ms: START + 60_000, node: 0, deed: Deed::Mark(Mark::Success) }];
    assert_eq!(state_at(&plan, START, &go, 0, LATER).status(0), Status::Success);
}

#[test]
fn a_frozen_stage_aborts_the_run() {
    let frozen = json!({"stage": {"identifier": "frozen", "type": "Deployment", "spec": {}}});
    let plan = compiled(json!([stage("s", json!([step("a")])), frozen]));
    let done = state_at(&plan, START, &[], 0, LATER);
    assert_eq!(done.status(0), Status::AbortedByFreeze);
    assert!(done.failure(&plan, 0).unwrap().1.contains("xmas"));
}

#[test]
fn a_step_slower_than_its_timeout_expires_and_a_flaky_one_heals() {
    let mut slow = step("slow");
    slow["step"]["timeout"] = json!("3s");
    let plan = compiled(json!([stage("s", json!([slow]))]));
    assert_eq!(state_at(&plan, START, &[], 0, LATER).status(0), Status::Expired);
    let mut flaky = step("flaky");
    flaky["step"]["tags"] = json!({"sandbox.fail": "once", "sandbox.fail.times": "1"});
    let plan = compiled(json!([stage("s", json!([flaky]))]));
    assert_eq!(state_at(&plan, START, &[], 0, LATER).status(0), Status::Failed);
    assert_eq!(state_at(&plan, START, &[], 1, LATER).status(0), Status::Success);
}

#[test]
fn a_chained_pipeline_is_part_of_the_run() {
    let chain = json!({"stage": {"identifier": "chain", "type": "Pipeline", "spec": {"pipeline": "child"}}});
    let plan = compiled(json!([chain]));
    let done = state_at(&plan, START, &[], 0, LATER);
    assert_eq!(status(&plan, &done, "deep"), Status::Success);
    assert_eq!(done.status(0), Status::Success);
}

fn any_action() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"type": "Ignore"})),
        Just(json!({"type": "MarkAsSuccess"})),
        Just(json!({"type": "MarkAsFailure"})),
        Just(json!({"type": "Abort"})),
        Just(json!({"type": "StageRollback"})),
        Just(json!({"type": "ManualIntervention", "spec": {"timeout": "30s"}})),
        Just(json!({"type": "Retry", "spec": {"retryCount": 2, "retryIntervals": ["1s"]}})),
    ]
}

fn any_when(field: &'static str) -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(Value::Null),
        1 => Just(json!({field: "Failure"})),
        1 => Just(json!({field: "All"})),
        1 => Just(json!({field: "Success", "condition": "false"})),
    ]
}

fn any_step() -> impl Strategy<Value = Value> {
    let kinds =
        prop::sample::select(vec!["ShellScript", "Run", "HarnessApproval", "Wait", "JiraApproval"]);
    let tags = prop_oneof![3 => Just(json!({})), 1 => Just(json!({"sandbox.fail": "broken"})),
        1 => Just(json!({"sandbox.fail": "flaky", "sandbox.fail.times": "1"}))];
    let timeout = prop::sample::select(vec!["2s", "20s", "10m"]);
    ("[a-e]{1,2}", kinds, tags, timeout, prop::option::of(any_action()), any_when("stageStatus"))
        .prop_map(|(id, kind, tags, timeout, action, when)| {
            let strategies = action.map_or(
                json!([]),
                |action| json!([{"onFailure": {"errors": ["AllErrors"], "action": action}}]),
            );
            json!({"step": {"identifier": id, "type": kind, "tags": tags, "timeout": timeout,
                "when": when, "failureStrategies": strategies, "spec": {"duration": "12s"}}})
        })
}

fn any_steps() -> impl Strategy<Value = Value> {
    let entry = any_step().prop_recursive(2, 12, 3, |inner| {
        let some = prop::collection::vec(inner, 1..3);
        prop_oneof![
            some.clone().prop_map(|all| json!({"parallel": all})),
            some.prop_map(|all| json!({"stepGroup": {"identifier": "g", "steps": all}})),
        ]
    });
    prop::collection::vec(entry, 0..4).prop_map(Value::from)
}

fn any_stage() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec!["Custom", "Deployment", "Deployment", "CI", "Pipeline"]);
    let ids = prop::sample::select(vec!["s", "t", "u", "frozen"]);
    (ids, kinds, any_steps(), any_steps(), any_when("pipelineStatus")).prop_map(
        |(id, kind, steps, undo, when)| {
            json!({"stage": {"identifier": id, "type": kind, "when": when,
                "spec": {"pipeline": "child", "execution": {"steps": steps, "rollbackSteps": undo}}}})
        },
    )
}

fn any_stages() -> impl Strategy<Value = Value> {
    let side_by_side =
        prop::collection::vec(any_stage(), 2..3).prop_map(|all| json!({"parallel": all}));
    let entry = prop_oneof![3 => any_stage(), 1 => side_by_side];
    prop::collection::vec(entry, 1..4).prop_map(Value::from)
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        Just(Deed::Abort),
        Just(Deed::Expire),
        Just(Deed::Pause),
        Just(Deed::Resume),
        Just(Deed::Retry),
        Just(Deed::RollBack),
        Just(Deed::Mark(Mark::Success)),
        Just(Deed::Mark(Mark::Ignored)),
        Just(Deed::Mark(Mark::Failed)),
        Just(Deed::Approve { user: "ann".to_owned() }),
        Just(Deed::Reject),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn whatever_people_do_a_run_obeys_the_table(
        stages in any_stages(),
        deeds in prop::collection::vec((0_i64..60_000, any::<prop::sample::Index>(), any_deed()), 0..6),
        moments in prop::collection::vec(0_i64..120_000, 4),
    ) {
        let plan = compiled(stages);
        let events: Vec<Event> = deeds.into_iter().map(|(after, node, deed)| {
            // The whole plan is what people mostly act on.
            let node = node.index(plan.nodes.len() * 2);
            Event { at_ms: START + after, node: if node < plan.nodes.len() { node } else { 0 }, deed }
        }).collect();
        let mut moments: Vec<i64> = moments.into_iter().map(|after| START + after).collect();
        moments.push(START);
        moments.push(LATER);
        moments.sort_unstable();
        let mut before: Option<States> = None;
        for now in moments {
            let states = state_at(&plan, START, &events, 0, now);
            for change in &states.changes {
                prop_assert!(change.from.may_become(change.to), "{change:?}");
            }
            // What was seen earlier is the beginning of what is seen now.
            if let Some(before) = &before {
                prop_assert!(states.changes.starts_with(&before.changes));
                for (old, new) in before.nodes.iter().zip(&states.nodes) {
                    if old.status.is_final() {
                        prop_assert_eq!(old, new);
                    }
                }
            }
            check_shape(&plan, &states, now)?;
            before = Some(states);
        }
    }
}

fn check_shape(plan: &Plan, states: &States, now: i64) -> Result<(), TestCaseError> {
    for (at, node) in plan.nodes.iter().enumerate() {
        let state = states.of(at).unwrap();
        prop_assert_eq!(state.end_ms.is_some(), state.status.is_final());
        prop_assert_eq!(state.start_ms.is_none(), state.status == Status::NotStarted);
        if let (Some(start), Some(end)) = (state.start_ms, state.end_ms) {
            prop_assert!(start <= end && end <= now);
        }
        let children = node.children.iter().map(|child| states.status(*child));
        if let Some(parent) = node.parent {
            let above = states.of(parent).unwrap();
            prop_assert!(state.start_ms.is_none() || above.start_ms <= state.start_ms);
            prop_assert!(!above.status.is_final() || !state.status.is_active());
        }
        let stopped = [Status::Aborted, Status::Expired, Status::Skipped, Status::AbortedByFreeze];
        if node.children.is_empty() || stopped.contains(&state.status) {
            continue;
        }
        if state.status.is_final() {
            prop_assert_eq!(state.status, of_ended(children.clone()), "{:?}", node);
        } else if matches!(state.status, Status::ApprovalWaiting | Status::InterventionWaiting) {
            prop_assert_eq!(state.status, of_active(children.clone()));
        }
        if node.role == Role::Fork && state.status == Status::Running {
            prop_assert!(children.clone().all(|child| child != Status::NotStarted));
        }
    }
    let now_is_far = now == LATER;
    let paused = matches!(states.status(0), Status::Paused | Status::Pausing);
    let anything_paused = states.nodes.iter().any(|state| state.status == Status::Paused);
    prop_assert!(!now_is_far || states.status(0).is_final() || paused || anything_paused);
    Ok(())
}
