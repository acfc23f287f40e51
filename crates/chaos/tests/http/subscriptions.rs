//! `subscriptions/listen` of an agent on HTTP before a process on pipes.

use std::time::Duration;

use checkrein_chaos::http::To;
use checkrein_chaos::stdio::Command;

use super::stage::{create, read_chunk, stage_before};

/// An MCP server of the newest revision on pipes. It tells each subscription of a change whenever
/// a tool is called, and writes down what it got.
const LISTENED_TO: &str = r#"
while IFS= read -r line; do
  printf '%s\n' "$line" >> "$0"
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  tag='{"_meta":{"io.modelcontextprotocol/subscriptionId":'
  case "$line" in
    *subscriptions/listen*)
      ids="$ids $id"
      echo '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":'$tag$id'}}}'
      continue ;;
    *tools/list*) r='{"tools":[{"name":"create_booking","inputSchema":{"type":"object"}}]}' ;;
    *tools/call*)
      for known in $ids; do
        echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":'$tag$known'}}}'
      done
      echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p-'$id'"}}'
      r='{"content":[]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
"#;

#[test]
fn a_subscription_on_pipes_has_a_stream_of_its_own_and_ends_with_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let arguments = vec!["-c".into(), LISTENED_TO.into(), file.path().into()];
    let command = Command { program: "sh".into(), arguments, ..Command::default() };
    let nowhere = ([127, 0, 0, 1], 9).into();
    let stage = stage_before(None, To::Command(command), nowhere, super::stage::Log::default());
    let listen = |id: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen"}}"#);
        let fields = [super::MODERN[0], "Mcp-Method: subscriptions/listen"];
        let mut stream = stage.send("POST", "/mcp", &fields, body.as_bytes());
        assert_eq!(super::read_head(&mut stream), 200);
        let first = String::from_utf8(read_chunk(&mut stream).unwrap().unwrap()).unwrap();
        assert!(first.contains("acknowledged") && first.contains(id), "{first}");
        stream
    };
    let (mut one, mut other) = (listen("11"), listen("\"b\""));
    let meta = r#""params":{"_meta":{"progressToken":"p-12"},"#;
    let call = create(12).replace(r#""params":{"#, meta);
    let answer = stage.ask(super::MODERN, &call).unwrap();
    let text = String::from_utf8(answer.body).unwrap();
    assert!(text.contains("notifications/progress") && text.contains("result"), "{text}");
    assert!(!text.contains("list_changed"), "{text}");
    for (stream, id) in [(&mut one, "11"), (&mut other, "\"b\"")] {
        let event = String::from_utf8(read_chunk(stream).unwrap().unwrap()).unwrap();
        let tag = format!("subscriptionId\":{id}}}");
        assert!(event.contains("list_changed") && event.contains(&tag), "{event}");
    }
    drop(one);
    // The cancel is on its way as soon as the closed stream is seen.
    let cancel = r#""method":"notifications/cancelled","params":{"requestId":11}"#;
    let told = || std::fs::read_to_string(file.path()).unwrap().contains(cancel);
    let until = std::time::Instant::now() + Duration::from_secs(5);
    while !told() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(told());
    assert_eq!(stage.ask(super::MODERN, &create(13)).unwrap().status(), 200);
    assert!(read_chunk(&mut other).unwrap().is_some());
}
