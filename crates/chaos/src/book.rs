//! Writing ahead: the engine decides, the ledger and the report are on disk, and only then the
//! loop may let anything out.

use std::path::Path;
use std::time::SystemTime;

use checkrein_ledger::{Entry, Event, Ledger, Start};

use crate::engine::{Action, Config, Engine};
use crate::stdio::{ProxyError, Reporter, Status};

/// The engine with everything that has to be written before its decisions take effect.
pub(crate) struct Book<'a> {
    pub(crate) engine: Engine,
    pub(crate) reporter: &'a mut dyn Reporter,
    ledger: Ledger,
    status: Status,
}

impl<'a> Book<'a> {
    /// Joins the run, and says so in the ledger and the report.
    pub(crate) fn open(
        run_dir: &Path,
        start: Start,
        config: Config,
        reporter: &'a mut dyn Reporter,
    ) -> Result<Self, ProxyError> {
        let (mut ledger, before) = Ledger::open(run_dir)?;
        let joined = ledger.append(|_| vec![Event::Started(start)])?;
        let member = joined.last().map_or(0, |entry| entry.seq);
        let mut engine = Engine::new(config, member);
        before.iter().for_each(|entry| engine.observe(entry));
        let earlier: Vec<Entry> = before.into_iter().chain(joined).collect();
        reporter.update(&earlier, Status::Starting, true).map_err(ProxyError::Report)?;
        Ok(Self { engine, reporter, ledger, status: Status::Starting })
    }

    /// Decides under the ledger's lock, so that what other processes did is known; writes down;
    /// and only then gives what may be let out.
    pub(crate) fn decide(
        &mut self,
        decide: impl FnOnce(&mut Engine) -> Vec<Action>,
    ) -> Result<Vec<Action>, ProxyError> {
        let engine = &mut self.engine;
        engine.set_wall_clock(SystemTime::now());
        let mut effects = Vec::new();
        let entries = self.ledger.append(|others| {
            others.iter().for_each(|entry| engine.observe(entry));
            let mut events = Vec::new();
            for action in decide(engine) {
                match action {
                    Action::Record(event) => events.push(event),
                    effect => effects.push(effect),
                }
            }
            events
        })?;
        let is_call =
            |entry: &Entry| matches!(entry.event, Event::Forwarded { .. } | Event::Injected { .. });
        if self.status == Status::Starting && entries.iter().any(is_call) {
            self.status = Status::Running;
        }
        if !entries.is_empty() {
            let is_due = entries.iter().any(changes_the_report);
            self.reporter.update(&entries, self.status, is_due).map_err(ProxyError::Report)?;
        }
        Ok(effects)
    }

    /// The last entry, and the report for good.
    pub(crate) fn close(&mut self, why: &str) -> Result<(), ProxyError> {
        let entries = self.ledger.append(|_| vec![Event::Finished { why: why.to_owned() }])?;
        self.reporter.update(&entries, Status::Finished, true).map_err(ProxyError::Report)
    }
}

/// Whether a report on disk would say something else after this entry.
fn changes_the_report(entry: &Entry) -> bool {
    matches!(
        entry.event,
        Event::Concluded { .. } | Event::Injected { .. } | Event::UpstreamGone { .. }
    )
}

/// The frame that answers an audit call.
pub(crate) fn audit_answer(id: &str, text: &str, is_modern: bool) -> Vec<u8> {
    let quoted = serde_json::Value::from(text);
    let kind = if is_modern { r#","resultType":"complete""# } else { "" };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{quoted}}}],"structuredContent":{text}{kind}}}}}"#
    )
    .into_bytes()
}
