//! What real clients do on their own, as measured with a scripted model that decides one write.
//!
//! One run per cell on 2026-11-30, against a server that misbehaved on purpose. It is what these
//! versions did; the verdict of a run rests on what was seen in that run, never on this table.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A client and its habits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Habits {
    /// Its name on the command line; that of `client-config` where that knows it.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The version that was measured.
    pub(super) version: &'static str,
    /// How long it waits for an answer, on each transport.
    pub(super) patience: &'static str,
    /// How to change that, where that is known.
    pub(super) patience_mend: Option<&'static str>,
    /// After which answers over HTTP it sends a write again behind the model's back.
    pub(super) re_sends: Option<&'static str>,
    /// What to do when the upstream starts too slowly for it; none if it waits.
    pub(super) slow_start_mend: Option<&'static str>,
    /// What in `_meta` tells its re-send from the model's retry.
    pub(super) identity: Option<&'static str>,
    /// What else decides how to run it.
    pub(super) more: Option<(&'static str, &'static str)>,
}

/// Those that were measured.
pub(super) const MEASURED: [Habits; 7] = [
    Habits {
        name: "claude-code",
        title: "Claude Code",
        version: "2.1.197",
        patience: "over stdio without end (none within 590 s), over HTTP 60 s",
        patience_mend: Some("set `MCP_TOOL_TIMEOUT` before you try `--shape silence`"),
        re_sends: Some("an answer that is no JSON, a 401, and a 404 or 400 for a lost session"),
        slow_start_mend: Some("start it with `MCP_CONNECTION_NONBLOCKING=0`"),
        identity: Some("claudecode/toolUseId"),
        more: None,
    },
    Habits {
        name: "codex",
        title: "Codex",
        version: "0.171.0",
        patience: "300 s",
        patience_mend: None,
        re_sends: Some("a 404 for a lost session"),
        slow_start_mend: Some("set `required = true` for the server"),
        identity: Some("callId"),
        more: Some((
            "without a person it refuses every write",
            "set `default_tools_approval_mode = \"approve\"` for the server",
        )),
    },
    Habits {
        name: "opencode",
        title: "opencode",
        version: "1.18.33",
        patience: "60 s",
        patience_mend: None,
        re_sends: Some("a 404 for a lost session"),
        slow_start_mend: None,
        identity: None,
        more: None,
    },
    Habits {
        name: "openai-agents",
        title: "openai-agents",
        version: "0.24.0",
        patience: "5 s",
        patience_mend: Some("raise its session time-out for an upstream that takes longer"),
        re_sends: None,
        slow_start_mend: None,
        identity: None,
        more: Some((
            "it tells the model \"please try again\" for every JSON-RPC error, and ends when the \
             server does",
            "keep the shape `soft`: its text reaches the model",
        )),
    },
    Habits {
        name: "pydantic-ai",
        title: "pydantic-ai",
        version: "2.68",
        patience: "300 s",
        patience_mend: None,
        re_sends: None,
        slow_start_mend: None,
        identity: None,
        more: None,
    },
    Habits {
        name: "langgraph",
        title: "LangGraph",
        version: "1.2.24",
        patience: "over stdio without end (none within 440 s), over HTTP about 300 s",
        patience_mend: Some("set a time limit of your own before you try `--shape silence`"),
        re_sends: None,
        slow_start_mend: None,
        identity: None,
        more: Some((
            "it starts a process for each call, and ends at a JSON-RPC error",
            "give all processes of a run one --run-dir, and keep the shape `soft`",
        )),
    },
    Habits {
        name: "smolagents",
        title: "smolagents",
        version: "1.26",
        patience: "without end (none within 440 s)",
        patience_mend: Some("set a time limit of your own before you try `--shape silence`"),
        re_sends: None,
        slow_start_mend: None,
        identity: None,
        more: Some((
            "it shows the model an error as if it were a result",
            "read its transcript before you blame the model",
        )),
    },
];

/// The habits of a client, if it was measured.
pub(super) fn of(name: &str) -> Option<&'static Habits> {
    MEASURED.iter().find(|habits| habits.name == name)
}

/// Clients by name.
pub(super) fn parser() -> impl TypedValueParser<Value = &'static Habits> {
    let names = MEASURED.iter().map(|habits| PossibleValue::new(habits.name));
    PossibleValuesParser::new(names).try_map(|name| of(&name).ok_or("no such client"))
}
