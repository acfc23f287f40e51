//! Identifiers the platform makes up itself.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

/// A uuid in its long form, as correlation ids have it.
pub fn uuid() -> String {
    Uuid::new_v4().to_string()
}

/// The 22 characters of an execution, node or user id.
pub fn short() -> String {
    URL_SAFE_NO_PAD.encode(Uuid::new_v4().as_bytes())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_short_id_has_22_url_safe_characters() {
        let id = super::short();
        assert_eq!(id.len(), 22);
        assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
    }
}
