//! Whole renderings, as people and machines get them.

use checkrein_report::Format;

use crate::samples;

#[test]
fn a_page_of_text_for_each_run() {
    for (name, document) in samples::all() {
        insta::assert_snapshot!(format!("{name}.txt"), Format::Text.render(&document));
    }
}

#[test]
fn the_other_forms_of_a_careless_run() {
    let document = samples::report(samples::careless());
    for format in [Format::Markdown, Format::Html, Format::Junit] {
        let name = format!("careless.{}", format.name());
        insta::assert_snapshot!(name, format.render(&document));
    }
}

#[test]
fn the_document_itself() {
    insta::assert_snapshot!("careless.json", samples::report(samples::careless()).to_json());
}

#[test]
fn no_rendering_needs_anything_but_itself() {
    for (name, document) in samples::all() {
        let page = Format::Html.render(&document);
        for part in ["http:", "https:", "//", "<script", "<link", "<img", "@import", "url("] {
            assert!(!page.contains(part), "{name}: {part}");
        }
    }
}

#[test]
fn results_for_ci_are_xml_that_counts_right() {
    for (name, document) in samples::all() {
        let xml = Format::Junit.render(&document);
        let tree = roxmltree::Document::parse(&xml).unwrap_or_else(|it| panic!("{name}: {it}"));
        let suite = tree.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
        for (attribute, tag) in
            [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")]
        {
            let count = suite.descendants().filter(|node| node.has_tag_name(tag)).count();
            assert_eq!(suite.attribute(attribute), Some(count.to_string().as_str()), "{name}");
        }
    }
}
