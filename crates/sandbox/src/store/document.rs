//! What is stored, where it lives, and which of it a listing takes.

use rusqlite::ToSql;
use serde_json::Value;

use crate::scope::Scope;

/// Where one document lives; an empty string means "not in that scope".
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Key {
    /// Entity kind, as in `pipeline`.
    pub kind: String,
    /// Organization, or empty at account level.
    pub org: String,
    /// Project, or empty above project level.
    pub project: String,
    /// Owner inside the scope (the environment of an infrastructure), or empty.
    pub parent: String,
    /// Identifier inside all of the above.
    pub id: String,
}

impl Key {
    /// The key of `id` of `kind` directly in `scope`.
    pub fn new(kind: &str, scope: &Scope, id: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            org: scope.org.clone(),
            project: scope.project.clone(),
            parent: String::new(),
            id: id.to_owned(),
        }
    }

    /// The key of an account level document.
    pub fn account(kind: &str, id: &str) -> Self {
        Self::new(kind, &Scope::account(), id)
    }

    /// The same key below an owner.
    #[must_use]
    pub fn under(mut self, parent: &str) -> Self {
        parent.clone_into(&mut self.parent);
        self
    }

    /// The scope the document lives in.
    pub fn scope(&self) -> Scope {
        Scope { org: self.org.clone(), project: self.project.clone() }
    }
}

/// One stored entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Where it lives.
    pub key: Key,
    /// 0 when created, one more with every update; what `ETag` shows.
    pub version: u64,
    /// When it was created, epoch milliseconds of the virtual clock.
    pub created_ms: i64,
    /// When it was last written.
    pub updated_ms: i64,
    /// The entity itself.
    pub body: Value,
}

/// Which documents a listing takes.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Entity kind.
    pub kind: String,
    /// Only this organization (`Some("")` is account level).
    pub org: Option<String>,
    /// Only this project.
    pub project: Option<String>,
    /// Only below this owner.
    pub parent: Option<String>,
}

impl Filter {
    /// Every document of a kind, whatever its scope.
    pub fn kind(kind: &str) -> Self {
        Self { kind: kind.to_owned(), ..Self::default() }
    }

    /// Only documents directly in `scope`.
    #[must_use]
    pub fn scope(self, scope: &Scope) -> Self {
        self.org(&scope.org).project(&scope.project)
    }

    /// Only documents of an organization.
    #[must_use]
    pub fn org(mut self, org: &str) -> Self {
        self.org = Some(org.to_owned());
        self
    }

    /// Only documents of a project.
    #[must_use]
    pub fn project(mut self, project: &str) -> Self {
        self.project = Some(project.to_owned());
        self
    }

    /// Only documents below an owner.
    #[must_use]
    pub fn parent(mut self, parent: &str) -> Self {
        self.parent = Some(parent.to_owned());
        self
    }

    pub(super) fn clause(&self) -> (String, Vec<&dyn ToSql>) {
        let mut clause = "kind = ?1".to_owned();
        let mut values: Vec<&dyn ToSql> = vec![&self.kind];
        for (column, value) in
            [("org", &self.org), ("project", &self.project), ("parent", &self.parent)]
        {
            let Some(value) = value else { continue };
            values.push(value);
            clause.push_str(&format!(" AND {column} = ?{}", values.len()));
        }
        (clause, values)
    }
}
