//! Reads a page and keeps of each item what is needed, without building the rest.
//!
//! Any reply that is not exactly of the expected form is refused here (`None`) and left to the
//! general way, so that there is one definition of what odd replies mean.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::items_and_total;
use crate::call::Call;
use crate::compact::{Keep, NAMES, NUMBER, compact_item, is_wrapper};
use crate::link::{ITEM_FIELDS, Links};
use crate::model::Reply;
use crate::request::WireRequest;

/// The compact page, when call and reply have the plain form.
pub(super) fn page(
    call: &Call<'_>,
    request: &WireRequest,
    reply: &[u8],
    keep: &Keep<'_>,
    base_url: &str,
) -> Option<Value> {
    if call.operation.never_compact || request.query_value("storeType").is_some() {
        return None;
    }
    let links = Links::new(call, request, base_url);
    let fields = links.as_ref().map_or_else(Vec::new, Links::fields);
    let mut items = Items { keep: *keep, links, fields, unwrap: None };
    let mut parser = serde_json::Deserializer::from_slice(reply);
    let page = match &call.operation.reply {
        Reply::Page => Envelope(&items).deserialize(&mut parser),
        Reply::PageOf(key) => {
            items.unwrap = Some(key);
            Envelope(&items).deserialize(&mut parser)
        }
        Reply::ArrayOf(key) => {
            items.unwrap = key.as_deref();
            items.deserialize(&mut parser).map(counted)
        }
        Reply::Raw => {
            // A bare array has no place for links.
            items.links = None;
            items.deserialize(&mut parser).map(|list| {
                let page = call.inputs.get("page").cloned().unwrap_or_else(|| Value::from(0));
                let mut whole = counted(list);
                if let Value::Object(members) = &mut whole {
                    members.insert("page".to_owned(), page);
                }
                whole
            })
        }
        _ => return None,
    };
    let page = page.ok()?;
    parser.end().ok()?;
    Some(page)
}

fn counted(items: Vec<Value>) -> Value {
    let total = Value::from(items.len());
    items_and_total(items, total)
}

/// `{data: {content: […], totalElements: n}}`.
struct Envelope<'a>(&'a Items<'a>);

impl<'de> DeserializeSeed<'de> for Envelope<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Envelope<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `data`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut page = None;
        while let Some(is_data) = map.next_key_seed(Is(&["data"]))? {
            if is_data.is_none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            // A key that is there twice counts once, the last time; that is for the general way.
            if page.replace(map.next_value_seed(Page(self.0))?).is_some() {
                return Err(de::Error::duplicate_field("data"));
            }
        }
        page.ok_or_else(|| de::Error::missing_field("data"))
    }
}

struct Page<'a>(&'a Items<'a>);

impl<'de> DeserializeSeed<'de> for Page<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Page<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page with `content`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let (mut items, mut elements, mut total) = (None, None, None);
        while let Some(key) = map.next_key_seed(Is(&["content", "totalElements", "totalItems"]))? {
            let twice = match key {
                None => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
                Some(0) => items.replace(map.next_value_seed(self.0)?).is_some(),
                Some(1) => elements.replace(map.next_value::<Value>()?).is_some(),
                Some(_) => total.replace(map.next_value::<Value>()?).is_some(),
            };
            if twice {
                return Err(de::Error::custom("a key is there twice"));
            }
        }
        let items = items.ok_or_else(|| de::Error::missing_field("content"))?;
        let total = [elements, total].into_iter().flatten().find(|total| !total.is_null());
        match total {
            Some(total) if !total.is_number() => Err(de::Error::custom("the total is no number")),
            total => Ok(items_and_total(items, total.unwrap_or_else(|| Value::from(0)))),
        }
    }
}

/// Which of these a key is.
struct Is<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Option<usize>, E> {
        refuse_number(key)?;
        Ok(self.0.iter().position(|known| *known == key))
    }
}

/// The items of a page, each with its link, shortened.
struct Items<'a> {
    keep: Keep<'a>,
    links: Option<Links<'a>>,
    fields: Vec<&'a str>,
    unwrap: Option<&'a str>,
}

impl Items<'_> {
    fn finish(&self, item: Value) -> Value {
        let Value::Object(mut members) = item else { return item };
        if let Some(links) = &self.links {
            links.add_to_item(&mut members);
        }
        compact_item(&mut members, &self.keep);
        Value::Object(members)
    }
}

impl<'de> DeserializeSeed<'de> for &Items<'_> {
    type Value = Vec<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Value>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &Items<'_> {
    type Value = Vec<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Value>, A::Error> {
        let mut items = Vec::new();
        let seed = || Item { items: self, unwrap: self.unwrap };
        while let Some(item) = seq.next_element_seed(seed())? {
            items.push(self.finish(item));
        }
        Ok(items)
    }
}

/// One item, or what is under its wrapping key.
#[derive(Clone, Copy)]
struct Item<'a> {
    items: &'a Items<'a>,
    unwrap: Option<&'a str>,
}

/// What is done with the value under a key.
enum Use {
    Unwrap,
    Whole(String),
    Wrapper(String),
    Skip,
}

impl Item<'_> {
    fn use_of(&self, key: &str) -> Use {
        let items = self.items;
        if self.unwrap == Some(key) {
            return Use::Unwrap;
        }
        let for_link = items.links.is_some();
        let for_name = items.keep.is_general();
        if items.keep.keeps(key)
            || (for_link && (ITEM_FIELDS.contains(&key) || items.fields.contains(&key)))
            || (for_name && key == NUMBER)
        {
            return Use::Whole(key.to_owned());
        }
        if (for_link || for_name) && is_wrapper(key) {
            return Use::Wrapper(key.to_owned());
        }
        Use::Skip
    }
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Item<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        let mut inner = None;
        while let Some(used) = map.next_key_seed(KeyUse(&self))? {
            match used {
                Use::Skip => {
                    map.next_value::<IgnoredAny>()?;
                }
                Use::Unwrap => inner = Some(map.next_value_seed(Item { unwrap: None, ..self })?),
                Use::Whole(key) => {
                    members.insert(key, map.next_value()?);
                }
                Use::Wrapper(key) => {
                    members.insert(key, map.next_value_seed(Wrapped(&self.items.fields))?);
                }
            }
        }
        match inner {
            Some(value) if !value.is_null() => Ok(value),
            _ => Ok(Value::Object(members)),
        }
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
}

struct KeyUse<'a>(&'a Item<'a>);

impl<'de> DeserializeSeed<'de> for KeyUse<'_> {
    type Value = Use;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Use, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KeyUse<'_> {
    type Value = Use;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Use, E> {
        refuse_number(key)?;
        Ok(self.0.use_of(key))
    }
}

/// A number that keeps its digits arrives as a map with one private key.
fn refuse_number<E: de::Error>(key: &str) -> Result<(), E> {
    if key.starts_with("$serde_json::private::") {
        return Err(E::custom("a number where an object is expected"));
    }
    Ok(())
}

/// Of a wrapping object only what it is called and what a link takes from it.
struct Wrapped<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Wrapped<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Wrapped<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        let names: Vec<&str> = self.0.iter().copied().chain(NAMES).collect();
        while let Some(index) = map.next_key_seed(Is(&names))? {
            match index.and_then(|index| names.get(index)) {
                Some(name) => {
                    members.insert((*name).to_owned(), map.next_value()?);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(members))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }
}
