//! From the names an agent uses to the catalogue's entries, with help when a name is wrong.

use checkrein_catalog::catalog::Catalog;
use checkrein_catalog::model::{Operation, ResourceType};

use crate::failure::Failure;
use crate::nearest::{did_you_mean, listed};
use crate::pasted_url::PastedUrl;

/// The resource type an agent names, or the one whose page it pasted.
pub(crate) fn resource<'c>(
    catalog: &'c Catalog,
    named: Option<&str>,
    url: &PastedUrl,
) -> Result<&'c ResourceType, Failure> {
    let Some(name) = named.or(url.resource_type) else {
        return Err(Failure::said(
            "`resource_type` is required, unless `url` is the page of a resource in the platform's \
             console; harness_describe lists the types",
        ));
    };
    catalog.get(name).ok_or_else(|| match named {
        Some(_) => unknown_type(catalog, name),
        None => Failure::said(format!(
            "`url` is the page of a `{name}`, which this server does not have; its toolset may be \
             off (`HARNESS_TOOLSETS`)"
        )),
    })
}

/// Says which type may have been meant: by spelling, or by another word people use for it.
pub(crate) fn unknown_type(catalog: &Catalog, name: &str) -> Failure {
    let word = name.to_lowercase().replace([' ', '-'], "_");
    let by_other_word = catalog.types.values().find(|resource| {
        resource
            .also_called
            .iter()
            .any(|other| other.to_lowercase().replace([' ', '-'], "_") == word)
    });
    let hint = match by_other_word {
        Some(resource) => format!(", did you mean `{}`?", resource.name),
        None => did_you_mean(&word, catalog.types.keys().map(String::as_str)),
    };
    Failure::said(format!(
        "unknown resource type `{name}`{hint} Known: {}; harness_describe says what each is",
        listed(catalog.types.keys().map(String::as_str))
    ))
}

/// `list`, `get`, `create`, `update` or `delete` of a type.
pub(crate) fn operation<'c>(
    catalog: &Catalog,
    resource: &'c ResourceType,
    name: &str,
) -> Result<&'c Operation, Failure> {
    resource.operations.get(name).ok_or_else(|| {
        let others =
            catalog.types.values().filter(|other| other.operations.contains_key(name)).count();
        Failure::said(format!(
            "`{}` has no `{name}`; it has {} ({others} other types have `{name}`)",
            resource.name,
            everything_of(resource)
        ))
    })
}

/// An action of a type.
pub(crate) fn action<'c>(
    resource: &'c ResourceType,
    name: &str,
) -> Result<(&'c str, &'c Operation), Failure> {
    let found = resource.actions.get_key_value(name);
    found.map(|(name, operation)| (name.as_str(), operation)).ok_or_else(|| {
        Failure::said(format!(
            "`{}` has no action `{name}`{} Its actions: {}",
            resource.name,
            did_you_mean(name, resource.actions.keys().map(String::as_str)),
            listed(resource.actions.keys().map(String::as_str)),
        ))
    })
}

fn everything_of(resource: &ResourceType) -> String {
    let names = resource.operations.keys().chain(resource.actions.keys()).map(String::as_str);
    listed(names)
}
