//! The reference of resource types, as Markdown.

use std::fmt::Write as _;

use crate::catalog::{Catalog, Example};
use crate::model::{Field, Input, Operation, ResourceType, Toolset};

/// A page of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its file (`services.md`).
    pub file: String,
    /// Its text.
    pub text: String,
}

/// One page per toolset, and `README.md` that lists them.
#[must_use]
pub fn pages(catalog: &Catalog) -> Vec<Page> {
    let mut pages = vec![Page { file: "README.md".to_owned(), text: index(catalog) }];
    for toolset in &catalog.toolsets {
        if catalog.of_toolset(&toolset.name).next().is_none() {
            continue;
        }
        let file = format!("{}.md", toolset.name);
        pages.push(Page { file, text: page(catalog, toolset) });
    }
    pages
}

const GENERATED: &str = "<!-- Generated from `catalog/`; do not edit. -->\n\n";

fn index(catalog: &Catalog) -> String {
    let mut out = String::from(GENERATED);
    out.push_str("# Resource types\n\n| toolset | about | types |\n|---|---|---|\n");
    for toolset in &catalog.toolsets {
        let types: Vec<String> = catalog
            .of_toolset(&toolset.name)
            .map(|resource| format!("[`{0}`]({1}.md#{0})", resource.name, toolset.name))
            .collect();
        if types.is_empty() {
            continue;
        }
        let opt_in = if toolset.opt_in { " (opt-in)" } else { "" };
        let (name, about) = (&toolset.name, cell(&toolset.about));
        line(&mut out, &format!("| [{name}]({name}.md){opt_in} | {about} | {} |", types.join(" ")));
    }
    out
}

fn page(catalog: &Catalog, toolset: &Toolset) -> String {
    let mut out = String::from(GENERATED);
    line(&mut out, &format!("# {}\n", toolset.title));
    line(&mut out, &format!("{}\n", toolset.about));
    let how = if toolset.opt_in {
        "Off unless `HARNESS_TOOLSETS` names it"
    } else {
        "On unless `HARNESS_TOOLSETS` leaves it out"
    };
    line(&mut out, &format!("{how} (`{}`).", toolset.name));
    for resource in catalog.of_toolset(&toolset.name) {
        section(&mut out, resource, catalog.examples(&resource.name));
    }
    out
}

fn section(out: &mut String, resource: &ResourceType, examples: &[Example]) {
    line(out, &format!("\n## {}\n", resource.name));
    line(out, &format!("**{}.** {}\n", resource.title, resource.about));
    let scopes: Vec<&str> = resource.scopes.iter().map(|scope| scope.word()).collect();
    line(out, &format!("- Scopes: {}", scopes.join(", ")));
    if !resource.ids.is_empty() {
        line(out, &format!("- Identifiers: {}", quoted(&resource.ids)));
    }
    if !resource.also_called.is_empty() {
        line(out, &format!("- Also called: {}", resource.also_called.join(", ")));
    }
    let related: Vec<String> = resource
        .related
        .iter()
        .map(|related| format!("{} (`{}`)", related.how, related.resource))
        .collect();
    if !related.is_empty() {
        line(out, &format!("- Related: {}", related.join(", ")));
    }
    for hint in [&resource.hint_not_found, &resource.hint_execute].into_iter().flatten() {
        line(out, &format!("- {hint}"));
    }
    operations(out, resource);
    inputs(out, resource);
    bodies(out, resource);
    if !examples.is_empty() {
        out.push_str("\nExamples:\n\n");
    }
    for example in examples {
        let Example { title, tool, arguments } = example;
        line(out, &format!("- {title}: `{tool}` `{}`", arguments.replace('`', "'")));
    }
}

fn operations(out: &mut String, resource: &ResourceType) {
    out.push_str("\n| operation | request | risk | about |\n|---|---|---|---|\n");
    let actions =
        resource.actions.iter().map(|(name, action)| (format!("`{name}` (action)"), action));
    let plain =
        resource.operations.iter().map(|(name, operation)| (format!("`{name}`"), operation));
    for (name, operation) in plain.chain(actions) {
        let routes = std::iter::once(&operation.request)
            .chain(operation.variants.iter().map(|variant| &variant.request))
            .map(|route| format!("`{} {}`", route.method, route.path));
        let routes: Vec<String> = routes.collect();
        let about = cell(&operation.about);
        line(out, &format!("| {name} | {} | {} | {about} |", routes.join("<br>"), operation.risk));
    }
}

fn inputs(out: &mut String, resource: &ResourceType) {
    if resource.inputs.is_empty() {
        return;
    }
    out.push_str("\n| input | kind | used by | about |\n|---|---|---|---|\n");
    for (name, input) in &resource.inputs {
        let users: Vec<&str> = all(resource)
            .filter(|(_, operation)| takes(operation, name))
            .map(|(name, _)| name)
            .collect();
        let about = cell(&told(input));
        line(out, &format!("| `{name}` | {} | {} | {about} |", input.is, users.join(", ")));
    }
}

fn takes(operation: &Operation, input: &String) -> bool {
    let in_path = || operation.request.path.names().any(|name| name == input);
    operation.filters.contains(input) || operation.need.contains(input) || in_path()
}

fn told(input: &Input) -> String {
    if input.values.is_empty() {
        return input.about.clone();
    }
    format!("{} ({})", input.about, quoted(&input.values))
}

fn bodies(out: &mut String, resource: &ResourceType) {
    for (name, operation) in all(resource).filter(|(_, operation)| !operation.fields.is_empty()) {
        line(out, &format!("\nBody of `{name}`:\n\n| field | kind | about |\n|---|---|---|"));
        fields(out, &operation.fields, "");
    }
}

fn fields(out: &mut String, list: &[Field], prefix: &str) {
    for field in list {
        let path = format!("{prefix}{}", field.name);
        let need = if field.need { " (required)" } else { "" };
        line(out, &format!("| `{path}` | {}{need} | {} |", field.is, cell(&field.about)));
        fields(out, &field.fields, &format!("{path}."));
    }
}

fn all(resource: &ResourceType) -> impl Iterator<Item = (&str, &Operation)> {
    let both = resource.operations.iter().chain(&resource.actions);
    both.map(|(name, operation)| (name.as_str(), operation))
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Text that fits into one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn line(out: &mut String, text: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolset_has_a_page_with_all_that_its_types_take() {
        let pages = pages(&crate::request::tests::catalog());
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files, ["README.md", "t.md"]);
        let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
        insta::assert_snapshot!(texts.join("\n"));
    }
}
