//! Removes terminal colours and cursor movements from log text.

use std::iter::Peekable;
use std::str::Chars;

/// The text without escape sequences (ECMA-48 section 5.4) and control characters; tabs and line
/// ends stay, and a carriage return inside a line becomes a space.
pub(super) fn strip(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => skip_sequence(&mut chars),
            '\t' | '\n' => plain.push(char),
            '\r' if chars.peek().is_some_and(|next| *next != '\n') => plain.push(' '),
            char if char.is_control() => {}
            char => plain.push(char),
        }
    }
    plain
}

/// Skips what follows an ESC.
fn skip_sequence(chars: &mut Peekable<Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            while chars.next_if(|char| matches!(char, ' '..='?')).is_some() {}
            chars.next_if(|char| matches!(char, '@'..='~'));
        }
        // An operating system command ends with BEL, or with ESC and a backslash.
        Some(']') => {
            while chars.next_if(|char| !matches!(char, '\u{7}' | '\u{1b}')).is_some() {}
            if chars.next() == Some('\u{1b}') {
                chars.next_if_eq(&'\\');
            }
        }
        Some('(' | ')' | '#') => {
            chars.next();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_links_and_control_characters_go() {
        assert_eq!(strip("\u{1b}[1;31mred\u{1b}[0m plain"), "red plain");
        assert_eq!(strip("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!"), "link!");
        assert_eq!(strip("50%\r100%\r\n\u{0}\u{8}a\tb\u{1b}(B"), "50% 100%\na\tb");
        assert_eq!(strip("cut \u{1b}["), "cut ");
        assert_eq!(strip("🙂 שלום"), "🙂 שלום");
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_steers_a_terminal_is_left(text: String) {
            let steers = strip(&text).contains(['\u{1b}', '\r', '\u{7}']);
            proptest::prop_assert!(!steers);
        }
    }
}
