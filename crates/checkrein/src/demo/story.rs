//! What the scripted agent does, and what must come of it.

use serde_json::{Value, json};

use super::agent::{Agent, Heard};
use super::transcript::Transcript;
use crate::failure::Failure;

/// The platform's clock runs fast in the sandbox, so a short pause between polls is enough.
const POLL_SECONDS: u32 = 2;
/// A pipeline of the seeded world that needs no inputs and succeeds.
const SOUND: &str = "build_and_test";
/// What the agent makes and removes again.
const SCRATCH: &str = "demo_scratch";

/// The main story: look around, run, diagnose, delete.
pub(super) async fn drive(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    discover(agent, told).await?;
    read(agent, told).await?;
    run_to_success(agent, told).await?;
    diagnose(agent, told).await?;
    delete(agent, told).await
}

async fn discover(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    told.step("Look around: which tools and resource types are there?");
    let tools = agent.tools().await?;
    let heard = agent.call(told, "harness_describe", json!({})).await?;
    told.hears(&format!("{tools} tools; {} characters on what they reach", heard.text.len()));
    let heard = agent.call(told, "harness_describe", json!({"resource_type": "pipeline"})).await?;
    told.hears(&heard.text);
    told.expect("the agent knows how to run a pipeline", heard.text.contains("\"run\""));
    Ok(())
}

async fn read(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    told.step("Read: which pipelines are there?");
    let heard = agent.call(told, "harness_list", json!({"resource_type": "pipeline"})).await?;
    let names: Vec<_> = heard.items().iter().filter_map(identifier).collect();
    told.hears(&format!("{} pipelines: {}", names.len(), names.join(", ")));
    told.expect("there are several pipelines", names.len() > 1);
    Ok(())
}

async fn run_to_success(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    told.step("Run a pipeline, and stay until it ends");
    let heard = run(agent, told, SOUND).await?;
    told.expect("the person was asked before it started", heard.questions == 1);
    told.expect("it ran to success", heard.text_at("/execution_status") == "Success");
    Ok(())
}

async fn run(agent: &mut Agent, told: &Transcript, pipeline: &str) -> Result<Heard, Failure> {
    let arguments = json!({"resource_type": "pipeline", "action": "run", "resource_id": pipeline,
        "wait": true, "wait_poll_interval_seconds": POLL_SECONDS});
    let heard = agent.call(told, "harness_execute", arguments).await?;
    if heard.is_error {
        told.hears(&heard.text);
    } else {
        let status = heard.text_at("/execution_status");
        told.hears(&format!("{status}: execution {}", heard.text_at("/execution_id")));
    }
    Ok(heard)
}

async fn diagnose(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    told.step("Diagnose: a pipeline failed earlier; run it again and find out why");
    let failed = json!({"resource_type": "execution", "filters": {"status": "Failed"}});
    let heard = agent.call(told, "harness_list", failed).await?;
    let pipeline = heard.items().iter().find_map(|run| text(run, "pipelineIdentifier"));
    let pipeline = pipeline.unwrap_or_default().to_owned();
    told.hears(&format!("{} failed runs, the last of {pipeline}", heard.items().len()));
    told.expect("a failed run is there to look at", !pipeline.is_empty());

    let again = run(agent, told, &pipeline).await?;
    told.expect("it fails again", again.text_at("/execution_status") == "Failed");
    let execution = again.text_at("/execution_id");

    let log = json!({"resource_type": "execution_log", "params": {"execution_id": execution}});
    let heard = agent.call(told, "harness_get", log).await?;
    let cause = heard.text_at("/log_content").lines().rfind(|line| speaks_of_failure(line));
    told.hears(cause.unwrap_or(&heard.text));
    told.expect("its log says why", cause.is_some());
    Ok(())
}

fn speaks_of_failure(line: &str) -> bool {
    let line = line.to_lowercase();
    ["error", "fail", "exit code"].iter().any(|word| line.contains(word))
}

async fn delete(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    told.step("Make something, and delete it: the person is asked first");
    let body = json!({"identifier": SCRATCH, "name": SCRATCH});
    let create = json!({"resource_type": "service", "body": body});
    let heard = agent.call(told, "harness_create", create).await?;
    told.hears(if heard.is_error { &heard.text } else { "created" });
    told.expect("it is made without a question: it is easily undone", heard.questions == 0);

    let it = json!({"resource_type": "service", "resource_id": SCRATCH});
    let heard = agent.call(told, "harness_delete", it.clone()).await?;
    told.hears(&heard.text);
    told.expect("the person was asked before it was deleted", heard.questions == 1);
    told.expect("the server says that it was deleted", deleted(&heard));

    let heard = agent.call(told, "harness_get", it).await?;
    told.hears(&heard.text);
    told.expect("it is gone", heard.is_error);
    Ok(())
}

/// The other server: the same platform, read-only.
pub(super) async fn be_refused(agent: &mut Agent, told: &mut Transcript) -> Result<(), Failure> {
    told.step("The same platform through a read-only server");
    let whole = json!({"resource_type": "service", "compact": false});
    let heard = agent.call(told, "harness_list", whole).await?;
    let service = heard.items().iter().find_map(identifier).unwrap_or_default().to_owned();
    told.hears(&format!("{} services, one of them {service}", heard.items().len()));

    let it = json!({"resource_type": "service", "resource_id": service});
    let heard = agent.call(told, "harness_delete", it.clone()).await?;
    told.hears(&heard.text);
    told.expect("a write is refused, and nobody is asked", heard.is_error && heard.questions == 0);

    let heard = agent.call(told, "harness_get", it).await?;
    let is_there = !heard.is_error && !service.is_empty();
    told.hears(if is_there { "still there" } else { &heard.text });
    told.expect("nothing was deleted", is_there);
    Ok(())
}

fn deleted(heard: &Heard) -> bool {
    heard.content.get("deleted").and_then(Value::as_bool) == Some(true)
}

/// The identifier of an item, or of what the platform wraps in it.
fn identifier(item: &Value) -> Option<&str> {
    let wrapped = || item.as_object()?.values().find_map(|inner| text(inner, "identifier"));
    text(item, "identifier").or_else(wrapped)
}

fn text<'a>(item: &'a Value, key: &str) -> Option<&'a str> {
    item.get(key).and_then(Value::as_str)
}
