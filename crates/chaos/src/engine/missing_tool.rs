//! A tool that is gone from the list for a while.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Engine;
use super::timer::Timer;
use crate::faults::{Reply, Shape};
use crate::frame::Body;
use crate::pending::{Connection, WaitingCall};
use crate::splice;

/// Which tool is gone.
#[derive(Debug)]
pub(super) struct MissingTool {
    tool: String,
    connection: Connection,
    rule: usize,
    /// The revision without sessions has no notification that comes unasked.
    is_modern: bool,
}

const CHANGED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
/// JSON-RPC 2.0 section 5.1: invalid parameters, which is what an unknown tool is in MCP.
const INVALID_PARAMS: i64 = -32602;

#[derive(Deserialize)]
struct Tools<'a> {
    #[serde(borrow)]
    tools: &'a RawValue,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Engine {
    pub(super) fn hide(
        &mut self,
        connection: Connection,
        call: &WaitingCall,
        rule: usize,
        how_long: Duration,
    ) {
        let (tool, is_modern) = (call.tool.clone(), call.is_modern);
        self.missing = Some(MissingTool { tool, connection, rule, is_modern });
        self.say_changed();
        self.wait(how_long, Timer::Hidden);
    }

    pub(super) fn bring_back(&mut self) {
        self.say_changed();
        self.missing = None;
    }

    fn say_changed(&mut self) {
        if let Some(missing) = self.missing.as_ref().filter(|missing| !missing.is_modern) {
            let connection = missing.connection;
            self.send_to_agent(connection, CHANGED.to_vec());
        }
    }

    /// Refuses a call of the tool that is gone; `false` when it is another.
    pub(super) fn refuse_missing(
        &mut self,
        connection: Connection,
        id: &str,
        call: &WaitingCall,
    ) -> bool {
        let is_gone = |missing: &&MissingTool| missing.tool == call.tool;
        let Some(missing) = self.missing.as_ref().filter(is_gone) else { return false };
        let (rule, attempt) = (missing.rule, call.attempt);
        if let Some(fault) = self.rules.strike(rule, self.now) {
            let fault = checkrein_ledger::Fault { sent: false, ..fault };
            self.record(checkrein_ledger::Event::Injected { attempt, fault });
        }
        let message = format!("Unknown tool: {}", call.tool);
        let reply = Reply {
            text: message.clone(),
            is_error: true,
            code: INVALID_PARAMS,
            message,
            data: None,
            status: 200,
            headers: Vec::new(),
        };
        self.tell(connection, id, attempt, &reply, Shape::Error, call.is_modern);
        true
    }

    /// A list of tools without the one that is gone; `None` when it is whole.
    pub(super) fn without_missing(&self, bytes: &[u8], body: Body<'_>) -> Option<Vec<u8>> {
        let missing = self.missing.as_ref()?;
        let Body::Result(result) = body else { return None };
        let list = serde_json::from_str::<Tools<'_>>(result).ok()?.tools.get();
        let tools: Vec<&RawValue> = serde_json::from_str(list).ok()?;
        let is_there = |tool: &&&RawValue| {
            serde_json::from_str::<Named>(tool.get()).map_or(true, |it| it.name != missing.tool)
        };
        let rest: Vec<_> = tools.iter().filter(is_there).map(|tool| tool.get()).collect();
        if rest.len() == tools.len() {
            return None;
        }
        splice::replace(bytes, list, format!("[{}]", rest.join(",")).as_bytes())
    }
}
