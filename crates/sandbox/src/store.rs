//! The documents of the sandbox in one SQLite table, so a user can open the file and look.

mod document;

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::scope::Scope;
pub use document::{Document, Filter, Key};

/// How a file written by another version of the sandbox is recognised.
const LAYOUT: i64 = 1;

/// Statements kept prepared; the store asks about a dozen different questions.
const PREPARED_STATEMENTS: usize = 64;

/// Why the store refused.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A document with this key is already there.
    #[error("`{kind}` `{id}` already exists; use another identifier or update it")]
    Exists {
        /// Kind of the document.
        kind: String,
        /// Identifier of the document.
        id: String,
    },
    /// SQLite failed.
    #[error("the sandbox store failed: {0}; check that its file is writable and not in use")]
    Sqlite(#[from] rusqlite::Error),
    /// A stored body is not JSON, so somebody edited the file.
    #[error("a stored document is not JSON: {0}; repair the row or start with a new data folder")]
    Body(#[from] serde_json::Error),
    /// The file has another layout.
    #[error(
        "the store has layout {found}, this sandbox writes {LAYOUT}; start with a new data folder"
    )]
    Layout {
        /// Layout number found in the file.
        found: i64,
    },
}

/// The documents of one sandbox.
#[derive(Debug)]
pub struct Store {
    db: Connection,
}

impl Store {
    /// Opens or creates a store in a file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let db = Connection::open(path)?;
        // A crash of the machine may lose the last writes of a sandbox, never the file.
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        Self::prepare(db)
    }

    /// A store that lives as long as the process.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::prepare(Connection::open_in_memory()?)
    }

    fn prepare(db: Connection) -> Result<Self, StoreError> {
        db.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        let found: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found != 0 && found != LAYOUT {
            return Err(StoreError::Layout { found });
        }
        db.execute_batch(
            "CREATE TABLE IF NOT EXISTS documents (
                 seq INTEGER PRIMARY KEY AUTOINCREMENT,
                 kind TEXT NOT NULL, org TEXT NOT NULL, project TEXT NOT NULL,
                 parent TEXT NOT NULL, id TEXT NOT NULL,
                 version INTEGER NOT NULL, created_ms INTEGER NOT NULL,
                 updated_ms INTEGER NOT NULL, body TEXT NOT NULL,
                 UNIQUE (kind, org, project, parent, id)) STRICT;
             CREATE TABLE IF NOT EXISTS counters (
                 name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;",
        )?;
        db.pragma_update(None, "user_version", LAYOUT)?;
        Ok(Self { db })
    }

    /// The document at `key`, if there is one.
    pub fn get(&self, key: &Key) -> Result<Option<Document>, StoreError> {
        self.db
            .prepare_cached(
                "SELECT kind, org, project, parent, id, version, created_ms, updated_ms, body
                 FROM documents
                 WHERE kind = ?1 AND org = ?2 AND project = ?3 AND parent = ?4 AND id = ?5",
            )?
            .query_row(params![key.kind, key.org, key.project, key.parent, key.id], raw)
            .optional()?
            .map(parse)
            .transpose()
    }

    /// Adds a document; refuses when the key is taken.
    pub fn insert(&self, key: &Key, body: &Value, now_ms: i64) -> Result<Document, StoreError> {
        let written = self
            .db
            .prepare_cached(
                "INSERT INTO documents
                     (kind, org, project, parent, id, version, created_ms, updated_ms, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6, ?7)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                key.kind,
                key.org,
                key.project,
                key.parent,
                key.id,
                now_ms,
                serde_json::to_string(body)?
            ])?;
        if written == 0 {
            return Err(StoreError::Exists { kind: key.kind.clone(), id: key.id.clone() });
        }
        Ok(Document {
            key: key.clone(),
            version: 0,
            created_ms: now_ms,
            updated_ms: now_ms,
            body: body.clone(),
        })
    }

    /// Writes a document: version 0 when it is new, one more when it replaces another.
    pub fn put(&self, key: &Key, body: &Value, now_ms: i64) -> Result<Document, StoreError> {
        let (version, created_ms) = self
            .db
            .prepare_cached(
                "INSERT INTO documents
                     (kind, org, project, parent, id, version, created_ms, updated_ms, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6, ?7)
                 ON CONFLICT DO UPDATE
                     SET version = version + 1, updated_ms = ?6, body = ?7
                 RETURNING version, created_ms",
            )?
            .query_row(
                params![
                    key.kind,
                    key.org,
                    key.project,
                    key.parent,
                    key.id,
                    now_ms,
                    serde_json::to_string(body)?
                ],
                |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
            )?;
        Ok(Document {
            key: key.clone(),
            version: version.unsigned_abs(),
            created_ms,
            updated_ms: now_ms,
            body: body.clone(),
        })
    }

    /// Removes a document; false when there was none.
    pub fn remove(&self, key: &Key) -> Result<bool, StoreError> {
        let removed = self
            .db
            .prepare_cached(
                "DELETE FROM documents
                 WHERE kind = ?1 AND org = ?2 AND project = ?3 AND parent = ?4 AND id = ?5",
            )?
            .execute(params![key.kind, key.org, key.project, key.parent, key.id])?;
        Ok(removed > 0)
    }

    /// Removes everything a filter takes; gives how many there were.
    pub fn remove_all(&self, filter: &Filter) -> Result<usize, StoreError> {
        let (clause, values) = filter.clause();
        Ok(self
            .db
            .prepare_cached(&format!("DELETE FROM documents WHERE {clause}"))?
            .execute(values.as_slice())?)
    }

    /// Removes every document of a scope, of whatever kind: the end of an organization or project.
    pub fn remove_scope(&self, scope: &Scope) -> Result<usize, StoreError> {
        Ok(self
            .db
            .prepare_cached(
                "DELETE FROM documents WHERE org = ?1 AND (?2 = '' OR project = ?2) AND org <> ''",
            )?
            .execute(params![scope.org, scope.project])?)
    }

    /// The documents a filter takes, oldest first.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Document>, StoreError> {
        let (clause, values) = filter.clause();
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT kind, org, project, parent, id, version, created_ms, updated_ms, body
             FROM documents WHERE {clause} ORDER BY seq"
        ))?;
        let rows = statement.query_map(values.as_slice(), raw)?;
        rows.map(|row| parse(row?)).collect()
    }

    /// Removes all but the newest `kept` documents of a kind.
    pub fn keep_newest(&self, kind: &str, kept: u64) -> Result<usize, StoreError> {
        Ok(self
            .db
            .prepare_cached(
                "DELETE FROM documents WHERE kind = ?1 AND seq <= (
                     SELECT seq FROM documents WHERE kind = ?1
                     ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![kind, i64::try_from(kept).unwrap_or(i64::MAX)])?)
    }

    /// How many documents a filter takes.
    pub fn count(&self, filter: &Filter) -> Result<usize, StoreError> {
        let (clause, values) = filter.clause();
        let count: i64 = self
            .db
            .prepare_cached(&format!("SELECT count(*) FROM documents WHERE {clause}"))?
            .query_row(values.as_slice(), |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The next number of a named counter, from 1.
    pub fn next_number(&self, name: &str) -> Result<u64, StoreError> {
        let value: i64 = self
            .db
            .prepare_cached(
                "INSERT INTO counters (name, value) VALUES (?1, 1)
                 ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value",
            )?
            .query_row([name], |row| row.get(0))?;
        Ok(value.unsigned_abs())
    }

    /// The newest write of all, so that a clock never starts before the data it meets.
    pub fn latest_ms(&self) -> Result<Option<i64>, StoreError> {
        Ok(self.db.query_row("SELECT max(updated_ms) FROM documents", [], |row| row.get(0))?)
    }

    /// Forgets everything.
    pub fn clear(&self) -> Result<(), StoreError> {
        Ok(self.db.execute_batch("DELETE FROM documents; DELETE FROM counters;")?)
    }

    /// Runs SQL without parameters.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        Ok(self.db.execute_batch(sql)?)
    }

    /// Runs `work` so that all of its writes are kept, or none when it fails.
    pub fn transact<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        // A savepoint nests, so a helper that needs its own unit may run inside a request's.
        self.batch("SAVEPOINT unit")?;
        match work(self) {
            Ok(value) => {
                self.batch("RELEASE unit")?;
                Ok(value)
            }
            Err(error) => {
                self.batch("ROLLBACK TO unit; RELEASE unit")?;
                Err(error)
            }
        }
    }
}

type RawDocument = (Key, i64, i64, i64, String);

fn raw(row: &Row<'_>) -> rusqlite::Result<RawDocument> {
    let key = Key {
        kind: row.get(0)?,
        org: row.get(1)?,
        project: row.get(2)?,
        parent: row.get(3)?,
        id: row.get(4)?,
    };
    Ok((key, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?))
}

fn parse(
    (key, version, created_ms, updated_ms, body): RawDocument,
) -> Result<Document, StoreError> {
    Ok(Document {
        key,
        version: version.unsigned_abs(),
        created_ms,
        updated_ms,
        body: serde_json::from_str(&body)?,
    })
}

#[cfg(test)]
mod tests;
