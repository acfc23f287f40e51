//! The rules of the house that no other tool knows. Each is a function from a tree to findings.

mod arrows;
mod leftovers;
mod length;
mod links;
mod machine;
mod manifests;
mod names;
mod opening;
mod resource_types;
mod rust;
mod sockets;
mod whitespace;

use std::fmt;

use anyhow::{Result, bail};

use crate::house::House;
use crate::tree::Tree;

/// Something a rule does not allow.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    /// Counted from one; nothing when it is the whole file.
    line: Option<usize>,
    message: String,
}

impl Finding {
    fn file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }

    /// `index` counts from zero.
    fn line(path: &str, index: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(index + 1), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}: {}", self.path, self.message),
            None => write!(out, "{}: {}", self.path, self.message),
        }
    }
}

type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: &[Rule] = &[
    arrows::findings,
    sockets::findings,
    resource_types::findings,
    manifests::findings,
    names::findings,
    length::findings,
    opening::findings,
    leftovers::findings,
    machine::findings,
    links::findings,
    whitespace::findings,
];

/// The rules as a check among the others.
pub(crate) fn check(house: &House) -> Result<String> {
    let findings = all(&Tree::read(&house.root)?);
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} findings", findings.len());
    }
    Ok(format!("{} rules", RULES.len()))
}

/// The rules alone: prints what they find and says whether that was nothing.
pub(crate) fn report(house: &House) -> Result<bool> {
    let findings = all(&Tree::read(&house.root)?);
    for finding in &findings {
        println!("{finding}");
    }
    println!("{} rules, {} findings", RULES.len(), findings.len());
    Ok(findings.is_empty())
}

fn all(tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_where_it_is() {
        let finding = Finding::line("a.rs", 4, "too long");
        assert_eq!(finding.to_string(), "a.rs:5: too long");
        assert_eq!(Finding::file("a.rs", "no").to_string(), "a.rs: no");
    }
}
