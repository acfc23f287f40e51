//! Messages of 16 MiB, both ways.

use std::time::Duration;

use checkrein_chaos::http::To;
use checkrein_chaos::stdio::Command;
use checkrein_chaos::{Config, Plan, Shape};
use checkrein_verdict::Verdict;
use serde_json::{Value, json};

use super::stage::{
    JSON, Message, Stage, answer, begin_stream, bookings, read, stage, stage_of, write_chunk,
};

const SIZE: usize = 16 << 20;

fn large_call(id: u64) -> String {
    let notes = "n".repeat(SIZE);
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "create_booking", "arguments": {"notes": notes}}})
    .to_string()
}

/// Asks with the patience that an unoptimised proxy needs for so much.
fn ask(stage: &Stage, fields: &[&str], body: &str) -> Message {
    let mut stream = stage.send("POST", "/mcp", fields, body.as_bytes());
    stream.set_read_timeout(Some(Duration::from_secs(90))).unwrap();
    read(&mut stream).unwrap()
}

#[test]
fn a_large_message_passes_both_ways_and_a_fault_strikes_it_as_any_other() {
    for (is_stream, scenario) in [(false, None), (true, Some(("F1", Shape::Soft)))] {
        let stage = stage(scenario, move |asked, stream| {
            if asked.method() != "tools/call" {
                return bookings(false)(asked, stream);
            }
            let notes = &asked.json()["params"]["arguments"]["notes"];
            let result = json!({"content": [], "notes": notes});
            let frame = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
            if is_stream {
                begin_stream(stream);
                write_chunk(stream, &format!("data: {frame}\n\n"));
                return write_chunk(stream, "");
            }
            answer(stream, "200 OK", JSON, &frame);
        });
        let got = ask(&stage, super::LEGACY, &large_call(1));
        let asked = stage.log.lock().unwrap().last().unwrap().body.len();
        assert_eq!(asked, large_call(1).len());
        assert_eq!(got.body.len() > SIZE, scenario.is_none(), "{}", got.body.len());
        assert_eq!(stage.verdict().verdict, Verdict::Pass);
    }
}

/// Answers one look at its tools, then one call by its line's length and as many letters.
const LONG_LINES: &str = r#"
IFS= read -r line
id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"create_booking","inputSchema":{}}]}}\n' "$id"
length=$(head -n 1 | wc -c)
printf '{"jsonrpc":"2.0","id":1,"result":{"content":[],"length":%s,"notes":"' "$length"
head -c 16777216 /dev/zero | tr '\0' n
printf '"}}\n'
sleep 60
"#;

#[test]
fn a_large_line_passes_both_ways_before_a_process() {
    let arguments = vec!["-c".into(), LONG_LINES.into()];
    let command = Command { program: "sh".into(), arguments, ..Command::default() };
    let config = Config { plan: Plan::Watch, ..Config::default() };
    let nowhere = ([127, 0, 0, 1], 9).into();
    let stage = stage_of(config, To::Command(command), nowhere, super::stage::Log::default());
    let got = ask(&stage, super::MODERN, &large_call(1));
    let result: Value = got.json()["result"].clone();
    // With its line end.
    assert_eq!(result["length"], large_call(1).len() + 1);
    assert_eq!(result["notes"].as_str().map(str::len), Some(SIZE));
    assert_eq!(stage.verdict().verdict, Verdict::Pass);
}

#[test]
fn a_body_beyond_the_limit_is_refused_before_it_is_read() {
    let stage = stage(None, bookings(false));
    let fields = [super::LEGACY, &["Content-Type: application/json", "Content-Length: 999999999"]];
    let mut stream = stage.send("PUT", "/mcp", &fields.concat(), b"");
    assert_eq!(read(&mut stream).unwrap().status(), 413);
    assert!(stage.log.lock().unwrap().is_empty());
}
