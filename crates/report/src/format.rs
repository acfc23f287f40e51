//! The forms a report is rendered in.

use std::path::Path;

use crate::document::Document;
use crate::{html, junit, markdown, text};

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a terminal.
    Text,
    /// For a pull request or a wiki.
    Markdown,
    /// A page that needs nothing but itself.
    Html,
    /// For a CI system.
    Junit,
    /// The document itself, made anew.
    Json,
}

impl Format {
    /// Every form.
    pub const ALL: [Self; 5] = [Self::Text, Self::Markdown, Self::Html, Self::Junit, Self::Json];

    /// Its name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Junit => "junit",
            Self::Json => "json",
        }
    }

    /// The form that a file of this name is expected to have; none when its name does not say.
    pub fn of_file(path: &Path) -> Option<Self> {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "txt" | "text" => Some(Self::Text),
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "xml" => Some(Self::Junit),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The report in this form.
    pub fn render(self, document: &Document) -> String {
        match self {
            Self::Text => text::render(document),
            Self::Markdown => markdown::render(document),
            Self::Html => html::render(document),
            Self::Junit => junit::render(document),
            Self::Json => document.to_json(),
        }
    }

    /// The first words of every rendering in this form, by which it is known again. A document has
    /// none: it may be a measurement, which nothing must replace.
    pub(crate) fn opening(self) -> Option<&'static str> {
        match self {
            Self::Text => Some(text::OPENING),
            Self::Markdown => Some(markdown::OPENING),
            Self::Html => Some(html::OPENING),
            Self::Junit => Some(junit::OPENING),
            Self::Json => None,
        }
    }

    /// The form of a rendering of ours; none when a text is something else.
    pub(crate) fn of_rendering(bytes: &[u8]) -> Option<Self> {
        let begins = |format: &Self| {
            format.opening().is_some_and(|opening| bytes.starts_with(opening.as_bytes()))
        };
        Self::ALL.into_iter().find(begins)
    }
}
