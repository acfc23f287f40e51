//! A report for a CI system, as JUnit XML.
//!
//! A run that was not tested is *skipped*: neither green nor red, which is what it says.

use checkrein_verdict::Verdict;

use crate::document::Document;
use crate::escape::markup as escape;
use crate::{text, wording};

/// The first lines of every one.
pub(crate) const OPENING: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- checkrein report -->\n";

/// A test case and how it ended.
struct Case {
    name: String,
    failure: Option<(String, String)>,
    skipped: Option<String>,
}

pub(crate) fn render(document: &Document) -> String {
    let cases = cases(document);
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let skipped = cases.iter().filter(|case| case.skipped.is_some()).count();
    let seconds =
        format!("{}.{:06}", document.run.lasted_us / 1_000_000, document.run.lasted_us % 1_000_000);
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds}\"",
        cases.len()
    );
    let trial = escape(&wording::trial(document).replace('`', ""));
    let mut out = format!(
        "{OPENING}<testsuites {counts}>\n  <testsuite name=\"checkrein: {trial}\" {counts}>\n"
    );
    for case in &cases {
        out.push_str(&format!(
            "    <testcase classname=\"checkrein\" name=\"{}\"",
            escape(&case.name)
        ));
        match (&case.failure, &case.skipped) {
            (Some((kind, message)), _) => out.push_str(&format!(
                ">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
                escape(kind),
                escape(message)
            )),
            (None, Some(message)) => out.push_str(&format!(
                ">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                escape(message)
            )),
            (None, None) => out.push_str("/>\n"),
        }
    }
    out.push_str(&format!(
        "    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
        escape(&text::render(document))
    ));
    out
}

fn cases(document: &Document) -> Vec<Case> {
    let reasons: Vec<_> = document
        .reasons
        .iter()
        .map(|reason| format!("{}: {}", reason.code.name(), reason.detail))
        .collect();
    let reasons = reasons.join("; ");
    let codes: Vec<_> = document.reasons.iter().map(|reason| reason.code.name()).collect();
    let mut cases = vec![Case {
        name: "the run keeps the rules".to_owned(),
        failure: (document.verdict == Verdict::Fail).then(|| (codes.join(" "), reasons.clone())),
        skipped: (document.verdict == Verdict::NotTested).then_some(reasons),
    }];
    for (operation, number) in document.operations.iter().zip(1..) {
        let often = match operation.allowed {
            1 => "once".to_owned(),
            many => format!("{many} times"),
        };
        let is_doubled = operation.executions > operation.allowed;
        let message = format!("executed {} times", operation.executions);
        cases.push(Case {
            name: format!("operation {number}, {}: executed at most {often}", operation.tool),
            failure: is_doubled.then(|| ("DUPLICATE_EXECUTION".to_owned(), message)),
            skipped: None,
        });
    }
    cases
}
