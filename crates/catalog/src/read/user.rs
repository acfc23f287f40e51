//! Adds the user's own catalogue files, which may do less than the built-in ones.

use std::path::Path;

use super::files::Folder;
use super::problem::Problem;
use super::resource::Decoded;
use super::{Known, Reader, dialect, is_cases, resource};
use crate::catalog::Catalog;
use crate::model::{Method, Operation, ResourceType, Risk, Toolset};

/// Adds the dialects, toolsets and types of a user's folder, which may be flat or laid out like
/// the built-in one. A broken file is left out and told of; the rest is added.
pub fn add_user_dir(catalog: &mut Catalog, dir: &Path) -> Vec<Problem> {
    let mut folder = Folder::open(dir);
    if !dir.is_dir() {
        folder.problem(dir, "is not a folder; name one that holds resource files");
        return folder.problems;
    }
    add_toolsets(&mut folder, dir, catalog);
    add_dialects(&mut folder, dir, catalog);
    let mut files = folder.yaml_files(dir);
    for sub in folder.folders(dir) {
        if !sub.ends_with("dialects") {
            files.extend(folder.yaml_files(&sub));
        }
    }
    for file in files {
        if is_cases(&file) || file == dir.join("toolsets.yaml") {
            continue;
        }
        add_type(&mut folder, &file, catalog);
    }
    let (mut cases, wrong) = crate::cases::read_dir(dir);
    folder.problems.extend(wrong);
    cases.retain(|case| catalog.types.contains_key(&case.resource));
    super::add_examples(catalog, cases);
    folder.problems.sort();
    folder.problems
}

fn add_toolsets(folder: &mut Folder, dir: &Path, catalog: &mut Catalog) {
    let file = dir.join("toolsets.yaml");
    if !file.exists() {
        return;
    }
    let known: Vec<String> = catalog.toolsets.iter().map(|toolset| toolset.name.clone()).collect();
    let more = folder.read(&file, |reader, root| {
        let toolsets: Vec<Toolset> = dialect::toolsets(reader, root);
        for toolset in toolsets.iter().filter(|toolset| known.contains(&toolset.name)) {
            reader.problem(root.at, format!("toolset `{}` is there already", toolset.name));
        }
        Some(toolsets)
    });
    catalog.toolsets.extend(more.unwrap_or_default());
}

fn add_dialects(folder: &mut Folder, dir: &Path, catalog: &mut Catalog) {
    for file in folder.yaml_files(&dir.join("dialects")) {
        let added = folder.read(&file, |reader, root| {
            let dialect = dialect::decode(reader, root)?;
            if catalog.dialects.contains_key(&dialect.name) {
                let name = &dialect.name;
                reader.problem(root.at, format!("dialect `{name}` is there already; rename yours"));
            }
            Some(dialect)
        });
        catalog.dialects.extend(added.map(|dialect| (dialect.name.clone(), dialect)));
    }
}

fn add_type(folder: &mut Folder, file: &Path, catalog: &mut Catalog) {
    let known = Known { dialects: &catalog.dialects, toolsets: &catalog.toolsets };
    let present = |name: &str| catalog.types.get(name);
    let added = folder.read(file, |reader, root| {
        let decoded = resource::decode(reader, root, &known)?;
        check_name(reader, &decoded, present(&decoded.resource.name).is_some());
        check_risks(reader, &decoded);
        Some(decoded.resource)
    });
    if let Some(resource) = added {
        catalog.types.insert(resource.name.clone(), resource);
    }
}

fn check_name(reader: &mut Reader<'_>, decoded: &Decoded, present: bool) {
    let name = &decoded.resource.name;
    if present && !decoded.replaces {
        let message =
            format!("type `{name}` is there already; say `replaces: true` to override it");
        reader.problem(decoded.at, message);
    }
    if !present && decoded.replaces {
        reader.problem(decoded.at, format!("`replaces` is set, but there is no type `{name}`"));
    }
}

/// A file from outside cannot pass a write off as a read: what is not a GET is at least
/// `low_write`, but for lists and gets, which many families ask for by POST.
fn check_risks(reader: &mut Reader<'_>, decoded: &Decoded) {
    for (name, operation, is_action) in operations(&decoded.resource) {
        let writes = methods(operation).any(|method| method != Method::Get);
        let asks = !is_action
            && matches!(name, "list" | "get")
            && methods(operation).all(|method| matches!(method, Method::Get | Method::Post));
        if writes && operation.risk < Risk::LowWrite && !asks {
            let message = format!("`{name}` is not a GET, so its risk is at least `low_write`");
            reader.problem(decoded.at, message);
        }
        if let Some(hook) = &operation.hook {
            let message = format!("`{name}` names the hook `{hook}`; a user's file cannot use one");
            reader.problem(decoded.at, message);
        }
    }
}

fn operations(resource: &ResourceType) -> impl Iterator<Item = (&str, &Operation, bool)> {
    let plain = resource.operations.iter().map(|(name, op)| (name.as_str(), op, false));
    let actions = resource.actions.iter().map(|(name, op)| (name.as_str(), op, true));
    plain.chain(actions)
}

fn methods(operation: &Operation) -> impl Iterator<Item = Method> {
    let variants = operation.variants.iter().map(|variant| variant.request.method);
    std::iter::once(operation.request.method).chain(variants)
}
