//! A cut answer: the frame is whole, the JSON in it ends in the middle, and nothing was done.

use super::{Effect, Kind, Reply, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "cut-answer",
    about: "the call gets JSON that ends in the middle, and is not executed",
    counts: "as not executed; the first repeat is the first execution",
    takes: &[],
    told: Speech::Instead(|_, _| reply()),
    shapes: &[
        (Shape::Soft, "a result whose text is cut JSON"),
        (Shape::CutFrame, "a line that is no JSON; most clients hang"),
        (Shape::CutBody, "200 with JSON that ends in the middle; one client re-sends by itself"),
    ],
    effect: |_| Effect::Withhold,
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

pub(super) fn reply() -> Reply {
    let text = r#"{"status":"ok","data":{"id":"7f3a91","state":"crea"#;
    Reply { is_error: false, ..Reply::error(200, text, "Unexpected end of JSON input") }
}
