//! What a resource type is, once its file has been read and checked.
//!
//! Everything here is plain data: it is decoded from YAML by [`crate::read`], written into the
//! binary in a compact form by the `builtin` crate, and interpreted by [`crate::request`] and
//! [`crate::shape`]. Nothing in it can name a host, hold a credential or run by itself.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::path::PathTemplate;

/// How much harm an operation can do, in rising order (`HARNESS_AUTO_APPROVE_RISK` compares them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Risk {
    /// Changes nothing.
    Read,
    /// Easily undone: metadata, a new entity.
    LowWrite,
    /// Changes what others rely on.
    MediumWrite,
    /// Starts, stops or releases something real.
    HighWrite,
    /// Removes something.
    Destructive,
}

/// Whether the platform may be asked a second time after a failure that may have been applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Retry {
    /// Asking twice has the effect of asking once (RFC 9110 section 9.2.2, idempotent).
    Safe,
    /// A second request could have a second effect.
    Never,
}

/// A level of the platform's hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// The whole account.
    Account,
    /// One organization.
    Org,
    /// One project of one organization.
    Project,
}

/// An HTTP method the catalogue may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are HTTP's own (RFC 9110 section 9, RFC 5789)")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// A jq program, kept as its source; it is compiled when it is first run and once at check time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jq(pub String);

/// What kind of value an input takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of JSON, and `Yaml` is text holding YAML")]
pub enum Kind {
    Text,
    Number,
    Boolean,
    Object,
    Array,
    Yaml,
    Any,
}

/// Something a caller can pass, named once per resource type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The kind of value.
    pub is: Kind,
    /// One sentence for the agent.
    pub about: String,
    /// The known values, spelled as the platform wants them; empty when anything goes.
    pub values: Vec<String>,
    /// The name the platform's replies give this identifier (`serviceIdentifier`); used for links.
    pub field: Option<String>,
}

/// An API family: what its operations share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dialect {
    /// The name, as files refer to it.
    pub name: String,
    /// Query parameter for the organization, when the family has one.
    pub org_param: Option<String>,
    /// Query parameter for the project.
    pub project_param: Option<String>,
    /// A further query parameter for the account, beside the two every request carries.
    pub account_param: Option<String>,
    /// The account travels in a header only: no account query.
    pub header_scoped: bool,
    /// POST and PUT bodies get `orgIdentifier` and `projectIdentifier` when the query has them.
    pub scope_in_body: bool,
    /// Query added to every `list` (`page: $page`), unless the operation states the same key.
    pub paging: IndexMap<String, QueryValue>,
    /// The reply shape of each kind of operation (`list` … `delete`, `action`) when an operation
    /// names none.
    pub replies: BTreeMap<String, Reply>,
    /// Inputs that many types of the family share; a type gets those its operations use.
    pub inputs: IndexMap<String, Input>,
}

/// A resource type: one file of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResourceType {
    /// Its name, as `resource_type` takes it.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The toolset it belongs to.
    pub toolset: String,
    /// One or two sentences for the agent.
    pub about: String,
    /// The API family.
    pub dialect: String,
    /// The scopes it exists in; the first is the default.
    pub scopes: Vec<Scope>,
    /// Lists without organization or project are fine: neither is required nor defaulted.
    pub scope_optional: bool,
    /// The identifier inputs, outermost first.
    pub ids: Vec<String>,
    /// Other words people use for it.
    pub also_called: Vec<String>,
    /// Page in the platform's web console, with `{tokens}` named as the platform names fields.
    pub link: Option<String>,
    /// What to try when a get or list answers 404.
    pub hint_not_found: Option<String>,
    /// What an agent should know before it runs an action.
    pub hint_execute: Option<String>,
    /// Types that belong with it, and how.
    pub related: Vec<Related>,
    /// Keys a compact list keeps instead of the general selection; empty for the general one.
    pub compact: Vec<String>,
    /// Everything a caller can pass.
    pub inputs: IndexMap<String, Input>,
    /// `list`, `get`, `create`, `update`, `delete`.
    pub operations: IndexMap<String, Operation>,
    /// What `harness_execute` can run.
    pub actions: IndexMap<String, Operation>,
}

/// A neighbouring type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// Its name.
    pub resource: String,
    /// How they belong together (`produces`).
    pub how: String,
}

/// One thing that can be done with a resource type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// One sentence for the agent, when the name does not say it.
    pub about: String,
    /// Method and path.
    pub request: RequestLine,
    /// Other routes, tried in order; the first whose condition holds is taken.
    pub variants: Vec<Variant>,
    /// How much harm it can do.
    pub risk: Risk,
    /// Whether it may be repeated.
    pub retry: Retry,
    /// Query parameters, beside scope and paging.
    pub query: IndexMap<String, QueryValue>,
    /// Extra headers.
    pub headers: IndexMap<String, String>,
    /// The body.
    pub body: Body,
    /// The fields the body is checked for.
    pub fields: Vec<Field>,
    /// The key the body's fields are wrapped in (`connector`), for the check and the scope.
    pub wrapper: Option<String>,
    /// Overrides the dialect's `scope_in_body`.
    pub scope_in_body: Option<bool>,
    /// Also puts the account identifier into the body.
    pub account_in_body: bool,
    /// A missing organization query falls back to the caller's or the configured one.
    pub org_fallback: bool,
    /// Inputs without which no request is sent.
    pub need: Vec<String>,
    /// Inputs that narrow a list or tune the operation; computed: all used ones that are neither
    /// identifiers (but those a list needs) nor paging, in the order of `inputs`.
    pub filters: Vec<String>,
    /// Shorthand inputs (`branch`) and what each stands for, for `pipeline.run`.
    pub shorthands: Vec<Shorthand>,
    /// How the reply is read.
    pub reply: Reply,
    /// The reply is bytes, not JSON.
    pub binary: bool,
    /// Code in `tools/hooks` that this operation needs around its request.
    pub hook: Option<String>,
    /// An agent should not see list items shortened.
    pub never_compact: bool,
}

/// Method and path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestLine {
    /// The method.
    pub method: Method,
    /// The path.
    pub path: PathTemplate,
}

/// A route taken under a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// A jq condition over the inputs; anything but `false` and `null` holds.
    pub when: Jq,
    /// The route.
    pub request: RequestLine,
}

/// Where the value of a query parameter comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum QueryValue {
    /// Always this text.
    Literal(String),
    /// An input; nothing is sent when it is absent or empty, and an array repeats the key.
    Input(String),
    /// An input, or this text when the input is absent.
    InputOr(String, String),
    /// An input that counts from zero, sent counting from one.
    OneBased(String),
    /// Whatever the program yields; null or empty sends nothing, an array repeats the key.
    Computed(Jq),
}

/// How the body of a request is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// No body.
    None,
    /// JSON yielded by a program (null yields no body).
    Json(Jq),
    /// Text yielded by a program, sent with this media type; an object is written as JSON text.
    Text {
        /// The program.
        jq: Jq,
        /// The media type (`application/yaml`).
        media_type: String,
    },
    /// The caller's `body`, as an object, JSON text or YAML text, put into the platform's form.
    Document(Document),
    /// `multipart/form-data` (RFC 7578): a program yields an object of parts; a part is text, or
    /// `{base64|text, filename, media_type}` for a file.
    Multipart(Jq),
}

/// The rules of a document body. Applied in this order: read, unwrap, wrap, id, fill, yaml.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Take the value under this key when it is there.
    pub unwrap: Option<String>,
    /// Put the document under this key unless it is there already.
    pub wrap: Option<String>,
    /// `(input, key)`: the identifier the body must agree with, copied when absent.
    pub id: Option<(String, String)>,
    /// `(input, key)`: copied from the input when the body has none.
    pub fill: Vec<(String, String)>,
    /// The body carries a `yaml` text holding `{KEY: document}`.
    pub yaml_of: Option<String>,
}

/// A field of a body, for the agent and for the check before sending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub is: Kind,
    /// Whether the platform refuses a body without it.
    pub need: bool,
    /// One sentence for the agent; may be empty.
    pub about: String,
    /// Fields below it.
    pub fields: Vec<Field>,
}

/// `branch: main` standing for `build: {type: branch, spec: {branch: main}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shorthand {
    /// The input that triggers it.
    pub input: String,
    /// Nothing happens when this input is there too.
    pub unless: String,
    /// A program from the value to the object that is merged into the inputs.
    pub expand: Jq,
}

/// How a reply becomes a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// As it is.
    Raw,
    /// What is under `data`, or the whole when there is no `data`.
    Data,
    /// What is under this key of `data` (or of the whole), or all of it when the key is absent.
    Unwrap(String),
    /// A page in `data`: `content` becomes `items`, `totalElements` or `totalItems` `total`.
    Page,
    /// The same, and each item is taken from under this key when it has it.
    PageOf(String),
    /// An array (anything else is empty), each item taken from under this key when it has it.
    ArrayOf(Option<String>),
    /// What is under `resource`, or the whole.
    Resource,
    /// Whatever the program yields from the reply; the inputs are variables.
    Computed(Jq),
}

/// A toolset: a named group of resource types that can be switched on and off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolset {
    /// Its name, as `HARNESS_TOOLSETS` takes it.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// One sentence.
    pub about: String,
    /// Off unless named.
    pub opt_in: bool,
}
