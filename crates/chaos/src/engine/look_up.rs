//! Reads that show what they showed before the last write.

use std::collections::HashMap;

use checkrein_ledger::{Class, Event, Told};

use super::Engine;
use super::timer::Timer;
use crate::faults::{Effect, Moment};
use crate::frame::Body;
use crate::pending::{Connection, WaitingCall};

/// The most reads that are remembered.
const MOST: usize = 64;
/// The largest answer that is remembered.
const LARGEST: usize = 256 << 10;

/// What reads showed.
#[derive(Debug, Default)]
pub(super) struct LookUps {
    /// The results as written, by tool and operation.
    shown: HashMap<(String, String), String>,
    /// A write was carried out a short time ago.
    is_open: bool,
}

impl LookUps {
    pub(super) fn close(&mut self) {
        self.is_open = false;
        self.shown.clear();
    }
}

impl Engine {
    /// Takes in that a call was carried out.
    pub(super) fn look_up_or_write(&mut self, call: &WaitingCall, body: Body<'_>) {
        let is_stale = self.rules.armed(call.rules, Moment::LookUp).next().is_some();
        if is_stale && !self.look_ups.is_open {
            if let Body::Result(result) = body
                && !self.pending.has_write()
                && result.len() <= LARGEST
                && self.look_ups.shown.len() < MOST
            {
                let key = (call.tool.clone(), call.operation.clone());
                self.look_ups.shown.insert(key, result.to_owned());
            }
            return;
        }
        if call.class != Class::Write || self.look_ups.is_open {
            return;
        }
        let stale = self.rules.armed(u32::MAX, Moment::LookUp).next();
        if let Some(Effect::Stale(how_long)) = stale.and_then(|rule| self.rules.effect(rule)) {
            self.look_ups.is_open = true;
            self.wait(how_long, Timer::Stale);
        }
    }

    /// Answers a read by what it showed before; `false` when it is not to be stale.
    pub(super) fn show_stale(
        &mut self,
        connection: Connection,
        id: &str,
        call: &WaitingCall,
    ) -> bool {
        if !self.look_ups.is_open {
            return false;
        }
        let Some(rule) = self.rules.armed(call.rules, Moment::LookUp).next() else { return false };
        let key = (call.tool.clone(), call.operation.clone());
        let Some(shown) = self.look_ups.shown.get(&key) else { return false };
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{shown}}}"#).into_bytes();
        self.inject(call.attempt, rule);
        self.record(Event::Told { attempt: call.attempt, told: Told::Injected });
        self.send_to_agent(connection, frame);
        true
    }
}
