//! The operations of the catalogue as routes of the sandbox, which answers those it has no
//! behaviour for from a generic store.

use checkrein_catalog::Catalog;
use checkrein_catalog::model::{Operation, Reply, RequestLine, ResourceType};
use checkrein_sandbox::{Envelope, GenericRoute, Operation as Does};

/// One route for every request line of the catalogue.
pub(super) fn of(catalog: &Catalog) -> Vec<GenericRoute> {
    let mut routes = Vec::new();
    for resource in catalog.types.values() {
        for (name, operation) in &resource.operations {
            routes.extend(lines(operation).map(|line| route(resource, name, operation, line)));
        }
        for (name, operation) in &resource.actions {
            routes.extend(lines(operation).map(|line| route(resource, name, operation, line)));
        }
    }
    routes
}

fn lines(operation: &Operation) -> impl Iterator<Item = &RequestLine> {
    std::iter::once(&operation.request)
        .chain(operation.variants.iter().map(|variant| &variant.request))
}

fn route(
    resource: &ResourceType,
    name: &str,
    operation: &Operation,
    line: &RequestLine,
) -> GenericRoute {
    let does = match name {
        "list" => Does::List,
        "get" => Does::Get,
        "create" => Does::Create,
        "update" => Does::Update,
        "delete" => Does::Delete,
        _ => Does::Action,
    };
    GenericRoute {
        method: line.method.word().to_owned(),
        path_template: line.path.to_string(),
        kind: resource.name.clone(),
        operation: does,
        envelope: envelope(&operation.reply),
    }
}

fn envelope(reply: &Reply) -> Envelope {
    match reply {
        Reply::Raw | Reply::ArrayOf(_) => Envelope::Bare,
        Reply::Data | Reply::Computed(_) => Envelope::Data,
        Reply::Unwrap(key) => Envelope::Wrapped(key.clone()),
        Reply::Page => Envelope::Page(None),
        Reply::PageOf(key) => Envelope::Page(Some(key.clone())),
        Reply::Resource => Envelope::Resource,
    }
}
