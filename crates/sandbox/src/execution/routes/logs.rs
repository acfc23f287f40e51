//! Log archives: asked for, made, linked and fetched.

use std::io::Write as _;

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Answer, settle};
use crate::clock::rfc3339;
use crate::execution::engine::logs::{self, Log, is_below};
use crate::execution::engine::plan::Role;
use crate::execution::record::{self, Live, Record, derived_id};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Key, Store};
use crate::world::World;

/// Kind of the archives that were asked for.
const KIND: &str = "log_download";

/// More files than this are not put into one archive.
const MOST_FILES: usize = 2_000;

/// An archive is queued for so long after it was asked for, and made for so long after that.
const QUEUED_MS: i64 = 500;
const MAKING_MS: i64 = 500;

/// A link lives so long.
const LINK_LIVES_MS: i64 = 15 * 60_000;

/// The bucket that links point into.
const BUCKET: &str = "harness-log-service";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new("POST", "/log-service/blob/download", download),
        Route::new("GET", "/log-service/blob", blob),
        Route::new("HEAD", "/log-service/blob/exists", exists),
        Route::new("GET", "/log-service/token", token),
        Route::new("GET", "/storage/harness-log-service/{archive}/logs.zip", archive),
        Route::new("GET", "/log-service/storage/harness-log-service/{archive}/logs.zip", archive),
    ]
}

fn error(status: u16, message: &str) -> Reply {
    Reply::json_with(status, &json!({"error_msg": message}))
}

fn parameter<'a>(request: &'a Request, name: &str) -> Result<&'a str, Reply> {
    let missing = || error(404, &format!("parameter {name} is required."));
    request.query.first(name).ok_or_else(missing)
}

/// What a log key prefix asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wanted {
    pipeline: String,
    run_sequence: u64,
    execution: Option<String>,
    /// Stage, group and step identifiers below the run.
    path: String,
}

impl Wanted {
    /// Reads a prefix in the simplified form (`A/pipeline/X/N/-ID/stage/step`) or the classic one
    /// (`accountId:A/…/runSequence:N/level0:pipeline/…`).
    fn read(prefix: &str) -> Option<Self> {
        if prefix.contains("accountId:") {
            return Self::classic(prefix);
        }
        let mut parts = prefix.trim_end_matches('/').splitn(6, '/');
        let (_, kind) = (parts.next()?, parts.next()?);
        if kind != "pipeline" {
            return None;
        }
        let (pipeline, sequence) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let execution = parts.next().map(|id| id.strip_prefix('-').unwrap_or(id).to_owned());
        let path = parts.next().unwrap_or_default().to_owned();
        Some(Self { pipeline, run_sequence: sequence, execution, path })
    }

    fn classic(prefix: &str) -> Option<Self> {
        let part = |name: &str| {
            let found = prefix.split('/').find_map(|part| part.strip_prefix(name));
            found.map(str::to_owned)
        };
        let levels =
            prefix.split('/').filter_map(|part| part.strip_prefix("level")?.split_once(':'));
        let structural = ["pipeline", "stages", "spec", "execution", "steps"];
        let names: Vec<&str> =
            levels.map(|(_, name)| name).filter(|name| !structural.contains(name)).collect();
        Some(Self {
            pipeline: part("pipelineId:")?,
            run_sequence: part("runSequence:")?.parse().ok()?,
            execution: None,
            path: names.join("/"),
        })
    }
}

/// The run a prefix is about.
fn run_of(store: &Store, wanted: &Wanted) -> Result<Option<Record>, Reply> {
    if let Some(id) = &wanted.execution {
        let found = record::find_anywhere(store, id)?;
        return Ok(found.filter(|record| {
            record.pipeline == wanted.pipeline && record.run_sequence == wanted.run_sequence
        }));
    }
    Ok(record::by_number(store, &wanted.pipeline, wanted.run_sequence)?)
}

/// All logs of a run below a path, with their keys.
fn logs_below(live: &Live, account: &str, path: &str) -> Vec<(String, Log)> {
    let base = live.record.log_base(account);
    let prefix = if path.is_empty() { base.clone() } else { format!("{base}/{path}") };
    let plan = &live.program.plan;
    let own = plan
        .below(live.top)
        .into_iter()
        .filter(|at| plan.enclosing(*at, Role::Pipeline) == Some(live.top));
    own.flat_map(|at| logs::of_step(plan, &live.states, at, live.now_ms))
        .map(|log| (logs::key(&base, plan, log.node, log.unit), log))
        .filter(|(key, _)| is_below(key, &prefix))
        .take(MOST_FILES)
        .collect()
}

fn download(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let account = parameter(request, "accountID")?.to_owned();
        let prefix = parameter(request, "prefix")?;
        let store = world.store();
        let Some(wanted) = Wanted::read(prefix) else {
            return Err(error(
                400,
                &format!(
                    "prefix `{prefix}` has no `runSequence`; the old key scheme is not supported"
                ),
            ));
        };
        let nothing = || error(404, &format!("cannot list files for prefix {prefix}"));
        let record =
            run_of(&store, &wanted)?.filter(|_| account == world.account).ok_or_else(nothing)?;
        let live = record::live(&store, record, world.now_ms())?.ok_or_else(nothing)?;
        if logs_below(&live, &world.account, &wanted.path).is_empty() {
            return Err(nothing());
        }
        progress(world, &store, prefix, &live.record.id, &wanted.path)
    })
}

/// How far an archive is: it is asked for by the first call and looked at by the next ones.
fn progress(world: &World, store: &Store, prefix: &str, execution: &str, path: &str) -> Answer {
    let id = derived_id(prefix.trim_end_matches('/'), 0);
    let key = Key::account(KIND, &id);
    let now = world.now_ms();
    let number =
        |body: &Value, field: &str| body.get(field).and_then(Value::as_i64).unwrap_or_default();
    let asked = store.get(&key)?.map(|document| document.body);
    let asked = asked.filter(|body| now < number(body, "asked") + LINK_LIVES_MS);
    let polls = asked.as_ref().map_or(0, |body| number(body, "polls"));
    let since = asked.as_ref().map_or(now, |body| number(body, "asked"));
    let body = json!({"execution": execution, "path": path, "asked": since, "polls": polls + 1});
    store.put(&key, &body, now)?;
    // Who polls on a clock that stands still comes to the end too.
    let status = match polls {
        0 => "queued",
        1 if now < since + QUEUED_MS + MAKING_MS => "in_progress",
        _ => "success",
    };
    let expires = since + LINK_LIVES_MS;
    let link = format!(
        "{}/storage/{BUCKET}/{id}/logs.zip?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires={}&X-Goog-Signature={}",
        world.base_url,
        LINK_LIVES_MS / 1000,
        derived_id(&id, 1)
    );
    let link = if status == "success" { json!(link) } else { json!("") };
    Ok(Reply::bare(&json!({"link": link, "status": status, "expires": rfc3339(expires)})))
}

fn archive(world: &World, _: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let gone = || {
            let body = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>";
            Reply::raw(404, "application/xml", body.as_bytes().to_vec())
        };
        let asked = store.get(&Key::account(KIND, params.get("archive")))?.ok_or_else(gone)?.body;
        let since = asked.get("asked").and_then(Value::as_i64).unwrap_or_default();
        if world.now_ms() > since + LINK_LIVES_MS {
            let body = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>";
            return Err(Reply::raw(400, "application/xml", body.as_bytes().to_vec()));
        }
        let text = |field: &str| asked.get(field).and_then(Value::as_str).unwrap_or_default();
        let record = record::find_anywhere(&store, text("execution"))?.ok_or_else(gone)?;
        let live = record::live(&store, record, world.now_ms())?.ok_or_else(gone)?;
        let logs = logs_below(&live, &world.account, text("path"));
        let bytes = zipped(&logs)
            .map_err(|cause| error(500, &format!("the archive could not be made: {cause}")))?;
        Ok(Reply::raw(200, "application/zip", bytes))
    })
}

/// A streamed archive: sizes follow each entry, since a stream cannot go back.
fn zipped(logs: &[(String, Log)]) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut archive = ZipWriter::new_stream(Vec::new());
    let options = SimpleFileOptions::default();
    for (key, log) in logs {
        archive.start_file(key.as_str(), options)?;
        archive.write_all(lines(log).as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

/// A log as JSON lines.
fn lines(log: &Log) -> String {
    let mut all = String::new();
    for (position, line) in log.lines.iter().enumerate() {
        let shown = json!({
            "level": line.level.word(), "pos": position, "out": line.text,
            "time": rfc3339(line.at_ms), "args": null,
        });
        all.push_str(&shown.to_string());
        all.push('\n');
    }
    all
}

fn found(world: &World, request: &Request) -> Result<Option<String>, Reply> {
    let account = parameter(request, "accountID")?.to_owned();
    let key = parameter(request, "key")?;
    let store = world.store();
    let Some(wanted) = Wanted::read(key).filter(|_| account == world.account) else {
        return Ok(None);
    };
    let Some(record) = run_of(&store, &wanted)? else { return Ok(None) };
    let Some(live) = record::live(&store, record, world.now_ms())? else { return Ok(None) };
    let logs = logs_below(&live, &world.account, &wanted.path);
    Ok((!logs.is_empty()).then(|| logs.iter().map(|(_, log)| lines(log)).collect()))
}

fn blob(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| match found(world, request)? {
        Some(text) => Ok(Reply::text(200, &text)),
        None => Err(error(404, "not found")),
    })
}

fn exists(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| match found(world, request)? {
        Some(_) => Ok(Reply::text(200, "")),
        None => Err(Reply::text(404, "")),
    })
}

fn token(_: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let account = parameter(request, "accountID")?;
        Ok(Reply::text(200, &derived_id(account, 7)))
    })
}

#[cfg(test)]
mod tests {
    use super::Wanted;

    #[test]
    fn both_forms_of_a_key_are_read_and_the_old_one_is_not() {
        let simple = Wanted::read("A/pipeline/build/7/-abc/stage/step").unwrap();
        assert_eq!((simple.pipeline.as_str(), simple.run_sequence), ("build", 7));
        assert_eq!(
            (simple.execution.as_deref(), simple.path.as_str()),
            (Some("abc"), "stage/step")
        );
        let classic = Wanted::read(
            "accountId:A/orgId:O/projectId:P/pipelineId:build/runSequence:7/level0:pipeline/level1:stages/level2:s/level3:spec/level4:execution/level5:steps/level6:t",
        )
        .unwrap();
        assert_eq!((classic.run_sequence, classic.path.as_str()), (7, "s/t"));
        assert_eq!(Wanted::read("accountId:A/pipelineId:build/level0:pipeline"), None);
        assert_eq!(Wanted::read("anything/else"), None);
    }
}
