use std::fs;

use super::*;

const CASES: &str = "
- title: Make one
  call: { tool: harness_create, body: { name: n, kind: k } }
  request: POST /things
  query: { orgIdentifier: shop, projectIdentifier: web }
  body: { thing: { name: n, kind: k, orgIdentifier: shop, projectIdentifier: web } }
";

fn outcome(text: &str) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thing.cases.yaml"), text).unwrap();
    let (cases, problems) = read_dir(dir.path());
    if let Some(problem) = problems.first() {
        return Err(format!("{}:{}: {}", problem.at.line, problem.at.column, problem.message));
    }
    run(&crate::request::tests::catalog(), &cases[0])
}

fn with(from: &str, to: &str) -> String {
    assert!(CASES.contains(from));
    outcome(&CASES.replace(from, to)).unwrap_err()
}

#[test]
fn a_case_that_says_the_truth_passes() {
    assert_eq!(outcome(CASES), Ok(()));
}

#[test]
fn every_difference_between_case_and_request_is_told() {
    assert_eq!(
        with("POST /things", "PUT /things"),
        "request: expected PUT /things, is POST /things"
    );
    assert_eq!(
        with("orgIdentifier: shop, proj", "orgIdentifier: x, proj"),
        "query `orgIdentifier`: expected [\"x\"], is [\"shop\"]\nbody: expected \
         {\"thing\":{\"name\":\"n\",\"kind\":\"k\",\"orgIdentifier\":\"x\",\"projectIdentifier\":\"web\"}}, is \
         {\"thing\":{\"name\":\"n\",\"kind\":\"k\",\"orgIdentifier\":\"shop\",\"projectIdentifier\":\"web\"}}"
    );
    assert!(with("thing: { name: n,", "thing: { name: m,").starts_with("body: expected"));
    assert!(
        with("  body: { thing", "  text: x\n  error: { thing").contains("`error` must be text")
    );
    assert!(
        with("body: { name: n, kind: k }", "body: { name: n }")
            .starts_with("refused: thing.create needs `kind`")
    );
    assert!(with("harness_create", "harness_erase").contains("`call.tool` must be one of"));
}

#[test]
fn a_case_may_expect_a_refusal() {
    let refused = "- { title: t, call: { tool: harness_create, body: {} }, error: needs `name` }\n";
    assert_eq!(outcome(refused), Ok(()));
    let wrong = refused.replace("needs `name`", "needs `size`");
    assert!(outcome(&wrong).unwrap_err().contains("the refusal should hold `needs `size``"));
}
