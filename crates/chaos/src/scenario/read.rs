//! Reads a scenario file strictly: every mistake is noted with its place, and reading goes on.

use checkrein_ledger::Class;
use checkrein_yaml::{Key, Node, Position, Rules, Style, Tree, parse};
use serde_json::Value;

use super::problem::unknown;
use super::{BUILT_IN, MAX_RULES, On, Problem, Rule, Scenario, TOOL_CALL, Wanted};
use crate::faults::{Effect, Is, KINDS, Kind, Moment, Shape, With, kind};

const RULES: Rules = Rules { aliases: false, max_nodes: 2_000 };
const KEYS: [&str; 6] = ["scenario", "about", "tells", "verdict", "expect", "rules"];
const RULE_KEYS: [&str; 5] = ["on", "fault", "with", "shape", "times"];
const ON_KEYS: [&str; 5] = ["method", "tool", "class", "nth", "arguments"];
const CLASSES: [(&str, Option<Class>); 4] = [
    ("write", Some(Class::Write)),
    ("read", Some(Class::Read)),
    ("unclassified", Some(Class::Unclassified)),
    ("any", None),
];
/// How often something may be wanted in a scenario.
const MOST: u64 = 1_000;
/// The one scenario that injects nothing.
const BASELINE: &str = "F4";

/// Reads a scenario of a user's own.
///
/// # Errors
/// Everything that is wrong with it, in the order of the file.
pub fn read(text: &str) -> Result<Scenario, Vec<Problem>> {
    read_with(text, BUILT_IN.contains(&text))
}

/// Reads one of our own.
pub(super) fn read_built_in(text: &str) -> Result<Scenario, Vec<Problem>> {
    read_with(text, true)
}

fn read_with(text: &str, is_built_in: bool) -> Result<Scenario, Vec<Problem>> {
    let mut reader = Reader { problems: Vec::new(), is_built_in, watch: None };
    let scenario = match parse(text, RULES) {
        Ok(Some(root)) => reader.scenario(&root),
        Ok(None) => {
            reader.note(Position::START, "the file is empty; a scenario has a name and rules");
            None
        }
        Err((at, why)) => {
            reader.note(at, why);
            None
        }
    };
    // A slip elsewhere may be what makes a copy of F4 another scenario.
    if let Some(at) = reader.watch.filter(|_| reader.problems.is_empty()) {
        reader.note(at, "`watch` injects nothing; run without a scenario, or with F4");
    }
    reader.problems.sort();
    match scenario {
        Some(scenario) if reader.problems.is_empty() => Ok(scenario),
        _ => Err(reader.problems),
    }
}

struct Reader {
    problems: Vec<Problem>,
    is_built_in: bool,
    /// Where the fault is that only F4 may have.
    watch: Option<Position>,
}

/// The entries of a mapping, each key there once.
struct Fields<'n> {
    at: Position,
    entries: Vec<(&'n Key, &'n Node)>,
}

impl<'n> Fields<'n> {
    fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| *node)
    }
}

impl Reader {
    fn note(&mut self, at: Position, message: impl Into<String>) {
        self.problems.push(Problem { at, message: message.into() });
    }

    fn scenario(&mut self, root: &Node) -> Option<Scenario> {
        let fields = self.fields(root, "a scenario", Some(&KEYS))?;
        let name = self.required(&fields, "scenario");
        let about = self.required(&fields, "about");
        let tells = self.optional(&fields, "tells");
        let verdict = self.optional(&fields, "verdict");
        let expect = self.expect(&fields);
        if let Some(name) = name.as_deref().filter(|_| !self.is_built_in)
            && Scenario::named(name).is_some()
        {
            let at = fields.get("scenario").map_or(fields.at, |node| node.at);
            self.note(
                at,
                format!("`{name}` is the name of a built-in scenario; give yours one of its own"),
            );
        }
        let rules = self.rules(&fields, self.is_built_in && name.as_deref() == Some(BASELINE));
        Some(Scenario { name: name?, about: about?, tells, verdict, expect, rules })
    }

    fn expect(&mut self, fields: &Fields<'_>) -> Vec<(String, u64)> {
        let Some(node) = fields.get("expect") else { return Vec::new() };
        let Some(declared) = self.fields(node, "`expect`", None) else { return Vec::new() };
        let counted = declared.entries.iter().filter_map(|(key, node)| {
            Some((key.name.clone(), self.count(node, &format!("`{}`", key.name))?))
        });
        counted.collect()
    }

    fn rules(&mut self, fields: &Fields<'_>, is_baseline: bool) -> Vec<Rule> {
        let Some(node) = fields.get("rules") else {
            self.note(fields.at, "`rules` is missing");
            return Vec::new();
        };
        let Tree::List(items) = &node.value else {
            self.note(node.at, "`rules` must be a list (`- fault: …`)");
            return Vec::new();
        };
        if items.is_empty() || items.len() > MAX_RULES {
            self.note(node.at, format!("a scenario has 1 to {MAX_RULES} rules"));
        }
        items.iter().filter_map(|item| self.rule(item, is_baseline)).collect()
    }

    fn rule(&mut self, node: &Node, is_baseline: bool) -> Option<Rule> {
        let fields = self.fields(node, "a rule", Some(&RULE_KEYS))?;
        let kind = self.kind(&fields, is_baseline);
        let effect = kind.map(|kind| (kind.effect)(&With::defaults(kind.takes)));
        let on = self.on(&fields, effect);
        let times = match fields.get("times") {
            Some(node) => self.count(node, "`times`"),
            // A stale read that ends after one look would be noticed at the second.
            None if matches!(effect, Some(Effect::Stale(_))) => Some(MOST),
            None => Some(1),
        };
        let kind = kind?;
        let with = self.with(&fields, kind);
        let shape = self.shape(&fields, kind);
        Some(Rule { on: on?, kind, with, shape: shape?, times: times? })
    }

    fn kind(&mut self, fields: &Fields<'_>, is_baseline: bool) -> Option<&'static Kind> {
        let name = self.required(fields, "fault")?;
        let at = fields.get("fault").map_or(fields.at, |node| node.at);
        let Some(found) = kind(&name) else {
            let known: Vec<_> = KINDS.iter().map(|kind| kind.id).collect();
            self.note(at, unknown("fault", &name, &known));
            return None;
        };
        if found.id == "watch" && !is_baseline {
            self.watch.get_or_insert(at);
        }
        Some(found)
    }

    fn with(&mut self, fields: &Fields<'_>, kind: &'static Kind) -> With {
        let mut with = With::defaults(kind.takes);
        let Some(node) = fields.get("with") else { return with };
        let known: Vec<_> = kind.takes.iter().map(|it| it.name).collect();
        let what = format!("`with` of `{}`", kind.id);
        let Some(given) = self.fields(node, &what, Some(&known)) else { return with };
        for (key, node) in &given.entries {
            let Some(parameter) = kind.takes.iter().find(|it| it.name == key.name) else {
                continue;
            };
            let Some(text) = self.text(node, &format!("`{}`", key.name)) else { continue };
            let is_other = |text: &str| {
                serde_json::from_str::<Value>(text).is_ok() || matches!(text, "True" | "False")
            };
            if let (Is::Words, Tree::Scalar(text, Style::Plain)) = (&parameter.is, &node.value)
                && is_other(text)
            {
                let name = &key.name;
                self.note(node.at, format!("`{name}` must be words; put `{text}` in quotes"));
                continue;
            }
            match parameter.is.read(&text) {
                Ok(value) => with.set(parameter.name, value),
                Err(must) => self.note(node.at, format!("`{}` must be {must}", key.name)),
            }
        }
        with
    }

    fn shape(&mut self, fields: &Fields<'_>, kind: &'static Kind) -> Option<Shape> {
        let Some(node) = fields.get("shape") else { return Some(kind.default_shape()) };
        let name = self.text(node, "`shape`")?;
        let found = kind.shapes.iter().find(|(shape, _)| shape.name() == name);
        if found.is_none() {
            let known: Vec<_> = kind.shapes.iter().map(|(shape, _)| shape.name()).collect();
            let message = unknown("shape", &name, &known);
            self.note(node.at, format!("{message} for `{}`", kind.id));
        }
        found.map(|(shape, _)| *shape)
    }

    fn on(&mut self, fields: &Fields<'_>, effect: Option<Effect>) -> Option<On> {
        let is_look_up = effect.is_some_and(|effect| effect.moment() == Moment::LookUp);
        let usual = if is_look_up { Class::Read } else { Class::Write };
        let mut on = On {
            method: TOOL_CALL.to_owned(),
            tool: None,
            class: Some(usual),
            nth: 1,
            arguments: Vec::new(),
        };
        let Some(node) = fields.get("on") else { return Some(on) };
        let given = self.fields(node, "`on`", Some(&ON_KEYS))?;
        on.tool = self.optional(&given, "tool");
        if let Some(node) = given.get("method") {
            on.method = self.method(node, &given, effect)?;
        }
        if let Some(node) = given.get("class") {
            on.class = self.class(node)?;
        }
        if is_look_up && on.class != Some(Class::Read) {
            self.note(node.at, "a stale read strikes reads only; leave `class` out");
        }
        if let Some(node) = given.get("nth") {
            on.nth = self.count(node, "`nth`")?;
        }
        if let Some(node) = given.get("arguments") {
            on.arguments = self.arguments(node);
        }
        Some(on)
    }

    fn method(
        &mut self,
        node: &Node,
        given: &Fields<'_>,
        effect: Option<Effect>,
    ) -> Option<String> {
        let method = self.text(node, "`method`")?;
        if method == TOOL_CALL {
            return Some(method);
        }
        for key in ["tool", "class", "arguments"] {
            if let Some(node) = given.get(key) {
                self.note(node.at, format!("`{key}` goes with method `{TOOL_CALL}` only"));
            }
        }
        if effect.is_some_and(|effect| effect != Effect::Withhold) {
            let message = format!("this fault goes with method `{TOOL_CALL}` only");
            self.note(node.at, message);
        }
        Some(method)
    }

    fn class(&mut self, node: &Node) -> Option<Option<Class>> {
        let word = self.text(node, "`class`")?;
        let found = CLASSES.iter().find(|(name, _)| *name == word).map(|(_, class)| *class);
        if found.is_none() {
            self.note(node.at, unknown("class", &word, &CLASSES.map(|(name, _)| name)));
        }
        found
    }

    fn arguments(&mut self, node: &Node) -> Vec<(String, Wanted)> {
        let Some(given) = self.fields(node, "`arguments`", None) else { return Vec::new() };
        let mut wanted = Vec::new();
        for (key, node) in &given.entries {
            match &node.value {
                Tree::Scalar(text, _) if text.contains('*') => {
                    wanted.push((key.name.clone(), Wanted::Glob(text.clone())));
                }
                Tree::Scalar(text, Style::Plain) => {
                    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(&**text));
                    wanted.push((key.name.clone(), Wanted::Value(value)));
                }
                Tree::Scalar(text, _) => {
                    wanted.push((key.name.clone(), Wanted::Value(Value::from(&**text))));
                }
                Tree::List(_) | Tree::Map(_) => {
                    self.note(node.at, format!("`{}` must be a plain value or a glob", key.name));
                }
            }
        }
        wanted
    }

    fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        known: Option<&[&str]>,
    ) -> Option<Fields<'n>> {
        let Tree::Map(entries) = &node.value else {
            self.note(node.at, format!("{what} must be a mapping (`key: value`)"));
            return None;
        };
        let mut fields = Fields { at: node.at, entries: Vec::with_capacity(entries.len()) };
        for (key, value) in entries {
            if fields.get(&key.name).is_some() {
                self.note(key.at, format!("`{}` is there twice; keep one", key.name));
                continue;
            }
            if let Some(known) = known.filter(|known| !known.contains(&key.name.as_str())) {
                let message = unknown("key", &key.name, known);
                self.note(key.at, format!("{message} in {what}"));
            }
            fields.entries.push((key, value));
        }
        Some(fields)
    }

    fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        match &node.value {
            Tree::Scalar(text, style)
                if !(text.trim().is_empty()
                    || *style == Style::Plain && matches!(text.as_str(), "~" | "null")) =>
            {
                Some(text.trim().to_owned())
            }
            Tree::Scalar(..) => {
                self.note(node.at, format!("{what} is empty; write a value or leave the key out"));
                None
            }
            Tree::List(_) | Tree::Map(_) => {
                self.note(node.at, format!("{what} must be one value"));
                None
            }
        }
    }

    fn required(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        match fields.get(key) {
            Some(node) => self.text(node, &format!("`{key}`")),
            None => {
                self.note(fields.at, format!("`{key}` is missing"));
                None
            }
        }
    }

    fn optional(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|node| self.text(node, &format!("`{key}`")))
    }

    fn count(&mut self, node: &Node, what: &str) -> Option<u64> {
        let text = self.text(node, what)?;
        let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
        if count.is_none() {
            self.note(node.at, format!("{what} must be a whole number from 1 to {MOST}"));
        }
        count
    }
}
