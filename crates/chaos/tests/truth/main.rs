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

mod script;
mod world;

use std::collections::HashMap;

use checkrein_verdict::Verdict;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};

use script::{Script, script};
use world::World;

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
