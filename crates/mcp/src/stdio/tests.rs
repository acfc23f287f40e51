mod toys;

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use toys::Peer;

#[tokio::test]
async fn the_handshake_gives_our_own_name_and_the_clients_version() {
    let mut peer = Peer::new();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let answer = peer.ask(1, "initialize", hello).await;
    assert_eq!(
        answer["result"],
        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "toys", "title": "Toys", "version": "1.0"},
            "instructions": "Play."})
    );
}

#[tokio::test]
async fn text_and_structure_of_a_result_are_the_same_json() {
    let mut peer = Peer::greeted(json!({})).await;
    let answer = peer
        .call("echo", serde_json::from_str(r#"{"b": 1.50, "a": [1, null]}"#).expect("JSON"))
        .await;
    let result = &answer["result"];
    assert_eq!(
        result["structuredContent"].to_string(),
        r#"{"said":{"b":1.50,"a":[1,null]},"client":"t"}"#
    );
    assert_eq!(result["content"][0]["text"], result["structuredContent"].to_string());
}

#[tokio::test]
async fn a_failed_call_is_a_tool_error_and_an_unknown_tool_a_protocol_error() {
    let mut peer = Peer::greeted(json!({})).await;
    let failed = peer.call("fail", json!({})).await;
    assert_eq!(failed["result"]["isError"], true);
    let unknown = peer.call("ecko", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(
        unknown["error"]["message"],
        "unknown tool `ecko`, did you mean `echo`? The tools are: echo, ask, wait, fail"
    );
}

#[tokio::test]
async fn known_methods_with_unreadable_parameters_are_invalid_params() {
    let mut peer = Peer::greeted(json!({})).await;
    for params in
        [json!(null), json!([]), json!({"name": 5}), json!({"name": "echo", "arguments": "x"})]
    {
        assert_eq!(peer.ask(1, "tools/call", params).await["error"]["code"], -32602);
    }
    assert_eq!(peer.ask(1, "tools/list", json!({"cursor": "x"})).await["error"]["code"], -32602);
    assert_eq!(peer.ask(1, "tools/fly", json!({})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn lines_that_are_no_message_are_answered_and_the_session_goes_on() {
    let mut peer = Peer::greeted(json!({})).await;
    for (line, code, id) in [
        ("{nonsense", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"{"id": 1.5, "method": "ping", "jsonrpc": "2.0"}"#, -32600, json!(1.5)),
        (r#"{"id": 4, "method": 1}"#, -32600, json!(4)),
    ] {
        peer.write(&format!("{line}\n")).await;
        let answer = peer.read().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}");
    }
    peer.write("\u{feff}\r\n\n{\"jsonrpc\":\"2.0\",\"method\":\"$/lsp\"}\n").await;
    assert_eq!(peer.read().await["error"]["code"], -32700);
    assert!(peer.is_alive().await);
}

#[tokio::test]
async fn a_message_too_long_to_read_is_answered() {
    let mut peer = Peer::greeted(json!({})).await;
    let text = "x".repeat(crate::lines::LONGEST_LINE);
    peer.send(json!({"method": "tools/call", "params": {"text": text}, "jsonrpc": "2.0", "id": 9}))
        .await;
    let answer = peer.read().await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(9)));
    assert!(peer.is_alive().await);
}

#[tokio::test]
async fn a_message_too_deep_to_read_is_answered_with_its_id() {
    let mut peer = Peer::greeted(json!({})).await;
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let line =
        format!(r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"a":{deep}}}}}"#);
    peer.write(&format!("{line}\n")).await;
    let answer = peer.read().await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(9)));
    assert!(peer.is_alive().await);
}

#[tokio::test]
async fn an_answer_too_long_to_be_read_says_that_the_call_was_carried_out() {
    let mut peer = Peer::greeted(json!({})).await;
    let said = "x".repeat(5 << 20);
    let params = json!({"name": "echo", "arguments": {"text": said}});
    peer.send(json!({"method": "tools/call", "params": params, "jsonrpc": "2.0", "id": 9})).await;
    let answer = peer.read().await;
    assert_eq!(answer["result"]["isError"], true);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("the call was carried out") && text.len() < 300, "{text}");
    assert_eq!(answer["result"]["structuredContent"]["error"], text);
}

#[tokio::test]
async fn stray_messages_before_the_handshake_do_not_end_the_session() {
    let mut peer = Peer::new();
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    peer.send(json!({"jsonrpc": "2.0", "id": 3, "result": {}})).await;
    let early = peer.ask(1, "tools/list", json!({})).await;
    assert_eq!(early["error"]["code"], -32602);
    assert_eq!(peer.ask(2, "ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn the_stateless_era_needs_no_handshake_and_cannot_be_asked() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let mut peer = Peer::new();
    let discovered = peer.ask(1, "server/discover", json!({"_meta": meta})).await;
    assert_eq!(discovered["result"]["ttlMs"], 300_000);
    let listed = peer.ask(2, "tools/list", json!({"_meta": meta})).await;
    assert_eq!(listed["result"]["ttlMs"], 300_000);
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(4));
    let params = json!({"_meta": meta, "name": "echo", "arguments": {}});
    let called = peer.ask(3, "tools/call", params).await;
    assert_eq!(called["result"]["structuredContent"]["client"], "modern");
    assert_eq!(called["result"]["resultType"], "complete");
    let params = json!({"_meta": meta, "name": "ask", "arguments": {}});
    let asked = peer.ask(4, "tools/call", params).await;
    assert_eq!(asked["result"]["structuredContent"], json!({"able": false, "yes": false}));
}

#[tokio::test]
async fn a_client_with_forms_is_asked() {
    let mut peer = Peer::greeted(json!({"elicitation": {}})).await;
    let question = peer.call("ask", json!({})).await;
    assert_eq!(question["method"], "elicitation/create");
    let params = &question["params"];
    assert_eq!((&params["mode"], &params["message"]), (&json!("form"), &json!("sure?")));
    assert_eq!(
        params["requestedSchema"],
        json!({"type": "object", "properties": {"confirm": {"type": "boolean", "default": true}},
            "required": ["confirm"]})
    );
    let yes = json!({"action": "accept", "content": {"confirm": true}});
    peer.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": yes})).await;
    let answer = peer.read().await;
    assert_eq!(answer["result"]["structuredContent"], json!({"able": true, "yes": true}));
}

#[tokio::test]
async fn a_client_without_forms_is_not_asked() {
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let mut peer = Peer::greeted(capabilities).await;
        let answer = peer.call("ask", json!({})).await;
        assert_eq!(answer["result"]["structuredContent"]["able"], false);
    }
}

#[tokio::test]
async fn progress_is_reported_only_with_a_token_and_a_cancelled_call_is_not_answered() {
    let mut peer = Peer::greeted(json!({})).await;
    let params = json!({"name": "wait", "_meta": {"progressToken": "p"}});
    let progress = peer.ask(5, "tools/call", params).await;
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "p");
    assert_eq!(progress["params"]["message"], "waiting");
    let cancel = json!({"requestId": 5, "reason": "enough"});
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}))
        .await;
    let params = json!({"name": "echo"});
    assert_eq!(peer.ask(6, "tools/call", params).await["id"], 6);
}

#[tokio::test]
async fn a_question_is_withdrawn_when_its_call_is_cancelled() {
    let mut peer = Peer::greeted(json!({"elicitation": {"form": {}}})).await;
    let question = peer.call("ask", json!({})).await;
    let cancel = json!({"requestId": 1});
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}))
        .await;
    let withdrawn = peer.read().await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
}

#[tokio::test]
async fn the_end_of_input_ends_the_session_within_a_second() {
    let mut peer = Peer::greeted(json!({})).await;
    let wait = json!({"name": "wait"});
    peer.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": wait})).await;
    assert!(peer.is_alive().await);
    drop(peer.input);
    let ended = tokio::time::timeout(Duration::from_secs(1), peer.session).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))));
}

#[tokio::test]
async fn calls_sent_just_before_the_end_of_input_are_answered() {
    let mut peer = Peer::greeted(json!({})).await;
    let echo = json!({"name": "echo"});
    peer.send(json!({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": echo})).await;
    peer.input.shutdown().await.expect("closing works");
    assert_eq!(peer.read().await["id"], 8);
}

#[tokio::test]
async fn many_calls_at_once_are_all_answered() {
    let mut peer = Peer::greeted(json!({})).await;
    for id in 0..200 {
        let echo = json!({"name": "echo"});
        peer.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": echo}))
            .await;
    }
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..200 {
        ids.insert(peer.read().await["id"].as_i64());
    }
    assert_eq!(ids.len(), 200);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z\"\\\\\u{0}-\u{ff}]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("id|method|params|name|_meta|[a-z]{1,4}", inner, 0..4)
                .prop_map(Value::from_iter),
        ]
    })
}

fn any_line() -> impl Strategy<Value = String> {
    let method = prop_oneof![
        Just("tools/call".to_owned()),
        Just("tools/list".to_owned()),
        Just("initialize".to_owned()),
        Just("ping".to_owned()),
        Just("notifications/progress".to_owned()),
        Just("resources/read".to_owned()),
        "[a-z/]{0,12}",
    ];
    prop_oneof![
        "[^\n]{0,40}",
        any_json().prop_map(|value| value.to_string()),
        (method, any_json(), any_json()).prop_map(|(method, id, params)| {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_line_ends_a_session(lines in prop::collection::vec(any_line(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()
            .expect("a runtime");
        runtime.block_on(async {
            let mut peer = Peer::greeted(json!({})).await;
            for line in &lines {
                peer.write(&format!("{line}\n")).await;
            }
            peer.send(json!({"jsonrpc": "2.0", "id": "last", "method": "tools/list"})).await;
            let answered = async {
                while peer.read().await["id"] != "last" {}
            };
            let answered = tokio::time::timeout(Duration::from_secs(5), answered).await;
            assert!(answered.is_ok(), "no answer after {lines:?}");
        });
    }
}
