//! The two tools by which an agent can look at the report.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Action, Engine};
use crate::frame::Body;
use crate::pending::Connection;

/// Which audit tool was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audit {
    /// The whole report.
    Report,
    /// The score alone.
    Score,
}

/// The names of the audit tools.
pub const AUDIT_TOOLS: [(&str, Audit); 2] =
    [("checkrein__get_report", Audit::Report), ("checkrein__get_score", Audit::Score)];

impl Engine {
    /// Has an audit call answered; `false` when it is none.
    pub(super) fn audit(
        &mut self,
        connection: Connection,
        id: Option<&str>,
        name: &str,
        is_modern: bool,
    ) -> bool {
        let known = AUDIT_TOOLS.iter().find(|(tool, _)| *tool == name);
        match (known, id) {
            (Some((_, audit)), Some(id)) if self.config.audit_tools => {
                let (id, audit) = (id.to_owned(), *audit);
                self.act(Action::Audit { connection, id, audit, is_modern });
                true
            }
            _ => false,
        }
    }
}

/// The upstream's list with our two tools put in front, byte for byte otherwise.
pub(super) fn with_audit_tools(bytes: &[u8], body: Body<'_>) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Tools<'a> {
        #[serde(borrow)]
        tools: &'a RawValue,
    }
    let Body::Result(result) = body else { return None };
    let tools: Tools<'_> = serde_json::from_str(result).ok()?;
    let array = tools.tools.get();
    let inner = array.strip_prefix('[')?;
    let at = array.as_ptr().addr().checked_sub(bytes.as_ptr().addr())? + 1;
    let is_empty = inner.trim_start().starts_with(']');
    let ours = AUDIT_TOOLS.map(|(name, audit)| {
        let about = match audit {
            Audit::Report => "The report of this run as it stands.",
            Audit::Score => "The verdict and score of this run as it stands.",
        };
        format!(
            r#"{{"name":"{name}","description":"{about}","inputSchema":{{"type":"object"}},"annotations":{{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}}}"#
        )
    });
    let separator = if is_empty { "" } else { "," };
    let (before, after) = (bytes.get(..at)?, bytes.get(at..)?);
    Some([before, ours.join(",").as_bytes(), separator.as_bytes(), after].concat())
}
