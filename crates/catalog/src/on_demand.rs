//! The resource types of a catalogue, each decoded when it is first looked at.

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;

use crate::model::ResourceType;

/// A value that is there, or its bytes until somebody asks for it.
#[derive(Debug, Clone)]
pub(crate) struct Lazy<T> {
    bytes: &'static [u8],
    value: OnceLock<T>,
}

impl<T> Lazy<T> {
    /// A value that is there.
    pub(crate) fn ready(value: T) -> Self {
        Self { bytes: &[], value: OnceLock::from(value) }
    }

    /// The bytes of a value, as [`crate::packed`] wrote them.
    pub(crate) fn packed(bytes: &'static [u8]) -> Self {
        Self { bytes, value: OnceLock::new() }
    }
}

impl<T: DeserializeOwned> Lazy<T> {
    /// The value.
    pub(crate) fn get(&self) -> &T {
        self.value.get_or_init(|| match postcard::from_bytes(self.bytes) {
            Ok(value) => value,
            Err(error) => unreachable!("the build that wrote these bytes has this code: {error}"),
        })
    }
}

/// Resource types by name, in the order of their toolsets.
#[derive(Debug, Clone, Default)]
pub struct Types {
    entries: IndexMap<String, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    toolset: String,
    resource: Lazy<ResourceType>,
}

impl Types {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// One type.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ResourceType> {
        self.entries.get(name).map(|entry| entry.resource.get())
    }

    /// Whether there is a type of this name; nothing is decoded for it.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The names; nothing is decoded for them.
    pub fn keys(&self) -> impl Iterator<Item = &String> + Clone {
        self.entries.keys()
    }

    /// All types; this decodes every one.
    pub fn values(&self) -> impl Iterator<Item = &ResourceType> {
        self.entries.values().map(|entry| entry.resource.get())
    }

    /// The types of a toolset; only they are decoded.
    pub fn of_toolset<'a>(&'a self, toolset: &'a str) -> impl Iterator<Item = &'a ResourceType> {
        let entries = self.entries.values().filter(move |entry| entry.toolset == toolset);
        entries.map(|entry| entry.resource.get())
    }

    /// Adds a type, or puts it in the place of the one of its name.
    pub fn insert(&mut self, name: String, resource: ResourceType) {
        let toolset = resource.toolset.clone();
        self.entries.insert(name, Entry { toolset, resource: Lazy::ready(resource) });
    }

    /// Adds a type as its bytes.
    pub(crate) fn insert_packed(&mut self, name: &str, toolset: &str, bytes: &'static [u8]) {
        let entry = Entry { toolset: toolset.to_owned(), resource: Lazy::packed(bytes) };
        self.entries.insert(name.to_owned(), entry);
    }

    /// The types of some toolsets; nothing is decoded for it.
    pub(crate) fn of_toolsets(&self, toolsets: &[String]) -> Self {
        let entries = self.entries.iter().filter(|(_, entry)| toolsets.contains(&entry.toolset));
        Self { entries: entries.map(|(name, entry)| (name.clone(), entry.clone())).collect() }
    }
}

impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        self.values().eq(other.values())
    }
}
