//! The shape of one declaration.

/// One thing a user can set.
#[derive(Debug)]
pub struct Setting {
    /// The environment variable.
    pub variable: &'static str,
    /// The long flag without its dashes; secrets have none, because other users can read a
    /// command line.
    pub flag: Option<&'static str>,
    /// Where it stands in the reference.
    pub group: Group,
    /// What it accepts.
    pub kind: Kind,
    /// The value when it is not set.
    pub default: Option<&'static str>,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// Whether this version acts on it.
    pub effect: Effect,
}

/// Headings of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Which account is served, and as whom.
    Account,
    /// What the agent may see and do.
    Permissions,
    /// How the platform is called.
    Requests,
    /// Resource types of the user's own.
    Catalogue,
    /// What is written to standard error.
    Logging,
    /// The HTTP transport.
    Http,
    /// Records of what was done.
    Audit,
    /// Finding resource types by words.
    Search,
}

impl Group {
    /// In the order of the reference.
    pub const ALL: [Self; 8] = [
        Self::Account,
        Self::Permissions,
        Self::Requests,
        Self::Catalogue,
        Self::Logging,
        Self::Http,
        Self::Audit,
        Self::Search,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Account => "Account",
            Self::Permissions => "Permissions",
            Self::Requests => "Requests to the platform",
            Self::Catalogue => "Catalogue",
            Self::Logging => "Logging",
            Self::Http => "HTTP transport",
            Self::Audit => "Audit",
            Self::Search => "Search and diagnosis",
        }
    }
}

/// What a setting accepts. An empty value is no value, unless the kind says otherwise.
#[derive(Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// Any text, never printed.
    Secret,
    /// `true`, `1` and `yes` are on, whatever the case; all else is off.
    Switch,
    /// A number with limits; an empty value counts as out of them when it must be in.
    Number(Number),
    /// An absolute `https` address, or an `http` one when that is allowed.
    Url,
    /// One of some words.
    OneOf {
        /// The words.
        words: &'static [&'static str],
        /// Whether an empty value is refused rather than ignored.
        refuse_empty: bool,
    },
    /// Host names separated by commas.
    Hosts,
    /// A port; anything else counts as not set.
    Port,
    /// A directory; several are separated as in `PATH`, or the flag is repeated.
    Directories,
}

/// The limits of a number.
#[derive(Debug)]
pub struct Number {
    /// The smallest sensible value.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// What happens to a value beyond them.
    pub beyond: Beyond,
    /// Whether parts of one make sense.
    pub whole: bool,
}

/// What happens to a number beyond its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The server does not start.
    Refused,
    /// The limit is used, and said so: configurations that ran before still run.
    Clamped,
}

/// Whether a setting does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It does what it says.
    Works,
    /// It concerns only `serve http`, which this version does not have; it is checked.
    HttpOnly,
    /// It is checked and has no effect yet, for the reason given.
    None(&'static str),
    /// The server refuses to start with it, because somebody would rely on what is not there.
    Refused(&'static str),
    /// An older name of another variable, which wins.
    OldNameOf(&'static str),
}
