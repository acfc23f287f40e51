use std::path::Path;

use serde_json::Value;

use super::*;

fn shipped() -> Catalog {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let (catalog, _) = crate::read::catalogue(&dir);
    catalog
}

fn names(answer: &Value) -> Vec<&str> {
    let rows = answer["resource_types"].as_array().unwrap();
    rows.iter().map(|row| row["type"].as_str().unwrap()).collect()
}

#[test]
fn everything_fits_into_twelve_kilobytes_and_the_totals_agree() {
    let catalog = shipped();
    let answer = everything(&catalog, 0);
    assert!(answer.to_string().len() <= 12_000, "{} bytes", answer.to_string().len());
    assert_eq!(answer["total_resource_types"], catalog.types.len());
    assert_eq!(names(&answer).len(), catalog.types.len());
}

#[test]
fn what_does_not_fit_is_on_further_pages() {
    let mut catalog = shipped();
    let one = catalog.get("service").unwrap().clone();
    for number in 0..300 {
        let name = format!("service_number_{number}");
        catalog.types.insert(name.clone(), ResourceType { name, ..one.clone() });
    }
    let first = everything(&catalog, 0);
    let pages = first["pages"].as_u64().unwrap() as usize;
    let mut seen = 0;
    for page in 0..pages {
        let answer = everything(&catalog, page);
        assert!(answer.to_string().len() <= 12_000);
        seen += names(&answer).len();
    }
    assert_eq!(seen, catalog.types.len());
    assert_eq!(names(&everything(&catalog, pages)).len(), 0);
}

#[test]
fn a_type_is_told_with_all_that_it_takes() {
    let answer = resource_type(&crate::request::tests::catalog(), "thing").unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap());
}

#[test]
fn a_shorthand_is_told_with_what_it_stands_for() {
    let answer = resource_type(&shipped(), "pipeline").unwrap();
    let run = &answer["executeActions"][0];
    assert_eq!(
        run["inputShorthands"][0],
        json!({"shorthand": "branch", "expands_to": "build.type=branch, build.spec.branch"})
    );
}

#[test]
fn an_unknown_name_is_told_with_the_nearest() {
    let error = resource_type(&shipped(), "servce").unwrap_err().to_string();
    assert!(
        error.starts_with("unknown resource type `servce`, did you mean `service`?"),
        "{error}"
    );
    let error = toolset(&shipped(), "pipelnes").unwrap_err().to_string();
    assert!(error.contains("did you mean `pipelines`?"), "{error}");
}

#[test]
fn words_find_types_by_name_other_names_and_sentences() {
    let catalog = shipped();
    assert_eq!(names(&search(&catalog, "pull request"))[0], "pull_request");
    assert!(names(&search(&catalog, "audit trail")).contains(&"audit_event"));
    assert_eq!(names(&search(&catalog, "zzzz")), Vec::<&str>::new());
    assert_eq!(names(&search(&catalog, "")), Vec::<&str>::new());
}
