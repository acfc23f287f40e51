//! Flags that hold a list: no part of it is empty, and nothing is declared twice.

use std::collections::HashSet;

use super::arguments::{Arguments, pair};
use crate::failure::Failure;

/// Checks every list among them.
pub(super) fn check(arguments: &Arguments) -> Result<(), Failure> {
    for (flag, list) in [
        ("--write-tools", &arguments.write_tools),
        ("--read-tools", &arguments.read_tools),
        ("--key-fields", &arguments.key_fields),
    ] {
        if let Some(list) = list {
            full(flag, list, list)?;
        }
    }
    for (flag, form, declared) in [
        ("--operation-key", "TOOL=FIELD,FIELD", &arguments.operation_key),
        ("--expect", "TOOL=N", &arguments.expect),
    ] {
        let mut tools = HashSet::new();
        for text in declared {
            let (tool, value) = pair(text, flag, form)?;
            full(flag, text, value)?;
            if !tools.insert(tool) {
                return Err(Failure::new(format!("{flag} says two things of `{tool}`"))
                    .hint(format!("give {flag} once for each tool")));
            }
        }
    }
    Ok(())
}

fn full(flag: &str, text: &str, list: &str) -> Result<(), Failure> {
    if list.split(',').all(|part| !part.trim().is_empty()) {
        return Ok(());
    }
    Err(Failure::new(format!("a part of `{text}` in {flag} is empty"))
        .hint("separate parts by one comma, and leave none at the end"))
}
