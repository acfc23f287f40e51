//! The shipped catalogue: it is sound, every case holds, and every operation is on record.

use std::path::{Path, PathBuf};

use checkrein_catalog::cases;
use checkrein_catalog::read::catalogue;

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog")
}

#[test]
fn every_file_of_the_catalogue_is_sound() {
    let (_, problems) = catalogue(&dir());
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_case_becomes_its_request() {
    let (catalog, _) = catalogue(&dir());
    let (cases, problems) = cases::read_dir(&dir());
    assert_eq!(problems, []);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let why = cases::run(&catalog, case).err()?;
            Some(format!("{}:{} {}: {why}", case.file.display(), case.at.line, case.title))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_type_has_a_case() {
    let (catalog, _) = catalogue(&dir());
    let without: Vec<&str> = catalog
        .types
        .keys()
        .map(String::as_str)
        .filter(|name| catalog.examples(name).is_empty())
        .collect();
    assert_eq!(without, Vec::<&str>::new());
}

#[test]
fn every_operation_is_on_record() {
    let (catalog, _) = catalogue(&dir());
    let mut lines: Vec<String> = Vec::new();
    for (resource, name, operation) in catalog.all() {
        let routes = std::iter::once(&operation.request)
            .chain(operation.variants.iter().map(|variant| &variant.request))
            .map(|line| format!("{} {}", line.method, line.path));
        let routes: Vec<String> = routes.collect();
        lines.push(format!("{}.{name} {} {}", resource.name, routes.join(" | "), operation.risk));
    }
    insta::assert_snapshot!(lines.join("\n"));
}
