//! What is advised after a ghost write, by what the agent looked at.

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
