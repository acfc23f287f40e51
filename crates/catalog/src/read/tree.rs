//! YAML text as a tree that remembers where everything was written.

pub use checkrein_yaml::{Key, Node, Refusal, Rules, Style, Tree, parse};
