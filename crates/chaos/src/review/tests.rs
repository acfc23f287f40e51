use checkrein_ledger::KeyFields;
use serde_json::{Value, json};

use super::{Definition, Finding, Level, review};
use crate::classify::Patterns;

fn reviewed(tools: &[Value]) -> Vec<Finding> {
    let tools: Vec<_> = tools.iter().filter_map(Definition::of).collect();
    review(&tools, &Patterns::default(), &KeyFields::default())
}

fn tool(name: &str, fields: &[&str], required: &[&str]) -> Value {
    let fields: serde_json::Map<_, _> =
        fields.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"name": name, "inputSchema": {"properties": fields, "required": required}})
}

fn with(mut tool: Value, annotations: Value) -> Value {
    tool["annotations"] = annotations;
    tool
}

fn of<'a>(findings: &'a [Finding], check: &str) -> Vec<&'a Finding> {
    findings.iter().filter(|finding| finding.check == check).collect()
}

#[test]
fn a_write_without_a_key_is_a_warning_unless_a_repeat_changes_nothing() {
    let found = reviewed(&[
        tool("create_booking", &["customer"], &["customer"]),
        with(tool("update_booking", &["booking_id"], &[]), json!({"idempotentHint": true})),
        tool("create_order", &["Idempotency-Key"], &[]),
    ]);
    let found = of(&found, "idempotency_key");
    let told: Vec<_> =
        found.iter().map(|finding| (finding.level, finding.tools.join(","))).collect();
    assert_eq!(
        told,
        [
            (Level::Warning, "create_booking".to_owned()),
            (Level::Note, "create_order".to_owned()),
            (Level::Ok, "update_booking".to_owned()),
        ]
    );
}

#[test]
fn a_key_that_says_how_it_is_used_is_as_it_should_be() {
    let mut create = tool("create_order", &["idempotency_key"], &[]);
    create["inputSchema"]["properties"]["idempotency_key"]["description"] =
        json!("Send the same value with every retry");
    let found = reviewed(&[create]);
    assert_eq!(of(&found, "idempotency_key")[0].level, Level::Ok);
}

#[test]
fn a_read_that_wants_the_id_from_the_lost_answer_is_no_look_up() {
    let create = tool("create_booking", &["customer", "date"], &["customer"]);
    let get = tool("get_booking", &["booking_id"], &["booking_id"]);
    let found = reviewed(&[create.clone(), get.clone()]);
    let look_up = of(&found, "look_up");
    assert_eq!(look_up[0].level, Level::Warning);
    assert!(look_up[0].text.contains("`get_booking` asks for `booking_id`"), "{look_up:?}");

    let find = tool("find_bookings", &["customer", "page"], &[]);
    let found = reviewed(&[create, get, find]);
    let look_up = of(&found, "look_up");
    assert_eq!(look_up[0].level, Level::Ok);
    assert!(look_up[0].text.contains("by `customer` in `find_bookings`"), "{look_up:?}");
}

#[test]
fn a_list_that_nothing_narrows_is_worth_a_note() {
    let create = tool("create_booking", &["customer"], &[]);
    let found = reviewed(&[create, tool("list_bookings", &["page", "limit"], &[])]);
    let look_up = of(&found, "look_up");
    assert_eq!(look_up[0].level, Level::Note);
    assert!(look_up[0].text.contains("nothing narrows it"), "{look_up:?}");
}

#[test]
fn a_search_of_another_name_may_help() {
    let create = tool("create_entities", &["entities"], &[]);
    let found = reviewed(&[create, tool("search_nodes", &["query"], &["query"])]);
    let look_up = of(&found, "look_up");
    assert_eq!(look_up[0].level, Level::Note);
    assert!(look_up[0].text.contains("`search_nodes` may show its outcome"), "{look_up:?}");
}

#[test]
fn a_read_of_another_thing_is_no_look_up() {
    let found = reviewed(&[
        tool("create_booking", &["customer"], &[]),
        tool("get_booking", &["booking_id"], &["booking_id"]),
        tool("create_order", &["item", "customer"], &[]),
        tool("find_orders", &["item", "customer"], &[]),
        tool("list_shops", &["page"], &[]),
    ]);
    let told: Vec<_> = of(&found, "look_up")
        .iter()
        .map(|finding| (finding.level, finding.tools.join(",")))
        .collect();
    assert_eq!(
        told,
        [(Level::Warning, "create_booking".to_owned()), (Level::Ok, "create_order".to_owned()),]
    );
}

#[test]
fn an_upstream_without_reads_shows_no_outcome() {
    let found = reviewed(&[tool("send_mail", &["to"], &[])]);
    let look_up = of(&found, "look_up");
    assert_eq!((look_up[0].level, look_up[0].tools.len()), (Level::Warning, 1));
}

#[test]
fn what_the_agent_sent_deep_inside_counts_for_the_look_up() {
    let create = json!({"name": "create_order", "inputSchema": {"properties": {"order": {
        "type": "object", "properties": {"customer": {"type": "string"}}}}}});
    let found = reviewed(&[create, tool("find_orders", &["customer"], &["customer"])]);
    assert_eq!(of(&found, "look_up")[0].level, Level::Ok);
}

#[test]
fn sister_tools_that_differ_are_named() {
    let found = reviewed(&[
        tool("create_order", &["idempotency_key"], &[]),
        tool("create_booking", &["customer"], &[]),
        tool("send_mail", &["idempotencyKey"], &[]),
    ]);
    let sisters = of(&found, "sister_tools");
    assert_eq!(sisters[0].level, Level::Warning);
    assert!(sisters[0].text.contains("`create_order` takes an idempotency key"), "{sisters:?}");
    assert!(sisters[1].text.contains("is spelt `idempotencyKey` and `idempotency_key`"));
}

#[test]
fn tools_that_are_alike_have_nothing_said_of_them() {
    let found = reviewed(&[
        tool("create_order", &["idempotency_key"], &[]),
        tool("create_booking", &["idempotency_key"], &[]),
    ]);
    assert!(of(&found, "sister_tools").is_empty());
}

#[test]
fn hints_that_contradict_names_or_each_other_are_named() {
    let both = json!({"readOnlyHint": true, "destructiveHint": true});
    let found = reviewed(&[
        with(tool("sweep", &[], &[]), both),
        with(tool("create_note", &[], &[]), json!({"readOnlyHint": true})),
        with(tool("get_ticket", &[], &[]), json!({"readOnlyHint": false, "destructiveHint": true})),
        with(
            tool("delete_note", &[], &[]),
            json!({"readOnlyHint": false, "destructiveHint": false}),
        ),
        tool("sync_ledger", &[], &[]),
        tool("list_notes", &[], &[]),
        with(tool("update_note", &[], &[]), json!({"readOnlyHint": false})),
    ]);
    let told: Vec<_> = of(&found, "hints")
        .iter()
        .map(|finding| (finding.level, finding.tools.join(",")))
        .collect();
    let (warning, note) = (Level::Warning, Level::Note);
    assert_eq!(
        told,
        [
            (warning, "sweep".to_owned()),
            (warning, "create_note".to_owned()),
            (note, "get_ticket".to_owned()),
            (warning, "delete_note".to_owned()),
            (warning, "sync_ledger".to_owned()),
            (note, "list_notes".to_owned()),
            (note, "update_note".to_owned()),
        ]
    );
}

#[test]
fn good_hints_are_praised() {
    let hints = json!({"readOnlyHint": true});
    let found = reviewed(&[with(tool("list_notes", &[], &[]), hints)]);
    assert_eq!(of(&found, "hints")[0].level, Level::Ok);
}

#[test]
fn a_write_that_may_be_a_task_can_lose_its_handle() {
    let mut render = tool("create_film", &[], &[]);
    render["execution"] = json!({"taskSupport": "optional"});
    assert_eq!(of(&reviewed(&[render]), "task_handle")[0].level, Level::Note);
}

#[test]
fn definitions_of_any_shape_are_survived() {
    for odd in [
        json!(null),
        json!({"name": 7}),
        json!({"name": "create_x"}),
        json!({"name": "create_x", "inputSchema": 7, "annotations": []}),
        json!({"name": "create_x", "inputSchema": {"properties": [], "required": {"a": 1}}}),
        json!({"name": "", "inputSchema": {"properties": {"": {}}, "required": [""]}}),
        json!({"name": "___", "annotations": {"readOnlyHint": "yes"}}),
    ] {
        drop(reviewed(&[odd.clone(), odd]));
    }
    assert_eq!(reviewed(&[]), []);
}
