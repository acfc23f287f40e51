//! The catalogue: every resource type the server knows.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::model::{Dialect, Operation, ResourceType, Toolset};
use crate::on_demand::{Lazy, Types};
use crate::toolsets::{ToolsetFilter, UnknownToolsets};

/// All dialects, toolsets and resource types, in the order that users see.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// API families by name.
    pub dialects: IndexMap<String, Dialect>,
    /// Toolsets in their fixed order.
    pub toolsets: Vec<Toolset>,
    /// Resource types by name, in the order of their toolsets.
    pub types: Types,
    examples: Lazy<BTreeMap<String, Vec<Example>>>,
}

/// A call that shows how a type is used; taken from its cases, so it is known to work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// What it does, in a few words.
    pub title: String,
    /// The tool.
    pub tool: String,
    /// The tool's arguments, as JSON text.
    pub arguments: String,
}

impl Default for Catalog {
    fn default() -> Self {
        Self::new(IndexMap::new(), Vec::new(), Types::default(), Lazy::ready(BTreeMap::new()))
    }
}

impl PartialEq for Catalog {
    fn eq(&self, other: &Self) -> bool {
        self.dialects == other.dialects
            && self.toolsets == other.toolsets
            && self.types == other.types
            && self.all_examples() == other.all_examples()
    }
}

impl Catalog {
    pub(crate) fn new(
        dialects: IndexMap<String, Dialect>,
        toolsets: Vec<Toolset>,
        types: Types,
        examples: Lazy<BTreeMap<String, Vec<Example>>>,
    ) -> Self {
        Self { dialects, toolsets, types, examples }
    }

    /// Calls that show how a type is used.
    #[must_use]
    pub fn examples(&self, resource: &str) -> &[Example] {
        self.all_examples().get(resource).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn all_examples(&self) -> &BTreeMap<String, Vec<Example>> {
        self.examples.get()
    }

    pub(crate) fn set_examples(&mut self, examples: BTreeMap<String, Vec<Example>>) {
        self.examples = Lazy::ready(examples);
    }

    /// A resource type.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ResourceType> {
        self.types.get(name)
    }

    /// The known type whose name is closest to this one.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        crate::nearest(name, self.types.keys().map(String::as_str))
    }

    /// The family of a type.
    #[must_use]
    pub fn dialect(&self, resource: &ResourceType) -> Option<&Dialect> {
        self.dialects.get(&resource.dialect)
    }

    /// One of the five plain operations of a type.
    #[must_use]
    pub fn operation(&self, resource: &str, name: &str) -> Option<(&ResourceType, &Operation)> {
        let resource = self.get(resource)?;
        resource.operations.get(name).map(|operation| (resource, operation))
    }

    /// An action of a type.
    #[must_use]
    pub fn action(&self, resource: &str, name: &str) -> Option<(&ResourceType, &Operation)> {
        let resource = self.get(resource)?;
        resource.actions.get(name).map(|operation| (resource, operation))
    }

    /// The types that have an operation (`list`), in order.
    pub fn with_operation<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ResourceType> {
        self.types.values().filter(move |resource| resource.operations.contains_key(name))
    }

    /// The types of a toolset, in order.
    pub fn of_toolset<'a>(&'a self, toolset: &'a str) -> impl Iterator<Item = &'a ResourceType> {
        self.types.of_toolset(toolset)
    }

    /// Every operation and action: type, name, operation.
    pub fn all(&self) -> impl Iterator<Item = (&ResourceType, &str, &Operation)> {
        self.types.values().flat_map(|resource| {
            resource
                .operations
                .iter()
                .chain(&resource.actions)
                .map(move |(name, operation)| (resource, name.as_str(), operation))
        })
    }

    /// What is left of the catalogue when only some toolsets are on.
    pub fn enabled(&self, filter: &ToolsetFilter) -> Result<Self, UnknownToolsets> {
        let names = filter.names(&self.toolsets)?;
        let is_on = |name: &String| names.contains(name);
        Ok(Self {
            dialects: self.dialects.clone(),
            toolsets: self.toolsets.iter().filter(|set| is_on(&set.name)).cloned().collect(),
            types: self.types.of_toolsets(&names),
            examples: self.examples.clone(),
        })
    }
}
