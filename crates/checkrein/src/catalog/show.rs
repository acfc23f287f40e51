//! `checkrein catalog show`.

use checkrein_catalog::Catalog;
use checkrein_catalog::model::{Operation, ResourceType};
use serde_json::{Map, Value, json};

use super::Directory;
use crate::failure::Failure;
use crate::terminal::{say, table};

pub(super) fn run(name: &str, directory: &Directory) -> Result<(), Failure> {
    let catalog = directory.types();
    let Some(resource) = catalog.get(name) else {
        return Err(unknown(&catalog, name));
    };
    if directory.json {
        say(&as_json(resource).to_string());
        return Ok(());
    }
    say(&format!("{}: {}\n{}", resource.name, resource.title, resource.about));
    let scopes: Vec<_> = resource.scopes.iter().map(|scope| scope.word()).collect();
    say(&format!(
        "\ntoolset {}, dialect {}, scopes {}, identified by {}\n",
        resource.toolset,
        resource.dialect,
        scopes.join(" "),
        if resource.ids.is_empty() { "nothing".to_owned() } else { resource.ids.join(" ") }
    ));
    let rows: Vec<Vec<String>> = operations(resource).map(|(name, it)| row(name, it)).collect();
    say(&table(&["OPERATION", "REQUEST", "RISK", "FILTERS"], &rows));
    let rows: Vec<Vec<String>> = resource
        .inputs
        .iter()
        .map(|(name, input)| vec![name.clone(), input.is.to_string(), input.about.clone()])
        .collect();
    if !rows.is_empty() {
        say(&format!("\n{}", table(&["INPUT", "KIND", "ABOUT"], &rows)));
    }
    Ok(())
}

fn unknown(catalog: &Catalog, name: &str) -> Failure {
    let nearest = catalog.nearest(name);
    let guess = nearest.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
    Failure::new(format!("unknown resource type `{name}`{guess}"))
        .hint("`checkrein catalog list` names them all")
}

/// Operations, then actions.
pub(crate) fn operations(resource: &ResourceType) -> impl Iterator<Item = (&String, &Operation)> {
    resource.operations.iter().chain(&resource.actions)
}

fn row(name: &str, operation: &Operation) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{} {}", operation.request.method, operation.request.path),
        operation.risk.to_string(),
        operation.filters.join(" "),
    ]
}

fn as_json(resource: &ResourceType) -> Value {
    let inputs: Map<String, Value> = resource
        .inputs
        .iter()
        .map(|(name, input)| {
            let about = json!({"is": input.is.word(), "about": input.about,
                "values": input.values});
            (name.clone(), about)
        })
        .collect();
    let operations: Map<String, Value> = operations(resource)
        .map(|(name, operation)| {
            let about = json!({
                "method": operation.request.method.word(),
                "path": operation.request.path.to_string(),
                "risk": operation.risk.word(),
                "retry": operation.retry.word(),
                "filters": operation.filters,
                "need": operation.need,
            });
            (name.clone(), about)
        })
        .collect();
    json!({
        "type": resource.name,
        "title": resource.title,
        "about": resource.about,
        "toolset": resource.toolset,
        "dialect": resource.dialect,
        "scopes": resource.scopes.iter().map(|scope| scope.word()).collect::<Vec<_>>(),
        "ids": resource.ids,
        "inputs": inputs,
        "operations": operations,
    })
}
