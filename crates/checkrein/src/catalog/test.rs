//! `checkrein catalog test`: every case in a directory must become its exact request.

use std::path::PathBuf;

use checkrein_catalog::cases::{self, Case};
use serde_json::{Value, json};

use super::Directory;
use crate::failure::Failure;
use crate::shipped;
use crate::terminal::{complain, say};

pub(super) fn run(directory: &Directory) -> Result<(), Failure> {
    let folder = match &directory.path {
        Some(folder) => folder.clone(),
        None => own_folder()?,
    };
    let (catalog, problems) = Directory { path: Some(folder.clone()), ..*directory }.read();
    let (all, wrong) = cases::read_dir(&folder);
    let problems: Vec<_> = problems.into_iter().chain(wrong).collect();
    for problem in &problems {
        complain(&problem.to_string());
    }
    let failed: Vec<(&Case, String)> = all
        .iter()
        .filter_map(|case| Some((case, cases::run(&catalog, case).err()?.to_string())))
        .collect();
    if directory.json {
        let list: Vec<Value> = failed.iter().map(|(case, why)| as_json(case, why)).collect();
        say(&json!({"cases": all.len(), "failed": list, "problems": problems.len()}).to_string());
    } else {
        for (case, why) in &failed {
            let place = format!("{}:{}:{}", case.file.display(), case.at.line, case.at.column);
            say(&format!("{place}: {}\n  {}", case.title, why.replace('\n', "\n  ")));
        }
        say(&format!("{} cases, {} failed", all.len(), failed.len()));
    }
    if failed.is_empty() && problems.is_empty() {
        return Ok(());
    }
    Err(Failure::new("not every case became its request"))
}

/// The user's own folder of resource files.
fn own_folder() -> Result<PathBuf, Failure> {
    let folder = shipped::user_dir()?.join("catalog");
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Failure::usage("there is nothing to test")
        .hint(format!("name a directory, or put files into {}", folder.display())))
}

fn as_json(case: &Case, why: &str) -> Value {
    json!({"file": case.file, "line": case.at.line, "title": case.title, "why": why})
}
