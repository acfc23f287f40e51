//! Calls that the upstream answers by a task (MCP 2025-11-25, and an extension of 2026-07-28).

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use checkrein_ledger::{Answer, Event, Evidence, Outcome, Told};
use serde::Deserialize;
use serde_json::json;

use super::Engine;
use super::own::Purpose;
use super::strike::Answered;
use super::timer::Timer;
use crate::answer;
use crate::faults::Moment;
use crate::frame::Body;
use crate::pending::{Connection, Waiting, WaitingCall};

/// How often a task is looked at whose handle was lost.
const LOOK: Duration = Duration::from_millis(500);

/// The calls whose tasks go on, by the task's name.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    attempts: HashMap<(Connection, String), u64>,
    /// Those that nobody but the harness looks at.
    followed: HashSet<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    task_id: String,
}

impl Engine {
    /// The upstream answered by a task: what becomes of the call is what becomes of that.
    pub(super) fn handed_over(&mut self, at: Answered<'_>, call: WaitingCall, task: String) {
        let (connection, attempt) = (at.connection, call.attempt);
        self.tasks.attempts.insert((connection, task.clone()), attempt);
        let answer = at.answer;
        let (outcome, evidence) = (Outcome::Unknown, Evidence::None);
        self.record(Event::Concluded { attempt, outcome, evidence, answer });
        let Some(rule) = self.rule_at(&call, Moment::Handle) else {
            self.record(Event::Told { attempt, told: Told::Upstream });
            return self.send_to_agent(connection, at.bytes.to_vec());
        };
        self.inject(attempt, rule);
        self.ghost(connection, at.id);
        self.tell_rule(connection, at.id, attempt, rule, call.is_modern);
        self.follow(connection, attempt, task);
    }

    /// Looks at a task of which the agent has no handle, until it ends.
    pub(super) fn follow(&mut self, connection: Connection, attempt: u64, task: String) {
        self.tasks.attempts.insert((connection, task.clone()), attempt);
        self.tasks.followed.insert(attempt);
        self.wait(LOOK, Timer::Task { connection, attempt, task });
    }

    /// Whether a task goes on that only the harness looks at.
    pub(super) fn is_following(&self) -> bool {
        !self.tasks.followed.is_empty()
    }

    pub(super) fn agent_looks_at_task(
        &mut self,
        connection: Connection,
        id: &str,
        params: Option<&str>,
        is_result: bool,
    ) {
        let known = self.task_in(connection, params);
        let waiting = known.map_or(Waiting::Other, |attempt| Waiting::Task { attempt, is_result });
        self.pending.push(connection, id, self.lane, waiting);
    }

    fn task_in(&self, connection: Connection, params: Option<&str>) -> Option<u64> {
        let named: Named = serde_json::from_str(params?).ok()?;
        let key = (connection, named.task_id);
        if let Some(attempt) = self.tasks.attempts.get(&key) {
            return Some(*attempt);
        }
        // Without a session each request is a connection of its own. A name that two tasks have
        // says nothing.
        let mut others = self.tasks.attempts.iter().filter(|((_, task), _)| *task == key.1);
        others.next().filter(|_| others.next().is_none()).map(|(_, attempt)| *attempt)
    }

    /// The upstream says of itself how a task is.
    pub(super) fn task_says(&mut self, connection: Connection, params: Option<&str>) {
        let Some(attempt) = self.task_in(connection, params) else { return };
        let end = params.and_then(|params| answer::task_end(Body::Result(params)));
        self.task_ended(attempt, end);
    }

    pub(super) fn task_answered(&mut self, attempt: u64, is_result: bool, body: Body<'_>) {
        let end = match body {
            Body::Result(_) if is_result => Some(answer::judge(body)),
            Body::Result(_) => answer::task_end(body),
            // It may be about the look (a task that has expired, a method that is gone) as well as
            // about the call, so it says nothing of what became of that.
            Body::Error(_) => None,
        };
        self.task_ended(attempt, end);
    }

    fn task_ended(&mut self, attempt: u64, end: Option<(Outcome, Answer)>) {
        let Some((outcome, answer)) = end else { return };
        let is_known = self.tasks.attempts.values().any(|known| *known == attempt);
        self.tasks.followed.remove(&attempt);
        if is_known {
            // A later look may know more than one that left it open.
            if outcome != Outcome::Unknown {
                self.tasks.attempts.retain(|_, known| *known != attempt);
            }
            let evidence = Evidence::LateAnswer;
            self.record(Event::Concluded { attempt, outcome, evidence, answer });
        }
    }

    /// Looks at a task that the agent does not know of.
    pub(super) fn look_at_task(&mut self, connection: Connection, attempt: u64, task: String) {
        let id = self.own.id();
        let mut params = json!({"taskId": task});
        if let (Some(meta), Some(params)) = (self.listing.meta(), params.as_object_mut()) {
            params.insert("_meta".to_owned(), meta.clone());
        }
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tasks/get","params":{params}}}"#);
        self.own.ask(connection, id, Purpose::Task { attempt, task });
        self.send_to_upstream(connection, frame.into_bytes());
    }

    pub(super) fn looked_at_task(
        &mut self,
        connection: Connection,
        attempt: u64,
        task: String,
        body: Body<'_>,
    ) {
        match (body, answer::task_end(body)) {
            (_, Some(end)) => self.task_ended(attempt, Some(end)),
            (Body::Error(_), None) => {
                self.tasks.followed.remove(&attempt);
                self.tasks.attempts.remove(&(connection, task));
            }
            (Body::Result(_), None) => self.wait(LOOK, Timer::Task { connection, attempt, task }),
        }
    }
}
