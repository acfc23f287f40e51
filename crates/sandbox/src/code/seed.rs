//! Repositories for a seeded world, made by the same code as any other.

use serde_json::{Value, json};

use super::principal::Principal;
use super::pull::Pull;
use super::repo::{Facts, Repo};
use super::routes::{
    Change, commit_changes, give_review, land, make_merge, make_repository, open_pull,
};
use super::rules::KIND as RULE;
use crate::reply::Reply;
use crate::scope::Scope;
use crate::store::{Store, StoreError};
use crate::world::World;

const HOUR_MS: i64 = 3_600_000;

/// A repository to make.
#[derive(Debug, Clone, Default)]
pub struct SeedRepository {
    /// Identifier.
    pub identifier: String,
    /// Description.
    pub description: String,
    /// Commits in order; the first one begins `main`.
    pub commits: Vec<SeedCommit>,
    /// Pull requests, opened after all commits.
    pub pulls: Vec<SeedPull>,
    /// Protection rules, as the API takes them.
    pub rules: Vec<Value>,
}

/// One commit of a repository to make.
#[derive(Debug, Clone, Default)]
pub struct SeedCommit {
    /// Branch; a new one begins at `main`.
    pub branch: String,
    /// Title and message.
    pub message: String,
    /// Path and content of the files it writes.
    pub files: Vec<(String, String)>,
    /// Number of the author, 1 to 4; 1 is who sends the requests.
    pub author: u64,
}

/// One pull request of a repository to make.
#[derive(Debug, Clone, Default)]
pub struct SeedPull {
    /// Source branch; the target is `main`.
    pub source: String,
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Number of the author.
    pub author: u64,
    /// Who approved it, by number.
    pub approved_by: Vec<u64>,
    /// How it was merged, if it was.
    pub merged: Option<String>,
}

/// Makes a repository whose newest commit is some hours before `until_ms`.
pub fn seed_repository(
    world: &World,
    store: &Store,
    scope: &Scope,
    seed: &SeedRepository,
    until_ms: i64,
) -> Result<(), Reply> {
    let facts = Facts {
        id: store.next_number("code-repository")?,
        identifier: seed.identifier.clone(),
        description: seed.description.clone(),
        is_public: false,
        default_branch: "main".to_owned(),
        created_by: Principal::caller().id,
        fork_id: 0,
    };
    let repo = make_repository(world, store, scope, facts)?;
    let count = i64::try_from(seed.commits.len()).unwrap_or_default();
    for (commit, index) in seed.commits.iter().zip(0_i64..) {
        let at_ms = until_ms - (count - index + 4) * 7 * HOUR_MS;
        let parent = match repo.head(&commit.branch)? {
            Some(head) => Some(head),
            None => repo.head("main")?,
        };
        let changes: Vec<Change> = commit
            .files
            .iter()
            .map(|(path, content)| Change::Write {
                path: path.clone(),
                content: content.clone().into_bytes(),
            })
            .collect();
        let who = somebody(commit.author).signature(at_ms);
        let made = commit_changes(&repo, parent.as_ref(), &commit.message, &changes, &who)?;
        repo.set_branch(&commit.branch, &made.sha, at_ms)?;
    }
    for (index, pull) in (0_i64..).zip(&seed.pulls) {
        seed_pull(&repo, pull, until_ms - 20 * HOUR_MS + index * HOUR_MS)?;
    }
    for rule in &seed.rules {
        seed_rule(&repo, rule, until_ms)?;
    }
    Ok(())
}

fn somebody(number: u64) -> Principal {
    Principal::numbered(number).unwrap_or_else(Principal::caller)
}

fn seed_pull(repo: &Repo<'_>, seed: &SeedPull, at_ms: i64) -> Result<(), Reply> {
    let body = json!({
        "title": seed.title, "description": seed.description, "source_branch": seed.source,
        "target_branch": "main",
    });
    let mut pull: Pull = open_pull(repo, &body, somebody(seed.author), at_ms)?;
    for reviewer in &seed.approved_by {
        let sha = pull.source_sha.clone();
        give_review(repo, &mut pull, somebody(*reviewer), "approved", &sha, at_ms + HOUR_MS / 2)?;
    }
    pull.save(repo)?;
    if let Some(method) = &seed.merged {
        let by = somebody(seed.author);
        let merged_at = at_ms + HOUR_MS;
        let merged = make_merge(repo, &pull, method, by, merged_at)?;
        land(repo, &mut pull, method, &merged, by, merged_at)?;
    }
    Ok(())
}

fn seed_rule(repo: &Repo<'_>, rule: &Value, at_ms: i64) -> Result<(), StoreError> {
    let id = rule.get("identifier").and_then(Value::as_str).unwrap_or_default();
    repo.store.put(&repo.key(RULE, id), rule, at_ms).map(drop)
}

/// Makes the repositories of the demo: a shop front and the manifests that deploy it.
pub fn seed_repositories(
    world: &World,
    store: &Store,
    scope: &Scope,
    until_ms: i64,
) -> Result<(), Reply> {
    for seed in [storefront(), manifests()] {
        seed_repository(world, store, scope, &seed, until_ms)?;
    }
    Ok(())
}

fn commit(branch: &str, author: u64, message: &str, files: &[(&str, &str)]) -> SeedCommit {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    SeedCommit { branch: branch.to_owned(), message: message.to_owned(), files, author }
}

const DISCOUNT: &str = "/// Price after a discount in percent, in cents.\npub fn discounted(price: u64, percent: u64) -> u64 {\n    price - price * percent / 100\n}\n";

const DISCOUNT_CAPPED: &str = "/// Price after a discount in percent, in cents; never below zero.\npub fn discounted(price: u64, percent: u64) -> u64 {\n    price - price * percent.min(100) / 100\n}\n";

fn storefront() -> SeedRepository {
    SeedRepository {
        identifier: "storefront".to_owned(),
        description: "The shop front: catalogue, cart and checkout".to_owned(),
        commits: vec![
            commit(
                "main",
                2,
                "Start the shop front",
                &[
                    (
                        "README.md",
                        "# Storefront\n\nCatalogue, cart and checkout of the shop.\n\n## Run\n\n    cargo run\n",
                    ),
                    (
                        "Cargo.toml",
                        "[package]\nname = \"storefront\"\nversion = \"1.41.0\"\nedition = \"2024\"\n",
                    ),
                    (
                        "src/main.rs",
                        "mod cart;\nmod checkout;\n\nfn main() {\n    println!(\"listening on :8080\");\n}\n",
                    ),
                    (
                        "src/cart.rs",
                        "/// Things somebody wants to buy.\n#[derive(Default)]\npub struct Cart {\n    items: Vec<(String, u64)>,\n}\n",
                    ),
                ],
            ),
            commit(
                "main",
                3,
                "Add a discount to the checkout",
                &[
                    ("src/checkout/mod.rs", "pub mod discount;\n"),
                    ("src/checkout/discount.rs", DISCOUNT),
                ],
            ),
            commit(
                "main",
                4,
                "Build a container image",
                &[
                    (
                        "Dockerfile",
                        "FROM rust:1.90 AS build\nWORKDIR /app\nCOPY . .\nRUN cargo build --release\n\nFROM debian:stable-slim\nCOPY --from=build /app/target/release/storefront /usr/bin/\nCMD [\"storefront\"]\n",
                    ),
                    (".dockerignore", "target/\n"),
                ],
            ),
            commit(
                "fix/discount-cap",
                2,
                "Cap discounts at 100 percent\n\nA coupon of 120 percent paid people for shopping.",
                &[("src/checkout/discount.rs", DISCOUNT_CAPPED)],
            ),
            commit(
                "feature/health",
                3,
                "Answer health checks",
                &[
                    (
                        "src/health.rs",
                        "/// What `/healthz` answers.\npub fn status() -> &'static str {\n    \"ok\"\n}\n",
                    ),
                    (
                        "src/main.rs",
                        "mod cart;\nmod checkout;\nmod health;\n\nfn main() {\n    println!(\"listening on :8080, {}\", health::status());\n}\n",
                    ),
                ],
            ),
            commit(
                "docs/readme",
                4,
                "Say how to test",
                &[(
                    "README.md",
                    "# Storefront\n\nCatalogue, cart and checkout of the shop.\n\n## Run\n\n    cargo run\n\n## Test\n\n    cargo test\n",
                )],
            ),
        ],
        pulls: vec![
            SeedPull {
                source: "docs/readme".to_owned(),
                title: "Say how to test".to_owned(),
                author: 4,
                approved_by: vec![2],
                merged: Some("squash".to_owned()),
                ..SeedPull::default()
            },
            SeedPull {
                source: "fix/discount-cap".to_owned(),
                title: "Cap discounts at 100 percent".to_owned(),
                description: "A coupon of 120 percent paid people for shopping.".to_owned(),
                author: 2,
                approved_by: vec![3],
                merged: None,
            },
            SeedPull {
                source: "feature/health".to_owned(),
                title: "Answer health checks".to_owned(),
                author: 3,
                ..SeedPull::default()
            },
        ],
        rules: vec![json!({
            "identifier": "protect-main", "type": "branch", "state": "active",
            "description": "Nobody deletes main; a merge needs an approval", "scope": "repo",
            "pattern": {"default": true, "include": [], "exclude": []}, "repo_target": {},
            "definition": {
                "bypass": {"user_ids": [1], "repo_owners": false},
                "lifecycle": {"delete_forbidden": true},
                "pullreq": {"approvals": {"require_minimum_count": 1}},
            },
        })],
    }
}

fn manifests() -> SeedRepository {
    SeedRepository {
        identifier: "deploy-manifests".to_owned(),
        description: "Kubernetes manifests of every environment".to_owned(),
        commits: vec![
            commit(
                "main",
                3,
                "Deploy the shop front",
                &[
                    (
                        "storefront/deployment.yaml",
                        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: storefront\nspec:\n  replicas: 2\n",
                    ),
                    (
                        "storefront/service.yaml",
                        "apiVersion: v1\nkind: Service\nmetadata:\n  name: storefront\nspec:\n  ports:\n    - port: 80\n      targetPort: 8080\n",
                    ),
                    ("README.md", "# Manifests\n\nOne directory per service.\n"),
                ],
            ),
            commit(
                "scale-up",
                2,
                "Run four replicas",
                &[(
                    "storefront/deployment.yaml",
                    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: storefront\nspec:\n  replicas: 4\n",
                )],
            ),
            // Both branches change the same line, so this pull request shows a conflict.
            commit(
                "main",
                4,
                "Run three replicas",
                &[(
                    "storefront/deployment.yaml",
                    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: storefront\nspec:\n  replicas: 3\n",
                )],
            ),
        ],
        pulls: vec![SeedPull {
            source: "scale-up".to_owned(),
            title: "Run four replicas".to_owned(),
            author: 2,
            ..SeedPull::default()
        }],
        rules: Vec::new(),
    }
}
