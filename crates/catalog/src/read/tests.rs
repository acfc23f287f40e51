use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::catalog::Catalog;

const TOOLSETS: &str = "- { name: services, title: Services, about: Things to deploy. }\n";
const DIALECT: &str = "
name: ng
org_param: orgIdentifier
project_param: projectIdentifier
scope_in_body: true
paging: { page: $page, size: $size }
replies: { list: page, get: data }
inputs:
  search_term: { is: text, about: Match }
  sort: { is: text, about: Order }
";
const SERVICE: &str = "
resource: service
title: Service
toolset: services
about: Something you deploy.
dialect: ng
scopes: [project, org, account]
ids: [service_id]
inputs:
  service_id: { is: text, about: Its identifier, field: serviceIdentifier }
operations:
  list:
    request: GET /ng/api/servicesV2
    query: { searchTerm: $search_term }
  delete:
    request: DELETE /ng/api/servicesV2/{service_id}
";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn read_service(text: &str) -> (Catalog, Vec<String>) {
    let dir = folder(&[
        ("toolsets.yaml", TOOLSETS),
        ("dialects/ng.yaml", DIALECT),
        ("services/service.yaml", text),
    ]);
    let (catalog, problems) = catalogue(dir.path());
    (catalog, told(dir.path(), problems))
}

fn told(dir: &Path, problems: Vec<Problem>) -> Vec<String> {
    problems
        .into_iter()
        .map(|problem| Problem {
            file: problem.file.strip_prefix(dir).map_or(problem.file.clone(), Path::to_path_buf),
            ..problem
        })
        .map(|problem| problem.to_string())
        .collect()
}

#[test]
fn a_sound_file_becomes_a_type() {
    let (catalog, problems) = read_service(SERVICE);
    assert_eq!(problems, Vec::<String>::new());
    let service = catalog.get("service").unwrap();
    let list = &service.operations["list"];
    assert_eq!(list.filters, ["search_term"]);
    assert_eq!(service.operations["delete"].risk, crate::model::Risk::Destructive);
    let inputs: Vec<&String> = service.inputs.keys().collect();
    assert_eq!(inputs, ["service_id", "search_term"], "a shared input comes along when it is used");
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once_each_with_its_place() {
    let (catalog, problems) = read_service(
        "
resource: service
titel: Service
toolset: servces
about: x
dialect: ng
scopes: [project, projct]
inputs:
  a: { is: txt }
  a: { is: text }
operations:
  list:
    request: GTE /x
    query: { q: $serch_term, r: { jq: '.a | $sort + $sorrt' } }
  delete:
    request: DELETE /x/{id}
    risk: low_write
  post:
    request: GET /y
actions:
  run:
    request: POST https://example.com/x
  go:
    request: POST /go
    headers: { Authorization: x }
    body:
      json: |
        { a: 1,
          b: nope }
",
    );
    assert!(catalog.get("service").is_none());
    insta::assert_snapshot!(problems.join("\n"));
}

#[test]
fn text_that_is_not_yaml_is_told_with_its_place() {
    let (_, problems) = read_service("resource: [a\ntitle: b\n");
    assert!(problems[0].starts_with("services/service.yaml:2:"), "{problems:?}");
    let (_, problems) = read_service("a: &x 1\nb: *x\n");
    assert!(problems[0].contains("1:4: anchors are not used here"), "{problems:?}");
    let (_, problems) = read_service("");
    assert_eq!(problems, ["services/service.yaml:1:1: is empty"]);
}

#[test]
fn a_file_in_the_wrong_place_is_told() {
    let dir = folder(&[
        ("toolsets.yaml", TOOLSETS),
        ("dialects/ng.yaml", DIALECT),
        ("services/srv.yaml", SERVICE),
        ("servces/x.yaml", SERVICE),
        ("services/other.cases.yaml", "[]"),
    ]);
    let (_, problems) = catalogue(dir.path());
    insta::assert_snapshot!(told(dir.path(), problems).join("\n"));
}

fn built_in() -> Catalog {
    read_service(SERVICE).0
}

fn with_user_files(files: &[(&str, &str)]) -> (Catalog, Vec<String>) {
    let dir = folder(files);
    let mut catalog = built_in();
    let problems = add_user_dir(&mut catalog, dir.path());
    (catalog, told(dir.path(), problems))
}

#[test]
fn a_user_file_adds_a_type_and_a_broken_one_does_not_stop_it() {
    let widget =
        SERVICE.replace("service", "widget").replace("toolset: widgets", "toolset: services");
    let (catalog, problems) =
        with_user_files(&[("widget.yaml", &widget), ("broken.yaml", "resource: [\n")]);
    assert!(catalog.get("widget").is_some());
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("broken.yaml:2:1: not YAML"), "{problems:?}");
}

#[test]
fn the_cases_of_a_users_type_are_its_examples() {
    let widget =
        SERVICE.replace("service", "widget").replace("toolset: widgets", "toolset: services");
    let cases = "- { title: All, call: { tool: harness_list }, request: GET /ng/api/widgetsV2 }\n";
    let (catalog, problems) =
        with_user_files(&[("widget.yaml", &widget), ("widget.cases.yaml", cases)]);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(catalog.examples("widget")[0].title, "All");
}

#[test]
fn a_user_file_overrides_only_when_it_says_so() {
    let renamed = SERVICE.replace("title: Service", "title: Mine");
    let (catalog, problems) = with_user_files(&[("service.yaml", &renamed)]);
    assert_eq!(catalog.get("service").unwrap().title, "Service");
    assert!(problems[0].contains("say `replaces: true`"), "{problems:?}");
    let (catalog, problems) =
        with_user_files(&[("service.yaml", &format!("{renamed}replaces: true\n"))]);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(catalog.get("service").unwrap().title, "Mine");
}

#[test]
fn a_user_file_cannot_pass_a_write_off_as_a_read() {
    let action = "actions:\n  go:\n    request: POST /go\n    risk: read\n";
    let mine = SERVICE.replace("resource: service", "resource: mine");
    let (catalog, problems) = with_user_files(&[("mine.yaml", &format!("{mine}{action}"))]);
    assert!(catalog.get("mine").is_none());
    assert!(problems[0].contains("its risk is at least `low_write`"), "{problems:?}");
    let list = mine.replace("GET /ng/api/servicesV2\n", "POST /x/list\n    risk: read\n");
    let (catalog, problems) = with_user_files(&[("mine.yaml", &list)]);
    assert_eq!(problems, Vec::<String>::new());
    assert!(catalog.get("mine").is_some());
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_users_folder_is_not_followed() {
    let outside = folder(&[("mine.yaml", SERVICE)]);
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("mine.yaml");
    std::os::unix::fs::symlink(outside.path().join("mine.yaml"), link).unwrap();
    let problems = add_user_dir(&mut built_in(), dir.path());
    assert!(problems[0].message.contains("links out of the catalogue folder"), "{problems:?}");
}

#[test]
fn a_huge_file_is_refused() {
    let (_, problems) = with_user_files(&[("huge.yaml", &"# x\n".repeat(200_000))]);
    assert!(problems[0].contains("is larger than"), "{problems:?}");
}

fn decode(text: &str) -> Vec<Problem> {
    let catalog = built_in();
    let known = Known { dialects: &catalog.dialects, toolsets: &catalog.toolsets };
    let (_, problems) = files::decode_text(&PathBuf::from("f.yaml"), text, |reader, root| {
        resource::decode(reader, root, &known)
    });
    problems
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let sound: Vec<String> = SERVICE.lines().map(str::to_owned).collect();
    let odd = prop_oneof![
        prop::sample::select(sound.clone()),
        "[ ]{0,6}[a-z_$]{0,8}: [\\[\\]{}'\"|>&*a-z$./ 0-9]{0,20}",
        "\\PC{0,30}",
    ];
    prop::collection::vec((0..sound.len(), odd), 0..6).prop_map(move |edits| {
        let mut lines = sound.clone();
        for (at, line) in edits {
            lines[at] = line;
        }
        lines
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn reading_any_text_never_panics_and_tells_a_place(text in "\\PC{0,200}") {
        for problem in decode(&text) {
            prop_assert!(problem.at.line >= 1 && problem.at.column >= 1);
        }
    }

    #[test]
    fn reading_a_broken_file_never_panics_and_tells_a_place_in_it(lines in lines()) {
        let text = lines.join("\n");
        for problem in decode(&text) {
            prop_assert!(problem.at.line >= 1 && problem.at.line <= lines.len() + 1, "{}", problem);
            prop_assert!(problem.at.column >= 1);
        }
    }
}
