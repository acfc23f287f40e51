//! Recorded exchanges over HTTP in both eras, the odd ones among them.

use super::http_bytes_stage::{Exchange, Framing, Reply};

const JSON: &str = "Content-Type: application/json";
const STREAM: &str = "Content-Type: text/event-stream";

/// A body this long crosses every buffer on the way.
const LARGE: usize = 3 << 20;

fn exchange(line: &str, fields: &[&str], body: impl Into<Vec<u8>>, reply: Reply) -> Exchange {
    let fields = fields.iter().map(|field| field.as_bytes().to_vec()).collect();
    Exchange { line: line.to_owned(), fields, body: body.into(), is_chunked: false, reply }
}

fn reply(
    status: &'static str,
    fields: &[&str],
    body: impl Into<Vec<u8>>,
    framing: Framing,
) -> Reply {
    let fields = fields.iter().map(|field| field.as_bytes().to_vec()).collect();
    Reply { status, fields, body: body.into(), framing }
}

fn json(body: impl Into<Vec<u8>>) -> Reply {
    reply("200 OK", &[JSON], body, Framing::Length)
}

fn stream(body: impl Into<Vec<u8>>, framing: Framing) -> Reply {
    let fields = [STREAM, "Cache-Control: no-cache, no-transform", "X-Accel-Buffering: no"];
    reply("200 OK", &fields, body, framing)
}

fn accepted() -> Reply {
    reply("202 Accepted", &[], "", Framing::Length)
}

impl Exchange {
    fn in_chunks(self) -> Self {
        Self { is_chunked: true, ..self }
    }

    /// With one more field, whose value need not be text.
    fn with(mut self, field: &[u8]) -> Self {
        self.fields.push(field.to_vec());
        self
    }
}

/// A request without a body, and a reply without one.
pub(super) fn quiet(line: &str) -> Exchange {
    exchange(line, &[], "", accepted())
}

/// A frame, and a JSON reply; a 202 where there is none.
pub(super) fn posted(fields: &[String], sent: &str, answer: &str) -> Exchange {
    let fields: Vec<_> = fields.iter().map(String::as_str).collect();
    let reply = if answer.is_empty() { accepted() } else { json(answer) };
    exchange("POST /mcp", &fields, sent, reply)
}

/// A frame, and a reply by a stream.
pub(super) fn streamed(sent: &str, answer: &str) -> Exchange {
    let text = format!(": hi\n\nid: 1\nevent: message\ndata: {answer}\n\n");
    exchange("POST /mcp", &[], sent, stream(text, Framing::Chunks(7)))
}

/// Exchanges of the revisions with sessions.
pub(super) fn session_era() -> Vec<Exchange> {
    let usual = [
        JSON,
        "Accept: application/json, text/event-stream",
        "mCp-Session-ID: s-1~!",
        "MCP-Protocol-Version: 2025-11-25",
    ];
    let post = |body: &[u8], reply| exchange("POST /mcp", &usual, body, reply);
    let call = |id: &str, arguments: &str| {
        let params = format!(r#"{{"name":"create_booking","arguments":{arguments}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    let get = |reply| {
        let fields = ["Accept: text/event-stream", "Mcp-Session-Id: s-1~!", "Last-Event-ID: e/0"];
        exchange("GET /mcp", &fields, "", reply)
    };
    let large = "x".repeat(LARGE);
    let asked = "id: g/1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\",\"params\":{}}\n\n";
    let later = "id: g/2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"a:b\"}}\n\n: bye\n";
    let roots = "data: {\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\n\n";
    let done = "id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[]}}\n\n";
    vec![
        exchange(
            "POST /mcp?tenant=%C3%A4%2F&x=1+2",
            &[JSON, "Accept: */*", "Authorization: Bearer a.b-c", "User-Agent: x/1 (y)", "X-Twice: 1", "x-twice: 2", "X-Empty:"],
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"x-y":{"z":[]}},"clientInfo":{"name":"c","version":"1"}}}"#,
            reply(
                "200 OK",
                &[JSON, "Mcp-Session-Id: s-1~!", "Set-Cookie: a=1; Path=/", "Set-Cookie: b=2", "Server: x", "Date: Tue, 01 Dec 2026 00:00:00 GMT"],
                r#"{"id":0,"jsonrpc":"2.0","result":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"n":1e400}},"serverInfo":{"name":"s"}}}"#,
                Framing::Length,
            ),
        ),
        post(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, accepted()),
        post(call("1", r#"{ "n" : 123456789012345678901234567890, "x":0.10, "u":"\u00e4\/ä" }"#).as_bytes(), json(br#"{"result" : {"content":[ ],"big":1e400,"f":1.00,"u":"\ud83d\ude00"} ,"id": 1,"jsonrpc":"2.0","later":null}"#)),
        post(call("1.50", "{}").as_bytes(), json("  {\"jsonrpc\":\"2.0\",\r\n\"id\":1.50,\"result\":{\"content\":[],\"isError\":true}}\r\n")),
        post(call("1e400", "null").as_bytes(), json(br#"{"jsonrpc":"2.0","id":1e400,"error":{"code":-32603,"message":"x","data":{"a":[1,2]}}}"#)),
        post(call(r#""\u0041""#, r#"{"a":1,"a":2}"#).as_bytes(), stream("data:{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\ndata: \"result\":{\"content\":[]}}\n\n", Framing::Chunks(9))),
        post(call("2", r#"{"deep":[[[[{}]]]]}"#).as_bytes(), stream(": hi\r\n\r\nid: 1\r\nretry: 10\r\ndata: \r\n\r\nevent: message\r\nid: 2\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\r\n\r\n", Framing::Chunks(1))),
        post(call("3", "{}").as_bytes(), stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1e2,\"progress\":0.1}}\r\rdata\rid\rx-own: y\rdata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\r\r", Framing::Chunks(5))),
        // A question in the middle of a call, and its answer while the call goes on.
        post(call("5", r#"{"k":1}"#).as_bytes(), stream([roots, done].concat(), Framing::Gate(roots.len()))),
        post(br#"{"jsonrpc":"2.0","id":"r","error":{"code":-32601,"message":"no roots"}}"#, accepted()),
        // The same on the stream that the server has for itself.
        get(stream([asked, later].concat(), Framing::Gate(asked.len()))),
        post(br#"{"jsonrpc":"2.0","id":7,"result":{"role":"assistant","content":{"type":"text","text":"1.0"}}}"#, accepted()),
        post(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"x"}}"#, accepted()),
        post(br#"[{"jsonrpc":"2.0","id":10,"method":"ping"},{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"create_booking"}}, 3]"#, json(br#"[{"jsonrpc":"2.0","id":11,"result":{}}, {"jsonrpc":"2.0","id":10,"result":{}}]"#)),
        post(br#"[{"jsonrpc":"2.0","id":12,"method":"ping"}]"#, stream("data: [{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{}}]\n\n", Framing::Chunks(100))),
        post(b"[]", reply("400 Bad Request", &[JSON], br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty"}}"#, Framing::Length)),
        post(b"", reply("400 Bad Request", &["Content-Type: text/plain; charset=utf-8"], "nothing", Framing::Length)),
        post(b"this is no JSON \xff\xfe\x00\r\n", reply("415 Unsupported Media Type", &["X-Why: no"], b"\x00\x01\xffneither".as_slice(), Framing::End)),
        post(b"{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"tools/call\"", reply("400 Bad Request", &[JSON], br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#, Framing::Chunks(10))),
        post(br#"{"jsonrpc":"2.0","id":14,"method":"tools/call","params":[1]}"#, json(br#"{"jsonrpc":"2.0","id":14,"error":{"code":-32602,"message":""}}"#)),
        post(br#"{"jsonrpc":"2.0","id":15,"method":"x-vendor/do","params":{"a":{"b":"c"}},"extra":[true]}"#, json(br#"{"jsonrpc":"2.0","id":15,"result":"text"}"#)),
        post(br#"{"jsonrpc":"2.0","id":16,"method":"tools\/call","params":{"name":"get_booking"}}"#, json(br#"{"jsonrpc":"2.0","id":16,"result":null}"#)),
        post(br#"{"jsonrpc":"2.0","id":17,"method":"tools/list","params":{}}"#, json(br#"{"jsonrpc":"2.0","id":17,"result":{"tools":[{"name":"create_booking","x":1e-400}],"nextCursor":"c"}}"#)),
        post(call("18", "{}").as_bytes(), json(br#"{"jsonrpc":"2.0","id":18,"result":{"content":[]}}"#)).in_chunks().with(b"X-Latin: \xe4\xf6"),
        post(call("19", "{}").as_bytes(), reply("200 OK", &[JSON, "Vary: Origin", "ETag: \"x\""], br#"{"jsonrpc":"2.0","id":19,"result":{}}"#, Framing::Chunks(3))),
        post(call("20", "{}").as_bytes(), reply("200 OK", &[JSON], br#"{"jsonrpc":"2.0","id":20,"result":{}}"#, Framing::End)),
        post(call(r#""huge""#, &format!(r#"{{"text":"{large}"}}"#)).as_bytes(), json(format!(r#"{{"jsonrpc":"2.0","id":"huge","result":{{"content":[{{"type":"text","text":"{large}"}}]}}}}"#))),
        post(call("21", "{}").as_bytes(), stream(format!("data: {{\"jsonrpc\":\"2.0\",\"id\":21,\"result\":{{\"text\":\"{large}\"}}}}\n\n"), Framing::Chunks(10_000))),
        // A stream that is to be taken up again elsewhere, and one that ends in the middle.
        post(call("22", "{}").as_bytes(), stream("id: e/1\nretry: 1\ndata:\n\n", Framing::Chunks(4))),
        get(stream("id: e/2\ndata: {\"jsonrpc\":\"2.0\",\"id\":22,\"result\":{\"content\":[]}}\n\n", Framing::End)),
        post(call("23", "{}").as_bytes(), stream("data: {\"jsonrpc\":\"2.0\",\"id\":23,\"result\":{}}\n\ndata: half an ev", Framing::Chunks(8))),
        post(call("24", "{}").as_bytes(), stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n", Framing::Broken)),
        post(call("25", "{}").as_bytes(), reply("401 Unauthorized", &["WWW-Authenticate: Bearer resource_metadata=\"http://x/.well-known\", scope=\"a b\""], "", Framing::Length)),
        post(call("26", "{}").as_bytes(), reply("429 Too Many Requests", &["Retry-After: 1", "Content-Type: text/html"], "<p>slow down</p>", Framing::Length)),
        post(call("27", "{}").as_bytes(), reply("503 Come Back Later", &["Retry-After: Tue, 01 Dec 2026 00:00:00 GMT"], "", Framing::Length)),
        post(call("28", "{}").as_bytes(), reply("404 Not Found", &[JSON], br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}"#, Framing::Length)),
        post(br#"{"jsonrpc":"2.0","id":29,"method":"ping"}"#, reply("307 Temporary Redirect", &["Location: /elsewhere?x=%20"], "", Framing::Length)),
        exchange("OPTIONS /mcp", &["Origin: http://localhost:6274", "Access-Control-Request-Headers: mcp-session-id"], "", reply("204 No Content", &["Access-Control-Allow-Origin: http://localhost:6274", "Access-Control-Expose-Headers: Mcp-Session-Id"], "", Framing::None)),
        exchange("GET /.well-known/oauth-protected-resource/mcp", &["Accept: application/json"], "", json("{\n  \"resource\": \"http://x/mcp\"\n}\n")),
        exchange("GET /mcp", &["Accept: text/event-stream"], "", reply("405 Method Not Allowed", &["Allow: POST, DELETE"], "", Framing::Length)),
        exchange("DELETE /mcp", &usual[2..], "", reply("204 No Content", &[], "", Framing::None)),
    ]
}

/// Exchanges of the revision without sessions.
pub(super) fn stateless_era() -> Vec<Exchange> {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"x":1.0,"progressToken":18446744073709551616}"#;
    let post = |method: &str, own: &[&str], id: &str, params: &str, reply| {
        let mirrored = format!("Mcp-Method: {method}");
        let usual = [
            JSON,
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2026-07-28",
            &mirrored,
        ];
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{meta}}}}}"#
        );
        exchange("POST /mcp", &[&usual[..], own].concat(), body, reply)
    };
    let call = |id: &str, rest: &str, reply| {
        let name = [
            "Mcp-Name: create_booking",
            "Mcp-Param-City: =?base64?TcO8bmNoZW4=?=",
            "mcp-param-ODD: a  b",
        ];
        post("tools/call", &name, id, &format!(r#""name":"create_booking",{rest}"#), reply)
    };
    let bad = |body: &str| reply("400 Bad Request", &[JSON], body, Framing::Length);
    let tagged = |method: &str| {
        format!(
            "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/{method}\",\"params\":{{\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":5}}}}}}\n\n"
        )
    };
    let heard = tagged("subscriptions/acknowledged");
    let rest = format!(
        ": still here\n\n{}data: {{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{{}}}}\n\n",
        tagged("tools/list_changed_x")
    );
    vec![
        post("server/discover", &["X-Trace: 00-a-b-01"], r#""d""#, "", json(br#"{"jsonrpc":"2.0","id":"d","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"public"}}"#)),
        call("1", r#""arguments":{"a":1,"big":123456789012345678901234567890},"#, json(br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}},"requestState":"s=="}}"#)),
        call("2", r#""arguments":{"a":1,"big":123456789012345678901234567890},"inputResponses":{"q":{"action":"accept","content":{}}},"requestState":"s==","#, stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":18446744073709551616,\"progress\":1}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[],\"resultType\":\"complete\"}}\n\n", Framing::Chunks(11))),
        call("3", "", json(br#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"task","task":{"taskId":"t","status":"working"}}}"#)),
        post("tasks/get", &["Mcp-Name: t"], "4", r#""taskId":"t","#, json(br#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","taskId":"t","status":"completed","result":{"content":[]}}}"#)),
        // A stream that stays open while the agent goes on.
        post("subscriptions/listen", &[], "5", r#""notifications":{"toolsListChanged":true},"#, stream([heard.as_str(), &rest].concat(), Framing::Gate(heard.len()))),
        post("resources/read", &["Mcp-Name: test://a/%20?b=c"], "6", r#""uri":"test://a/%20?b=c","#, json(br#"{"jsonrpc":"2.0","id":6,"result":{"contents":[],"ttlMs":1,"cacheScope":"private","resultType":"complete"}}"#)),
        call("7", r#""arguments":{"a":2},"#, bad(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"header mismatch","data":{}}}"#)),
        call("8", r#""arguments":{"a":3},"#, bad(r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}}}"#)),
        post("x-vendor/do", &[], "9", "", reply("404 Not Found", &[JSON], br#"{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"Method not found"}}"#, Framing::Length)),
        call("10", r#""arguments":{"a":4},"#, json(br#"{"jsonrpc":"2.0","id":10,"result":{"content":[],"resultType":"x-new"}}"#)),
        call("11", r#""arguments":{"a":5},"#, stream("data: {\"jsonrpc\":\"2.0\",\"id\":11,\"result\":{\"resultType\":\"complete\"}}\n\n: and no more\n", Framing::End)),
        exchange("POST /mcp", &[JSON, "MCP-Protocol-Version: 2026-07-28"], r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"create_booking"}}"#, bad(r#"{"jsonrpc":"2.0","id":12,"error":{"code":-32602,"message":"no _meta"}}"#)),
        exchange("GET /mcp", &["MCP-Protocol-Version: 2026-07-28"], "", reply("405 Method Not Allowed", &["Allow: POST"], "", Framing::Length)),
    ]
}

/// A stream with every kind of line, in chunks of every size: it is cut at each place.
pub(super) fn cuts() -> Vec<Exchange> {
    let text = "\u{feff}: hi\nid: 7\r\nretry: 10\rdata: {\"jsonrpc\":\"2.0\",\ndata:\"id\":1,\n\
                data: \"result\":{\"u\":\"ä\"}}\n\nevent: x\r\ndata\r\n\r\n:\n\ndata: {}";
    let fields = [JSON, "Accept: text/event-stream"];
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_booking"}}"#;
    let at = |cut| exchange("POST /mcp", &fields, call, stream(text, Framing::Chunks(cut)));
    (1..=text.len()).map(at).collect()
}
