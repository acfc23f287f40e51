//! One repository: its refs and objects in the store.

mod history;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::git::objects::{CommitParts, Signature, blob_id, commit_id};
use super::git::tree::{Tree, directory_id};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Params;
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store, StoreError};
use crate::world::World;

/// Kind of repositories.
pub(crate) const KIND: &str = "repository";
const BLOB: &str = "code_blob";
const TREE: &str = "code_tree";
const COMMIT: &str = "code_commit";
const BRANCH: &str = "code_branch";
const TAG: &str = "code_tag";

/// What is stored of a repository beside its objects.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// Number across the account.
    pub(crate) id: u64,
    /// Identifier.
    pub(crate) identifier: String,
    /// Description.
    pub(crate) description: String,
    /// Readable by everybody.
    pub(crate) is_public: bool,
    /// Name of the default branch.
    pub(crate) default_branch: String,
    /// Who made it.
    pub(crate) created_by: u64,
    /// The repository it is a fork of, or 0.
    pub(crate) fork_id: u64,
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Its id.
    pub(crate) sha: String,
    /// Id of its tree.
    pub(crate) tree: String,
    /// Ids of its parents.
    pub(crate) parents: Vec<String>,
    /// Title and message.
    pub(crate) message: String,
    /// Who wrote it.
    pub(crate) author: Signature,
    /// Who put it there.
    pub(crate) committer: Signature,
}

impl Commit {
    /// The first line of the message.
    pub(crate) fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// As replies show it.
    pub(crate) fn shown(&self) -> Value {
        json!({
            "sha": self.sha, "parent_shas": self.parents, "title": self.title(),
            "message": self.message, "author": signed(&self.author),
            "committer": signed(&self.committer),
        })
    }
}

fn signed(who: &Signature) -> Value {
    json!({"identity": {"name": who.name, "email": who.email}, "when": when(who.when_ms)})
}

/// A moment in whole seconds, as git has it.
pub(crate) fn when(ms: i64) -> String {
    let at = jiff::Timestamp::from_second(ms.div_euclid(1000));
    at.map(|at| at.to_string()).unwrap_or_default()
}

/// A repository of the store.
pub(crate) struct Repo<'a> {
    /// The world around it.
    pub(crate) world: &'a World,
    /// The documents.
    pub(crate) store: &'a Store,
    /// Its scope.
    pub(crate) scope: Scope,
    /// What is known of it.
    pub(crate) facts: Facts,
    /// When it was made.
    pub(crate) created_ms: i64,
    /// When it was last changed.
    pub(crate) updated_ms: i64,
}

/// 404 of the code service.
pub(crate) fn missing(what: &str, name: &str) -> Reply {
    Reply::code_error(404, &format!("{what} '{name}' not found"))
}

/// The scope and identifier a repository reference names: a bare identifier lies in the scope of
/// the query, a path is `account/org/project/identifier`.
fn place(request: &Request, reference: &str) -> (Scope, String) {
    let reference = reference.trim_end_matches("/+").trim_matches('/');
    let parts: Vec<&str> = reference.split('/').collect();
    match parts.as_slice() {
        [_, org, project, id] => (Scope::project(org, project), (*id).to_owned()),
        [_, org, id] => (Scope::organization(org), (*id).to_owned()),
        [_, id] => (Scope::account(), (*id).to_owned()),
        _ => (request.scope(), reference.to_owned()),
    }
}

impl<'a> Repo<'a> {
    /// The repository a path names, or the refusal.
    pub(crate) fn wanted(
        world: &'a World,
        store: &'a Store,
        request: &Request,
        params: &Params,
    ) -> Result<Self, Reply> {
        let (scope, id) = place(request, params.get("repo"));
        Self::find(world, store, &scope, &id)?.ok_or_else(|| missing("repository", &id))
    }

    /// A repository of a scope.
    pub(crate) fn find(
        world: &'a World,
        store: &'a Store,
        scope: &Scope,
        id: &str,
    ) -> Result<Option<Self>, StoreError> {
        let document = store.get(&Key::new(KIND, scope, id))?;
        document.map(|document| Self::of(world, store, document)).transpose()
    }

    /// The repository of a document.
    pub(crate) fn of(
        world: &'a World,
        store: &'a Store,
        document: Document,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            world,
            store,
            scope: document.key.scope(),
            created_ms: document.created_ms,
            updated_ms: document.updated_ms,
            facts: serde_json::from_value(document.body)?,
        })
    }

    /// The key of something that belongs to the repository.
    pub(crate) fn key(&self, kind: &str, id: &str) -> Key {
        Key::new(kind, &self.scope, id).under(&self.facts.id.to_string())
    }

    /// Everything of a kind that belongs to the repository.
    pub(crate) fn all(&self, kind: &str) -> Result<Vec<Document>, StoreError> {
        let filter = Filter::kind(kind).scope(&self.scope);
        self.store.list(&filter.parent(&self.facts.id.to_string()))
    }

    /// Writes what is known of it.
    pub(crate) fn save(&self, now_ms: i64) -> Result<(), StoreError> {
        let key = Key::new(KIND, &self.scope, &self.facts.identifier);
        self.store.put(&key, &serde_json::to_value(&self.facts)?, now_ms).map(drop)
    }

    /// Removes it with everything that belongs to it.
    pub(crate) fn remove(&self) -> Result<(), StoreError> {
        for kind in [BLOB, TREE, COMMIT, BRANCH, TAG, "code_rule", "code_pull", "code_check"] {
            let filter = Filter::kind(kind).scope(&self.scope);
            self.store.remove_all(&filter.parent(&self.facts.id.to_string()))?;
        }
        self.store.remove(&Key::new(KIND, &self.scope, &self.facts.identifier)).map(drop)
    }

    /// `account/org/project/identifier`.
    pub(crate) fn path(&self) -> String {
        let parts =
            [&self.world.account, &self.scope.org, &self.scope.project, &self.facts.identifier];
        let parts: Vec<&str> =
            parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        parts.join("/")
    }

    /// The content of a blob; empty when it is not there.
    pub(crate) fn content(&self, blob: &str) -> Vec<u8> {
        let document = self.store.get(&self.key(BLOB, blob)).ok().flatten();
        let data = document.and_then(|one| Some(one.body.get("data")?.as_str()?.to_owned()));
        data.and_then(|data| STANDARD.decode(data).ok()).unwrap_or_default()
    }

    /// Keeps a content; its id is given back.
    pub(crate) fn keep(&self, content: &[u8], now_ms: i64) -> Result<String, StoreError> {
        let id = blob_id(content);
        let key = self.key(BLOB, &id);
        if self.store.get(&key)?.is_none() {
            self.store.insert(&key, &json!({"data": STANDARD.encode(content)}), now_ms)?;
        }
        Ok(id)
    }

    /// The files of a tree.
    pub(crate) fn tree(&self, id: &str) -> Result<Tree, StoreError> {
        let Some(document) = self.store.get(&self.key(TREE, id))? else { return Ok(Tree::new()) };
        Ok(serde_json::from_value(document.body)?)
    }

    /// The files of a commit.
    pub(crate) fn files(&self, commit: &Commit) -> Result<Tree, StoreError> {
        self.tree(&commit.tree)
    }

    /// Makes a commit; no branch points at it yet.
    pub(crate) fn make_commit(
        &self,
        tree: &Tree,
        parents: Vec<String>,
        message: &str,
        author: &Signature,
        committer: &Signature,
    ) -> Result<Commit, StoreError> {
        let tree_id = directory_id(tree, "");
        let at = committer.when_ms;
        self.store.put(&self.key(TREE, &tree_id), &serde_json::to_value(tree)?, at)?;
        let sha = commit_id(&CommitParts {
            tree: &tree_id,
            parents: &parents,
            author,
            committer,
            message,
        });
        let who =
            |one: &Signature| json!({"name": one.name, "email": one.email, "when": one.when_ms});
        let body = json!({
            "tree": tree_id, "parents": parents, "message": message,
            "author": who(author), "committer": who(committer),
        });
        self.store.put(&self.key(COMMIT, &sha), &body, at)?;
        let (author, committer) = (author.clone(), committer.clone());
        Ok(Commit { sha, tree: tree_id, parents, message: message.to_owned(), author, committer })
    }

    /// A commit by its whole id.
    pub(crate) fn commit(&self, sha: &str) -> Result<Option<Commit>, StoreError> {
        Ok(self.store.get(&self.key(COMMIT, sha))?.map(|document| read_commit(&document)))
    }

    /// The commit a branch, a tag or an id (or its first characters) means.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Commit, Reply> {
        let reference = if reference.is_empty() { &self.facts.default_branch } else { reference };
        let name = ["refs/heads/", "refs/tags/"].iter().find_map(|p| reference.strip_prefix(p));
        let name = name.unwrap_or(reference);
        for kind in [BRANCH, TAG] {
            let Some(found) = self.store.get(&self.key(kind, name))? else { continue };
            let sha = found.body.get("sha").and_then(Value::as_str).unwrap_or_default();
            if let Some(commit) = self.commit(sha)? {
                return Ok(commit);
            }
        }
        if let Some(commit) = self.commit(reference)? {
            return Ok(commit);
        }
        let is_short = reference.len() >= 7 && reference.bytes().all(|b| b.is_ascii_hexdigit());
        if is_short {
            let all = self.all(COMMIT)?;
            let mut found = all.iter().filter(|one| one.key.id.starts_with(reference));
            if let (Some(one), None) = (found.next(), found.next()) {
                return Ok(read_commit(one));
            }
        }
        Err(missing("revision", reference))
    }

    /// Branches with the id they point at, by name.
    pub(crate) fn branches(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.refs(BRANCH)
    }

    /// Tags with the id they point at, by name.
    pub(crate) fn tags(&self) -> Result<Vec<Document>, StoreError> {
        self.all(TAG)
    }

    fn refs(&self, kind: &str) -> Result<Vec<(String, String)>, StoreError> {
        let mut refs: Vec<(String, String)> = self
            .all(kind)?
            .into_iter()
            .map(|one| {
                let sha = one.body.get("sha").and_then(Value::as_str).unwrap_or_default();
                (one.key.id, sha.to_owned())
            })
            .collect();
        refs.sort();
        Ok(refs)
    }

    /// The commit a branch points at.
    pub(crate) fn head(&self, branch: &str) -> Result<Option<Commit>, StoreError> {
        let Some(found) = self.store.get(&self.key(BRANCH, branch))? else { return Ok(None) };
        self.commit(found.body.get("sha").and_then(Value::as_str).unwrap_or_default())
    }

    /// Points a branch at a commit.
    pub(crate) fn set_branch(&self, name: &str, sha: &str, now_ms: i64) -> Result<(), StoreError> {
        self.store.put(&self.key(BRANCH, name), &json!({"sha": sha}), now_ms).map(drop)
    }

    /// Removes a branch; false when there was none.
    pub(crate) fn drop_branch(&self, name: &str) -> Result<bool, StoreError> {
        self.store.remove(&self.key(BRANCH, name))
    }

    /// The tag with a name.
    pub(crate) fn tag(&self, name: &str) -> Result<Option<Document>, StoreError> {
        self.store.get(&self.key(TAG, name))
    }

    /// Writes a tag.
    pub(crate) fn set_tag(&self, name: &str, body: &Value, now_ms: i64) -> Result<(), StoreError> {
        self.store.put(&self.key(TAG, name), body, now_ms).map(drop)
    }

    /// Removes a tag; false when there was none.
    pub(crate) fn drop_tag(&self, name: &str) -> Result<bool, StoreError> {
        self.store.remove(&self.key(TAG, name))
    }
}

fn read_commit(document: &Document) -> Commit {
    let body = &document.body;
    let text = |pointer: &str| {
        body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let who = |role: &str| Signature {
        name: text(&format!("/{role}/name")),
        email: text(&format!("/{role}/email")),
        when_ms: body.pointer(&format!("/{role}/when")).and_then(Value::as_i64).unwrap_or_default(),
    };
    let parents = body.get("parents").and_then(Value::as_array).into_iter().flatten();
    Commit {
        sha: document.key.id.clone(),
        tree: text("/tree"),
        parents: parents.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        message: text("/message"),
        author: who("author"),
        committer: who("committer"),
    }
}
