//! `checkrein catalog list`.

use checkrein_catalog::model::ResourceType;
use serde_json::{Value, json};

use super::Directory;
use crate::failure::Failure;
use crate::terminal::{say, table};

pub(super) fn run(directory: &Directory) -> Result<(), Failure> {
    let catalog = directory.types();
    if directory.json {
        let list: Vec<Value> = catalog.types.values().map(as_json).collect();
        say(&json!({"types": list}).to_string());
        return Ok(());
    }
    let rows: Vec<Vec<String>> = catalog.types.values().map(row).collect();
    say(&table(&["TYPE", "TOOLSET", "OPERATIONS", "ACTIONS"], &rows));
    Ok(())
}

fn row(resource: &ResourceType) -> Vec<String> {
    vec![
        resource.name.clone(),
        resource.toolset.clone(),
        resource.operations.keys().cloned().collect::<Vec<_>>().join(" "),
        resource.actions.keys().cloned().collect::<Vec<_>>().join(" "),
    ]
}

fn as_json(resource: &ResourceType) -> Value {
    json!({
        "type": resource.name,
        "title": resource.title,
        "toolset": resource.toolset,
        "operations": resource.operations.keys().collect::<Vec<_>>(),
        "actions": resource.actions.keys().collect::<Vec<_>>(),
    })
}
