//! JSON values to jq's values and back, digit by digit.

use jaq_core::ValT as _;
use jaq_json::{Map, Num, Val};
use jaq_std::ValT as _;
use serde_json::{Number, Value};

/// A JSON value as jq sees it; decimals and big integers keep their digits.
#[must_use]
pub fn to_val(value: &Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Bool(value) => Val::Bool(*value),
        Value::Number(number) => Val::from_num(number.as_str()).unwrap_or_default(),
        Value::String(text) => Val::from(text.clone()),
        Value::Array(items) => items.iter().map(to_val).collect(),
        Value::Object(members) => {
            let members =
                members.iter().map(|(key, value)| (Val::from(key.clone()), to_val(value)));
            Val::obj(members.collect::<Map>())
        }
    }
}

/// A value of jq as JSON; what JSON cannot say (NaN, infinity) becomes null.
#[must_use]
pub fn from_val(value: &Val) -> Value {
    match value {
        Val::Null => Value::Null,
        Val::Bool(value) => Value::Bool(*value),
        Val::Num(number) => from_num(number),
        Val::BStr(_) | Val::TStr(_) => Value::String(text_of(value)),
        Val::Arr(items) => items.iter().map(from_val).collect(),
        Val::Obj(members) => Value::Object(
            members.iter().map(|(key, value)| (text_of(key), from_val(value))).collect(),
        ),
    }
}

/// The text of a text, or the JSON of anything else.
pub(super) fn text_of(value: &Val) -> String {
    value
        .as_bytes()
        .map_or_else(|| value.to_string(), |bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn from_num(number: &Num) -> Value {
    match number {
        Num::Int(number) => Value::from(*number as i64),
        // A whole result of arithmetic is written as one: 3, not 3.0.
        Num::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Value::from(*number as i64)
        }
        Num::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        Num::BigInt(number) => parsed(&number.to_string()),
        Num::Dec(text) => parsed(text),
    }
}

fn parsed(digits: &str) -> Value {
    digits.parse::<Number>().map_or(Value::Null, Value::Number)
}
