//! Merging a pull request.

use serde_json::{Value, json};

use super::{bad, body, flag, text};
use crate::code::git::merge::merge;
use crate::code::principal::Principal;
use crate::code::pull::{Pull, Standing, rules_for};
use crate::code::repo::{Commit, Repo};
use crate::code::rules::{Violation, against_merge, allowed_methods, blocks};
use crate::crud::settle;
use crate::family::Answer;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

const METHODS: [&str; 4] = ["merge", "squash", "rebase", "fast-forward"];

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new("POST", "/code/api/v1/repos/{repo}/pullreq/{number}/merge", merge_pull)]
}

/// What the merge of a request asks for.
struct Wish {
    method: String,
    title: String,
    message: String,
    delete_source: bool,
    is_dry: bool,
    is_dry_for_rules: bool,
    bypass: bool,
    source_sha: String,
}

impl Wish {
    fn read(body: &Value) -> Result<Self, Reply> {
        let is_dry = flag(body, "dry_run");
        let is_dry_for_rules = flag(body, "dry_run_rules");
        let method = match text(body, "method") {
            "" => METHODS.first().copied().unwrap_or_default(),
            method if METHODS.contains(&method) => method,
            other => {
                let known = METHODS.join(", ");
                return Err(bad(&format!(
                    "wrong merge method type: '{other}'; it must be one of {known}"
                )));
            }
        };
        let source_sha = text(body, "source_sha").to_owned();
        if source_sha.is_empty() && !is_dry && !is_dry_for_rules {
            return Err(bad("source SHA must be provided"));
        }
        let has_text = !text(body, "title").is_empty() || !text(body, "message").is_empty();
        if has_text && matches!(method, "rebase" | "fast-forward") {
            return Err(bad(&format!(
                "title and message can't be given with the method '{method}'"
            )));
        }
        Ok(Self {
            method: method.to_owned(),
            title: text(body, "title").to_owned(),
            message: text(body, "message").to_owned(),
            delete_source: flag(body, "delete_source_branch"),
            is_dry,
            is_dry_for_rules,
            bypass: flag(body, "bypass_rules"),
            source_sha,
        })
    }

    fn text_or(&self, title: String) -> String {
        let title = if self.title.is_empty() { title } else { self.title.clone() };
        match self.message.is_empty() {
            true => title,
            false => format!("{title}\n\n{}", self.message),
        }
    }
}

fn merge_pull(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        let wish = Wish::read(&body(request)?)?;
        match pull.state.as_str() {
            "merged" => return Err(bad("Pull request already merged")),
            "closed" => return Err(bad("Pull request must be open")),
            _ => {}
        }
        let is_trial = wish.is_dry || wish.is_dry_for_rules;
        if pull.is_draft && !is_trial {
            return Err(bad("Draft pull requests can't be merged. Clear the draft flag first."));
        }
        let standing = pull.standing(&repo)?;
        let standing = standing.ok_or_else(|| bad("the source or target branch is gone"))?;
        if !wish.source_sha.is_empty() && wish.source_sha != standing.source.sha {
            return Err(bad(&format!(
                "A newer commit is available: the source branch is at {}. Only the latest commit can be merged.",
                standing.source.sha
            )));
        }
        let rules = rules_for(&repo, &pull.target_branch)?;
        let facts = pull.merge_facts(&repo, &standing.source.sha, &wish.method)?;
        let found = against_merge(&rules, &facts, wish.bypass, Principal::caller().id);
        let allowed = allowed_methods(&rules);
        if is_trial {
            return Ok(trial(&wish, &standing, &found, &allowed));
        }
        refuse(&standing, &found)?;
        carry_out(&repo, &mut pull, &wish, &standing, &found)
    })
}

fn shown(found: &[Violation]) -> Vec<Value> {
    found.iter().map(Violation::shown).collect()
}

fn trial(wish: &Wish, standing: &Standing, found: &[Violation], allowed: &[&str]) -> Reply {
    let conflicts = &standing.merged.conflicts;
    Reply::bare(&json!({
        "branch_deleted": false, "dry_run": wish.is_dry, "dry_run_rules": wish.is_dry_for_rules,
        "mergeable": conflicts.is_empty(), "conflict_files": conflicts,
        "rule_violations": shown(found), "allowed_methods": allowed,
    }))
}

fn refuse(standing: &Standing, found: &[Violation]) -> Result<(), Reply> {
    if blocks(found) {
        return Err(Reply::json_with(
            422,
            &json!({
                "message": "The merge is blocked by protection rules", "conflict_files": [],
                "rule_violations": shown(found),
            }),
        ));
    }
    let conflicts = &standing.merged.conflicts;
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(Reply::json_with(
        422,
        &json!({
            "message": format!("Merge blocked by conflicting files: {}", conflicts.join(", ")),
            "conflict_files": conflicts, "rule_violations": [],
        }),
    ))
}

fn carry_out(
    repo: &Repo<'_>,
    pull: &mut Pull,
    wish: &Wish,
    standing: &Standing,
    found: &[Violation],
) -> Answer {
    let now = repo.world.now_ms();
    let merged = make(repo, pull, wish, standing, Principal::caller(), now)?;
    land(repo, pull, &wish.method, &merged, Principal::caller(), now)?;
    let may_delete = wish.delete_source && pull.source_branch != repo.facts.default_branch;
    let branch_deleted = may_delete && repo.drop_branch(&pull.source_branch)?;
    super::repos::tell_audit(repo, "MERGE", now)?;
    Ok(Reply::bare(&json!({
        "sha": merged.sha, "branch_deleted": branch_deleted, "mergeable": true,
        "conflict_files": [], "rule_violations": shown(found), "allowed_methods": [],
    })))
}

/// Makes the commits of a merge; the target branch is not moved yet.
pub(crate) fn make_merge(
    repo: &Repo<'_>,
    pull: &Pull,
    method: &str,
    by: Principal,
    at_ms: i64,
) -> Result<Commit, Reply> {
    let wish = Wish::read(&json!({"method": method, "dry_run": true}))?;
    let standing =
        pull.standing(repo)?.ok_or_else(|| bad("the source or target branch is gone"))?;
    refuse(&standing, &[])?;
    make(repo, pull, &wish, &standing, by, at_ms)
}

/// Moves the target branch to the merge and closes the pull request with it.
pub(crate) fn land(
    repo: &Repo<'_>,
    pull: &mut Pull,
    method: &str,
    merged: &Commit,
    by: Principal,
    at_ms: i64,
) -> Result<(), Reply> {
    pull.end(repo, "merged", at_ms)?;
    repo.set_branch(&pull.target_branch, &merged.sha, at_ms)?;
    pull.merged = Some(at_ms);
    pull.merger = Some(by.id);
    pull.merge_method = Some(method.to_owned());
    pull.merge_sha = Some(merged.sha.clone());
    let payload = json!({
        "merge_method": method, "merge_sha": merged.sha, "source_sha": pull.source_sha,
        "target_sha": pull.merge_target_sha,
    });
    pull.tell(repo, "merge", "", payload, (by.id, at_ms))?;
    Ok(pull.save(repo)?)
}

fn make(
    repo: &Repo<'_>,
    pull: &Pull,
    wish: &Wish,
    standing: &Standing,
    by: Principal,
    at_ms: i64,
) -> Result<Commit, Reply> {
    for content in &standing.merged.contents {
        repo.keep(content, at_ms)?;
    }
    let who = by.signature(at_ms);
    let tree = &standing.merged.tree;
    let (source, target) = (standing.source.sha.clone(), standing.target.sha.clone());
    match wish.method.as_str() {
        "squash" => {
            let message = wish.text_or(format!("{} (#{})", pull.title, pull.number));
            let author = Principal::numbered(pull.author).unwrap_or(by).signature(at_ms);
            Ok(repo.make_commit(tree, vec![target], &message, &author, &who)?)
        }
        "fast-forward" if standing.base.sha == target => Ok(standing.source.clone()),
        "fast-forward" => Err(Reply::json_with(
            422,
            &json!({
                "message": format!("The target branch '{}' can't be fast-forwarded: it has commits of its own", pull.target_branch),
                "conflict_files": [], "rule_violations": [],
            }),
        )),
        "rebase" => rebase(repo, standing, by, at_ms),
        _ => {
            let message = wish.text_or(format!(
                "Merge branch '{}' of {} (#{})",
                pull.source_branch,
                repo.path(),
                pull.number
            ));
            Ok(repo.make_commit(tree, vec![target, source], &message, &who, &who)?)
        }
    }
}

/// Replays each commit of the source on the target, oldest first.
fn rebase(
    repo: &Repo<'_>,
    standing: &Standing,
    by: Principal,
    at_ms: i64,
) -> Result<Commit, Reply> {
    let mut commits = repo.ahead(&standing.target.sha, &standing.source.sha)?;
    commits.retain(|commit| commit.parents.len() < 2);
    commits.reverse();
    let mut head = standing.target.clone();
    for commit in commits {
        let base = match commit.parents.first() {
            Some(parent) => {
                repo.commit(parent)?.map(|one| repo.files(&one)).transpose()?.unwrap_or_default()
            }
            None => Default::default(),
        };
        let step = merge(&base, &repo.files(&head)?, &repo.files(&commit)?, &|id| repo.content(id));
        if !step.conflicts.is_empty() {
            return Err(Reply::json_with(
                422,
                &json!({
                    "message": format!("Commit {} can't be rebased: conflicting files {}", commit.sha, step.conflicts.join(", ")),
                    "conflict_files": step.conflicts, "rule_violations": [],
                }),
            ));
        }
        for content in &step.contents {
            repo.keep(content, at_ms)?;
        }
        let committer = by.signature(at_ms);
        head = repo.make_commit(
            &step.tree,
            vec![head.sha],
            &commit.message,
            &commit.author,
            &committer,
        )?;
    }
    Ok(head)
}
