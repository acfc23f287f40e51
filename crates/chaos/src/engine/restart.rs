//! An upstream that is ended and started again, and the sessions opened anew in it.

use std::collections::BTreeMap;
use std::time::Duration;

use checkrein_ledger::Event;

use super::own::Purpose;
use super::strike::with_id;
use super::timer::Timer;
use super::{Action, Engine};
use crate::pending::Connection;

/// How long the new process may take to open a session.
const OPENING_LIMIT: Duration = Duration::from_secs(15);

/// How far a restart is.
#[derive(Debug, Default)]
pub(super) struct Restart {
    /// The frames by which each session was opened.
    sessions: BTreeMap<Connection, Opening>,
    /// The old process is ended and the new one not yet there.
    is_between: bool,
    /// Sessions that are being opened anew.
    awaited: usize,
}

#[derive(Debug, Default)]
struct Opening {
    initialize: Vec<u8>,
    initialized: Option<Vec<u8>>,
}

impl Restart {
    pub(super) fn is_underway(&self) -> bool {
        self.is_between || self.awaited > 0
    }

    pub(super) fn is_between_two(&self) -> bool {
        self.is_between
    }

    pub(super) fn remember_opening(&mut self, connection: Connection, frame: &[u8]) {
        let opening = Opening { initialize: frame.to_vec(), initialized: None };
        self.sessions.insert(connection, opening);
    }

    pub(super) fn remember_opened(&mut self, connection: Connection, frame: &[u8]) {
        if let Some(opening) = self.sessions.get_mut(&connection) {
            opening.initialized = Some(frame.to_vec());
        }
    }

    pub(super) fn answered(&mut self) {
        self.awaited = self.awaited.saturating_sub(1);
    }

    pub(super) fn give_up(&mut self) {
        self.is_between = false;
        self.awaited = 0;
    }
}

impl Engine {
    pub(super) fn restart_upstream(&mut self) {
        self.record(Event::UpstreamGone { code: None });
        self.lose_everything();
        self.listing.give_up_now();
        self.restart.is_between = true;
        self.act(Action::RestartUpstream);
    }

    /// The new process is there: its sessions are opened as the agent opened them.
    pub fn upstream_started(&mut self) -> Vec<Action> {
        self.restart.is_between = false;
        let openings: Vec<_> = self
            .restart
            .sessions
            .iter()
            .map(|(connection, opening)| (*connection, opening.initialize.clone()))
            .collect();
        for (connection, initialize) in openings {
            let id = self.own.id();
            let Some(frame) = with_id(&initialize, &id) else { continue };
            self.restart.awaited += 1;
            self.own.ask(connection, id.clone(), Purpose::Opening);
            self.send_to_upstream(connection, frame);
            self.wait(OPENING_LIMIT, Timer::Overdue(connection, id));
        }
        self.done()
    }

    /// A session was opened anew, or will not be.
    pub(super) fn opened(&mut self, connection: Connection) {
        self.restart.answered();
        let opening = self.restart.sessions.get(&connection);
        if let Some(frame) = opening.and_then(|opening| opening.initialized.clone()) {
            self.send_to_upstream(connection, frame);
        }
    }
}
