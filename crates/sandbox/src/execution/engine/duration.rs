//! Durations as pipelines write them: `30s`, `1h 30m`, `2d`.

/// The longest duration the sandbox believes: longer ones are cut to it.
pub(crate) const LONGEST_MS: i64 = 90 * 24 * 3_600_000;

/// Milliseconds of a duration text; `None` when it is not one.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let mut total = 0_i64;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest.get(..digits)?.parse().ok()?;
        rest = rest.get(digits..)?.trim_start();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        total = total.saturating_add(number.saturating_mul(unit_ms(rest.get(..letters)?)?));
        rest = rest.get(letters..)?.trim_start();
    }
    Some(total.min(LONGEST_MS))
}

fn unit_ms(unit: &str) -> Option<i64> {
    Some(match unit {
        "ms" => 1,
        "s" | "" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 7 * 86_400_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn parts_add_up() {
        assert_eq!(parse("1h 30m"), Some(5_400_000));
        assert_eq!(parse("10m"), Some(600_000));
        assert_eq!(parse("1w2d"), Some(9 * 86_400_000));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "soon", "5 parsecs", "-3s", "<+input>"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
