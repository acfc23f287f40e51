//! The closed word lists of catalogue files.

use crate::model::{Kind, Method, Retry, Risk, Scope};

/// Names of risks.
pub const RISKS: [(&str, Risk); 5] = [
    ("read", Risk::Read),
    ("low_write", Risk::LowWrite),
    ("medium_write", Risk::MediumWrite),
    ("high_write", Risk::HighWrite),
    ("destructive", Risk::Destructive),
];

/// Names of retry rules.
pub const RETRIES: [(&str, Retry); 2] = [("safe", Retry::Safe), ("never", Retry::Never)];

/// Names of scopes.
pub const SCOPES: [(&str, Scope); 3] =
    [("account", Scope::Account), ("org", Scope::Org), ("project", Scope::Project)];

/// Names of methods.
pub const METHODS: [(&str, Method); 5] = [
    ("GET", Method::Get),
    ("POST", Method::Post),
    ("PUT", Method::Put),
    ("PATCH", Method::Patch),
    ("DELETE", Method::Delete),
];

/// Names of kinds.
pub const KINDS: [(&str, Kind); 7] = [
    ("text", Kind::Text),
    ("number", Kind::Number),
    ("boolean", Kind::Boolean),
    ("object", Kind::Object),
    ("array", Kind::Array),
    ("yaml", Kind::Yaml),
    ("any", Kind::Any),
];

/// Names of the five plain operations.
pub const OPERATIONS: [&str; 5] = ["list", "get", "create", "update", "delete"];

fn name_of<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

fn value_of<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

macro_rules! words {
    ($type:ty, $table:ident) => {
        impl $type {
            /// The word that files, settings and clients use for it.
            #[must_use]
            pub fn word(self) -> &'static str {
                name_of(&$table, self)
            }

            /// Reads the word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                value_of(&$table, word)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words!(Risk, RISKS);
words!(Retry, RETRIES);
words!(Scope, SCOPES);
words!(Method, METHODS);
words!(Kind, KINDS);

impl Kind {
    /// The word JSON schemas use for it, as clients know it.
    #[must_use]
    pub fn client_word(self) -> &'static str {
        match self {
            Self::Text => "string",
            other => other.word(),
        }
    }
}
