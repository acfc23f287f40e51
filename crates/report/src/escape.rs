//! Text from tools and clients, made harmless for each kind of page.
//!
//! Sentences mark names by backticks. A name may hold anything, backticks too; each rendering takes
//! a sentence apart at the backticks and escapes every part, so that no part can end early.

/// One part of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Plain words.
    Words(&'a str),
    /// A name, as it is.
    Name(&'a str),
}

/// Takes a sentence apart; one with an odd backtick is all words.
pub(crate) fn parts(sentence: &str) -> Vec<Part<'_>> {
    let pieces: Vec<_> = sentence.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return vec![Part::Words(sentence)];
    }
    let part = |(at, piece)| match at % 2 {
        0 => Part::Words(piece),
        _ => Part::Name(piece),
    };
    pieces.into_iter().enumerate().map(part).collect()
}

/// For a terminal: control characters cannot move the cursor or change colours.
pub(crate) fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_control() || is_direction(letter) => {
                out.extend(letter.escape_default());
            }
            letter => out.push(letter),
        }
    }
    out
}

/// Marks that make text run the other way and so look like other text (Unicode TR 9).
fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// For HTML and XML, in text and in quoted attributes. What XML 1.0 section 2.2 forbids is shown as
/// the replacement character.
pub(crate) fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            letter
                if letter.is_control()
                    || is_direction(letter)
                    || matches!(letter, '\u{fffe}' | '\u{ffff}') =>
            {
                out.push('\u{fffd}');
            }
            letter => out.push(letter),
        }
    }
    out
}

/// A sentence for Markdown, in a paragraph, a list or a table's cell.
pub(crate) fn markdown(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let one_line = sentence.replace(char::is_control, " ");
    for part in parts(guard_start(one_line.trim(), &mut out)) {
        match part {
            Part::Words(words) => escape_words(words, &mut out),
            Part::Name("") => out.push_str("\\`\\`"),
            Part::Name(name) => write_code(name, &mut out),
        }
    }
    if out.trim().is_empty() { "\u{a0}".to_owned() } else { out }
}

/// What would begin a list, a rule or a heading is escaped; gives the rest.
fn guard_start<'a>(sentence: &'a str, out: &mut String) -> &'a str {
    let after = sentence.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = sentence.len() - after.len();
    let mut letters = after.chars();
    let is_mark = match letters.next() {
        Some('-' | '+') => digits == 0,
        Some('.' | ')') => digits > 0 && letters.next().is_none_or(char::is_whitespace),
        _ => false,
    };
    if !is_mark {
        return sentence;
    }
    out.push_str(sentence.get(..digits).unwrap_or_default());
    out.push('\\');
    out.push_str(after.get(..1).unwrap_or_default());
    after.get(1..).unwrap_or_default()
}

fn escape_words(words: &str, out: &mut String) {
    for letter in words.chars() {
        match letter {
            letter if is_direction(letter) => out.push('\u{fffd}'),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&'
            | '!' | '@' | '$' | '^' | '=' => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
}

/// A code span; it holds no backtick, because sentences were split at those. In a table a bar ends
/// the cell even inside code, unless it is escaped (GFM, tables).
fn write_code(name: &str, out: &mut String) {
    if out.ends_with('`') {
        // Two backticks in a row are another mark.
        out.push(' ');
    }
    out.push('`');
    for letter in name.chars() {
        match letter {
            letter if letter.is_whitespace() => out.push('\u{a0}'),
            letter if is_direction(letter) => out.push('\u{fffd}'),
            '|' => out.push_str("\\|"),
            letter => out.push(letter),
        }
    }
    out.push('`');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_comes_apart_at_its_names() {
        let found = parts("`a` and `b`");
        let expected = [
            Part::Words(""),
            Part::Name("a"),
            Part::Words(" and "),
            Part::Name("b"),
            Part::Words(""),
        ];
        assert_eq!(found, expected);
        assert_eq!(parts("an odd ` one"), [Part::Words("an odd ` one")]);
    }

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        assert_eq!(terminal("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb\\nc");
        assert_eq!(terminal("Grüße"), "Grüße");
    }

    #[test]
    fn markup_and_bars_are_only_text() {
        assert_eq!(markup("<a href='\"'>&\u{0}"), "&lt;a href=&#39;&quot;&#39;&gt;&amp;\u{fffd}");
        assert_eq!(markdown("`a|b` | <i> *c*"), "`a\\|b` \\| \\<i\\> \\*c\\*");
    }
}
