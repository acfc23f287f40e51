use std::io::{Cursor, Read as _};

use serde_json::{Value, json};

use super::{Sandbox, pipeline, stage, step};

fn ask(sandbox: &Sandbox, prefix: &str) -> (u16, Value) {
    let target = format!(
        "/gateway/log-service/blob/download?accountID=Sandbox_Account_000001&prefix={prefix}"
    );
    let reply = sandbox.send("POST", &target, "");
    (reply.status, reply.json().unwrap())
}

/// Names and texts of the archive a prefix comes to.
fn fetched(sandbox: &Sandbox, prefix: &str) -> Vec<(String, String)> {
    let mut seen = Vec::new();
    let link = loop {
        let (status, said) = ask(sandbox, prefix);
        assert_eq!(status, 200, "{said}");
        seen.push(said["status"].as_str().unwrap().to_owned());
        if said["status"] == "success" {
            break said["link"].as_str().unwrap().to_owned();
        }
    };
    assert_eq!(seen, ["queued", "in_progress", "success"]);
    let path = link.strip_prefix("http://127.0.0.1:4711").unwrap();
    let bytes = sandbox.send("GET", path, "").body;
    // Bit 3 of the flags of the first entry: its sizes stand after it.
    assert_eq!(bytes[6] & 0x08, 0x08);
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|at| {
            let mut file = archive.by_index(at).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            (file.name().unwrap().into_owned(), text)
        })
        .collect()
}

#[test]
fn a_log_is_queued_made_and_fetched() {
    let sandbox = Sandbox::with(pipeline(
        "build",
        json!([stage("one", json!([step("a"), step("unit_fail")]))]),
    ));
    let id = sandbox.run("build", "");
    sandbox.pass(60);
    let key = sandbox.node(&id, "unit_fail")["logBaseKey"].as_str().unwrap().to_owned();
    assert_eq!(key, format!("Sandbox_Account_000001/pipeline/build/1/-{id}/one/unit_fail"));
    let files = fetched(&sandbox, &key);
    assert_eq!(files.len(), 1);
    assert!(files[0].0.starts_with(&key));
    let lines: Vec<Value> =
        files[0].1.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let message =
        sandbox.node(&id, "unit_fail")["failureInfo"]["message"].as_str().unwrap().to_owned();
    let last = lines.last().unwrap();
    assert_eq!(last["level"], "ERROR");
    assert!(last["out"].as_str().unwrap().contains(&message), "{last}");
    assert!(last["out"].as_str().unwrap().contains('\u{1b}'), "colours are kept");
    assert!(lines.windows(2).all(|pair| pair[0]["time"].as_str() <= pair[1]["time"].as_str()));
    let whole = fetched(&sandbox, &format!("Sandbox_Account_000001/pipeline/build/1/-{id}"));
    assert_eq!(whole.len(), 2);
    assert!(whole[0].1.contains("hello from a"));
}

#[test]
fn a_running_step_shows_what_it_has_written_so_far() {
    let mut slow = step("slow");
    slow["step"]["spec"]["source"]["spec"]["script"] = json!("echo first\necho second\necho third");
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([slow]))])));
    let id = sandbox.run("build", "");
    let prefix = format!("Sandbox_Account_000001/pipeline/build/1/-{id}");
    assert_eq!(ask(&sandbox, &prefix).0, 404, "nothing has begun");
    sandbox.pass(3);
    let early = fetched(&sandbox, &prefix);
    assert!(early[0].1.contains("first") && !early[0].1.contains("third"), "{early:?}");
    sandbox.pass(1_000);
    let late = fetched(&sandbox, &prefix);
    assert!(late[0].1.contains("third"));
}

#[test]
fn a_prefix_that_leads_nowhere_is_refused() {
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")]))])));
    let id = sandbox.run("build", "");
    sandbox.pass(60);
    let (status, said) = ask(&sandbox, "Sandbox_Account_000001/pipeline/build/9/-nope");
    assert_eq!(status, 404);
    assert!(said["error_msg"].as_str().unwrap().contains("cannot list files for prefix"));
    assert_eq!(ask(&sandbox, "accountId:A/pipelineId:build/level0:pipeline").0, 400);
    let missing = sandbox.send("POST", "/log-service/blob/download?prefix=x", "");
    assert_eq!(missing.status, 404);
    assert!(String::from_utf8(missing.body).unwrap().contains("accountID is required"));
    let classic = "accountId:Sandbox_Account_000001/orgId:o/projectId:p/pipelineId:build/runSequence:1/level0:pipeline/level1:stages/level2:one/level3:spec/level4:execution/level5:steps/level6:a";
    assert_eq!(
        fetched(&sandbox, classic)[0].0,
        format!("Sandbox_Account_000001/pipeline/build/1/-{id}/one/a-commandUnit:Execute")
    );
}
