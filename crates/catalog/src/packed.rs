//! A catalogue as bytes, for the build script that puts it into the binary.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, Example};
use crate::model::{Dialect, Toolset};
use crate::on_demand::{Lazy, Types};

/// Why bytes are no catalogue.
#[derive(Debug, thiserror::Error)]
#[error("the packed catalogue cannot be read: {0}")]
pub struct PackError(#[from] postcard::Error);

/// What is decoded at once, and the bytes of the rest.
#[derive(Serialize, Deserialize)]
struct Pack<'a> {
    dialects: IndexMap<String, Dialect>,
    toolsets: Vec<Toolset>,
    #[serde(borrow)]
    types: Vec<(&'a str, &'a str, &'a [u8])>,
    #[serde(borrow)]
    examples: &'a [u8],
}

/// The bytes of a catalogue; only the same version of this crate reads them.
pub fn pack(catalog: &Catalog) -> Result<Vec<u8>, PackError> {
    let bytes: Vec<Vec<u8>> =
        catalog.types.values().map(postcard::to_stdvec).collect::<Result<_, _>>()?;
    let types = catalog.types.values().zip(&bytes);
    let examples = postcard::to_stdvec(catalog.all_examples())?;
    let pack = Pack {
        dialects: catalog.dialects.clone(),
        toolsets: catalog.toolsets.clone(),
        types: types
            .map(|(resource, bytes)| {
                (resource.name.as_str(), resource.toolset.as_str(), bytes.as_slice())
            })
            .collect(),
        examples: &examples,
    };
    Ok(postcard::to_stdvec(&pack)?)
}

/// Reads a packed catalogue; its types and examples stay bytes until they are looked at.
pub fn unpack(bytes: &'static [u8]) -> Result<Catalog, PackError> {
    let pack: Pack<'static> = postcard::from_bytes(bytes)?;
    let mut types = Types::default();
    for (name, toolset, bytes) in pack.types {
        types.insert_packed(name, toolset, bytes);
    }
    let examples: Lazy<BTreeMap<String, Vec<Example>>> = Lazy::packed(pack.examples);
    Ok(Catalog::new(pack.dialects, pack.toolsets, types, examples))
}
