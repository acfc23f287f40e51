//! The shapes a fault can take on the wire.

/// How two sides of the proxy are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A pair of pipes.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// The shape a fault takes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// A tool result with `isError: true`: every known client shows its text to the model.
    #[default]
    Soft,
    /// A JSON-RPC error.
    Error,
    /// No answer at all.
    Silence,
    /// The connection is closed.
    Close,
    /// The frame itself is cut.
    CutFrame,
    /// An HTTP status with a body of its own.
    Status,
    /// A whole HTTP reply whose JSON ends in the middle.
    CutBody,
    /// The TCP connection is reset.
    Reset,
    /// The event stream ends without the answer.
    CutStream,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 9] = [
        Self::Soft,
        Self::Error,
        Self::Silence,
        Self::Close,
        Self::CutFrame,
        Self::Status,
        Self::CutBody,
        Self::Reset,
        Self::CutStream,
    ];

    /// Its name, as `--shape` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Error => "error",
            Self::Silence => "silence",
            Self::Close => "close",
            Self::CutFrame => "cut-frame",
            Self::Status => "status",
            Self::CutBody => "cut-body",
            Self::Reset => "reset",
            Self::CutStream => "cut-stream",
        }
    }

    /// What it is, in a phrase.
    pub fn about(self) -> &'static str {
        match self {
            Self::Soft => "A tool result, with isError: true where it is an error",
            Self::Error => "A JSON-RPC error",
            Self::Silence => "No answer",
            Self::Close => "The connection closes",
            Self::CutFrame => "The frame itself is cut",
            Self::Status => "An HTTP status",
            Self::CutBody => "An HTTP body that is cut JSON",
            Self::Reset => "The TCP connection is reset",
            Self::CutStream => "The event stream ends without the answer",
        }
    }

    /// Whether this transport can carry it.
    pub fn is_on(self, transport: Transport) -> bool {
        match self {
            Self::Soft | Self::Error | Self::Silence => true,
            Self::Close | Self::CutFrame => transport == Transport::Stdio,
            Self::Status | Self::CutBody | Self::Reset | Self::CutStream => {
                transport == Transport::Http
            }
        }
    }
}

pub(super) const SOFT: (Shape, &str) =
    (Shape::Soft, "a tool result that says so; every known client shows it");
pub(super) const ERROR: (Shape, &str) =
    (Shape::Error, "a JSON-RPC error; some clients hide its text");
pub(super) const SILENCE: (Shape, &str) =
    (Shape::Silence, "nothing, until the client's own timeout");
pub(super) const CLOSE: (Shape, &str) = (Shape::Close, "the end of the connection");
pub(super) const STATUS: (Shape, &str) =
    (Shape::Status, "an HTTP status; what the model hears is the client's choice");
const CUT_BODY: (Shape, &str) =
    (Shape::CutBody, "200 with JSON that ends in the middle; one client re-sends by itself");
const RESET: (Shape, &str) = (Shape::Reset, "a connection that is reset");
const CUT_STREAM: (Shape, &str) =
    (Shape::CutStream, "an event stream that ends; some clients hang");

/// The upstream's own answer, and no choice.
pub(super) const OWN: &[(Shape, &str)] = &[(Shape::Soft, "the upstream's own answers")];
/// An answer that got lost.
pub(super) const LOSS: &[(Shape, &str)] =
    &[SOFT, ERROR, SILENCE, CLOSE, STATUS, CUT_BODY, RESET, CUT_STREAM];
/// An answer that says something else.
pub(super) const REFUSAL: &[(Shape, &str)] = &[SOFT, ERROR, STATUS];
