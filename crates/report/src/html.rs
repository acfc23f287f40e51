//! A report as one page that needs nothing but itself: no script, no font, no network.

use checkrein_verdict::Verdict;

use crate::advice::{Advice, Language};
use crate::document::Document;
use crate::escape::{Part, markup, parts};
use crate::rows::{self, Mood, Row};
use crate::timeline::Moment;
use crate::wording;

/// The first lines of every one.
pub(crate) const OPENING: &str = "<!doctype html>\n<!-- checkrein report -->\n";

const STYLE: &str = include_str!("html/style.css");

pub(crate) fn render(document: &Document) -> String {
    let verdict = document.verdict;
    let mut out = format!(
        "{OPENING}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Checkrein: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        verdict.name()
    );
    header(document, &mut out);
    timeline(document, &mut out);
    for (heading, sentences) in rows::sections(document) {
        section(heading, &sentences, &mut out);
    }
    if !document.advice.is_empty() {
        out.push_str("<section>\n<h2>What would mend it</h2>\n");
        document.advice.iter().for_each(|it| advice(document, it, &mut out));
        out.push_str("</section>\n");
    }
    tools(document, &mut out);
    out.push_str(&format!(
        "</main>\n<footer>Checkrein {}, {}</footer>\n</body>\n</html>\n",
        markup(&document.checkrein),
        markup(&document.schema)
    ));
    out
}

/// A sentence, its names in `code`.
fn prose(sentence: &str) -> String {
    let part = |part| match part {
        Part::Words(words) => markup(words),
        Part::Name(name) => format!("<code>{}</code>", markup(name)),
    };
    parts(sentence).into_iter().map(part).collect()
}

fn header(document: &Document, out: &mut String) {
    let verdict = document.verdict;
    let kind = match verdict {
        Verdict::Fail => "failed",
        Verdict::NotTested => "open",
        Verdict::Pass => "done",
    };
    out.push_str(&format!(
        "<header>\n<h1><span class=\"verdict {kind}\">{}</span> {}</h1>\n",
        verdict.name(),
        prose(wording::verdict(verdict))
    ));
    if !document.reasons.is_empty() {
        out.push_str("<ul class=\"reasons\">\n");
        for reason in &document.reasons {
            let calls = rows::in_brackets(document, &reason.attempts);
            out.push_str(&format!(
                "<li><b>{}</b> {}{}</li>\n",
                reason.code.name(),
                prose(&reason.detail),
                markup(&calls)
            ));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("<dl>\n");
    for (name, fact) in rows::facts(document) {
        out.push_str(&format!("<dt>{name}</dt><dd>{}</dd>\n", prose(&fact)));
    }
    out.push_str("</dl>\n</header>\n");
}

fn timeline(document: &Document, out: &mut String) {
    out.push_str("<section>\n<h2>Timeline</h2>\n");
    if !document.is_detailed {
        out.push_str("<p>The details come when the run ends.</p>\n</section>\n");
        return;
    }
    out.push_str(
        "<table class=\"timeline\">\n<thead>\n<tr><th scope=\"col\">Time</th>\
         <th scope=\"col\">Call</th><th scope=\"col\" class=\"lane told\">What the agent was told</th>\
         <th scope=\"col\" class=\"lane happened\">What really happened</th></tr>\n</thead>\n<tbody>\n",
    );
    for (at_us, row) in rows::rows(document) {
        let time = markup(&wording::duration(at_us));
        match row {
            Row::Note(what) => out.push_str(&format!(
                "<tr class=\"note\"><td class=\"time\">{time}</td><td>{}</td>\
                 <td class=\"lane told\"></td><td class=\"lane happened\"></td></tr>\n",
                prose(what)
            )),
            Row::Call(call) => call_row(&time, call, out),
        }
    }
    out.push_str("</tbody>\n</table>\n");
    if document.left_out > 0 {
        out.push_str(&format!(
            "<p>{} more calls are in the run directory.</p>\n",
            document.left_out
        ));
    }
    out.push_str("</section>\n");
}

fn call_row(time: &str, call: &Moment, out: &mut String) {
    let (class, mark) = match call.is_contradicted {
        true => (" class=\"contradicted\"", "<em>the agent cannot know</em>"),
        false => ("", ""),
    };
    out.push_str(&format!(
        "<tr{class}><td class=\"time\">{time}</td><td><b>{}</b> {}</td>\
         <td class=\"lane told\"><span class=\"{}\">{}</span></td>\
         <td class=\"lane happened\"><span class=\"{}\">{}</span>{mark}</td></tr>\n",
        call.call,
        prose(&rows::name_of(call)),
        mood(rows::mood_of_telling(&call.told)),
        prose(&wording::told(&call.told)),
        mood(rows::mood_of_event(call.happened.event)),
        prose(&wording::happened(&call.happened)),
    ));
}

fn mood(mood: Mood) -> &'static str {
    match mood {
        Mood::Done => "done",
        Mood::Failed => "failed",
        Mood::Open => "open",
    }
}

fn section(heading: &str, sentences: &[String], out: &mut String) {
    if sentences.is_empty() {
        return;
    }
    out.push_str(&format!("<section>\n<h2>{heading}</h2>\n<ul>\n"));
    for sentence in sentences {
        out.push_str(&format!("<li>{}</li>\n", prose(sentence)));
    }
    out.push_str("</ul>\n</section>\n");
}

fn advice(document: &Document, advice: &Advice, out: &mut String) {
    let calls = rows::calls(document, &advice.attempts);
    out.push_str(&format!(
        "<article>\n<h3>{}</h3>\n<p>{} <small>{}</small></p>\n",
        markup(wording::layer(advice.layer)),
        prose(&advice.detail),
        markup(&calls)
    ));
    for patch in &advice.patches {
        let code = match patch.language {
            Language::En => "en",
            Language::De => "de",
        };
        out.push_str(&format!(
            "<figure>\n<figcaption>{}</figcaption>\n<blockquote lang=\"{code}\">{}</blockquote>\n\
             </figure>\n",
            wording::language(patch.language),
            prose(&patch.text)
        ));
    }
    out.push_str("</article>\n");
}

fn tools(document: &Document, out: &mut String) {
    if document.tools.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>The upstream's tools</h2>\n<ul>\n");
    for tool in &document.tools {
        out.push_str(&format!(
            "<li><code>{}</code> {}: {}</li>\n",
            markup(&tool.name),
            wording::class(tool.class),
            prose(&tool.reason)
        ));
    }
    out.push_str("</ul>\n</section>\n");
}
