//! One pull request: what is stored of it, and what follows from the branches as they are now.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::git::changes::{counts, files};
use super::git::merge::{Merged, merge};
use super::git::tree::Tree;
use super::principal;
use super::repo::{Commit, Repo, missing};
use super::rules::{self, MergeFacts};
use crate::reply::Reply;
use crate::store::{Document, StoreError};

/// Kind of pull requests in the store.
pub(crate) const KIND: &str = "code_pull";

/// A pull request as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pull {
    /// Number in its repository, from 1.
    pub(crate) number: u64,
    /// Who opened it.
    pub(crate) author: u64,
    /// When it was opened.
    pub(crate) created: i64,
    /// When title or description were last edited.
    pub(crate) edited: i64,
    /// When anything about it last changed.
    pub(crate) updated: i64,
    /// When it was closed without a merge.
    pub(crate) closed: Option<i64>,
    /// When it was merged.
    pub(crate) merged: Option<i64>,
    /// `open`, `closed` or `merged`.
    pub(crate) state: String,
    /// Not ready for a merge.
    pub(crate) is_draft: bool,
    /// Title.
    pub(crate) title: String,
    /// Description.
    pub(crate) description: String,
    /// Branch to merge.
    pub(crate) source_branch: String,
    /// Its commit, as last seen.
    pub(crate) source_sha: String,
    /// Branch to merge into.
    pub(crate) target_branch: String,
    /// Commit both sides come from, as last seen.
    pub(crate) merge_base_sha: String,
    /// Commit of the target at the merge.
    pub(crate) merge_target_sha: Option<String>,
    /// How it was merged.
    pub(crate) merge_method: Option<String>,
    /// The commit of the merge.
    pub(crate) merge_sha: Option<String>,
    /// Who merged it.
    pub(crate) merger: Option<u64>,
    /// Who reviews it.
    pub(crate) reviewers: Vec<Reviewer>,
    /// What happened and was said.
    pub(crate) activities: Vec<Activity>,
    /// Commits, files and lines at the merge, once it was merged or closed.
    pub(crate) final_stats: Option<Value>,
}

/// Somebody who reviews a pull request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reviewer {
    /// Who.
    pub(crate) id: u64,
    /// `requested`, `assigned` or `self_assigned`.
    pub(crate) kind: String,
    /// Who asked for it.
    pub(crate) added_by: u64,
    /// When they were added.
    pub(crate) created: i64,
    /// When they last decided.
    pub(crate) updated: i64,
    /// `pending`, `reviewed`, `approved` or `changereq`.
    pub(crate) decision: String,
    /// The commit they saw.
    pub(crate) sha: String,
    /// Number of their last review.
    pub(crate) review: Option<u64>,
}

/// One entry of a pull request's activity.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Activity {
    /// Number across the account.
    pub(crate) id: u64,
    /// When.
    pub(crate) created: i64,
    /// When it last changed.
    pub(crate) updated: i64,
    /// When its text was last edited.
    pub(crate) edited: i64,
    /// When it was deleted.
    pub(crate) deleted: Option<i64>,
    /// The comment it answers.
    pub(crate) parent_id: Option<u64>,
    /// Place in the conversation.
    pub(crate) order: u64,
    /// Place among the answers.
    pub(crate) sub_order: u64,
    /// `comment`, `code-comment`, `merge`, `state-change`, …
    pub(crate) kind_of: String,
    /// `system`, `comment` or `change-comment`.
    pub(crate) kind: String,
    /// Its text.
    pub(crate) text: String,
    /// What else there is to know.
    pub(crate) payload: Value,
    /// Who.
    pub(crate) author: u64,
    /// Who resolved it.
    pub(crate) resolver: Option<u64>,
    /// When it was resolved.
    pub(crate) resolved: Option<i64>,
    /// Where in the code it stands.
    pub(crate) code_comment: Option<Value>,
}

/// How the two branches stand to each other now.
pub(crate) struct Standing {
    /// The newest commit of the source.
    pub(crate) source: Commit,
    /// The newest commit of the target.
    pub(crate) target: Commit,
    /// The commit both come from.
    pub(crate) base: Commit,
    /// What a merge comes to.
    pub(crate) merged: Merged,
}

impl Pull {
    /// The pull request with a number.
    pub(crate) fn wanted(repo: &Repo<'_>, number: &str) -> Result<Self, Reply> {
        let document = repo.store.get(&repo.key(KIND, number))?;
        document.map(Self::of).transpose()?.ok_or_else(|| missing("pull request", number))
    }

    /// The pull request of a document.
    pub(crate) fn of(document: Document) -> Result<Self, StoreError> {
        Ok(serde_json::from_value(document.body)?)
    }

    /// All of a repository, oldest first.
    pub(crate) fn all(repo: &Repo<'_>) -> Result<Vec<Self>, StoreError> {
        repo.all(KIND)?.into_iter().map(Self::of).collect()
    }

    /// Writes it.
    pub(crate) fn save(&self, repo: &Repo<'_>) -> Result<(), StoreError> {
        let key = repo.key(KIND, &self.number.to_string());
        repo.store.put(&key, &serde_json::to_value(self)?, self.updated).map(drop)
    }

    /// True while it may still be merged.
    pub(crate) fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Adds an entry to its activity.
    pub(crate) fn tell(
        &mut self,
        repo: &Repo<'_>,
        kind_of: &str,
        text: &str,
        payload: Value,
        (author, at_ms): (u64, i64),
    ) -> Result<u64, StoreError> {
        let id = repo.store.next_number("code-activity")?;
        let kind = match kind_of {
            "comment" => "comment",
            "code-comment" => "change-comment",
            _ => "system",
        };
        let order = self.activities.iter().map(|one| one.order).max().unwrap_or_default() + 1;
        self.activities.push(Activity {
            id,
            created: at_ms,
            updated: at_ms,
            edited: at_ms,
            order,
            kind_of: kind_of.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            payload,
            author,
            ..Activity::default()
        });
        self.updated = at_ms;
        Ok(id)
    }

    /// How its branches stand to each other; `None` when one of them is gone.
    pub(crate) fn standing(&self, repo: &Repo<'_>) -> Result<Option<Standing>, StoreError> {
        let source = match repo.head(&self.source_branch)?.filter(|_| self.is_open()) {
            Some(head) => Some(head),
            None => repo.commit(&self.source_sha)?,
        };
        let (Some(source), Some(target)) = (source, repo.head(&self.target_branch)?) else {
            return Ok(None);
        };
        let Some(base) = repo.merge_base(&target.sha, &source.sha)? else { return Ok(None) };
        let tree = |commit: &Commit| repo.files(commit);
        let merged = merge(&tree(&base)?, &tree(&target)?, &tree(&source)?, &|id| repo.content(id));
        Ok(Some(Standing { source, target, base, merged }))
    }

    /// Comments that still want an answer.
    pub(crate) fn unresolved(&self) -> usize {
        self.comments().filter(|one| one.resolved.is_none()).count()
    }

    fn comments(&self) -> impl Iterator<Item = &Activity> {
        self.activities
            .iter()
            .filter(|one| one.kind != "system" && one.deleted.is_none() && one.parent_id.is_none())
    }

    /// What rules measure a merge by.
    pub(crate) fn merge_facts(
        &self,
        repo: &Repo<'_>,
        source_sha: &str,
        method: &str,
    ) -> Result<MergeFacts, StoreError> {
        let approves = |one: &&Reviewer| one.decision == "approved";
        Ok(MergeFacts {
            approvals: self.reviewers.iter().filter(approves).count(),
            latest_approvals: self
                .reviewers
                .iter()
                .filter(approves)
                .filter(|one| one.sha == source_sha)
                .count(),
            has_change_request: self.reviewers.iter().any(|one| one.decision == "changereq"),
            unresolved: self.unresolved(),
            passed_checks: super::checks::passed(repo, source_sha)?,
            method: method.to_owned(),
        })
    }

    /// Commits, files and lines of what would be merged now.
    pub(crate) fn stats(
        &self,
        repo: &Repo<'_>,
        standing: Option<&Standing>,
    ) -> Result<Value, StoreError> {
        let mut stats = match (&self.final_stats, standing) {
            (Some(stats), _) => stats.clone(),
            (None, Some(standing)) => {
                let commits = repo.ahead(&standing.target.sha, &standing.source.sha)?.len();
                let (before, after) = (repo.files(&standing.base)?, repo.files(&standing.source)?);
                change_stats(repo, &before, &after, commits)
            }
            (None, None) => {
                json!({"commits": 0, "files_changed": 0, "additions": 0, "deletions": 0})
            }
        };
        if let Some(fields) = stats.as_object_mut() {
            fields.insert("conversations".to_owned(), json!(self.comments().count()));
            fields.insert("unresolved_count".to_owned(), json!(self.unresolved()));
        }
        Ok(stats)
    }

    /// As replies show it.
    pub(crate) fn shown(&self, repo: &Repo<'_>) -> Result<Value, StoreError> {
        let standing = if self.is_open() { self.standing(repo)? } else { None };
        let stats = self.stats(repo, standing.as_ref())?;
        let conflicts =
            standing.as_ref().map(|one| one.merged.conflicts.clone()).unwrap_or_default();
        let check = match (&standing, self.state.as_str()) {
            (Some(_), _) if conflicts.is_empty() => "mergeable",
            (Some(_), _) => "conflict",
            (None, "open") => "error",
            (None, "merged") => "mergeable",
            _ => "unchecked",
        };
        let sha = |pick: fn(&Standing) -> &Commit, stored: &str| {
            standing.as_ref().map_or(stored.to_owned(), |one| pick(one).sha.clone())
        };
        let target = standing.as_ref().map(|one| one.target.sha.clone());
        let mut shown = json!({
            "number": self.number, "created": self.created, "edited": self.edited,
            "updated": self.updated, "state": self.state, "is_draft": self.is_draft,
            "title": self.title, "description": self.description,
            "source_repo_id": repo.facts.id, "source_branch": self.source_branch,
            "source_sha": sha(|one| &one.source, &self.source_sha),
            "target_repo_id": repo.facts.id, "target_branch": self.target_branch,
            "merge_target_sha": target.or_else(|| self.merge_target_sha.clone()),
            "merge_base_sha": sha(|one| &one.base, &self.merge_base_sha),
            "merge_check_status": check,
        });
        let rest = json!({
            "merge_conflicts": conflicts, "merge_method": self.merge_method,
            "merge_sha": self.merge_sha, "merged": self.merged,
            "author": principal::shown(Some(self.author)), "merger": principal::shown(self.merger),
            "stats": stats, "labels": [],
        });
        if let (Some(fields), Value::Object(rest)) = (shown.as_object_mut(), rest) {
            fields.extend(rest);
            fields.extend(self.closed.map(|at| ("closed".to_owned(), json!(at))));
        }
        Ok(shown)
    }

    /// Ends it, keeping what can no longer be computed.
    pub(crate) fn end(
        &mut self,
        repo: &Repo<'_>,
        state: &str,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        let standing = self.standing(repo)?;
        self.final_stats = Some(self.stats(repo, standing.as_ref())?);
        if let Some(standing) = standing {
            self.source_sha = standing.source.sha;
            self.merge_base_sha = standing.base.sha;
            self.merge_target_sha = Some(standing.target.sha);
        }
        state.clone_into(&mut self.state);
        self.updated = at_ms;
        Ok(())
    }
}

/// Files and lines that differ.
pub(crate) fn change_stats(repo: &Repo<'_>, before: &Tree, after: &Tree, commits: usize) -> Value {
    let changes = files(before, after);
    let content =
        |id: &Option<String>| id.as_deref().map(|id| repo.content(id)).unwrap_or_default();
    let (mut additions, mut deletions) = (0, 0);
    for change in &changes {
        let (added, deleted) = counts(&content(&change.before), &content(&change.after));
        additions += added;
        deletions += deleted;
    }
    json!({
        "commits": commits, "files_changed": changes.len(), "additions": additions,
        "deletions": deletions,
    })
}

/// The active rules of a repository and the scopes above it that are about a branch.
pub(crate) fn rules_for(repo: &Repo<'_>, branch: &str) -> Result<Vec<Value>, StoreError> {
    let mut all: Vec<Value> = repo.all(rules::KIND)?.into_iter().map(|one| one.body).collect();
    for scope in std::iter::once(repo.scope.clone()).chain(repo.scope.above()) {
        all.extend(
            super::routes::rules::of_space(repo.store, &scope)?.into_iter().map(|one| one.body),
        );
    }
    all.retain(|rule| rules::covers(rule, branch, &repo.facts.default_branch));
    Ok(all)
}
