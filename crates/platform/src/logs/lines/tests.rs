use super::*;

fn log(files: &[&str]) -> Log {
    let mut lines = Lines::default();
    for file in files {
        lines.push(file.as_bytes());
        lines.end_file();
    }
    lines.finish(None)
}

fn line(time: &str, out: &str) -> String {
    serde_json::json!({"level": "INFO", "pos": 0, "out": out, "time": time, "args": null})
        .to_string()
}

#[test]
fn lines_of_all_files_are_in_order_of_time() {
    let first =
        [line("2024-01-01T00:00:02Z", "three\n"), line("2024-01-01T00:00:00Z", "one")].join("\n");
    let second = line("2024-01-01T02:00:01+02:00", "two");
    assert_eq!(
        log(&[&first, &second]).text,
        "[2024-01-01T00:00:00Z] INFO: one\n[2024-01-01T02:00:01+02:00] INFO: two\n\
         [2024-01-01T00:00:02Z] INFO: three"
    );
}

#[test]
fn colours_are_removed() {
    assert_eq!(
        log(&[&line("2024-01-01T00:00:00Z", "\u{1b}[31mno\u{1b}[0m")]).text,
        "[2024-01-01T00:00:00Z] INFO: no"
    );
}

#[test]
fn a_plain_line_stays_behind_the_one_before_it() {
    let file = [
        line("2024-01-01T00:00:00Z", "one"),
        "  at main".to_owned(),
        line("2024-01-01T00:00:01Z", "two"),
    ];
    assert_eq!(
        log(&[&file.join("\n")]).text,
        "[2024-01-01T00:00:00Z] INFO: one\n  at main\n[2024-01-01T00:00:01Z] INFO: two"
    );
}

#[test]
fn other_json_and_nothing_give_the_placeholder() {
    assert_eq!(log(&[r#"{"link":"http://x","status":"success"}"#]).text, EMPTY_LOG);
    assert_eq!(log(&["", "\n\n"]).text, EMPTY_LOG);
    assert_eq!(log(&[]), Log { text: EMPTY_LOG.to_owned(), left_out: None });
}

#[test]
fn the_end_of_a_long_log_is_kept() {
    let mut lines = Lines::default();
    for index in 0..60_000 {
        let time =
            format!("2024-01-01T{:02}:{:02}:{:02}Z", index / 3600, index / 60 % 60, index % 60);
        lines.push(line(&time, &format!("{index} {}", "x".repeat(60))).as_bytes());
        lines.push(b"\n");
        assert!(lines.size <= 2 * MAX_TEXT + MAX_LINE);
    }
    let log = lines.finish(None);
    assert!(log.text.len() <= MAX_TEXT);
    assert!(log.text.lines().last().unwrap().contains("INFO: 59999 "));
    let kept = log.text.lines().count();
    assert_eq!(log.left_out, Some(format!("{} earlier lines are left out", 60_000 - kept)));
}

#[test]
fn an_endless_line_is_cut() {
    let mut lines = Lines::default();
    for _ in 0..100 {
        lines.push(&[b'x'; 10_000]);
        assert!(lines.open.len() <= MAX_LINE);
    }
    assert_eq!(lines.finish(None).text.len(), MAX_LINE);
}

proptest::proptest! {
    #[test]
    fn pieces_make_no_difference(bytes: Vec<u8>, cut in 0usize..64) {
        let mut whole = Lines::default();
        whole.push(&bytes);
        let mut parts = Lines::default();
        let (left, right) = bytes.split_at(cut.min(bytes.len()));
        parts.push(left);
        parts.push(right);
        proptest::prop_assert_eq!(whole.finish(None), parts.finish(None));
    }
}
