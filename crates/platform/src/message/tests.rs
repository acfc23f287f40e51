use super::*;

fn text(status: u16, body: &str) -> String {
    explain(status, "/ng/api/x", body.as_bytes()).text
}

#[test]
fn message_details_and_responses_are_joined_once() {
    let body = r#"{"message":"bad thing","code":"INVALID","details":"more",
        "detailedMessage":"more","responseMessages":[{"message":"extra"},{"message":"bad thing"}]}"#;
    let explained = explain(400, "/ng/api/x", body.as_bytes());
    assert_eq!(explained.text, "bad thing; more; extra");
    assert_eq!(explained.code.as_deref(), Some("INVALID"));
}

#[test]
fn hint_and_explanation_come_first() {
    let body = r#"{"message":"cannot connect","responseMessages":[
        {"code":"CONNECT","message":"cannot connect"},
        {"code":"EXPLANATION","message":"the delegate is down"},
        {"code":"HINT","message":"start the delegate"}]}"#;
    assert_eq!(text(400, body), "start the delegate; the delegate is down; cannot connect");
}

#[test]
fn field_and_schema_errors_are_told() {
    let body = r#"{"message":"Invalid request","errors":[{"fieldId":"identifier","error":"cannot be empty"}],
        "metadata":{"schemaErrors":[{"message":"$.pipeline.stages: is missing"}]}}"#;
    assert_eq!(
        text(400, body),
        "Invalid request; `identifier` cannot be empty; $.pipeline.stages: is missing"
    );
}

#[test]
fn a_chaos_description_is_told_and_another_is_not() {
    let body = br#"{"message":"m","description":"desc"}"#;
    assert_eq!(explain(400, "/chaos/manager/api/x", body).text, "m; desc");
    assert_eq!(explain(400, "/ng/api/x", body).text, "m");
}

#[test]
fn pages_and_scripts_are_never_shown() {
    for body in [
        "<html><body>x</body></html>",
        "  <!DOCTYPE html><title>Sign in</title>",
        r#"{"message":"<html>secret</html>"}"#,
        r#"{"message":"function redirectPage() {}"}"#,
        r#"{"message":"window.location = 1"}"#,
    ] {
        assert_eq!(text(503, body), "the platform is unavailable at the moment", "{body}");
    }
}

#[test]
fn a_plain_text_is_kept_short() {
    assert_eq!(text(500, "plain failure"), "plain failure");
    assert_eq!(text(500, &"x".repeat(5000)).chars().count(), MAX_PART_CHARS + 1);
}

#[test]
fn a_body_without_a_message_gets_the_words_of_its_status() {
    assert_eq!(text(404, "{}"), "nothing found there");
    assert_eq!(text(404, ""), "nothing found there");
    assert_eq!(text(403, r#"{"message":7}"#), "the credential has no permission for this");
    assert_eq!(
        text(400, r#"{"code":400,"message":"Unable to process JSON","details":"line 1"}"#),
        "Unable to process JSON; line 1"
    );
}

#[test]
fn the_correlation_id_is_kept() {
    let explained = explain(409, "/x", br#"{"message":"conflict","correlationId":"c-1"}"#);
    assert_eq!(explained.correlation_id.as_deref(), Some("c-1"));
}

proptest::proptest! {
    #[test]
    fn any_body_gives_a_bounded_text(status in 400u16..600, body: Vec<u8>) {
        let explained = explain(status, "/x", &body);
        proptest::prop_assert!(!explained.text.is_empty());
        proptest::prop_assert!(explained.text.chars().count() <= 3 * (MAX_PART_CHARS + 3));
    }

    #[test]
    fn no_page_leaks(inside in "[a-z ]{0,30}") {
        let page = format!("<html><body>QQ{inside}</body></html>");
        proptest::prop_assert!(!explain(502, "/x", page.as_bytes()).text.contains("QQ"));
    }
}
