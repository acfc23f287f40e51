//! The proxy's decisions: frames and time in, actions out, no input or output of its own.

mod action;
mod agent;
mod audit;
mod ending;
mod look_up;
mod missing_tool;
mod own;
mod probe;
mod restart;
mod rules;
mod strike;
mod task;
mod timer;
mod upstream;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, SystemTime};

use checkrein_ledger::{Entry, Event, KeyFields};

use crate::call::List;
use crate::classify::Patterns;
use crate::faults::Now;
use crate::listing::Listing;
use crate::pending::{Connection, Lane, Pending, WaitingCall};
use crate::scenario::Scenario;

pub use action::Action;
pub use audit::{AUDIT_TOOLS, Audit};
pub use probe::Probe;

use look_up::LookUps;
use missing_tool::MissingTool;
use own::Own;
use probe::Probes;
use restart::Restart;
use rules::Rules;
use strike::Crossing;
use task::Tasks;
use timer::{Timer, Timers};

/// How long the upstream may take to say which tools it has before calls go on without.
const LISTING_LIMIT: Duration = Duration::from_secs(15);

/// What is to happen to calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Plan {
    /// Nothing: the run is a baseline.
    #[default]
    Watch,
    /// One scenario.
    Scenario(Scenario),
    /// Random errors on any call.
    Chaos {
        /// Their probability, 0 to 1.
        rate: f64,
        /// The seed of the draws.
        seed: u64,
    },
}

/// How the engine is set up.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// What is to happen.
    pub plan: Plan,
    /// The user's word on tool classes.
    pub patterns: Patterns,
    /// The arguments that are idempotency keys.
    pub keys: KeyFields,
    /// `TOOL=field,field`: what alone makes an operation of this tool.
    pub operation_keys: Vec<(String, Vec<String>)>,
    /// Whether the agent is offered the two audit tools.
    pub audit_tools: bool,
    /// Reads that the harness itself makes.
    pub probes: Vec<Probe>,
}

/// Items that were carried out of a call whose other items never reached the upstream.
#[derive(Debug)]
struct Part {
    attempt: u64,
    tool: String,
    operation: String,
    lists: Vec<List>,
}

/// The proxy's state.
#[derive(Debug)]
pub struct Engine {
    config: Config,
    member: u64,
    calls: u64,
    now: Now,
    rules: Rules,
    listing: Listing,
    pending: Pending,
    own: Own,
    timers: Timers,
    /// Calls that the upstream answered by a question.
    interim: Vec<(WaitingCall, Option<String>)>,
    /// What was carried out of calls that were cut short.
    parts: Vec<Part>,
    /// Calls that are over for the upstream and not, or otherwise, for the agent.
    ghosted: HashSet<(Connection, String)>,
    /// Answers that wait for a cancel.
    crossing: HashMap<(Connection, String), Crossing>,
    look_ups: LookUps,
    missing: Option<MissingTool>,
    tasks: Tasks,
    probes: Probes,
    restart: Restart,
    held: VecDeque<(Connection, Option<Lane>, Vec<u8>)>,
    /// The lane of the frame that is being looked at.
    lane: Option<Lane>,
    held_bytes: usize,
    is_closing: bool,
    is_upstream_gone: bool,
    out: Vec<Action>,
}

impl Engine {
    /// An engine for the process that joined the run with ledger entry `member`.
    pub fn new(config: Config, member: u64) -> Self {
        Self {
            rules: Rules::of(&config.plan),
            probes: Probes::new(&config.probes),
            config,
            member,
            calls: 0,
            now: Now(SystemTime::UNIX_EPOCH),
            listing: Listing::new(),
            pending: Pending::default(),
            own: Own::default(),
            timers: Timers::default(),
            interim: Vec::new(),
            parts: Vec::new(),
            ghosted: HashSet::new(),
            crossing: HashMap::new(),
            look_ups: LookUps::default(),
            missing: None,
            tasks: Tasks::default(),
            restart: Restart::default(),
            held: VecDeque::new(),
            lane: None,
            held_bytes: 0,
            is_closing: false,
            is_upstream_gone: false,
            out: Vec::new(),
        }
    }

    /// Takes in what another process of the run wrote: a scenario is used up for all of them.
    pub fn observe(&mut self, entry: &Entry) {
        self.rules.observe(&entry.event);
    }

    /// Takes in what the wall clock says, for answers that name a date.
    pub fn set_wall_clock(&mut self, now: SystemTime) {
        self.now = Now(now);
    }

    /// Says in which of the agent's requests the next frame comes, or which it answers.
    pub fn set_lane(&mut self, lane: Lane) {
        self.lane = Some(lane);
    }

    /// How many bytes are held; the loop stops reading beyond its limit.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Whether the agent's frames wait for something that the harness has to know first.
    fn is_holding(&self) -> bool {
        self.listing.is_underway() || self.probes.is_underway() || self.restart.is_underway()
    }

    fn hold(&mut self, connection: Connection, bytes: &[u8]) {
        self.held_bytes += bytes.len();
        self.held.push_back((connection, self.lane, bytes.to_vec()));
    }

    /// The last step of every input: what can go on goes on.
    fn done(&mut self) -> Vec<Action> {
        self.start_due_probes();
        while !self.is_holding() {
            let Some((connection, lane, bytes)) = self.held.pop_front() else { break };
            self.lane = lane;
            self.held_bytes -= bytes.len();
            self.agent_frame(connection, &bytes);
        }
        self.lane = None;
        std::mem::take(&mut self.out)
    }

    fn act(&mut self, action: Action) {
        self.out.push(action);
    }

    fn record(&mut self, event: Event) {
        self.out.push(Action::Record(event));
    }

    fn send_to_agent(&mut self, connection: Connection, frame: Vec<u8>) {
        if !self.is_closing {
            self.out.push(Action::ToAgent(connection, frame));
        }
    }

    fn send_to_upstream(&mut self, connection: Connection, frame: Vec<u8>) {
        if !self.is_upstream_gone {
            self.out.push(Action::ToUpstream(connection, frame));
        }
    }

    /// Asks the upstream which tools it has; calls wait for the answer.
    fn begin_listing(&mut self, connection: Connection, meta: Option<serde_json::Value>) {
        let (look, frame) = self.listing.begin(meta);
        self.send_to_upstream(connection, frame);
        self.wait(LISTING_LIMIT, Timer::Listing(look));
    }

    fn listing_is_due(&mut self, look: u64) {
        if self.listing.give_up(look) {
            self.act(Action::Announce(Vec::new()));
        }
    }
}
