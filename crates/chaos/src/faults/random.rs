//! `--mode chaos`: a generic server error on any call, which is then not executed.

use checkrein_ledger::Fault;

use super::{Reply, Shape};

pub(crate) fn fault() -> Fault {
    Fault {
        name: "chaos".to_owned(),
        kind: "chaos".to_owned(),
        rule: 0,
        shape: Some(Shape::Soft.name().to_owned()),
        sent: false,
        ghost: false,
        retry_after_us: None,
    }
}

pub(crate) fn reply() -> Reply {
    Reply::error(500, "Server error: the service is temporarily unavailable", "Server error")
}
