//! Which rules of a scenario are still to strike, and on which calls they may.

use checkrein_ledger::{Class, Event, Fault};

use super::Plan;
use crate::call::Call;
use crate::faults::{Effect, Moment, Now};
use crate::scenario::{Rule, TOOL_CALL};

/// The scenario's rules and how far each has come, over all processes of the run.
#[derive(Debug, Default)]
pub(super) struct Rules {
    scenario: String,
    rules: Vec<State>,
}

#[derive(Debug)]
struct State {
    rule: Rule,
    effect: Effect,
    /// How many calls met it.
    seen: u64,
    /// How many calls it struck.
    struck: u64,
    /// How many calls it may still strike: the race is on.
    held: u64,
}

impl Rules {
    pub(super) fn of(plan: &Plan) -> Self {
        let Plan::Scenario(scenario) = plan else { return Self::default() };
        let state = |rule: &Rule| State {
            rule: rule.clone(),
            effect: rule.effect(),
            seen: 0,
            struck: 0,
            held: 0,
        };
        Self { scenario: scenario.name.clone(), rules: scenario.rules.iter().map(state).collect() }
    }

    /// Takes in what another process of the run did.
    pub(super) fn observe(&mut self, event: &Event) {
        match event {
            Event::Injected { fault, .. } if fault.name == self.scenario => {
                self.count_strike(usize::try_from(fault.rule).unwrap_or(usize::MAX));
            }
            Event::Matched { rule, .. } => {
                let state = usize::try_from(*rule).ok().and_then(|at| self.rules.get_mut(at));
                if let Some(state) = state {
                    state.seen += 1;
                }
            }
            _ => {}
        }
    }

    /// The rules that may strike this call, as bits, and those whose count has to be written down.
    pub(super) fn meet(&mut self, call: &Call<'_>, class: Class, is_new: bool) -> (u32, Vec<u32>) {
        let (mut bits, mut counted) = (0, Vec::new());
        for (at, state) in (0_u32..).zip(&mut self.rules) {
            let is_without_session = state.rule.kind.needs_session() && call.is_modern();
            if is_without_session || !state.rule.on.matches_call(call, class) {
                continue;
            }
            // A further round of a call is that call going on, and not the next one.
            state.seen += u64::from(is_new);
            if state.rule.on.nth > 1 && is_new {
                counted.push(at);
            }
            if state.seen >= state.rule.on.nth {
                bits |= 1 << at;
            }
        }
        (bits, counted)
    }

    /// The rule for a request that is no tool call.
    pub(super) fn meet_method(&mut self, method: &str) -> Option<usize> {
        let is_met = |state: &mut State| {
            let on = &state.rule.on;
            if on.method == TOOL_CALL || on.method != method {
                return false;
            }
            state.seen += 1;
            state.seen >= on.nth && state.is_armed()
        };
        self.rules.iter_mut().position(is_met)
    }

    /// The first rule among `bits` that strikes at this moment.
    pub(super) fn armed(&self, bits: u32, moment: Moment) -> impl Iterator<Item = usize> {
        let fitting = self.rules.iter().enumerate().filter(move |(at, state)| {
            bits & (1 << at) != 0 && state.effect.moment() == moment && state.is_armed()
        });
        fitting.map(|(at, _)| at)
    }

    /// Whether a call with these bits may have to be sent to the upstream once more.
    pub(super) fn may_redeliver(&self, bits: u32) -> bool {
        self.armed(bits, Moment::Executed).any(|at| self.effect(at) == Some(Effect::Redeliver))
    }

    pub(super) fn effect(&self, at: usize) -> Option<Effect> {
        self.rules.get(at).map(|state| state.effect)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Rule> {
        self.rules.get(at).map(|state| &state.rule)
    }

    /// What the ledger says of a strike; the rule counts it.
    pub(super) fn strike(&mut self, at: usize, now: Now) -> Option<Fault> {
        self.count_strike(at);
        let rule = &self.rules.get(at)?.rule;
        let at = u32::try_from(at).ok()?;
        Some(rule.kind.record(&self.scenario, at, &rule.with, rule.shape, now))
    }

    fn count_strike(&mut self, at: usize) {
        if let Some(state) = self.rules.get_mut(at) {
            state.struck += 1;
        }
    }

    pub(super) fn hold(&mut self, at: usize) {
        if let Some(state) = self.rules.get_mut(at) {
            state.held += 1;
        }
    }

    pub(super) fn let_go(&mut self, at: usize) {
        if let Some(state) = self.rules.get_mut(at) {
            state.held = state.held.saturating_sub(1);
        }
    }
}

impl State {
    fn is_armed(&self) -> bool {
        self.struck + self.held < self.rule.times
    }
}
