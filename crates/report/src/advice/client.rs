//! What a client does on its own, and what can be set about it.

use checkrein_verdict::{Cause, Code, Confidence, Repeat, Run};

use super::{Advice, Layer};
use crate::document::Document;

/// What is known of a client's own re-sends.
struct Habit {
    /// A part of the name it gives in `initialize`.
    name: &'static str,
    /// When it sends again.
    when: &'static str,
    /// What can be done.
    mend: &'static str,
}

/// Seen with these clients, one model decision and one fault at a time.
const HABITS: [Habit; 4] = [
    Habit {
        name: "claude-code",
        when: "it starts a new session and sends the call again after a 401, after a 404 or 400 \
               that says the session is gone, and after a 200 whose JSON cannot be read",
        mend: "no setting is known that turns this off; it keeps `claudecode/toolUseId` in `_meta`, \
               so a server can see that it is the same call",
    },
    Habit {
        name: "codex",
        when: "it starts a new session and sends the call again after a 404 that says the session \
               is gone",
        mend: "no setting is known that turns this off; it keeps `callId` in `_meta`, so a server \
               can see that it is the same call",
    },
    Habit {
        name: "opencode",
        when: "it starts a new session and sends the call again after a 404 that says the session \
               is gone",
        mend: "no setting is known that turns this off; it sends no identity of the call, so only \
               an idempotency key among the arguments helps",
    },
    Habit {
        name: "ai-sdk",
        when: "it sends again when `maxRetries` is set",
        mend: "leave `maxRetries` at 0 for tools that write",
    },
];

const UNKNOWN_MEND: &str = "look for its retry setting (`max_retry_attempts`, `maxRetries`) and turn it \
                            off for tools that write, or give it a longer timeout";

pub(super) fn of(run: &Run, document: &Document) -> Option<Advice> {
    let resent: Vec<&Repeat> =
        document.repeats.iter().filter(|it| is_resent(document, it)).collect();
    let first = resent.first()?;
    let client = client_of(run, first.attempt);
    let name = client.as_deref().unwrap_or("the client, which gives no name,");
    let lower = name.to_lowercase();
    let who = if client.is_some() { format!("`{name}`") } else { name.to_owned() };
    let is_sure = resent.iter().any(|repeat| repeat.confidence != Confidence::Possible);
    let sent = if is_sure { "sent" } else { "may have sent" };
    let detail = match HABITS.iter().find(|habit| lower.contains(habit.name)) {
        Some(habit) => format!(
            "{who} {sent} the call again behind the model's back. It is known that {}; {}.",
            habit.when, habit.mend
        ),
        None => format!("{who} {sent} the call again behind the model's back: {UNKNOWN_MEND}."),
    };
    let detail = match is_sure {
        true => format!("{detail} No prompt changes that."),
        false => format!(
            "{detail} No prompt changes that; if the agent itself asked for both calls, one does."
        ),
    };
    let attempts = resent.iter().map(|repeat| repeat.attempt).collect();
    Some(Advice::new(Layer::Client, "client-resends", capitalised(&detail), attempts))
}

/// Whether the client itself did something that the verdict holds against the run.
fn is_resent(document: &Document, repeat: &Repeat) -> bool {
    let codes = [Code::PossibleDuplicate, Code::RetryAfterViolated, Code::ProbableDuplicate];
    let is_held_against = document
        .reasons
        .iter()
        .any(|it| codes.contains(&it.code) && it.attempts.contains(&repeat.attempt));
    repeat.cause == Cause::ClientResend && (repeat.is_harmful || is_held_against)
}

/// The name of the client that an attempt came from.
fn client_of(run: &Run, attempt: u64) -> Option<String> {
    let attempt = run.attempts.get(&attempt)?;
    let own = run.sessions.iter().rev().find(|session| {
        session.process == attempt.process
            && session.connection == attempt.connection
            && session.opened <= attempt.received
    });
    own.or(run.sessions.first())?.client.clone()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
