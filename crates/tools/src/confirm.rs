//! The one place that decides whether a write may go ahead.
//!
//! [`decide`] is the table; [`Gate::pass`] asks the person behind the caller where the table says
//! so. Nothing else in this crate reads the auto-approve setting or the read-only switch.

use checkrein_catalog::model::Risk;
use checkrein_mcp::{Confirmer, Reply};

use crate::failure::Failure;

/// Up to which risk nobody has to be asked (`HARNESS_AUTO_APPROVE_RISK`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AutoApprove {
    /// Nothing is approved in advance.
    #[default]
    None,
    /// Everything up to and with this risk.
    UpTo(Risk),
    /// Everything.
    All,
}

impl AutoApprove {
    fn covers(self, risk: Risk) -> bool {
        match self {
            Self::None => false,
            Self::UpTo(most) => risk <= most,
            Self::All => true,
        }
    }
}

/// What the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    GoAhead,
    Ask,
    NeedsConfirm,
}

/// The whole table: what is approved in advance or easily undone goes ahead, then the person
/// decides when there is one to ask, and otherwise only the caller's own `confirm`.
fn decide(risk: Risk, approved: AutoApprove, can_ask: bool, confirmed: bool) -> Decision {
    if approved.covers(risk) || risk < Risk::MediumWrite {
        Decision::GoAhead
    } else if can_ask {
        Decision::Ask
    } else if confirmed {
        Decision::GoAhead
    } else {
        Decision::NeedsConfirm
    }
}

/// What is about to happen, for the question and for every refusal.
#[derive(Debug, Clone)]
pub(crate) struct Deed<'a> {
    /// `create`, `delete` or the action.
    pub(crate) operation: &'a str,
    /// The resource type.
    pub(crate) resource: &'a str,
    /// The identifier, when one is known.
    pub(crate) id: Option<String>,
    /// Where it happens.
    pub(crate) place: String,
    /// How much harm it can do.
    pub(crate) risk: Risk,
}

impl Deed<'_> {
    fn named(&self) -> String {
        let mut named = format!("{} {}", self.operation, self.resource);
        if let Some(id) = &self.id {
            named.push_str(&format!(" \"{id}\""));
        }
        named
    }

    fn question(&self) -> String {
        format!("{}? {} Risk: {}.", self.named(), self.place, risk_name(self.risk))
    }
}

/// Decides about writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) read_only: bool,
    pub(crate) auto_approve: AutoApprove,
}

impl Gate {
    /// Refuses everything but reading on a read-only server.
    pub(crate) fn check_read_only(&self, deed: &Deed<'_>) -> Result<(), Failure> {
        if !self.read_only || deed.risk == Risk::Read {
            return Ok(());
        }
        Err(Failure::said(format!(
            "{} is blocked: this server is read-only (`HARNESS_READ_ONLY`). Nothing was sent. \
             Reading still works; whoever runs the server can start it without the setting.",
            deed.named()
        ))
        .with("_outcome", "not_applied"))
    }

    /// Lets a write pass, or says why not. `confirmed` is the caller's own `confirm`.
    pub(crate) async fn pass(
        &self,
        deed: &Deed<'_>,
        confirmed: bool,
        person: &dyn Confirmer,
    ) -> Result<(), Failure> {
        match decide(deed.risk, self.auto_approve, person.can_ask(), confirmed) {
            Decision::GoAhead => return Ok(()),
            Decision::NeedsConfirm => return Err(needs_confirm(deed)),
            Decision::Ask => {}
        }
        match person.ask(&deed.question()).await {
            Ok(Reply::Accepted(Some(true))) => Ok(()),
            Ok(Reply::Accepted(Some(false)) | Reply::Declined) => Err(refused(deed, "declined")),
            Ok(Reply::Cancelled) => Err(refused(deed, "cancelled")),
            // No usable answer came, so what the caller said before counts.
            Ok(Reply::Accepted(None)) | Err(_) if confirmed => Ok(()),
            Ok(Reply::Accepted(None)) | Err(_) => Err(needs_confirm(deed)),
        }
    }
}

fn needs_confirm(deed: &Deed<'_>) -> Failure {
    Failure::said(format!(
        "{} needs a confirmation (risk {}) and nobody could be asked. Nothing was sent. Check with \
         the user, then call again with `confirm: true`; whoever runs the server can raise \
         `HARNESS_AUTO_APPROVE_RISK`.",
        deed.named(),
        risk_name(deed.risk)
    ))
    .with("_outcome", "not_applied")
}

fn refused(deed: &Deed<'_>, how: &str) -> Failure {
    Failure::said(format!(
        "{} was {how} by the user. Nothing was sent. Do not try it again unless the user asks for \
         it.",
        deed.named()
    ))
    .with("_outcome", "not_applied")
}

/// The name settings and messages use for a risk.
pub(crate) fn risk_name(risk: Risk) -> &'static str {
    match risk {
        Risk::Read => "read",
        Risk::LowWrite => "low_write",
        Risk::MediumWrite => "medium_write",
        Risk::HighWrite => "high_write",
        Risk::Destructive => "destructive",
    }
}

#[cfg(test)]
mod tests;
