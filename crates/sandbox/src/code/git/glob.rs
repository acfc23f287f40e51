//! Branch patterns: `*` within a segment, `**` across segments, `?` one character.

/// True when a name matches a pattern.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // The set of places in the pattern that the name read so far can have led to.
    let mut places = closure(&pattern, vec![0]);
    for letter in name {
        let mut next = Vec::new();
        for place in places {
            match pattern.get(place) {
                Some('*') => {
                    let crosses = is_double(&pattern, place);
                    if crosses || letter != '/' {
                        next.push(place);
                    }
                }
                Some('?') if letter != '/' => next.push(place + 1),
                Some(same) if *same == letter => next.push(place + 1),
                _ => {}
            }
        }
        places = closure(&pattern, next);
    }
    places.contains(&pattern.len())
}

fn is_double(pattern: &[char], place: usize) -> bool {
    pattern.get(place + 1) == Some(&'*') || (place > 0 && pattern.get(place - 1) == Some(&'*'))
}

/// A star may stand for nothing.
fn closure(pattern: &[char], mut places: Vec<usize>) -> Vec<usize> {
    let mut next = 0;
    while let Some(&place) = places.get(next) {
        if pattern.get(place) == Some(&'*') && !places.contains(&(place + 1)) {
            places.push(place + 1);
        }
        next += 1;
    }
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stay_in_their_segment_unless_doubled() {
        for (pattern, name, expected) in [
            ("main", "main", true),
            ("main", "main2", false),
            ("release/*", "release/1.2", true),
            ("release/*", "release/1/2", false),
            ("release/**", "release/1/2", true),
            ("**", "a/b/c", true),
            ("v?.*", "v1.20", true),
            ("*-fix", "hot-fix", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
