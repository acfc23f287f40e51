use serde_json::json;

use super::*;

fn yields(program: &str, input: Value) -> Value {
    run(&Jq(program.to_owned()), &input, |_| None).unwrap()
}

fn fails(program: &str, input: Value) -> JqError {
    run(&Jq(program.to_owned()), &input, |_| None).unwrap_err()
}

#[test]
fn numbers_keep_their_digits_through_a_program() {
    let text = r#"[123456789012345678901234567890,1.10,1e400,-0.0,9007199254740993,5]"#;
    let value: Value = serde_json::from_str(text).unwrap();
    let written = value.to_string();
    assert!(written.contains("123456789012345678901234567890,1.10,"), "{written}");
    assert_eq!(yields(".", value).to_string(), written);
}

#[test]
fn a_whole_result_of_arithmetic_is_written_as_one() {
    assert_eq!(yields(". * 2", json!(1.5)).to_string(), "3");
    assert_eq!(yields("[1 / 0]", Value::Null).to_string(), "[null]");
}

#[test]
fn the_free_variables_of_a_program_are_its_inputs() {
    let names = free_variables(r#". as $x | $a + $x | "\($b)" | if $a then $c else 1 end"#);
    let names: Vec<String> = names.unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn an_undeclared_input_is_told_with_its_place_and_the_nearest() {
    let flaws = check("{a: $serach_term}", &["search_term", "size"]);
    assert_eq!(flaws.len(), 1);
    assert_eq!(flaws[0].offset, 4);
    assert_eq!(
        flaws[0].message,
        "undeclared input `$serach_term`, did you mean `$search_term`?; declare it under `inputs`"
    );
}

#[test]
fn mistakes_in_a_program_are_told_with_their_place() {
    assert_eq!(check("1 | nope(2)", &[])[0].message, "undefined function `nope/1`");
    assert_eq!(check("1 | nope(2)", &[])[0].offset, 4);
    assert!(!check("{a: ", &[]).is_empty());
    assert!(!check("\"abc", &[]).is_empty());
    assert!(!check("include \"x\"; 1", &[]).is_empty());
}

#[test]
fn a_program_reaches_neither_environment_nor_process() {
    for program in ["env", "$ENV", "halt", "input", "debug", "input_filename", "$__prog_args"] {
        assert!(!check(program, &[]).is_empty(), "{program}");
    }
}

#[test]
fn variables_are_passed_and_absent_ones_are_null() {
    let program = Jq("[$a, $b]".to_owned());
    let value = run(&program, &Value::Null, |name| (name == "a").then(|| json!({"x": 1})));
    assert_eq!(value.unwrap(), json!([{"x": 1}, null]));
}

#[test]
fn no_output_is_null_and_of_several_the_first_counts() {
    assert_eq!(yields("empty", json!(1)), Value::Null);
    assert_eq!(yields("1, error(\"x\")", json!(1)), json!(1));
}

#[test]
fn an_error_of_the_program_is_its_message() {
    assert_eq!(
        fails(r#"error("pass a size")"#, Value::Null),
        JqError::Raised("pass a size".into())
    );
    assert_eq!(fails(r#"need("size")"#, Value::Null), JqError::Missing(vec!["size".into()]));
    assert!(matches!(fails("1 + {}", Value::Null), JqError::Raised(_)));
}

#[test]
fn the_prelude_does_what_it_says() {
    assert_eq!(yields("csv", json!(" a, b,,c ")), json!(["a", "b", "c"]));
    assert_eq!(yields("csv", json!(["a", "", null, 1])), json!(["a", 1]));
    assert_eq!(yields("csv", Value::Null), Value::Null);
    assert_eq!(
        yields("given", json!({"a": null, "b": "", "c": [], "d": 0})),
        json!({"c": [], "d": 0})
    );
    assert_eq!(
        yields("drop_nulls", json!({"a": null, "b": {"c": null}, "d": [null]})),
        json!({"b": {}, "d": [null]})
    );
    assert_eq!(
        yields("[.[] | blank]", json!([null, " ", "a", 0])),
        json!([true, true, false, false])
    );
    assert_eq!(yields("[.[] | flag]", json!(["true", "false", "x"])), json!([true, false, "x"]));
    assert_eq!(yields("to_yaml", json!({"a": [1, "yes"]})), json!("a:\n  - 1\n  - \"yes\"\n"));
    assert_eq!(yields("from_yaml", json!("a: [1, yes]")), json!({"a": [1, "yes"]}));
    assert_eq!(yields("from_yaml", json!("{\n\t\"a\": 1}")), json!({"a": 1}));
    assert_eq!(yields("text", json!({"a": 1})), json!("a: 1\n"));
    assert_eq!(yields("@base64 | ., @base64d", json!("hi")), json!("aGk="));
    assert_eq!(yields("@base64d", json!("aGk=")), json!("hi"));
    assert_eq!(yields("@uri", json!("a/b c")), json!("a%2Fb%20c"));
}

#[test]
fn times_in_every_usual_form_become_milliseconds() {
    let times = json!([
        "2024-01-01T00:00:00Z",
        "2024-01-01",
        1704067200,
        1704067200000_i64,
        "1704067200000",
        "2024-01-01T02:00:00+02:00",
        null
    ]);
    let ms = json!(1704067200000_i64);
    assert_eq!(yields("map(epoch_ms)", times), json!([ms, ms, ms, ms, ms, ms, null]));
    assert!(fails("epoch_ms", json!("soon")).to_string().contains("2026-01-31T12:00:00Z"));
    assert_eq!(yields("iso", json!(1704067200000_i64)), json!("2024-01-01T00:00:00Z"));
}
