use serde_json::{Value, json};

use super::{FieldError, Reply};
use crate::paging::Page;

fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn an_ng_page_has_the_fields_clients_read() {
    let reply = Reply::ng_page(vec![json!(1)], Page { index: 1, size: 2 }, 3).json().unwrap();
    assert_eq!(names(&reply), ["status", "data", "metaData", "correlationId"]);
    let data = &reply["data"];
    assert_eq!(
        names(data),
        [
            "totalPages",
            "totalItems",
            "pageItemCount",
            "pageSize",
            "content",
            "pageIndex",
            "empty",
            "pageToken"
        ]
    );
    assert_eq!((&data["totalPages"], &data["pageItemCount"]), (&json!(2), &json!(1)));
}

#[test]
fn a_spring_page_knows_its_ends() {
    let page = |index| Reply::spring_page(vec![json!(1)], Page { index, size: 1 }, 2);
    let (first, last) = (page(0).json().unwrap(), page(1).json().unwrap());
    assert_eq!((&first["data"]["first"], &first["data"]["last"]), (&json!(true), &json!(false)));
    assert_eq!((&last["data"]["first"], &last["data"]["last"]), (&json!(false), &json!(true)));
    assert_eq!(last["data"]["pageable"]["offset"], 1);
}

#[test]
fn errors_carry_their_code_twice_and_fresh_correlation_ids() {
    let one = Reply::invalid("no").json().unwrap();
    let two = Reply::invalid("no").json().unwrap();
    assert_eq!(one["responseMessages"][0]["code"], "INVALID_REQUEST");
    assert_ne!(one["correlationId"], two["correlationId"]);
}

#[test]
fn a_field_failure_names_each_field() {
    let reply = Reply::field_failure(&[FieldError::new("identifier", "cannot be empty")]);
    let body = reply.json().unwrap();
    assert_eq!(body["errors"], json!([{"fieldId": "identifier", "error": "cannot be empty"}]));
    assert_eq!((reply.status, &body["status"]), (400, &json!("FAILURE")));
}

#[test]
fn a_v1_list_keeps_its_totals_in_headers() {
    let reply = Reply::v1_list(vec![json!({})], Page { index: 2, size: 30 }, 61);
    assert!(reply.headers.contains(&("x-total-elements".to_owned(), "61".to_owned())));
    assert_eq!(reply.json().unwrap(), json!([{}]));
}
