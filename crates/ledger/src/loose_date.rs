//! Days written in the forms people and models use, brought to one.
//!
//! Only forms that say without doubt which number is the day are read: `03/11/2026` is left alone,
//! because half the world reads it as another day.

const MONTHS: [(&str, u8); 12] = [
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("apr", 4),
    ("may", 5),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sep", 9),
    ("oct", 10),
    ("nov", 11),
    ("dec", 12),
];

/// German names that do not begin like the English ones.
const GERMAN: [(&str, u8); 4] = [("mär", 3), ("mai", 5), ("okt", 10), ("dez", 12)];

/// `d:2026-11-03` for a day in a form that is read, else `None`. Expects lower-case text.
pub(crate) fn day(text: &str) -> Option<String> {
    let (year, month, day) = iso(text).or_else(|| dotted(text)).or_else(|| named(text))?;
    let plausible = (1000..=9999).contains(&year) && (1..=12).contains(&month);
    (plausible && (1..=31).contains(&day)).then(|| format!("d:{year:04}-{month:02}-{day:02}"))
}

fn iso(text: &str) -> Option<(u16, u8, u8)> {
    let mut parts = text.split(['-', '/']);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    Some((number(year)?, small(month)?, small(day)?))
}

fn dotted(text: &str) -> Option<(u16, u8, u8)> {
    let mut parts = text.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    Some((number(year)?, small(month)?, small(day)?))
}

fn named(text: &str) -> Option<(u16, u8, u8)> {
    let words: Vec<_> =
        text.split([' ', ',', '.']).filter(|word| !word.is_empty() && *word != "of").collect();
    let [first, second, year] = words[..] else { return None };
    if year.len() != 4 {
        return None;
    }
    let year = number(year)?;
    match (month_name(first), month_name(second)) {
        (Some(month), None) => Some((year, month, ordinal(second)?)),
        (None, Some(month)) => Some((year, month, ordinal(first)?)),
        _ => None,
    }
}

fn month_name(word: &str) -> Option<u8> {
    if !word.chars().all(char::is_alphabetic) {
        return None;
    }
    MONTHS.iter().chain(&GERMAN).find(|(start, _)| word.starts_with(start)).map(|(_, month)| *month)
}

fn ordinal(word: &str) -> Option<u8> {
    small(word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()))
}

fn small(text: &str) -> Option<u8> {
    (text.len() <= 2).then(|| number(text)).flatten()
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn one_day_in_many_forms() {
        for text in [
            "2026-11-03",
            "2026/11/3",
            "03.11.2026",
            "3.11.2026",
            "3 november 2026",
            "november 3, 2026",
            "nov 3rd 2026",
            "3rd of november 2026",
            "3. november 2026",
        ] {
            assert_eq!(day(text).as_deref(), Some("d:2026-11-03"), "{text}");
        }
    }

    #[test]
    fn a_doubtful_form_is_left_alone() {
        for text in ["03/11/2026", "2026-13-01", "11-03", "november 2026", "3 x 2026", "", "1.2.3"]
        {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
