//! Names and sentences that try to be something else stay text in every rendering.

use checkrein_ledger::{Answer, Event, Outcome, Script, Start, Told};
use checkrein_report::{Document, Format};
use proptest::prelude::*;
use serde_json::json;

use crate::samples;

/// A run in which everything that comes from outside is this text.
fn run(text: &str) -> Document {
    let start = Start { scenario: Some(text.to_owned()), ..Start::default() };
    let mut document = samples::report(
        Script::new(start)
            .session(0, text)
            .write(text, &json!({"a": 1}))
            .ghosted(1)
            .wait_ms(900)
            .write(text, &json!({"a": 1}))
            .answered(2)
            .write("other", &json!({}))
            .concluded(3, Outcome::Unknown, Answer::IsError)
            .told(3, Told::Upstream)
            .event(Event::UpstreamGone { code: None }),
    );
    document.checkrein = text.to_owned();
    document.run.damage = Some(text.to_owned());
    document.reasons[0].detail = text.to_owned();
    document.repeats[0].evidence[0].detail = text.to_owned();
    document.happenings[0].what = text.to_owned();
    document.advice[0].detail = text.to_owned();
    document.advice[0].patches[0].text = text.to_owned();
    document
}

/// Letters that mean something somewhere, and some that mean nothing.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "<",
            ">",
            "&",
            "\"",
            "'",
            "`",
            "``",
            "|",
            "\\",
            "\n",
            "\r",
            "\t",
            "*",
            "_",
            "[",
            "](",
            "#",
            "-",
            "- ",
            "1. ",
            "> ",
            "    ",
            "---",
            "===",
            "~~~",
            "<script>",
            "</style>",
            "</td>",
            "<!--",
            "-->",
            "]]>",
            "<![CDATA[",
            "&lt;",
            "\u{0}",
            "\u{1b}[31m",
            "\u{202e}",
            "\u{fffe}",
            "\u{85}",
            "\u{2028}",
            "$",
            "http://a.b",
            "$$",
            "!",
            "[^1]",
            "|---|",
        ])
        .prop_map(str::to_owned),
        "[a-z0-9 ]{1,4}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

/// The page's tags, which no text may add to or take from; `code` marks names inside sentences.
fn tags(page: &str) -> Vec<&str> {
    let tags = page.split('<').skip(1).filter_map(|rest| rest.split('>').next());
    tags.filter(|tag| !matches!(*tag, "code" | "/code")).collect()
}

/// The page's blocks; marks inside a line are only text and code.
fn blocks(text: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let mut blocks = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(_) | Event::Code(_) | Event::SoftBreak => {}
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => {}
            event => blocks.push(format!("{event:?}")),
        }
    }
    blocks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_page_keeps_its_tags(text in hostile()) {
        let page = Format::Html.render(&run(&text));
        let plain = Format::Html.render(&run("x"));
        prop_assert_eq!(tags(&page), tags(&plain));
    }

    #[test]
    fn results_stay_xml_of_one_shape(text in hostile()) {
        let (xml, plain) = (Format::Junit.render(&run(&text)), Format::Junit.render(&run("x")));
        let tree = roxmltree::Document::parse(&xml);
        prop_assert!(tree.is_ok(), "{:?}", tree.err());
        let shape = |xml: &str| {
            let tree = roxmltree::Document::parse(xml).unwrap();
            let names = tree.descendants().filter(|it| it.is_element());
            names.map(|it| it.tag_name().name().to_owned()).collect::<Vec<_>>()
        };
        prop_assert_eq!(shape(&xml), shape(&plain));
    }

    #[test]
    fn markdown_keeps_its_blocks(text in hostile()) {
        let page = Format::Markdown.render(&run(&text));
        prop_assert_eq!(blocks(&page), blocks(&Format::Markdown.render(&run("x"))), "{}", page);
    }

    #[test]
    fn a_terminal_gets_no_command(text in hostile()) {
        let page = Format::Text.render(&run(&text));
        prop_assert!(page.chars().all(|letter| letter == '\n' || !letter.is_control()));
        prop_assert_eq!(page.lines().count(), Format::Text.render(&run("x")).lines().count());
    }

    #[test]
    fn a_document_comes_back_from_json(text in hostile()) {
        let document = run(&text);
        let json = document.to_json();
        prop_assert_eq!(&serde_json::from_str::<Document>(&json).unwrap(), &document);
    }
}

#[test]
fn a_mark_behind_a_control_character_begins_no_list() {
    let plain = blocks(&Format::Markdown.render(&run("x")));
    for text in ["\0-", "\0+", "\u{1}1.", " - x", "\u{feff}-", "\u{200b}-", "\u{ad}- x", "\t#"] {
        let page = Format::Markdown.render(&run(text));
        assert_eq!(blocks(&page), plain, "{text:?}: {page}");
    }
}
