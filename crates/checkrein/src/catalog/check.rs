//! `checkrein catalog check`.

use serde_json::{Value, json};

use super::Directory;
use crate::failure::Failure;
use crate::terminal::say;

pub(super) fn run(directory: &Directory) -> Result<(), Failure> {
    let (catalog, problems) = directory.read();
    if directory.json {
        let list: Vec<Value> = problems
            .iter()
            .map(|problem| {
                json!({"file": problem.file, "line": problem.at.line, "column": problem.at.column,
                    "message": problem.message})
            })
            .collect();
        say(&json!({"types": catalog.types.len(), "problems": list}).to_string());
    } else {
        for problem in &problems {
            say(&problem.to_string());
        }
    }
    match problems.len() {
        0 if directory.json => Ok(()),
        0 => {
            say(&format!("{} resource types, nothing wrong", catalog.types.len()));
            Ok(())
        }
        1 => Err(Failure::new("1 problem")),
        count => Err(Failure::new(format!("{count} problems"))),
    }
}
