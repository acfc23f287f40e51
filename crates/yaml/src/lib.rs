//! YAML text as a tree that remembers where everything was written.
//!
//! For files that people write by hand: what reads the tree can name the line and column of every
//! mistake, and sees duplicate keys.

mod tree;

pub use tree::{Key, Node, Refusal, Rules, Style, Tree, parse};

/// A place in a file; both count from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Position {
    /// Where a file begins.
    pub const START: Self = Self { line: 1, column: 1 };
}
