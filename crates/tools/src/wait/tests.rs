use checkrein_mcp::CancellationToken;

use super::*;
use crate::run::prepared::Prepared;

fn is(status: &str) -> Result<Value, Failure> {
    Ok(json!({"pipelineExecutionSummary": {"status": status, "startTs": 1_700_000_000_000_i64,
        "endTs": 1_700_003_600_000_i64}, "openInHarness": "https://h/run"}))
}

fn started() -> Result<Value, Failure> {
    Ok(
        json!({"planExecution": {"uuid": "e9", "status": "RUNNING"}, "openInHarness": "https://h/p"}),
    )
}

async fn waited(answers: impl IntoIterator<Item = Result<Value, Failure>>) -> (Value, Prepared) {
    waited_for(30, answers).await
}

async fn waited_for(
    seconds: u64,
    answers: impl IntoIterator<Item = Result<Value, Failure>>,
) -> (Value, Prepared) {
    let mut platform = Prepared::new(std::iter::once(started()).chain(answers));
    platform.wait = Some(Wait {
        timeout: Some(Duration::from_secs(seconds)),
        interval: Some(Duration::from_secs(2)),
    });
    let result = platform.run("pipeline", "run", json!({"pipeline_id": "p"})).await.unwrap();
    (result, platform)
}

#[tokio::test(start_paused = true)]
async fn a_run_is_looked_at_until_it_ends() {
    let (result, platform) = waited([is("Running"), is("Success")]).await;
    assert_eq!(
        result,
        json!({
            "planExecution": {"uuid": "e9", "status": "RUNNING"}, "openInHarness": "https://h/run",
            "execution_id": "e9", "execution_status": "Success", "execution_terminal": true,
            "execution_timed_out": false, "execution_elapsed_ms": 5000, "execution_poll_count": 2,
            "started_at": "2023-11-14T22:13:20.000Z", "ended_at": "2023-11-14T23:13:20.000Z"
        })
    );
    assert_eq!(
        platform.asked()[1],
        r#"execution.get {"execution_id":"e9","render_full_graph":false}"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_says_where_to_look() {
    for status in BAD_ENDS {
        let (result, _) = waited([is(status)]).await;
        assert!(result["_diagnose_hint"].as_str().unwrap().contains("`e9`"), "{status}");
    }
    for status in GOOD_ENDS {
        assert_eq!(waited([is(status)]).await.0.get("_diagnose_hint"), None, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_goes_on_times_out_and_says_so() {
    let (result, platform) = waited((0..20).map(|_| is("ApprovalWaiting"))).await;
    assert_eq!(result["execution_timed_out"], true);
    assert_eq!(result["execution_terminal"], false);
    assert_eq!(result["execution_status"], "ApprovalWaiting");
    assert!(result["_wait"]["hint"].as_str().unwrap().starts_with("it waits for a person"));
    // 2, 5, 9.5, 16.25, 26.4 and 30 seconds after the start.
    assert_eq!(platform.asked().len(), 1 + 6);
}

#[tokio::test(start_paused = true)]
async fn when_the_time_is_up_the_result_says_that_the_last_look_failed() {
    let fails = || Err(Failure::said("the key has expired"));
    let (result, _) = waited_for(12, (0..20).map(|_| fails())).await;
    assert_eq!(result["execution_timed_out"], true);
    assert_eq!(result["_wait"]["error"], "the last look failed: the key has expired");

    let (result, _) = waited_for(12, [fails(), is("Running"), is("Running"), is("Running")]).await;
    assert_eq!(result["execution_timed_out"], true);
    assert_eq!(result["_wait"].get("error"), None);
}

#[tokio::test(start_paused = true)]
async fn five_failed_looks_in_a_row_end_the_waiting_and_not_the_call() {
    let fails = || Err(Failure::said("the platform is away"));
    let (result, _) = waited((0..5).map(|_| fails())).await;
    assert_eq!(
        result["_wait"]["error"],
        "5 looks at the run failed in a row: the platform is away"
    );
    assert_eq!(result["execution_status"], Value::Null);
    assert_eq!(result["execution_terminal"], false);
    assert_eq!(result["planExecution"]["uuid"], "e9");

    let (result, _) = waited([fails(), fails(), is("Running"), fails(), is("Success")]).await;
    assert_eq!(result["execution_status"], "Success");
}

#[tokio::test(start_paused = true)]
async fn a_reply_without_a_run_is_not_waited_for() {
    let mut platform = Prepared::new([Ok(json!({"planExecution": {}}))]);
    platform.wait = Some(Wait::default());
    let result = platform.run("pipeline", "run", json!({"pipeline_id": "p"})).await.unwrap();
    assert!(result["_wait"]["error"].as_str().unwrap().contains("names no run"));
}

#[tokio::test(start_paused = true)]
async fn giving_up_ends_the_waiting_at_once() {
    let mut platform = Prepared::new([started()]);
    platform.wait = Some(Wait::default());
    let cancel = CancellationToken::new();
    platform.cancel = cancel.clone();
    let run = platform.run("pipeline", "run", json!({"pipeline_id": "p"}));
    let (result, ()) = tokio::join!(run, async { cancel.cancel() });
    let result = result.unwrap();
    assert_eq!(result["_wait"]["error"], "the caller gave up waiting");
    assert_eq!(result["execution_elapsed_ms"], 0);
}

#[test]
fn every_kind_of_reply_names_its_run() {
    for reply in [
        json!({"planExecutionId": "e"}),
        json!({"planExecution": {"metadata": {"executionUuid": "e"}}}),
        json!({"execution_details": {"execution_id": "e"}}),
        json!({"execution_id": "e"}),
        json!({"executionId": "e"}),
    ] {
        let reply = reply.as_object().unwrap();
        assert!(
            IDENTIFIERS.iter().any(|at| at_text(reply, at).as_deref() == Some("e")),
            "{reply:?}"
        );
    }
}
