//! Links into the platform's web console.

use serde_json::{Map, Value};

use crate::call::Call;
use crate::path::encode;
use crate::request::WireRequest;
use crate::scope::scalar_text;

/// The key a link is put under.
pub const LINK: &str = "openInHarness";

/// Keys under which a result holds its items.
const ITEM_KEYS: [&str; 5] = ["items", "features", "content", "data", "objects"];

/// Objects that families wrap an item in.
pub(crate) const WRAPPERS: [&str; 11] = [
    "connector",
    "service",
    "environment",
    "secret",
    "role",
    "resourceGroup",
    "pipeline",
    "template",
    "artifact",
    "organization",
    "project",
];

/// Keys of an item that any link may need.
pub(crate) const ITEM_FIELDS: [&str; 7] =
    ["identifier", "name", "storeType", "orgIdentifier", "org", "projectIdentifier", "project"];

/// Adds links to a result: to each item of a page, or to the one thing it tells of. A link with a
/// place that nothing fills is left out.
pub fn add(call: &Call<'_>, request: &WireRequest, base_url: &str, result: &mut Value) {
    let Some(links) = Links::new(call, request, base_url) else {
        return;
    };
    let Value::Object(members) = result else {
        return;
    };
    let list = ITEM_KEYS.into_iter().find(|key| members.get(*key).is_some_and(Value::is_array));
    let Some(key) = list else {
        if let Some(link) = links.of_result(members) {
            members.insert(LINK.to_owned(), Value::String(link));
        }
        return;
    };
    let Some(Value::Array(items)) = members.get_mut(key) else {
        return;
    };
    for item in items {
        if let Value::Object(item) = item {
            links.add_to_item(item);
        }
    }
}

/// Makes the links of one call.
pub(crate) struct Links<'a> {
    call: &'a Call<'a>,
    request: &'a WireRequest,
    template: &'a str,
    base_url: &'a str,
}

impl<'a> Links<'a> {
    /// `None` when the type has no page in the console.
    pub(crate) fn new(
        call: &'a Call<'a>,
        request: &'a WireRequest,
        base_url: &'a str,
    ) -> Option<Self> {
        let template = call.resource.link.as_deref()?;
        Some(Self { call, request, template, base_url: base_url.trim_end_matches('/') })
    }

    /// Adds the link to an item of a page.
    pub(crate) fn add_to_item(&self, item: &mut Map<String, Value>) {
        let link = self.fill(item, |token| self.item_token(item, token));
        if let Some(link) = link {
            item.insert(LINK.to_owned(), Value::String(link));
        }
    }

    /// The keys of an item that its link is made of, beside those any link may need.
    pub(crate) fn fields(&self) -> Vec<&'a str> {
        let tokens = tokens(self.template);
        tokens.flat_map(|token| [Some(token), self.field_of(token)]).flatten().collect()
    }

    fn of_result(&self, result: &Map<String, Value>) -> Option<String> {
        self.fill(result, |token| self.result_token(result, token))
    }

    fn result_token(&self, result: &Map<String, Value>, token: &str) -> Option<String> {
        let (call, resource) = (self.call, self.call.resource);
        match token {
            "account" => return Some(call.defaults.account.clone()),
            "org" => {
                let told = || text(result.get("orgIdentifier"));
                return self.org().or_else(told).or_else(|| self.configured(&call.defaults.org));
            }
            "project" => {
                let told = || text(result.get("projectIdentifier"));
                let usual = || self.configured(&call.defaults.project);
                return self.project().or_else(told).or_else(usual);
            }
            _ => {}
        }
        // A template that names a field of the reply wants what the reply says.
        if !resource.inputs.contains_key(token) {
            return text(result.get(token)).or_else(|| self.input_of_field(token));
        }
        let is_id = resource.ids.iter().any(|id| id == token);
        let field = self.field_of(token).unwrap_or(token);
        let told = self.input(token).or_else(|| text(result.get(field)));
        if !is_id {
            return told;
        }
        let told = told.or_else(|| text(result.get("identifier")));
        told.or_else(|| result.values().find_map(|nested| identifier_in(nested, field)))
    }

    fn item_token(&self, item: &Map<String, Value>, token: &str) -> Option<String> {
        let ids = &self.call.resource.ids;
        let of_item = |keys: &[&str]| keys.iter().find_map(|key| text(item.get(*key)));
        match token {
            "account" => return Some(self.call.defaults.account.clone()),
            "org" => {
                return Some(
                    self.org().or_else(|| of_item(&["orgIdentifier", "org"])).unwrap_or_default(),
                );
            }
            "project" => {
                let own = || of_item(&["projectIdentifier", "project"]);
                return Some(self.project().or_else(own).unwrap_or_default());
            }
            // A listed project names itself as everything in it names the project.
            "project_id" => return of_item(&["projectIdentifier", "project", "identifier"]),
            _ => {}
        }
        let field = self.field_of(token).unwrap_or(token);
        // A template that names a field of the reply wants the filter that has chosen the items.
        let is_input = self.call.resource.inputs.contains_key(token);
        if !is_input && let Some(given) = self.input_of_field(token) {
            return Some(given);
        }
        if let Some(told) = of_item(&[field, token]) {
            return Some(told);
        }
        // What an item lies in is known from the call; what it is, from itself.
        let is_own = ids.last().is_some_and(|id| id == token);
        if !is_own && let Some(given) = self.input(token).or_else(|| self.input_of_field(token)) {
            return Some(given);
        }
        if !ids.iter().any(|id| id == token) {
            return None;
        }
        let wrapped = || WRAPPERS.iter().find_map(|key| identifier_in(item.get(*key)?, field));
        of_item(&["identifier", "name"]).or_else(wrapped)
    }

    /// Fills the template; `None` when something in it stays open.
    fn fill(
        &self,
        record: &Map<String, Value>,
        value_of: impl Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let mut path = String::with_capacity(self.template.len() + 64);
        let mut rest = self.template;
        while let Some((before, after)) = rest.split_once('{') {
            let (token, after) = after.split_once('}')?;
            path.push_str(before);
            path.push_str(&encode(&value_of(token)?));
            rest = after;
        }
        path.push_str(rest);
        // Without an organization or project the console has shorter paths.
        let mut path = path
            .replace("/orgs//projects//", "/")
            .replace("/projects//", "/")
            .replace("/all/settings/", "/settings/");
        if let Some(Value::String(store)) = record.get("storeType")
            && !store.is_empty()
        {
            path.push(if path.contains('?') { '&' } else { '?' });
            path.push_str("storeType=");
            path.push_str(&encode(store));
        }
        Some(format!("{}{path}", self.base_url))
    }

    fn org(&self) -> Option<String> {
        self.query(&["orgIdentifier", "organizationIdentifier"], &self.call.dialect.org_param)
            .or_else(|| self.input("org_id"))
    }

    fn project(&self) -> Option<String> {
        self.query(&["projectIdentifier"], &self.call.dialect.project_param)
            .or_else(|| self.input("project_id"))
    }

    fn query(&self, keys: &[&str], own: &Option<String>) -> Option<String> {
        let keys = keys.iter().copied().chain(own.as_deref());
        let mut values = keys.filter_map(|key| self.request.query_value(key));
        values.find(|value| !value.is_empty()).map(str::to_owned)
    }

    /// A configured place; a type that needs none was not looked for there.
    fn configured(&self, value: &Option<String>) -> Option<String> {
        let counts = !self.call.resource.scope_optional;
        Some(value.clone().filter(|_| counts).unwrap_or_default())
    }

    fn input(&self, name: &str) -> Option<String> {
        text(self.call.inputs.get(name))
    }

    /// The input whose field in replies is this one.
    fn input_of_field(&self, field: &str) -> Option<String> {
        let inputs = &self.call.resource.inputs;
        let named = inputs.iter().filter(|(_, input)| input.field.as_deref() == Some(field));
        named.map(|(name, _)| name).find_map(|name| self.input(name))
    }

    /// What replies call an input.
    fn field_of(&self, token: &str) -> Option<&'a str> {
        self.call.resource.inputs.get(token)?.field.as_deref()
    }
}

/// The identifier of a wrapped record, under its own name or the general one.
fn identifier_in(record: &Value, field: &str) -> Option<String> {
    text(record.get(field)).or_else(|| text(record.get("identifier")))
}

/// The text of a scalar that says something.
fn text(value: Option<&Value>) -> Option<String> {
    scalar_text(value?).filter(|text| !text.is_empty())
}

fn tokens(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|part| part.split('}').next())
}

#[cfg(test)]
mod tests;
