//! The words in the names of tools and fields.

/// A name's words in lower case: `createBooking`, `create_booking` and `create-booking` are alike.
pub(super) fn of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut starts_new = true;
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            starts_new = true;
            continue;
        }
        if starts_new || (was_lower && letter.is_uppercase()) {
            words.push(String::new());
        }
        starts_new = false;
        was_lower = letter.is_lowercase() || letter.is_numeric();
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// A name without case and separators.
pub(super) fn bare(name: &str) -> String {
    of(name).concat()
}

/// The word all names begin with: the server's own name, which says nothing of a tool.
pub(super) fn shared_prefix<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = names.map(of).collect();
    let first = names.first()?.first()?.clone();
    let is_shared = names.len() > 1
        && names.iter().all(|words| words.len() > 1 && words.first() == Some(&first));
    is_shared.then_some(first)
}

/// What a tool does, and to what.
pub(super) fn verb_and_nouns(name: &str, prefix: Option<&str>) -> (String, Vec<String>) {
    let mut words = of(name).into_iter().skip(usize::from(prefix.is_some()));
    let verb = words.next().unwrap_or_default();
    (verb, words.map(|word| singular(&word)).collect())
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && stem.len() > 1 => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether a field of this name holds what only the upstream can make up.
pub(super) fn is_identifier(field: &str) -> bool {
    const LAST: [&str; 14] = [
        "id",
        "ids",
        "uuid",
        "guid",
        "identifier",
        "handle",
        "token",
        "ref",
        "reference",
        "number",
        "key",
        "sha",
        "hash",
        "code",
    ];
    of(field).last().is_some_and(|word| LAST.contains(&word.as_str()))
}

/// Whether a field is about the answer's size, order or form and not about records.
pub(super) fn is_paging(field: &str) -> bool {
    const WORDS: [&str; 18] = [
        "page",
        "size",
        "pagesize",
        "perpage",
        "limit",
        "offset",
        "cursor",
        "sort",
        "sortby",
        "order",
        "orderby",
        "maxresults",
        "maxcount",
        "count",
        "fields",
        "format",
        "compact",
        "verbose",
    ];
    WORDS.contains(&bare(field).as_str())
}

/// Whether a field takes words to look for.
pub(super) fn is_free_text(field: &str) -> bool {
    const WORDS: [&str; 12] = [
        "query",
        "q",
        "search",
        "searchterm",
        "searchquery",
        "text",
        "keyword",
        "keywords",
        "filter",
        "filters",
        "pattern",
        "where",
    ];
    WORDS.contains(&bare(field).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_every_spelling() {
        for name in ["create_booking_note", "createBookingNote", "create-booking.note"] {
            assert_eq!(of(name), ["create", "booking", "note"], "{name}");
        }
        assert_eq!(bare("Idempotency-Key"), "idempotencykey");
        assert_eq!(of(""), Vec::<String>::new());
    }

    #[test]
    fn plurals_are_the_same_thing() {
        for (word, single) in [
            ("bookings", "booking"),
            ("entities", "entity"),
            ("boxes", "box"),
            ("status", "statu"),
            ("address", "address"),
            ("branches", "branch"),
            ("s", "s"),
        ] {
            assert_eq!(singular(word), single);
        }
    }

    #[test]
    fn a_servers_own_name_is_no_verb() {
        let prefix = shared_prefix(["git_add", "git_commit"].into_iter());
        assert_eq!(prefix.as_deref(), Some("git"));
        assert_eq!(verb_and_nouns("git_create_branch", prefix.as_deref()).0, "create");
        assert_eq!(shared_prefix(["create", "create_x"].into_iter()), None);
        assert_eq!(shared_prefix(["create_x"].into_iter()), None);
    }

    #[test]
    fn only_what_the_upstream_makes_up_is_an_identifier() {
        assert!(is_identifier("booking_id") && is_identifier("orderNumber"));
        assert!(!is_identifier("path") && !is_identifier("valid"));
    }
}
