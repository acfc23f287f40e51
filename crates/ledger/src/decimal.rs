//! JSON numbers by value, with every digit, whatever their size.

/// A decimal number without trailing zeros: `digits × 10^exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Exponents beyond this are not arithmetic any more; such a number is compared as written.
const EXPONENT_LIMIT: i64 = 1_000_000;

impl Decimal {
    /// Reads a JSON number (RFC 8259 section 6) or a text that looks like one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, power) = match rest.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power.parse::<i64>().ok()?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        if !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let exponent = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        if exponent.abs() > EXPONENT_LIMIT {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let leading = all.trim_start_matches('0');
        let digits = leading.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: "0".to_owned(), exponent: 0 });
        }
        let dropped = i64::try_from(leading.len() - digits.len()).ok()?;
        Some(Self { negative, digits: digits.to_owned(), exponent: exponent + dropped })
    }

    /// One text for one value.
    pub(crate) fn write(&self, out: &mut String) {
        if self.negative {
            out.push('-');
        }
        out.push_str(&self.digits);
        out.push('e');
        out.push_str(&self.exponent.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn one_value_has_one_form() {
        for spellings in [
            &["250", "250.0", "2.5e2", "25E1", "+250", "0250"][..],
            &["0", "-0", "0.000", "0e9"],
            &["1e400", "10e399"],
            &["123456789012345678901234567890", "123456789012345678901234567890.0"],
        ] {
            let forms: Vec<_> = spellings.iter().map(|text| Decimal::parse(text)).collect();
            assert!(forms.iter().all(|form| form.is_some() && *form == forms[0]), "{spellings:?}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", ".", "1a", "nan", "inf", "1e", "1 2", "1e99999999999"] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
    }
}
