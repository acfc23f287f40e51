//! jq programs of the catalogue: checked when a file is read, compiled when first run.
//!
//! A program sees the declared inputs as `$variables` and nothing else: no environment, no files,
//! no modules. Beside jq's own definitions it has: `csv` (a comma separated text or an array to a
//! trimmed array; null stays null), `given` (an object without null and empty texts), `drop_nulls`
//! (null members gone, at any depth of objects), `blank` (null or white space), `need("name")` (the
//! value, or an error that asks for the input), `text` (text stays, anything else becomes YAML),
//! `parsed` (the reverse: YAML text becomes what it says), `flag` (`"true"` and `"false"` as
//! booleans), `from_yaml`, `to_yaml`, `from_json`, `base64`, `from_base64`, `epoch_ms` (a time as
//! text, seconds or milliseconds to milliseconds), `iso` (the reverse) and `now_ms`. Regular
//! expressions are not there.

mod convert;
mod prelude;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jaq_core::load::{Arena, Error as LoadError, File, Loader, span};
use jaq_core::{Compiler, Ctx, Filter, Vars, compile::Undefined, data::JustLut, unwrap_valr};
use jaq_json::Val;
use serde_json::Value;

use crate::model::Jq;

pub use convert::{from_val, to_val};

type Data = JustLut<Val>;

/// What a program can refer to beside the inputs of its resource type.
pub const CONTEXT: [&str; 5] = ["account", "org", "project", "scope", "op"];

/// Something wrong with the text of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Where in the program, in bytes.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

/// Why a program yielded nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JqError {
    /// It does not compile; a checked catalogue has none of these.
    #[error("a program of the catalogue does not compile: {0}")]
    Broken(String),
    /// It asks for inputs that were not given.
    #[error("missing {}", .0.join(", "))]
    Missing(Vec<String>),
    /// It refused, in its own words.
    #[error("{0}")]
    Raised(String),
}

struct Program {
    filter: Filter<Data>,
    variables: Vec<String>,
}

/// The variables a program reads from outside, each with its place, or what is wrong with it.
pub fn free_variables(source: &str) -> Result<Vec<(String, usize)>, Vec<Flaw>> {
    let arena = Arena::default();
    // The bare compiler knows no definitions; only the undefined variables are of interest.
    let modules = Loader::new([])
        .load(&arena, File { code: source, path: () })
        .map_err(|errors| load_flaws(source, errors))?;
    let Err(errors) = Compiler::<_, Data>::default().compile(modules) else {
        return Ok(Vec::new());
    };
    let undefined = errors.into_iter().flat_map(|(_, errors)| errors);
    let mut found: Vec<(String, usize)> = Vec::new();
    for (part, kind) in undefined {
        let name = part.trim_start_matches('$');
        if matches!(kind, Undefined::Var) && !found.iter().any(|(known, _)| known == name) {
            found.push((name.to_owned(), span(source, part).start));
        }
    }
    Ok(found)
}

/// Everything wrong with a program whose variables may be these names.
#[must_use]
pub fn check(source: &str, known: &[&str]) -> Vec<Flaw> {
    let variables = match free_variables(source) {
        Ok(variables) => variables,
        Err(flaws) => return flaws,
    };
    let mut flaws: Vec<Flaw> = variables
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()))
        .map(|(name, offset)| Flaw { offset: *offset, message: undeclared(name, known) })
        .collect();
    if let Err(more) = compile(source) {
        flaws.extend(more);
    }
    flaws
}

/// Runs a program and gives its first output, or null when there is none.
pub fn run(
    program: &Jq,
    input: &Value,
    variable: impl Fn(&str) -> Option<Value>,
) -> Result<Value, JqError> {
    let program = compiled(&program.0)?;
    let variables = program
        .variables
        .iter()
        .map(|name| variable(name).map_or(Val::Null, |value| to_val(&value)));
    let context = Ctx::<Data>::new(&program.filter.lut, Vars::new(variables.collect::<Vec<_>>()));
    let first = program.filter.id.run((context, to_val(input))).map(unwrap_valr).next();
    match first {
        None => Ok(Value::Null),
        Some(Ok(value)) => Ok(from_val(&value)),
        Some(Err(error)) => Err(raised(&from_val(&error.into_val()))),
    }
}

/// Whether a condition holds: anything but false and null.
pub fn holds(condition: &Jq, variable: impl Fn(&str) -> Option<Value>) -> Result<bool, JqError> {
    let answer = run(condition, &Value::Null, variable)?;
    Ok(!matches!(answer, Value::Null | Value::Bool(false)))
}

fn raised(value: &Value) -> JqError {
    let missing = value
        .get("missing")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>());
    match (missing, value) {
        (Some(names), _) if !names.is_empty() => JqError::Missing(names),
        (_, Value::String(text)) => JqError::Raised(text.clone()),
        (_, other) => JqError::Raised(other.to_string()),
    }
}

fn undeclared(name: &str, known: &[&str]) -> String {
    let guess = crate::nearest(name, known.iter().copied())
        .map_or_else(String::new, |guess| format!(", did you mean `${guess}`?"));
    format!("undeclared input `${name}`{guess}; declare it under `inputs`")
}

/// Compiled programs by their source. The catalogue bounds how many there are.
static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Program>>>> = LazyLock::new(Mutex::default);

fn compiled(source: &str) -> Result<Arc<Program>, JqError> {
    if let Some(program) = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(source) {
        return Ok(Arc::clone(program));
    }
    let program = compile(source).map_err(|flaws| {
        let first = flaws.into_iter().next();
        JqError::Broken(first.map_or_else(|| "no reason given".to_owned(), |flaw| flaw.message))
    })?;
    let program = Arc::new(program);
    let mut cache = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    cache.insert(source.to_owned(), Arc::clone(&program));
    Ok(program)
}

fn compile(source: &str) -> Result<Program, Vec<Flaw>> {
    let free = free_variables(source)?;
    let names: Vec<String> = free.iter().map(|(name, _)| format!("${name}")).collect();
    let arena = Arena::default();
    let modules = Loader::new(prelude::definitions())
        .load(&arena, File { code: source, path: () })
        .map_err(|errors| load_flaws(source, errors))?;
    let filter = Compiler::default()
        .with_funs(prelude::functions())
        .with_global_vars(names.iter().map(String::as_str))
        .compile(modules)
        .map_err(|errors| {
            let errors = errors.into_iter().flat_map(|(_, errors)| errors);
            errors.map(|(part, kind)| undefined(source, part, &kind)).collect::<Vec<_>>()
        })?;
    Ok(Program { filter, variables: free.into_iter().map(|(name, _)| name).collect() })
}

fn undefined(source: &str, part: &str, kind: &Undefined) -> Flaw {
    let message = match kind {
        Undefined::Filter(arity) => format!("undefined function `{part}/{arity}`"),
        other => format!("undefined {} `{part}`", other.as_str()),
    };
    Flaw { offset: offset(source, part), message }
}

/// Where `part` lies in `source`, or its start when the part belongs to the prelude.
fn offset(source: &str, part: &str) -> usize {
    let whole = source.as_ptr() as usize..=source.as_ptr() as usize + source.len();
    if whole.contains(&(part.as_ptr() as usize)) { span(source, part).start } else { 0 }
}

fn load_flaws(source: &str, errors: Vec<(File<&str, ()>, LoadError<&str>)>) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    for (_, error) in errors {
        match error {
            LoadError::Io(list) => flaws.extend(list.iter().map(|(part, _)| Flaw {
                offset: offset(source, part),
                message: format!("`{part}` cannot be loaded: a program stands alone"),
            })),
            LoadError::Lex(list) => flaws.extend(
                list.iter().map(|(expected, part)| expected_flaw(source, expected.as_str(), part)),
            ),
            LoadError::Parse(list) => flaws.extend(
                list.iter().map(|(expected, part)| expected_flaw(source, expected.as_str(), part)),
            ),
        }
    }
    flaws
}

fn expected_flaw(source: &str, expected: &str, part: &str) -> Flaw {
    let found = part.lines().next().unwrap_or_default();
    let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
    Flaw { offset: offset(source, part), message: format!("expected {expected}, found {found}") }
}

#[cfg(test)]
mod tests;
