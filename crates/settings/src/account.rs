//! The account a key belongs to.

/// The account named in a key of the form `pat.<account>.<id>.<secret>` or `sat.…`.
pub(crate) fn of_key(key: &str) -> Option<&str> {
    let mut parts = key.split('.');
    let kind = parts.next()?;
    let account = parts.next()?;
    parts.next()?;
    let is_account_key = kind.eq_ignore_ascii_case("pat") || kind.eq_ignore_ascii_case("sat");
    (is_account_key && !account.is_empty()).then_some(account)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_with_three_parts_name_an_account() {
        assert_eq!(of_key("pat.acct.id.secret"), Some("acct"));
        assert_eq!(of_key("SAT.acct.id"), Some("acct"));
        for key in ["abc", "pat.acct", "pat..id.secret", "xyz.acct.id.secret"] {
            assert_eq!(of_key(key), None, "{key}");
        }
    }
}
