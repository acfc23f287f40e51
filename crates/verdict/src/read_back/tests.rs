use checkrein_ledger::Script;
use serde_json::{Value, json};

use super::*;
use crate::run::Run;

fn ghost() -> Script {
    let booking = json!({"customer": "Muster AG", "amount": 250, "idempotency_key": "k1"});
    Script::scenario("F1").write("create_booking", &booking).ghosted(1).wait_ms(900)
}

fn shows(tool: &str, arguments: &Value) -> Shows {
    let found = Run::replay(&ghost().read(tool, arguments).entries()).read_backs();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].is_in_time && !found[0].detail.is_empty());
    found[0].shows
}

#[test]
fn a_read_for_the_same_thing_or_for_all_of_the_kind_could_show_it() {
    for (tool, arguments) in [
        ("find_bookings", json!({"customer": "muster ag"})),
        ("search_bookings", json!({"query": "open bookings of Muster AG"})),
        ("list_bookings", json!({})),
        ("list_bookings", json!({"limit": 10, "pageSize": 3, "note": null})),
        ("getBooking", json!({"amount": 250.0})),
        ("read_graph", json!({})),
        ("list_all_records", json!({})),
        ("query", json!({"text": "Muster AG"})),
        ("search", json!({})),
    ] {
        assert_eq!(shows(tool, &arguments), Shows::Could, "{tool} {arguments}");
    }
}

#[test]
fn a_read_for_something_else_can_hardly_show_it() {
    for (tool, arguments) in [
        ("get_weather", json!({"city": "Berlin"})),
        ("list_rooms", json!({})),
        ("get_booking", json!({"booking_id": "B-0001"})),
        ("get_booking", json!({"page": 250})),
    ] {
        let expected = match arguments.get("page") {
            Some(_) => Shows::Could,
            None => Shows::Unlikely,
        };
        assert_eq!(shows(tool, &arguments), expected, "{tool} {arguments}");
    }
    assert_eq!(shows("get_customer", &json!({"name": "Muster AG"})), Shows::Unclear);
}

#[test]
fn an_id_that_an_earlier_read_may_have_shown_is_not_held_against_it() {
    let script = ghost()
        .read("list_bookings", &json!({}))
        .read("get_booking", &json!({"booking_id": "B-0001"}));
    let found = Run::replay(&script.entries()).read_backs();
    assert_eq!(found[1].shows, Shows::Unclear);
}

#[test]
fn a_read_after_the_write_was_sent_again_came_too_late() {
    let script = ghost()
        .write("create_booking", &json!({"customer": "Muster AG", "amount": 250}))
        .answered(2)
        .read("list_bookings", &json!({}));
    let found = Run::replay(&script.entries()).read_backs();
    assert!(!found[0].is_in_time);
}

#[test]
fn without_a_ghost_there_is_nothing_to_read_back() {
    let script = Script::scenario("F4")
        .write("create_booking", &json!({}))
        .answered(1)
        .read("list_bookings", &json!({}));
    assert_eq!(Run::replay(&script.entries()).read_backs(), []);
}
