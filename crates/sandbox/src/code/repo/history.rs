//! Walking from a commit to those it comes from.

use std::collections::{BTreeSet, HashMap};

use super::{COMMIT, Commit, Repo, read_commit};
use crate::code::git::tree::{Tree, directory_id};
use crate::store::StoreError;

/// Commits looked at when a history is walked.
const MOST_COMMITS: usize = 10_000;

impl Repo<'_> {
    /// The commits a commit comes from, itself first, newest first.
    pub(crate) fn history(&self, from: &str) -> Result<Vec<Commit>, StoreError> {
        // One read of all commits costs less than one read per commit.
        let all: HashMap<String, Commit> =
            self.all(COMMIT)?.iter().map(|one| (one.key.id.clone(), read_commit(one))).collect();
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        let mut found: Vec<Commit> = Vec::new();
        while let Some(sha) = open.pop() {
            let Some(commit) = all.get(&sha) else { continue };
            if found.len() >= MOST_COMMITS || !seen.insert(sha) {
                continue;
            }
            open.extend(commit.parents.iter().cloned());
            found.push(commit.clone());
        }
        Ok(newest_first(found))
    }

    /// The newest commit both sides come from.
    pub(crate) fn merge_base(&self, a: &str, b: &str) -> Result<Option<Commit>, StoreError> {
        let ours: BTreeSet<String> = self.history(a)?.into_iter().map(|one| one.sha).collect();
        Ok(self.history(b)?.into_iter().find(|one| ours.contains(&one.sha)))
    }

    /// Commits of `to` that `from` does not have, newest first.
    pub(crate) fn ahead(&self, from: &str, to: &str) -> Result<Vec<Commit>, StoreError> {
        let known: BTreeSet<String> = self.history(from)?.into_iter().map(|one| one.sha).collect();
        Ok(self.history(to)?.into_iter().filter(|one| !known.contains(&one.sha)).collect())
    }

    /// The commit that last changed a path, seen from `from`.
    pub(crate) fn last_change(&self, from: &Commit, path: &str) -> Result<Commit, StoreError> {
        let mut at = from.clone();
        let entry = |tree: &Tree| -> Option<String> {
            tree.get(path).cloned().or_else(|| Some(directory_id(tree, path)))
        };
        for _ in 0..MOST_COMMITS {
            let now = entry(&self.files(&at)?);
            let Some(parent) = at.parents.first() else { break };
            let Some(parent) = self.commit(parent)? else { break };
            if entry(&self.files(&parent)?) != now {
                break;
            }
            at = parent;
        }
        Ok(at)
    }
}

/// Children before parents, newest first among those that do not depend on each other.
fn newest_first(mut commits: Vec<Commit>) -> Vec<Commit> {
    commits.sort_by(|a, b| (b.committer.when_ms, &b.sha).cmp(&(a.committer.when_ms, &a.sha)));
    let shas: BTreeSet<&String> = commits.iter().map(|one| &one.sha).collect();
    let mut children: HashMap<String, usize> = HashMap::new();
    for commit in &commits {
        for parent in commit.parents.iter().filter(|parent| shas.contains(parent)) {
            *children.entry(parent.clone()).or_default() += 1;
        }
    }
    let mut sorted = Vec::with_capacity(commits.len());
    while !commits.is_empty() {
        let is_free = |one: &Commit| children.get(&one.sha).copied().unwrap_or_default() == 0;
        let at = commits.iter().position(is_free).unwrap_or_default();
        let commit = commits.remove(at);
        for parent in &commit.parents {
            if let Some(count) = children.get_mut(parent) {
                *count = count.saturating_sub(1);
            }
        }
        sorted.push(commit);
    }
    sorted
}
