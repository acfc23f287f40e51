//! Times a compact list of 20 pipelines, parsed in one pass and in the general way.
//!
//! `cargo run --release -p checkrein-catalog --example list_speed -- catalog`
#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::path::PathBuf;
use std::time::Instant;

use checkrein_catalog::compact::{Keep, compact_list, normalise_list};
use checkrein_catalog::shape::{shape, shape_list_compact};
use checkrein_catalog::{Call, Defaults, build, link};
use serde_json::{Value, json};

const ROUNDS: u32 = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("catalog"), PathBuf::from);
    let (catalog, _) = checkrein_catalog::read::catalogue(&dir);
    let (resource, operation) =
        catalog.operation("pipeline", "list").ok_or("no pipeline.list in this catalogue")?;
    let dialect = catalog.dialect(resource).ok_or("no dialect")?;
    let defaults =
        Defaults { account: "acme".into(), org: Some("shop".into()), project: Some("web".into()) };
    let inputs = json!({"page": 0, "size": 20}).as_object().cloned().unwrap_or_default();
    let call = Call {
        resource,
        op_name: "list",
        operation,
        dialect,
        inputs: &inputs,
        scope: None,
        defaults: &defaults,
    };
    let reply = serde_json::to_vec(&reply())?;
    let request = build(&call)?;
    let keep = Keep::of(resource);
    let base = "https://app.example.com";
    println!("a reply of {} bytes", reply.len());

    let start = Instant::now();
    for _ in 0..ROUNDS {
        build(&call)?;
    }
    println!("building the request: {:?}", start.elapsed() / ROUNDS);

    let start = Instant::now();
    for _ in 0..ROUNDS {
        shape_list_compact(&call, &request, &reply, &keep, base)?;
    }
    println!("in one pass:          {:?}", start.elapsed() / ROUNDS);

    let start = Instant::now();
    for _ in 0..ROUNDS {
        let mut value = shape(&call, &request, serde_json::from_slice(&reply)?)?;
        link::add(&call, &request, base, &mut value);
        std::hint::black_box(compact_list(normalise_list(value, inputs.get("page")), &keep));
    }
    println!("in the general way:   {:?}", start.elapsed() / ROUNDS);
    Ok(())
}

/// Twenty pipelines as the platform sends them, 34 kB.
fn reply() -> Value {
    let pipeline = |number: usize| {
        let execution = |run: usize| {
            json!({
                "planExecutionId": format!("exec-{number}-{run}"), "runSequence": run,
                "status": "Success", "startTs": 1_700_000_000_000_i64, "endTs": 1_700_003_600_000_i64,
                "triggerInfo": {"triggerType": "MANUAL", "triggeredBy": {"identifier": "ada",
                    "uuid": "u-0123456789abcdef", "extraInfo": {"email": "ada@example.com"}}}
            })
        };
        json!({
            "identifier": format!("pipeline_{number}"), "name": format!("Pipeline {number}"),
            "description": "Builds, tests and ships the storefront", "tags": {"team": "checkout"},
            "version": 7, "numOfStages": 4, "createdAt": 1_700_000_000_000_i64,
            "lastUpdatedAt": 1_700_003_600_000_i64, "modules": ["ci", "cd"], "storeType": "INLINE",
            "stageNames": ["build", "test", "approve", "ship"], "yamlVersion": "0",
            "executionSummaryInfo": {"numOfErrors": [0, 0, 1, 0, 0, 0, 2], "deployments": [1, 2, 3, 0, 4, 5, 1],
                "lastExecutionTs": 1_700_003_600_000_i64, "lastExecutionStatus": "Success"},
            "recentExecutionsInfo": (0..4).map(execution).collect::<Vec<_>>(),
            "filters": {"cd": {"serviceNames": ["cart", "pay"], "deploymentTypes": ["Kubernetes"],
                "environmentNames": ["dev", "prod"]}, "ci": {"repoName": "storefront"}},
            "isDraft": false, "entityValidityDetails": {"valid": true, "invalidYaml": null}
        })
    };
    let content: Vec<Value> = (0..20).map(pipeline).collect();
    json!({"status": "SUCCESS", "metaData": null, "correlationId": "c-1", "data": {
        "content": content, "totalElements": 20, "totalPages": 1, "pageIndex": 0, "pageSize": 20}})
}
