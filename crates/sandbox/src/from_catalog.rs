//! The operations of the catalogue as routes of the generic store.

use checkrein_catalog::Catalog;
use checkrein_catalog::model::{Operation as Called, Reply as Read, RequestLine, ResourceType};

use crate::generic::{Envelope, GenericRoute, Operation};

/// One route for every request line of the catalogue.
///
/// Those that a family answers itself are harmless here, as a family always comes first.
pub fn generic_routes(catalog: &Catalog) -> Vec<GenericRoute> {
    let mut routes = Vec::new();
    for resource in catalog.types.values() {
        for (name, called) in &resource.operations {
            let does = match name.as_str() {
                "list" => Operation::List,
                "get" => Operation::Get,
                "create" => Operation::Create,
                "update" => Operation::Update,
                _ => Operation::Delete,
            };
            routes.extend(lines(called).map(|line| route(resource, does, called, line)));
        }
        for called in resource.actions.values() {
            routes
                .extend(lines(called).map(|line| route(resource, Operation::Action, called, line)));
        }
    }
    routes
}

fn lines(called: &Called) -> impl Iterator<Item = &RequestLine> {
    let variants = called.variants.iter().map(|variant| &variant.request);
    std::iter::once(&called.request).chain(variants)
}

fn route(
    resource: &ResourceType,
    operation: Operation,
    called: &Called,
    line: &RequestLine,
) -> GenericRoute {
    GenericRoute {
        method: line.method.word().to_owned(),
        path_template: line.path.to_string(),
        kind: resource.name.clone(),
        operation,
        envelope: envelope(&called.reply),
    }
}

fn envelope(reply: &Read) -> Envelope {
    match reply {
        Read::Raw | Read::ArrayOf(_) => Envelope::Bare,
        Read::Data => Envelope::Data,
        Read::Unwrap(key) => Envelope::Wrapped(key.clone()),
        Read::Page => Envelope::Page(None),
        Read::PageOf(key) => Envelope::Page(Some(key.clone())),
        Read::Resource => Envelope::Resource,
        Read::Computed(program) => guessed(&program.0),
    }
}

/// The envelope a program takes apart, by the first keys it looks at.
fn guessed(program: &str) -> Envelope {
    let looks_at = |key: &str| program.contains(key);
    if looks_at(".resource") {
        return Envelope::Resource;
    }
    if looks_at(".content") {
        return Envelope::Page(None);
    }
    if looks_at(".data") {
        return Envelope::Data;
    }
    let first = program.split(['.', '$', '"', ' ', '(']).find(|word| is_key(word));
    match first.filter(|key| program.contains(&format!(".{key}"))) {
        Some(key) => Envelope::Keyed(key.trim_end_matches(['?', ')', ',']).to_owned()),
        None => Envelope::Bare,
    }
}

fn is_key(word: &str) -> bool {
    let letters = word.trim_end_matches(['?', ')', ',']);
    !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::{Envelope, guessed};

    #[test]
    fn a_program_tells_the_envelope_it_reads() {
        for (program, expected) in [
            ("(.resource // []) | {items: .}", Envelope::Resource),
            (".data.content | {items: .}", Envelope::Page(None)),
            (".data // . | placed", Envelope::Data),
            (".objects | {items: ., total: length}", Envelope::Keyed("objects".to_owned())),
            (".", Envelope::Bare),
        ] {
            assert_eq!(guessed(program), expected, "{program}");
        }
    }
}
