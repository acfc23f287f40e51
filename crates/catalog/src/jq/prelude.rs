//! What a catalogue program may call.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jaq_core::load::parse::{Def, Term};
use jaq_core::native::{Filter, Fun, bome, run, v};
use jaq_core::{Error, RunPtr};
use jaq_json::Val;
use serde_json::Value;

use super::Data;
use super::convert::{from_val, text_of, to_val};

/// What is taken of the standard library: nothing that reads the environment, ends the process or
/// stands on functions that are not compiled in (regular expressions, logarithms).
const TAKEN: [&str; 36] = [
    "null",
    "isboolean",
    "isnumber",
    "isstring",
    "isarray",
    "isobject",
    "nan",
    "infinite",
    "isnan",
    "isinfinite",
    "isfinite",
    "abs",
    "type",
    "values",
    "nulls",
    "booleans",
    "numbers",
    "strings",
    "arrays",
    "objects",
    "iterables",
    "scalars",
    "add",
    "min_by",
    "max_by",
    "min",
    "max",
    "unique_by",
    "unique",
    "pick",
    "keys",
    "flatten",
    "split",
    "@text",
    "@json",
    "transpose",
];

/// Our own definitions.
const OURS: &str = r#"
def blank: . == null or (type == "string" and trim == "");
def text: if . == null or type == "string" then . else to_yaml end;
def epoch_ms: millis;
def @base64: base64;
def @base64d: from_base64;
def @uri: encode_uri;
def csv:
  if . == null then null
  elif type == "array" then . else tostring | split(",") end
  | if . == null then null
    else map(if type == "string" then trim else . end) | map(select(blank | not)) end;
def given: with_entries(select(.value | blank | not));
def drop_nulls:
  if type == "object" then with_entries(select(.value != null) | .value |= drop_nulls) else . end;
def need($name): if blank then error({missing: [$name]}) else . end;
def parsed: if type == "string" then from_yaml else . end;
def flag: if . == "true" then true elif . == "false" then false else . end;
"#;

/// The definitions every program starts from.
pub(super) fn definitions() -> impl Iterator<Item = Def<&'static str, Term<&'static str>>> {
    let standard = jaq_std::defs()
        .filter(|def| TAKEN.contains(&def.name))
        .filter(|def| def.name != "split" || def.args.len() == 1);
    let ours = jaq_core::load::parse(OURS, |parser| parser.defs()).unwrap_or_default();
    jaq_core::defs().chain(standard).chain(jaq_json::defs()).chain(ours)
}

/// The functions those definitions stand on.
pub(super) fn functions() -> impl Iterator<Item = Fun<Data>> {
    // `halt` would end the server's process in some hosts of jq; a catalogue only computes.
    let standard = jaq_std::base_funs().filter(|(name, ..)| *name != "halt");
    let ours = Box::new(ours()).into_iter().map(run::<Data>);
    jaq_core::funs::<Data>().chain(standard).chain(jaq_json::funs::<Data>()).chain(ours)
}

fn ours() -> [Filter<RunPtr<Data>>; 10] {
    [
        ("from_yaml", v(0), |cv| bome(from_yaml(&cv.1))),
        ("to_yaml", v(0), |cv| bome(Ok(Val::from(crate::yaml::to_text(&from_val(&cv.1)))))),
        ("from_json", v(0), |cv| bome(from_json(&cv.1))),
        ("base64", v(0), |cv| bome(Ok(Val::from(STANDARD.encode(text_of(&cv.1)))))),
        ("from_base64", v(0), |cv| bome(from_base64(&cv.1))),
        ("millis", v(0), |cv| bome(millis(&cv.1))),
        ("iso", v(0), |cv| bome(iso(&cv.1))),
        ("now_ms", v(0), |_| bome(Ok(to_val(&Value::from(now_ms()))))),
        ("now", v(0), |_| bome(Ok(Val::from(now_ms() as f64 / 1000.0)))),
        ("encode_uri", v(0), |cv| bome(Ok(Val::from(crate::path::encode(&text_of(&cv.1)))))),
    ]
}

type Answer = Result<Val, Error<Val>>;

fn from_yaml(value: &Val) -> Answer {
    let parsed = crate::yaml::from_text(&text_of(value));
    parsed.map(|value| to_val(&value)).map_err(Error::str)
}

fn from_json(value: &Val) -> Answer {
    let parsed = serde_json::from_str::<Value>(&text_of(value));
    parsed.map(|value| to_val(&value)).map_err(|error| Error::str(format!("not JSON: {error}")))
}

fn from_base64(value: &Val) -> Answer {
    let bytes = STANDARD.decode(text_of(value).trim()).map_err(Error::str)?;
    Ok(Val::from(String::from_utf8_lossy(&bytes).into_owned()))
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Numbers below this are seconds: as milliseconds they would lie before April 1973.
const SECONDS_BELOW: f64 = 1e11;

fn millis(value: &Val) -> Answer {
    if let Val::Null = value {
        return Ok(Val::Null);
    }
    let text = text_of(value);
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        let factor = if number.abs() < SECONDS_BELOW { 1000.0 } else { 1.0 };
        return Ok(Val::from((number * factor).floor() as isize));
    }
    let time = text.parse::<jiff::Timestamp>().or_else(|error| {
        let zoneless = text.parse::<jiff::civil::DateTime>().map_err(|_| error)?;
        jiff::tz::TimeZone::UTC.to_timestamp(zoneless)
    });
    let time = time.map_err(|_| {
        Error::str(format!(
            "`{text}` is not a time; write it as `2026-01-31T12:00:00Z` or `2026-01-31`"
        ))
    })?;
    Ok(to_val(&Value::from(time.as_millisecond())))
}

fn iso(value: &Val) -> Answer {
    let Value::Number(number) = from_val(value) else {
        return Ok(value.clone());
    };
    let time = number.as_i64().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let time =
        time.ok_or_else(|| Error::str(format!("`{number}` is not a time in milliseconds")))?;
    Ok(Val::from(time.to_string()))
}
