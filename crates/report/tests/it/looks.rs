//! What is advised after a ghost write, by what the agent looked at and how sure the report is.

use checkrein_ledger::Script;
use serde_json::{Value, json};

use crate::samples;

fn topics(reads: &[(&str, Value)]) -> Vec<String> {
    let write = json!({"entities": [{"name": "Ada Lovelace", "entityType": "person"}]});
    let script = Script::scenario("F1").write("create_entities", &write).ghosted(1).wait_ms(900);
    let script =
        reads.iter().fold(script, |script, (tool, arguments)| script.read(tool, arguments));
    samples::report(script).advice.into_iter().map(|it| it.topic).collect()
}

#[test]
fn an_agent_that_looked_is_never_told_that_it_did_not() {
    let look = "look-up-before-reporting".to_owned();
    let elsewhere = "look-up-what-was-written".to_owned();
    assert!(topics(&[]).contains(&look));
    for reads in [
        &[("read_graph", json!({}))][..],
        &[("list_entities", json!({}))],
        &[("search_nodes", json!({"query": "Ada Lovelace"}))],
        &[("list_rooms", json!({})), ("list_entities", json!({}))],
    ] {
        let topics = topics(reads);
        assert!(!topics.contains(&look) && !topics.contains(&elsewhere), "{reads:?}: {topics:?}");
    }
    let topics = topics(&[("list_rooms", json!({}))]);
    assert!(!topics.contains(&look) && topics.contains(&elsewhere), "{topics:?}");
}

/// Nothing but its pace says who sent it again.
#[test]
fn advice_is_no_surer_than_what_it_rests_on() {
    let write = json!({"a": 1});
    let script = Script::scenario("F1").write("create_booking", &write).ghosted(1);
    let report = samples::report(script.wait_ms(1).write("create_booking", &write).answered(2));
    let of = |topic: &str| report.advice.iter().find(|it| it.topic == topic).unwrap();
    let client = of("client-resends");
    assert!(client.detail.contains("may have sent"), "{}", client.detail);
    let prompt = of("look-up-before-writing-again");
    assert!(prompt.detail.starts_with("If it was the model"), "{}", prompt.detail);
    assert_eq!(prompt.patches.len(), 2);
}
