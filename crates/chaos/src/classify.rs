//! Which tools write, which read, and why we think so.

use checkrein_ledger::{Class, Tool};
use serde::Deserialize;

use crate::glob;

/// Names that write when nobody says otherwise.
pub const DEFAULT_WRITE_PATTERNS: [&str; 28] = [
    "write*",
    "create_*",
    "send_*",
    "submit_*",
    "post_*",
    "update_*",
    "insert_*",
    "book_*",
    "pay_*",
    "charge_*",
    "cancel_*",
    "delete_*",
    "confirm_*",
    "place_*",
    "add_*",
    "register_*",
    "schedule_*",
    "transfer_*",
    "refund_*",
    "reserve_*",
    "issue_*",
    "remove_*",
    "withdraw_*",
    "deposit_*",
    "purchase_*",
    "approve_*",
    "move_*",
    "edit_*",
];

/// How names begin that read.
pub const READ_PREFIXES: [&str; 14] = [
    "get_",
    "list_",
    "read_",
    "search_",
    "find_",
    "fetch_",
    "query_",
    "describe_",
    "show_",
    "check_",
    "lookup_",
    "count_",
    "status_",
    "view_",
];

/// [`DEFAULT_WRITE_PATTERNS`] as one text, for a help page.
pub fn default_write_list() -> String {
    DEFAULT_WRITE_PATTERNS.join(" ")
}

/// The user's own word on tool classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    /// Replaces [`DEFAULT_WRITE_PATTERNS`] when given.
    pub write: Option<Vec<String>>,
    /// Added to [`READ_PREFIXES`].
    pub read: Vec<String>,
}

/// The hints of a tool's definition (MCP 2025-11-25, `ToolAnnotations`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hints {
    /// The tool says it changes nothing.
    pub read_only_hint: Option<bool>,
    /// The tool says it may destroy.
    pub destructive_hint: Option<bool>,
}

/// Classifies one tool.
pub fn classify(name: &str, hints: Hints, patterns: &Patterns) -> Tool {
    let (class, reason) = decide(name, hints, patterns);
    Tool { name: name.to_owned(), class, reason, inputs: None }
}

fn decide(name: &str, hints: Hints, patterns: &Patterns) -> (Class, String) {
    let matching = |globs: &[String]| globs.iter().find(|glob| glob::matches(glob, name)).cloned();
    if let Some(glob) = patterns.write.as_deref().and_then(matching) {
        return (Class::Write, format!("--write-tools `{glob}`"));
    }
    if let Some(glob) = matching(&patterns.read) {
        return (Class::Read, format!("--read-tools `{glob}`"));
    }
    match (hints.read_only_hint, hints.destructive_hint) {
        (Some(true), Some(true)) => {
            let reason = "readOnlyHint: true, although destructiveHint is true as well";
            return (Class::Read, reason.to_owned());
        }
        (Some(true), _) => return (Class::Read, "readOnlyHint: true".to_owned()),
        (Some(false), _) => return (Class::Write, "readOnlyHint: false".to_owned()),
        (None, Some(true)) => return (Class::Write, "destructiveHint: true".to_owned()),
        (None, Some(false) | None) => {}
    }
    if patterns.write.is_none()
        && let Some(glob) = DEFAULT_WRITE_PATTERNS.iter().find(|glob| glob::matches(glob, name))
    {
        return (Class::Write, format!("its name matches `{glob}`"));
    }
    if let Some(prefix) = READ_PREFIXES.iter().find(|prefix| name.starts_with(*prefix)) {
        return (Class::Read, format!("its name begins with `{prefix}`"));
    }
    (Class::Unclassified, "no flag, hint or name says".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, read_only: Option<bool>, destructive: Option<bool>) -> Class {
        let hints = Hints { read_only_hint: read_only, destructive_hint: destructive };
        classify(name, hints, &Patterns::default()).class
    }

    #[test]
    fn hints_outrank_names() {
        assert_eq!(class("pay_lookup", Some(true), None), Class::Read);
        assert_eq!(class("get_it", Some(false), None), Class::Write);
        assert_eq!(class("get_it", None, Some(true)), Class::Write);
        assert_eq!(class("get_it", None, Some(false)), Class::Read);
        assert_eq!(class("create_x", Some(true), Some(true)), Class::Read);
    }

    #[test]
    fn names_decide_when_nothing_else_does() {
        assert_eq!(class("create_booking", None, None), Class::Write);
        assert_eq!(class("list_bookings", None, None), Class::Read);
        assert_eq!(class("sync_ledger", None, None), Class::Unclassified);
    }

    #[test]
    fn flags_outrank_hints_and_write_outranks_read() {
        let patterns = Patterns {
            write: Some(vec!["sync_*".to_owned()]),
            read: vec!["sync_*".to_owned(), "create_*".to_owned()],
        };
        let hints = Hints { read_only_hint: Some(true), destructive_hint: None };
        assert_eq!(classify("sync_ledger", hints, &patterns).class, Class::Write);
        assert_eq!(classify("create_x", Hints::default(), &patterns).class, Class::Read);
        assert_eq!(
            classify("delete_x", Hints::default(), &patterns).class,
            Class::Unclassified,
            "--write-tools replaces the default names"
        );
    }
}
