//! `--mode chaos`: a generic server error on any call, which is then not executed.

use checkrein_ledger::Fault;

use super::Reply;

pub(crate) fn fault() -> Fault {
    Fault { name: "chaos".to_owned(), sent: false, ghost: false, retry_after_us: None }
}

pub(crate) fn reply() -> Reply {
    Reply {
        text: "Server error: the service is temporarily unavailable".to_owned(),
        is_error: true,
        code: -32603,
        message: "Server error".to_owned(),
        data: None,
    }
}
