//! What an execution or one of its nodes can be, and which change may follow which.

use serde::{Deserialize, Serialize};

macro_rules! statuses {
    ($($name:ident $engine:literal,)*) => {
        /// A status in the spelling of the API; [`Status::engine`] gives the engine's own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub(crate) enum Status { $(
            #[doc = concat!("`", $engine, "` in the engine's spelling.")]
            $name,
        )* }

        impl Status {
            /// Every status, in the order of the API reference.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The spelling lists and reads show.
            pub(crate) fn shown(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// The spelling that run and interrupt answers show.
            pub(crate) fn engine(self) -> &'static str {
                match self { $(Self::$name => $engine,)* }
            }
        }
    };
}

statuses! {
    NotStarted "NOT_STARTED",
    Queued "QUEUED",
    QueuedLicenseLimitReached "QUEUED_LICENSE_LIMIT_REACHED",
    QueuedExecutionConcurrencyReached "QUEUED_EXECUTION_CONCURRENCY_REACHED",
    Running "RUNNING",
    AsyncWaiting "ASYNC_WAITING",
    TaskWaiting "TASK_WAITING",
    TimedWaiting "TIMED_WAITING",
    WaitStepRunning "WAIT_STEP_RUNNING",
    UploadWaiting "UPLOAD_WAITING",
    InputWaiting "INPUT_WAITING",
    ResourceWaiting "RESOURCE_WAITING",
    ApprovalWaiting "APPROVAL_WAITING",
    InterventionWaiting "INTERVENTION_WAITING",
    Pausing "PAUSING",
    Paused "PAUSED",
    Discontinuing "DISCONTINUING",
    Success "SUCCEEDED",
    Failed "FAILED",
    Errored "ERRORED",
    IgnoreFailed "IGNORE_FAILED",
    Expired "EXPIRED",
    Aborted "ABORTED",
    AbortedByFreeze "FREEZE_FAILED",
    ApprovalRejected "APPROVAL_REJECTED",
    Suspended "SUSPENDED",
    Skipped "SKIPPED",
}

use Status::*;

/// Older spellings that filters may still use.
const ALIASES: [(&str, Status); 1] = [("Waiting", TaskWaiting)];

impl Status {
    /// Reads either spelling in any case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let named = |s: &&Self| {
            s.shown().eq_ignore_ascii_case(text) || s.engine().eq_ignore_ascii_case(text)
        };
        let alias = || ALIASES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        Self::ALL.iter().find(named).copied().or_else(|| alias().map(|(_, status)| *status))
    }

    /// Nothing changes any more.
    pub(crate) fn is_final(self) -> bool {
        self.is_positive() || self.is_broken() || matches!(self, Aborted | AbortedByFreeze)
    }

    /// Ended well enough to go on.
    pub(crate) fn is_positive(self) -> bool {
        matches!(self, Success | Skipped | Suspended | IgnoreFailed)
    }

    /// Ended badly by itself.
    pub(crate) fn is_broken(self) -> bool {
        matches!(self, Failed | Errored | Expired | ApprovalRejected)
    }

    /// Ended, and what follows must not run as if it had gone well.
    pub(crate) fn stops(self) -> bool {
        self.is_final() && !self.is_positive()
    }

    /// Begun and not ended.
    pub(crate) fn is_active(self) -> bool {
        self != NotStarted && !self.is_final()
    }

    /// A run that ended like this may be retried.
    pub(crate) fn is_retryable(self) -> bool {
        self.is_broken() || matches!(self, Aborted | InterventionWaiting)
    }

    fn is_waiting(self) -> bool {
        matches!(
            self,
            AsyncWaiting
                | TaskWaiting
                | TimedWaiting
                | WaitStepRunning
                | UploadWaiting
                | InputWaiting
                | ResourceWaiting
                | ApprovalWaiting
                | InterventionWaiting
        )
    }

    fn is_queued(self) -> bool {
        matches!(self, Queued | QueuedLicenseLimitReached | QueuedExecutionConcurrencyReached)
    }

    /// True when the status table lets `self` become `to` in one step.
    pub(crate) fn may_become(self, to: Self) -> bool {
        // What has not begun may begin in any way; what is final stays.
        if self == NotStarted {
            return to != NotStarted;
        }
        if self.is_final() {
            return false;
        }
        match to {
            NotStarted => false,
            Running => self.is_queued() || self.is_waiting() || matches!(self, Paused | Pausing),
            InterventionWaiting => self.is_queued() || matches!(self, Running | Pausing | Paused),
            Pausing | Skipped => self.is_queued() || self == Running,
            to if to.is_waiting() => self.is_queued() || self == Running,
            Paused => self.is_queued() || matches!(self, Running | Pausing),
            to if to.is_queued() => matches!(self, Paused | Pausing),
            Success => self.is_queued() || matches!(self, InterventionWaiting | Running | Pausing),
            IgnoreFailed => matches!(self, InterventionWaiting | Running),
            _ => true,
        }
    }
}

/// The status of something whose children have all ended or will never begin; `None` without children.
pub(crate) fn of_ended(children: impl Iterator<Item = Status> + Clone) -> Status {
    let begun = children.filter(|status| *status != NotStarted);
    let has = |wanted: Status| begun.clone().any(|status| status == wanted);
    const WORST_FIRST: [Status; 6] =
        [Aborted, Errored, Failed, ApprovalRejected, Expired, AbortedByFreeze];
    if let Some(worst) = WORST_FIRST.into_iter().find(|status| has(*status)) {
        return worst;
    }
    if has(IgnoreFailed) { IgnoreFailed } else { Success }
}

/// The status of something with at least one active child, from those children.
pub(crate) fn of_active(children: impl Iterator<Item = Status> + Clone) -> Status {
    const FIRST: [Status; 4] = [InterventionWaiting, ApprovalWaiting, ResourceWaiting, Queued];
    let active = children.filter(|status| status.is_active());
    let has = |wanted: Status| active.clone().any(|status| status == wanted);
    if let Some(first) = FIRST.into_iter().find(|status| has(*status)) {
        return first;
    }
    let all = |wanted: Status| active.clone().all(|status| status == wanted);
    if active.clone().next().is_some() && all(Paused) {
        return Paused;
    }
    Running
}

#[cfg(test)]
mod tests {
    use super::{Status, of_ended};

    #[test]
    fn a_status_is_read_in_either_spelling_and_any_case() {
        assert_eq!(Status::parse("approvalwaiting"), Some(Status::ApprovalWaiting));
        assert_eq!(Status::parse("SUCCEEDED"), Some(Status::Success));
        assert_eq!(Status::parse("freeze_failed"), Some(Status::AbortedByFreeze));
        assert_eq!(Status::parse("sucess"), None);
    }

    #[test]
    fn what_is_final_becomes_nothing_else() {
        for from in Status::ALL.iter().filter(|status| status.is_final()) {
            assert!(Status::ALL.iter().all(|to| !from.may_become(*to)), "{from:?}");
        }
    }

    #[test]
    fn the_worst_child_names_the_parent_and_ignored_failures_show() {
        let of = |all: &[Status]| of_ended(all.iter().copied());
        assert_eq!(of(&[Status::Success, Status::Failed, Status::Aborted]), Status::Aborted);
        assert_eq!(of(&[Status::Success, Status::IgnoreFailed]), Status::IgnoreFailed);
        assert_eq!(of(&[Status::Skipped, Status::NotStarted]), Status::Success);
        assert_eq!(of(&[Status::Expired, Status::ApprovalRejected]), Status::ApprovalRejected);
    }
}
