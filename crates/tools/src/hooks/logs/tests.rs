use super::*;
use crate::run::prepared::Prepared;

fn run() -> Result<Value, Failure> {
    Ok(json!({"pipelineExecutionSummary": {"pipelineIdentifier": "p", "runSequence": 7}}))
}

fn packed(status: &str) -> Result<Value, Failure> {
    Ok(json!({ "status": status }))
}

fn linked() -> Result<Value, Failure> {
    Ok(json!({"status": "success", "link": "https://h/blob"}))
}

#[tokio::test(start_paused = true)]
async fn the_log_of_a_run_is_found_packed_and_read() {
    let platform = Prepared::new([
        run(),
        packed("queued"),
        packed("in_progress"),
        linked(),
        Ok("text".into()),
    ]);
    let result = platform.run("execution_log", "get", json!({"resource_id": "e1"})).await.unwrap();
    assert_eq!(result, json!({"log_content": "text"}));
    let asked = platform.asked();
    assert_eq!(asked[0], r#"execution.get {"execution_id":"e1","render_full_graph":true}"#);
    assert!(asked[1].contains(r#""prefix":"acc/pipeline/p/7/-e1""#), "{}", asked[1]);
    assert_eq!(asked[4], "log https://h/blob");
}

#[tokio::test(start_paused = true)]
async fn a_key_is_used_as_it_is_and_a_link_can_be_had_instead() {
    for name in ["prefix", "resource_id"] {
        let platform = Prepared::new([linked()]);
        let inputs = json!({name: "a/b/c", "return_download_url": true});
        let result = platform.run("execution_log", "get", inputs).await.unwrap();
        assert_eq!(result, json!({"download_url": "https://h/blob"}));
        assert!(platform.asked()[0].contains(r#""prefix":"a/b/c""#));
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_not_packed_in_time_or_at_all_is_told() {
    let slow = Prepared::new([packed("queued"), packed("queued"), packed("queued")]);
    let error = slow.run("execution_log", "get", json!({"prefix": "a/b"})).await.unwrap_err();
    assert!(error.to_string().contains("still packing the log (queued)"), "{error}");
    let failed = Prepared::new([Ok(json!({"status": "error", "message": "no disk"}))]);
    let error = failed.run("execution_log", "get", json!({"prefix": "a/b"})).await.unwrap_err();
    assert!(error.to_string().contains("no disk"), "{error}");
}

#[tokio::test]
async fn without_a_run_nothing_is_asked() {
    let platform = Prepared::new([]);
    let error = platform.run("execution_log", "get", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("`execution_id`"), "{error}");
    assert!(platform.asked().is_empty());
}
