//! Files of `NAME=value` lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Far more than a page of variables; guards against naming the wrong file.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Why a file named on the command line could not be used.
#[derive(Debug, Error)]
pub enum EnvFileError {
    /// It could not be read.
    #[error("failed to read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no file of variables.
    #[error("`{path}` is larger than {LARGEST_FILE} bytes, which no file of variables is")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a file of variables.
///
/// # Errors
/// When there is no such file, or it is too large.
pub(crate) fn read(path: &Path) -> Result<BTreeMap<String, String>, EnvFileError> {
    let failed = |source| EnvFileError::Read { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LARGEST_FILE {
        return Err(EnvFileError::TooLarge { path: path.to_owned() });
    }
    Ok(parse(&std::fs::read_to_string(path).map_err(failed)?))
}

/// The variables of a text; lines that set none are skipped, and the last of two wins.
pub fn parse(text: &str) -> BTreeMap<String, String> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_name(name) {
        return None;
    }
    Some((name.to_owned(), unquote(value.trim())))
}

fn unquote(value: &str) -> String {
    for quote in ['"', '\'', '`'] {
        if let Some((inner, rest)) = value.strip_prefix(quote).and_then(|v| v.split_once(quote))
            && (rest.trim().is_empty() || rest.trim_start().starts_with('#'))
        {
            return if quote == '"' { inner.replace("\\n", "\n") } else { inner.to_owned() };
        }
    }
    // A comment after a bare value needs a space before it, so that `#` in a key survives.
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_be_quoted_exported_and_commented() {
        let text = "# c\nA=1\nexport B = 'x # y' # z\nC=\"two\\nlines\"\nD=a#b # c\nE=\nnonsense\n1 2=3\nA=2\r\n";
        let pairs: Vec<_> = parse(text).into_iter().collect();
        let expected = [("A", "2"), ("B", "x # y"), ("C", "two\nlines"), ("D", "a#b"), ("E", "")];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
