//! Reading runs: the list, one with its graph, its YAML, its inputs and its notes.

use serde_json::{Value, json};

use super::{Answer, project, settle, text, texts};
use crate::execution::engine::status::Status;
use crate::execution::graph::{find_node, graph};
use crate::execution::inputs::template::template_of;
use crate::execution::pipelines;
use crate::execution::record::{self, Live, Record};
use crate::execution::summary::summary;
use crate::paging::PageStyle;
use crate::places;
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::Store;
use crate::world::World;
use crate::yaml;

/// Notes longer than this are refused.
const LONGEST_NOTES: usize = 1_024;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new("POST", "/pipeline/api/pipelines/execution/summary", list),
        Route::new("GET", "/pipeline/api/pipelines/execution/v2/{execution}", get),
        Route::new("GET", "/pipeline/api/pipelines/execution/{execution}", get),
        Route::new("GET", "/pipeline/api/pipelines/execution/{execution}/metadata", metadata),
        Route::new("GET", "/pipeline/api/pipelines/execution/{execution}/inputset", inputs),
        Route::new("GET", "/pipeline/api/pipelines/execution/{execution}/inputsetV2", inputs),
        Route::new("GET", "/pipeline/api/pipelines/execution/{execution}/notes", notes),
        Route::new("PUT", "/pipeline/api/pipelines/execution/{execution}/notes", set_notes),
    ]
}

/// What a list asks for, from query and body alike.
struct Filter {
    statuses: Vec<Status>,
    pipelines: Vec<String>,
    executions: Vec<String>,
    term: String,
    name: String,
    modules: Vec<String>,
    triggers: Vec<String>,
    tags: Vec<(String, Value)>,
    mode: Option<String>,
    range: (i64, i64),
    branch: Option<String>,
}

impl Filter {
    fn read(request: &Request) -> Result<Self, Reply> {
        let body = request.filter();
        let both = |query: &str, field: &str| {
            let mut values: Vec<String> =
                request.query.all(query).into_iter().map(str::to_owned).collect();
            values.extend(texts(&body, field));
            values
        };
        let statuses =
            both("status", "status").iter().map(|name| status(name)).collect::<Result<_, _>>()?;
        let tags = body.get("pipelineTags").and_then(Value::as_array).into_iter().flatten();
        let time =
            |field: &str| body.pointer(&format!("/timeRange/{field}")).and_then(Value::as_i64);
        Ok(Self {
            statuses,
            pipelines: both("pipelineIdentifier", "pipelineIdentifiers"),
            executions: both("planExecutionIds", "planExecutionIds"),
            term: request.query.first("searchTerm").unwrap_or_default().to_lowercase(),
            name: text(&body, "pipelineName").to_lowercase(),
            modules: request.query.all("module").iter().map(|m| m.to_lowercase()).collect(),
            triggers: texts(&body, "triggerTypes"),
            tags: tags
                .map(|tag| {
                    (text(tag, "key").to_owned(), tag.get("value").cloned().unwrap_or_default())
                })
                .collect(),
            mode: body.get("executionModeFilter").and_then(Value::as_str).map(str::to_owned),
            range: (time("startTime").unwrap_or(i64::MIN), time("endTime").unwrap_or(i64::MAX)),
            branch: request.query.first("branch").map(str::to_owned),
        })
    }

    /// What can be told from the light half alone.
    fn takes(&self, record: &Record) -> bool {
        let any =
            |list: &[String], value: &str| list.is_empty() || list.iter().any(|one| one == value);
        let mentions = |term: &str| {
            [&record.name, &record.pipeline, &record.id]
                .iter()
                .any(|t| t.to_lowercase().contains(term))
        };
        let has_tag = |(key, value): &(String, Value)| {
            let found = record.tags.get(key);
            found.is_some_and(|found| value.is_null() || value == "" || found == value)
        };
        let module = |module: &String| record.modules.contains(module);
        let trigger = if record.parent.is_some() { "NOOP" } else { "MANUAL" };
        any(&self.pipelines, &record.pipeline)
            && any(&self.executions, &record.id)
            && any(&self.triggers, trigger)
            && (self.modules.is_empty() || self.modules.iter().any(module))
            && mentions(&self.term)
            && record.name.to_lowercase().contains(&self.name)
            && self.tags.iter().all(has_tag)
            && self.mode.as_deref().is_none_or(|mode| matches!(mode, "DEFAULT" | "NORMAL" | "ALL"))
            && (self.range.0..=self.range.1).contains(&record.start_ms)
            // Inline pipelines run on no branch.
            && self.branch.is_none()
    }
}

fn status(name: &str) -> Result<Status, Reply> {
    Status::parse(name).ok_or_else(|| {
        let known: Vec<&str> = Status::ALL.iter().map(|status| status.shown()).collect();
        Reply::invalid(&format!(
            "query param status must be one of [{}], not `{name}`",
            known.join(", ")
        ))
    })
}

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        places::require(&store, &scope)?;
        let filter = Filter::read(request)?;
        let page = PageStyle::short(10).read(request)?;
        let only = match filter.pipelines.as_slice() {
            [one] => Some(one.as_str()),
            _ => None,
        };
        let mut found: Vec<(Record, Status)> = Vec::new();
        for record in record::all(&store, &scope, only)? {
            if !filter.takes(&record) {
                continue;
            }
            let Some((record, status)) = status_of(world, &store, record)? else { continue };
            if filter.statuses.is_empty() || filter.statuses.contains(&status) {
                found.push((record, status));
            }
        }
        sort(&mut found, request.query.first("sort").unwrap_or_default());
        let total = found.len();
        let mut content = Vec::new();
        for (record, _) in page.slice(found) {
            if let Some(live) = record::live(&store, record, world.now_ms())? {
                content.push(summary(&live));
            }
        }
        Ok(Reply::spring_page(content, page, total))
    })
}

/// The status of a run, computed only while it is not known to have ended; none before it begins.
fn status_of(
    world: &World,
    store: &Store,
    record: Record,
) -> Result<Option<(Record, Status)>, Reply> {
    if let Some((status, _)) = record.ended {
        return Ok(Some((record, status)));
    }
    let Some(mut live) = record::live(store, record, world.now_ms())? else { return Ok(None) };
    if live.start_ms().is_none() {
        return Ok(None);
    }
    live.remember_end(store)?;
    let status = live.status();
    Ok(Some((live.record, status)))
}

fn sort(found: &mut [(Record, Status)], asked: &str) {
    let (field, direction) = asked.split_once(',').unwrap_or((asked, "DESC"));
    match field {
        "name" => found.sort_by(|(a, _), (b, _)| b.name.cmp(&a.name)),
        "status" => found.sort_by(|(_, a), (_, b)| b.shown().cmp(a.shown())),
        _ => {}
    }
    if direction.eq_ignore_ascii_case("asc") {
        found.reverse();
    }
}

/// The newest runs of a pipeline in short, for lists of pipelines.
pub(crate) fn recent(world: &World, store: &Store, record: Record) -> Result<Option<Value>, Reply> {
    let Some((record, status)) = status_of(world, store, record)? else { return Ok(None) };
    let caller = &crate::world::CALLER;
    let mut info = json!({
        "executorInfo": {
            "triggerType": "MANUAL", "username": caller.name, "email": caller.email,
        },
        "planExecutionId": record.id, "status": status.shown(), "startTs": record.start_ms,
        "runSequence": record.run_sequence, "parentStageInfo": null,
    });
    if let (Some(fields), Some((_, end))) = (info.as_object_mut(), record.ended) {
        fields.insert("endTs".to_owned(), json!(end));
    }
    Ok(Some(info))
}

fn found(world: &World, store: &Store, request: &Request, params: &Params) -> Result<Live, Reply> {
    let scope = project(request)?;
    record::wanted(world, store, &scope, params.get("execution"))
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let live = found(world, &store, request, params)?;
        let stage =
            request.query.first("stageNodeExecutionId").or(request.query.first("stageNodeId"));
        let top = match stage {
            Some(given) => Some(find_node(&live, given).ok_or_else(|| {
                Reply::invalid(&format!(
                    "execution `{}` has no stage node `{given}`",
                    live.record.id
                ))
            })?),
            None => request.query.flag("renderFullBottomGraph").then_some(live.top),
        };
        let mut data = json!({"pipelineExecutionSummary": summary(&live)});
        if let (Some(fields), Some(top)) = (data.as_object_mut(), top) {
            fields.insert("executionGraph".to_owned(), graph(&live, top, &world.account));
            fields.insert("childGraph".to_owned(), Value::Null);
        }
        Ok(Reply::ng(data))
    })
}

fn metadata(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let live = found(world, &store, request, params)?;
        let inputs = live.program.inputs.as_ref().filter(|_| live.record.parent.is_none());
        Ok(Reply::ng(json!({
            "executionYaml": yaml::write(&document(&store, &live)?),
            "inputYaml": inputs.map(yaml::write), "executionId": live.record.id,
            "triggerPayload": null,
        })))
    })
}

/// The document a run executes: a chained run's is the pipeline as it is now.
fn document(store: &Store, live: &Live) -> Result<Value, Reply> {
    match live.record.parent {
        None => Ok(live.program.document.clone()),
        Some(_) => {
            Ok(pipelines::wanted(store, &live.record.scope(), &live.record.pipeline)?.document)
        }
    }
}

fn inputs(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let live = found(world, &store, request, params)?;
        let own = |value: &Option<Value>| {
            value.as_ref().filter(|_| live.record.parent.is_none()).map(yaml::write)
        };
        let now = pipelines::wanted(&store, &live.record.scope(), &live.record.pipeline);
        let latest = now.ok().and_then(|pipeline| template_of(&pipeline.document));
        let resolved = request.query.flag("resolveExpressions").then(|| own(&live.program.inputs));
        let sets: Vec<Value> = live
            .record
            .input_sets
            .iter()
            .map(|id| {
                let name = super::input_sets::name(
                    &store,
                    &live.record.scope(),
                    &live.record.pipeline,
                    id,
                );
                json!({"identifier": id, "name": name})
            })
            .collect();
        Ok(Reply::ng(json!({
            "inputSetTemplateYaml": own(&live.program.template),
            "inputSetYaml": own(&live.program.inputs),
            "latestTemplateYaml": latest.as_ref().map(yaml::write), "expressionValues": {},
            "inputSetDetails": sets, "inputSetBranchName": null,
            "resolvedYaml": resolved.flatten(),
        })))
    })
}

fn notes(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let live = found(world, &store, request, params)?;
        Ok(Reply::ng(json!({"notes": live.record.notes})))
    })
}

fn set_notes(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| -> Answer {
        let store = world.store();
        let mut live = found(world, &store, request, params)?;
        let body = request.filter();
        let notes = request.query.first("notes").unwrap_or_else(|| text(&body, "notes"));
        if notes.chars().count() > LONGEST_NOTES {
            let error = format!("can be {LONGEST_NOTES} characters long");
            return Err(Reply::field_failure(&[FieldError::new("notes", &error)]));
        }
        notes.clone_into(&mut live.record.notes);
        live.record.save(&store, world.now_ms())?;
        Ok(Reply::ng(json!({"notes": notes})))
    })
}
