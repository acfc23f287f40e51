use checkrein_mcp::{AskError, BoxFuture};

use super::*;

const RISKS: [Risk; 5] =
    [Risk::Read, Risk::LowWrite, Risk::MediumWrite, Risk::HighWrite, Risk::Destructive];

#[test]
fn the_table_is_what_the_settings_promise() {
    use Decision::{Ask, GoAhead, NeedsConfirm};
    let rows = [
        (
            AutoApprove::None,
            false,
            false,
            [GoAhead, GoAhead, NeedsConfirm, NeedsConfirm, NeedsConfirm],
        ),
        (AutoApprove::None, false, true, [GoAhead; 5]),
        (AutoApprove::None, true, false, [GoAhead, GoAhead, Ask, Ask, Ask]),
        (AutoApprove::None, true, true, [GoAhead, GoAhead, Ask, Ask, Ask]),
        (AutoApprove::UpTo(Risk::MediumWrite), true, false, [GoAhead, GoAhead, GoAhead, Ask, Ask]),
        (
            AutoApprove::UpTo(Risk::HighWrite),
            false,
            false,
            [GoAhead, GoAhead, GoAhead, GoAhead, NeedsConfirm],
        ),
        (AutoApprove::All, false, false, [GoAhead; 5]),
        (AutoApprove::All, true, false, [GoAhead; 5]),
    ];
    for (approved, can_ask, confirmed, expected) in rows {
        let got = RISKS.map(|risk| decide(risk, approved, can_ask, confirmed));
        assert_eq!(got, expected, "{approved:?} can_ask={can_ask} confirmed={confirmed}");
    }
}

/// A person whose reply is known beforehand.
struct Scripted(Result<Reply, AskError>);

impl Confirmer for Scripted {
    fn can_ask(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, message: &'a str) -> BoxFuture<'a, Result<Reply, AskError>> {
        assert!(message.contains("delete service \"s1\""), "{message}");
        Box::pin(std::future::ready(self.0.clone()))
    }
}

async fn pass(reply: Result<Reply, AskError>, confirmed: bool) -> Result<(), String> {
    let gate = Gate { read_only: false, auto_approve: AutoApprove::None };
    let deed = Deed {
        operation: "delete",
        resource: "service",
        id: Some("s1".into()),
        place: "In project `p` of organization `o`.".into(),
        risk: Risk::Destructive,
    };
    gate.pass(&deed, confirmed, &Scripted(reply)).await.map_err(|refusal| refusal.to_string())
}

#[tokio::test]
async fn only_a_clear_yes_lets_it_pass() {
    assert_eq!(pass(Ok(Reply::Accepted(Some(true))), false).await, Ok(()));
    for reply in [Reply::Accepted(Some(false)), Reply::Declined] {
        for confirmed in [false, true] {
            let refusal = pass(Ok(reply), confirmed).await.unwrap_err();
            assert!(refusal.contains("declined by the user"), "{refusal}");
        }
    }
    let refusal = pass(Ok(Reply::Cancelled), true).await.unwrap_err();
    assert!(refusal.contains("cancelled by the user"), "{refusal}");
}

#[tokio::test]
async fn without_a_usable_answer_the_callers_own_confirmation_counts() {
    for reply in [Ok(Reply::Accepted(None)), Err(AskError::Failed("closed".into()))] {
        assert_eq!(pass(reply.clone(), true).await, Ok(()));
        let refusal = pass(reply, false).await.unwrap_err();
        assert!(refusal.contains("`confirm: true`"), "{refusal}");
    }
}

#[test]
fn a_read_only_server_only_reads() {
    let gate = Gate { read_only: true, auto_approve: AutoApprove::All };
    let deed = |risk| Deed {
        operation: "run",
        resource: "pipeline",
        id: None,
        place: String::new(),
        risk,
    };
    assert!(gate.check_read_only(&deed(Risk::Read)).is_ok());
    let refusal = gate.check_read_only(&deed(Risk::LowWrite)).unwrap_err().to_string();
    assert!(refusal.contains("HARNESS_READ_ONLY"), "{refusal}");
}
