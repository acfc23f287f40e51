//! Asks an upstream behind a URL what it is and which tools it has; a session it opens it ends.

use std::time::{Duration, Instant};

use checkrein_chaos::http::{Address, NoAnswer, Visitor};
use serde_json::{Value, json};

use super::upstream::{HANDSHAKE, NoVisit, PAGE_LIMIT, PATIENCE, STATELESS, Visit, name_of};

/// Visits it.
pub(super) async fn visit(address: Address) -> Result<Visit, NoVisit> {
    let mut visitor = Visitor::new(address);
    let talked = talk(&mut visitor).await;
    visitor.leave().await;
    talked.map_err(explain)
}

async fn talk(visitor: &mut Visitor) -> Result<Visit, NoAnswer> {
    let client = json!({"name": "checkrein-doctor", "version": env!("CARGO_PKG_VERSION")});
    let hello = json!({"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client});
    let since = Instant::now();
    let greeted = visitor.request("initialize", hello, PATIENCE).await;
    let start = since.elapsed();
    match greeted {
        Ok(greeted) => {
            let protocol = greeted.get("protocolVersion").and_then(Value::as_str);
            let protocol = protocol.unwrap_or(HANDSHAKE).to_owned();
            visitor.set_version(&protocol);
            visitor.notify("notifications/initialized", PATIENCE).await?;
            list(visitor, json!({}), start, greeted.get("serverInfo"), protocol).await
        }
        // A server of the stateless revision alone knows no handshake.
        Err(refusal @ (NoAnswer::Refused(_) | NoAnswer::Status(_) | NoAnswer::Stray)) => {
            visitor.set_version(STATELESS);
            let params = json!({"_meta": {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": client,
                "io.modelcontextprotocol/clientCapabilities": {},
            }});
            let discovered = visitor.request("server/discover", params.clone(), PATIENCE).await;
            // What it said first tells more than that it does not know this either.
            let discovered = discovered.map_err(|_| refusal)?;
            let info = discovered
                .get("serverInfo")
                .or_else(|| discovered.get("_meta")?.get("io.modelcontextprotocol/serverInfo"));
            list(visitor, params, start, info, STATELESS.to_owned()).await
        }
        Err(trouble) => Err(trouble),
    }
}

async fn list(
    visitor: &mut Visitor,
    mut params: Value,
    start: Duration,
    info: Option<&Value>,
    protocol: String,
) -> Result<Visit, NoAnswer> {
    let mut tools = Vec::new();
    for _ in 0..PAGE_LIMIT {
        let mut page = visitor.request("tools/list", params.clone(), PATIENCE).await?;
        if let Some(Value::Array(listed)) = page.get_mut("tools").map(Value::take) {
            tools.extend(listed);
        }
        let Some(cursor) = page.get("nextCursor").and_then(Value::as_str) else { break };
        if let Some(params) = params.as_object_mut() {
            params.insert("cursor".to_owned(), json!(cursor));
        }
    }
    Ok(Visit { start, server: name_of(info), protocol, tools, strays: 0, is_running: true })
}

fn explain(trouble: NoAnswer) -> NoVisit {
    let mend = match &trouble {
        NoAnswer::Unreachable(_) => "check the host and port of --upstream-url, and that it runs",
        NoAnswer::Broken(_) | NoAnswer::Stray => {
            "check that --upstream-url is a Streamable HTTP endpoint, its path included"
        }
        NoAnswer::Silent => "check that it answers at once, and is not asleep",
        NoAnswer::Status(status) if matches!(status.as_u16(), 401 | 403) => {
            "give it what it asks for by --upstream-header-env, e.g. Authorization=VARIABLE"
        }
        NoAnswer::Status(_) => "check the path of --upstream-url",
        NoAnswer::Refused(_) => "the proxy can only try out servers with tools",
    };
    let text = match trouble {
        NoAnswer::Silent => format!("it said nothing for {} s", PATIENCE.as_secs()),
        NoAnswer::Refused(why) => format!("it does not list its tools: {why}"),
        other => other.to_string(),
    };
    NoVisit { text, mend }
}
