//! Protection rules: what they match and what they forbid. Pure.

use serde_json::{Value, json};

use super::git::glob::matches;

/// Kind of rules in the store: below a repository, or directly in a scope.
pub(crate) const KIND: &str = "code_rule";

/// What somebody is about to do to a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Create it.
    Create,
    /// Delete it.
    Delete,
    /// Commit to it.
    Update,
}

/// What a merge is measured by.
#[derive(Debug, Clone, Default)]
pub(crate) struct MergeFacts {
    /// How many reviewers approve.
    pub(crate) approvals: usize,
    /// How many of those saw the newest commit.
    pub(crate) latest_approvals: usize,
    /// Somebody asked for changes.
    pub(crate) has_change_request: bool,
    /// Comments nobody resolved.
    pub(crate) unresolved: usize,
    /// Checks that succeeded, by identifier.
    pub(crate) passed_checks: Vec<String>,
    /// The method.
    pub(crate) method: String,
}

/// What one rule says against something.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Violation {
    /// The rule: `{identifier, type, …}`.
    pub(crate) rule: Value,
    /// The caller may do it all the same.
    pub(crate) bypassable: bool,
    /// They do.
    pub(crate) bypassed: bool,
    /// `[{code, message, params}]`.
    pub(crate) violations: Vec<Value>,
}

impl Violation {
    /// As replies show it.
    pub(crate) fn shown(&self) -> Value {
        json!({
            "rule": self.rule, "bypassable": self.bypassable, "bypassed": self.bypassed,
            "violations": self.violations,
        })
    }
}

/// True when something stands in the way and is not bypassed.
pub(crate) fn blocks(violations: &[Violation]) -> bool {
    violations.iter().any(|one| !one.bypassed)
}

/// True when a rule is about a branch.
pub(crate) fn covers(rule: &Value, branch: &str, default_branch: &str) -> bool {
    let is_active = rule.get("state").and_then(Value::as_str) == Some("active");
    let is_for_branches = rule.get("type").and_then(Value::as_str).unwrap_or("branch") == "branch";
    let texts = |pointer: &str| -> Vec<&str> {
        let list = rule.pointer(pointer).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let includes = texts("/pattern/include");
    let is_default = rule.pointer("/pattern/default") == Some(&json!(true));
    let is_included = match (includes.is_empty(), is_default) {
        (true, false) => true,
        _ => {
            (is_default && branch == default_branch)
                || includes.iter().any(|one| matches(one, branch))
        }
    };
    is_active
        && is_for_branches
        && is_included
        && !texts("/pattern/exclude").iter().any(|one| matches(one, branch))
}

fn judged(rule: &Value, violations: Vec<Value>, bypass: bool, caller: u64) -> Option<Violation> {
    if violations.is_empty() {
        return None;
    }
    let who = rule.pointer("/definition/bypass/user_ids").and_then(Value::as_array);
    let is_named = who.is_some_and(|ids| ids.iter().any(|id| id.as_u64() == Some(caller)));
    let bypassable =
        is_named || rule.pointer("/definition/bypass/repo_owners") == Some(&json!(true));
    let field = |name: &str| rule.get(name).cloned().unwrap_or_default();
    Some(Violation {
        rule: json!({
            "identifier": field("identifier"), "type": field("type"), "state": field("state"),
            "repo_path": field("repo_path"), "space_path": field("space_path"),
        }),
        bypassable,
        bypassed: bypassable && bypass,
        violations,
    })
}

/// What the rules say against a deed.
pub(crate) fn against_deed(
    rules: &[Value],
    deed: Deed,
    bypass: bool,
    caller: u64,
) -> Vec<Violation> {
    let (field, code, what) = match deed {
        Deed::Create => ("create_forbidden", "lifecycle.create", "Creation"),
        Deed::Delete => ("delete_forbidden", "lifecycle.delete", "Deletion"),
        Deed::Update => ("update_forbidden", "lifecycle.update", "Direct push"),
    };
    let judge = |rule: &Value| {
        let pointer = format!("/definition/lifecycle/{field}");
        let is_forbidden = rule.pointer(&pointer) == Some(&json!(true));
        let message = format!("{what} is not allowed by the rule");
        let found = is_forbidden.then(|| json!({"code": code, "message": message, "params": []}));
        judged(rule, found.into_iter().collect(), bypass, caller)
    };
    rules.iter().filter_map(judge).collect()
}

/// What the rules say against a merge.
pub(crate) fn against_merge(
    rules: &[Value],
    facts: &MergeFacts,
    bypass: bool,
    caller: u64,
) -> Vec<Violation> {
    rules
        .iter()
        .filter_map(|rule| judged(rule, merge_faults(rule, facts), bypass, caller))
        .collect()
}

fn merge_faults(rule: &Value, facts: &MergeFacts) -> Vec<Value> {
    let at = |pointer: &str| rule.pointer(&format!("/definition/pullreq/{pointer}"));
    let is_on = |pointer: &str| at(pointer) == Some(&json!(true));
    let texts = |pointer: &str| -> Vec<&str> {
        let list = at(pointer).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let mut faults = Vec::new();
    let mut fault = |code: &str, message: String, params: Value| {
        faults.push(json!({"code": code, "message": message, "params": params}));
    };
    let minimum = at("approvals/require_minimum_count").and_then(Value::as_u64).unwrap_or_default();
    let latest = is_on("approvals/require_latest_commit");
    let have = if latest { facts.latest_approvals } else { facts.approvals };
    if (have as u64) < minimum {
        let code = match latest {
            true => "pullreq.approvals.require_minimum_count:latest_commit",
            false => "pullreq.approvals.require_minimum_count",
        };
        fault(
            code,
            format!("Insufficient number of approvals. Have {have} but need at least {minimum}."),
            json!([have, minimum]),
        );
    }
    if is_on("approvals/require_no_change_request") && facts.has_change_request {
        fault(
            "pullreq.approvals.require_no_change_request",
            "A reviewer requested changes.".to_owned(),
            json!([]),
        );
    }
    if is_on("comments/require_resolve_all") && facts.unresolved > 0 {
        let count = facts.unresolved;
        fault(
            "pullreq.comments.require_resolve_all",
            format!("All comments must be resolved. There are {count} unresolved comments."),
            json!([count]),
        );
    }
    let passed = |check: &&str| facts.passed_checks.iter().any(|one| one == check);
    let open: Vec<&str> = texts("status_checks/require_identifiers")
        .into_iter()
        .filter(|check| !passed(check))
        .collect();
    if !open.is_empty() {
        let names = open.join(", ");
        fault(
            "pullreq.status_checks.required_identifiers",
            format!(
                "The following status checks are required to be completed successfully: {names}"
            ),
            json!([names]),
        );
    }
    let allowed = texts("merge/strategies_allowed");
    if !allowed.is_empty() && !allowed.contains(&facts.method.as_str()) {
        let names = allowed.join(", ");
        fault(
            "pullreq.merge.strategies_allowed",
            format!(
                "The requested merge strategy {} is not allowed. Allowed strategies are {names}.",
                facts.method
            ),
            json!([facts.method, names]),
        );
    }
    if is_on("merge/block") {
        fault("pullreq.merge.blocked", "Merging is blocked by the rule.".to_owned(), json!([]));
    }
    faults
}

/// The methods every rule allows, of those there are.
pub(crate) fn allowed_methods(rules: &[Value]) -> Vec<&'static str> {
    let allows = |rule: &Value, method: &str| {
        let list =
            rule.pointer("/definition/pullreq/merge/strategies_allowed").and_then(Value::as_array);
        list.is_none_or(|list| list.is_empty() || list.iter().any(|one| one == method))
    };
    let all = ["merge", "squash", "rebase", "fast-forward"];
    all.into_iter().filter(|method| rules.iter().all(|rule| allows(rule, method))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Deed, MergeFacts, against_deed, against_merge, allowed_methods, blocks, covers};

    fn rule() -> Value {
        json!({"identifier": "main", "type": "branch", "state": "active",
            "pattern": {"default": true, "include": ["release/**"], "exclude": ["release/old"]},
            "definition": {
                "bypass": {"repo_owners": true},
                "lifecycle": {"update_forbidden": true},
                "pullreq": {"approvals": {"require_minimum_count": 2},
                    "comments": {"require_resolve_all": true},
                    "status_checks": {"require_identifiers": ["ci"]},
                    "merge": {"strategies_allowed": ["squash"]}}}})
    }

    #[test]
    fn a_rule_covers_what_its_pattern_says() {
        for (branch, expected) in
            [("main", true), ("release/1/2", true), ("release/old", false), ("feature", false)]
        {
            assert_eq!(covers(&rule(), branch, "main"), expected, "{branch}");
        }
        let mut off = rule();
        off["state"] = json!("disabled");
        assert!(!covers(&off, "main", "main"));
    }

    #[test]
    fn a_merge_names_everything_that_is_missing() {
        let facts = MergeFacts {
            approvals: 1,
            unresolved: 3,
            method: "merge".to_owned(),
            ..MergeFacts::default()
        };
        let found = against_merge(&[rule()], &facts, false, 1);
        let codes: Vec<&Value> = found[0].violations.iter().map(|one| &one["code"]).collect();
        assert_eq!(
            codes,
            [
                "pullreq.approvals.require_minimum_count",
                "pullreq.comments.require_resolve_all",
                "pullreq.status_checks.required_identifiers",
                "pullreq.merge.strategies_allowed"
            ]
        );
        assert!(blocks(&found));
        assert!(!blocks(&against_merge(&[rule()], &facts, true, 1)), "owners may bypass");
        assert_eq!(allowed_methods(&[rule()]), ["squash"]);
    }

    #[test]
    fn a_deed_is_forbidden_by_name() {
        assert_eq!(against_deed(&[rule()], Deed::Update, false, 1).len(), 1);
        assert_eq!(against_deed(&[rule()], Deed::Create, false, 1).len(), 0);
    }
}
