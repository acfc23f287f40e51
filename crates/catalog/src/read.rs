//! Reads catalogue files: strictly, with everything that is wrong and where.
//!
//! A catalogue is a folder: `toolsets.yaml`, `dialects/<family>.yaml`, `<toolset>/<type>.yaml` and,
//! beside a type, `<type>.cases.yaml`.

mod body;
mod dialect;
mod files;
mod functions;
mod operation;
pub mod problem;
mod query;
pub(crate) mod reader;
mod reply;
mod resource;
pub mod tree;
mod user;
mod uses;
pub mod words;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

#[cfg(test)]
pub(crate) use operation::KEYS as OPERATION_KEYS;
pub use problem::{Position, Problem};
pub(crate) use reader::Reader;
pub use resource::IMPLICIT;
#[cfg(test)]
pub(crate) use resource::KEYS as RESOURCE_KEYS;
pub use user::add_user_dir;

use crate::catalog::{Catalog, Example};
use crate::model::{Dialect, ResourceType, Toolset};
use files::Folder;
use tree::{Node, Rules};

/// What a catalogue file may hold.
const RULES: Rules = Rules { aliases: false, max_nodes: 20_000 };

/// The end of a cases file's name.
pub(crate) const CASES: &str = ".cases.yaml";

/// What a resource file may refer to.
pub(crate) struct Known<'a> {
    pub(crate) dialects: &'a IndexMap<String, Dialect>,
    pub(crate) toolsets: &'a [Toolset],
}

/// Reads a whole catalogue folder. What is right is in the catalogue; the rest is told.
#[must_use]
pub fn catalogue(dir: &Path) -> (Catalog, Vec<Problem>) {
    let mut folder = Folder::open(dir);
    let mut catalog = Catalog::default();
    let toolsets = dir.join("toolsets.yaml");
    if let Some(list) = folder.read(&toolsets, |reader, root| Some(dialect::toolsets(reader, root)))
    {
        catalog.toolsets = list;
    }
    read_dialects(&mut folder, &dir.join("dialects"), &mut catalog);
    let mut types: Vec<ResourceType> = Vec::new();
    for toolset in &catalog.toolsets {
        for file in folder.yaml_files(&dir.join(&toolset.name)) {
            if is_cases(&file) {
                continue;
            }
            let known = Known { dialects: &catalog.dialects, toolsets: &catalog.toolsets };
            let resource = folder.read(&file, |reader, root| {
                let decoded = resource::decode(reader, root, &known)?;
                check_place(reader, &decoded, &file, &toolset.name);
                Some(decoded.resource)
            });
            types.extend(resource);
        }
    }
    folder.check_strays(dir, &catalog.toolsets);
    for resource in types {
        catalog.types.insert(resource.name.clone(), resource);
    }
    let mut problems = folder.problems;
    let (cases, wrong) = crate::cases::read_dir(dir);
    problems.extend(wrong);
    add_examples(&mut catalog, cases);
    check_related(dir, &catalog, &mut problems);
    problems.sort();
    (catalog, problems)
}

/// The cases of each type become its examples.
pub(crate) fn add_examples(catalog: &mut Catalog, cases: Vec<crate::cases::Case>) {
    if cases.is_empty() {
        return;
    }
    let mut examples = catalog.all_examples().clone();
    for case in cases {
        let mut arguments = case.arguments;
        arguments.shift_insert(0, "resource_type".to_owned(), case.resource.clone().into());
        examples.entry(case.resource).or_default().push(Example {
            title: case.title,
            tool: case.tool,
            arguments: serde_json::Value::Object(arguments).to_string(),
        });
    }
    catalog.set_examples(examples);
}

/// Whether a file holds cases rather than a type.
pub(crate) fn is_cases(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(CASES))
}

fn read_dialects(folder: &mut Folder, dir: &Path, catalog: &mut Catalog) {
    for file in folder.yaml_files(dir) {
        let dialect = folder.read(&file, |reader, root| {
            let dialect = dialect::decode(reader, root)?;
            let stem = file.file_stem().unwrap_or_default();
            if stem != dialect.name.as_str() {
                let message = format!("file and `name` differ; call it `{}.yaml`", dialect.name);
                reader.problem(root.at, message);
            }
            Some(dialect)
        });
        catalog.dialects.extend(dialect.map(|dialect| (dialect.name.clone(), dialect)));
    }
}

fn check_place(reader: &mut Reader<'_>, decoded: &resource::Decoded, file: &Path, toolset: &str) {
    let resource = &decoded.resource;
    if file.file_stem().unwrap_or_default() != resource.name.as_str() {
        let message = format!("file and `resource` differ; call it `{}.yaml`", resource.name);
        reader.problem(decoded.at, message);
    }
    if resource.toolset != toolset {
        let message = format!("folder and `toolset` differ; move it to `{}`", resource.toolset);
        reader.problem(decoded.at, message);
    }
    if decoded.replaces {
        reader.problem(decoded.at, "`replaces` is for files of the user");
    }
}

/// A neighbour that is in no file is a typo, unless its toolset is not written yet.
fn check_related(dir: &Path, catalog: &Catalog, problems: &mut Vec<Problem>) {
    for resource in catalog.types.values() {
        for related in &resource.related {
            if catalog.types.contains_key(&related.resource) {
                continue;
            }
            let file = dir.join(&resource.toolset).join(format!("{}.yaml", resource.name));
            let names = catalog.types.keys().map(String::as_str);
            let message = crate::nearest(&related.resource, names).map_or_else(
                || format!("`related` names an unknown type `{}`", related.resource),
                |guess| {
                    let name = &related.resource;
                    format!("`related` names an unknown type `{name}`, did you mean `{guess}`?")
                },
            );
            problems.push(Problem { file, at: Position::START, message });
        }
    }
}

/// Every YAML file of a folder and of the folders in it, by name.
pub(crate) fn yaml_files_below(dir: &Path) -> Vec<PathBuf> {
    let mut folder = Folder::open(dir);
    let mut files = folder.yaml_files(dir);
    for sub in folder.folders(dir) {
        files.extend(folder.yaml_files(&sub));
    }
    files
}

/// Decodes one file that stands alone.
pub(crate) fn read_one<T>(
    file: &Path,
    decode: impl FnOnce(&mut Reader<'_>, &Node) -> Option<T>,
) -> (Option<T>, Vec<Problem>) {
    let mut folder = Folder::open(file.parent().unwrap_or(file));
    let value = folder.read_partly(file, decode);
    (value, folder.problems)
}

/// Parses one text under the rules of catalogue files.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, tree::Refusal> {
    tree::parse(text, RULES)
}

#[cfg(test)]
mod tests;
