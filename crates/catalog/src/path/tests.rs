use proptest::prelude::*;

use super::*;

fn filled(template: &str, value: &str) -> Result<String, PathError> {
    PathTemplate::parse(template).unwrap().fill(|_| Some(value.to_owned()))
}

#[test]
fn a_value_never_leaves_its_segment() {
    assert_eq!(filled("/a/{id}/b", "../x").unwrap(), "/a/..%2Fx/b");
    assert_eq!(filled("/a/{id}/b", "%2e%2e").unwrap(), "/a/%252e%252e/b");
    assert_eq!(filled("/a/{id}", "a/b").unwrap(), "/a/a%2Fb");
    assert_eq!(filled("/a/{id}", "a?b#c d").unwrap(), "/a/a%3Fb%23c%20d");
}

#[test]
fn dots_are_refused_even_when_text_completes_them() {
    assert!(matches!(filled("/a/{id}", ".."), Err(PathError::Hostile { .. })));
    assert!(matches!(filled("/a/{id}", "."), Err(PathError::Hostile { .. })));
    assert!(matches!(filled("/a/.{id}", "."), Err(PathError::Hostile { .. })));
    assert!(matches!(filled("/a/{*id}", "b/../c"), Err(PathError::Hostile { .. })));
    assert_eq!(filled("/a/{id}", "...").unwrap(), "/a/...");
}

#[test]
fn several_segments_keep_their_slashes() {
    assert_eq!(filled("/a/{*path}", "/src/main file.rs").unwrap(), "/a/src/main%20file.rs");
    assert_eq!(filled("/a/{*path}", "").unwrap(), "/a/");
}

#[test]
fn all_missing_values_are_named_at_once() {
    let template = PathTemplate::parse("/a/{x}/{y}/{x}").unwrap();
    let error = template.fill(|_| None).unwrap_err();
    assert_eq!(error, PathError::Missing(vec!["x".into(), "y".into()]));
}

#[test]
fn a_template_cannot_name_a_host_or_hide_a_query() {
    for path in ["https://x/y", "//x/y", "x", "/a?b=c", "/a/../b", "/{a", "/a}", "/{a}{b}", "/{}"] {
        assert!(PathTemplate::parse(path).is_err(), "{path}");
    }
}

proptest! {
    #[test]
    fn encoding_never_changes_the_number_of_segments(value in "\\PC*", tail in "[a-z]{0,3}") {
        let template = PathTemplate::parse(&format!("/a/{{id}}{tail}/b")).unwrap();
        if let Ok(path) = template.fill(|_| Some(value.clone())) {
            prop_assert_eq!(path.split('/').count(), 4);
            prop_assert!(!path.contains(['?', '#', ' ']));
            prop_assert!(!path.split('/').any(|segment| segment == "." || segment == ".."));
        }
    }

    #[test]
    fn reading_a_template_never_panics(text in "[/{}*a-z.?#]{0,40}") {
        if let Ok(template) = PathTemplate::parse(&text) {
            prop_assert_eq!(template.to_string(), text);
        }
    }
}
