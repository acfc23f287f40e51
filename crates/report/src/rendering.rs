//! Where a rendering goes, and what it may replace.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::format::Format;
use crate::reading;
use crate::target::{Target, TargetError};

/// Why a rendering cannot be put where the user wants it.
#[derive(Debug, thiserror::Error)]
pub enum RenderingError {
    /// The place cannot hold a file.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// It is what the rendering is made from.
    #[error("`{}` is the measurement itself; name another file for the rendering", .0.display())]
    Measurement(PathBuf),
    /// Something else is there.
    #[error("`{}` holds {what}, and only an earlier rendering is replaced; name another file", path.display())]
    Occupied {
        /// The file.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// It cannot be written.
    #[error("failed to write `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// How much of a file tells what it is.
const PEEK: u64 = 4_096;

/// Writes a rendering in one step: into a new or empty file, or over an earlier rendering.
///
/// # Errors
/// When anything else is there, the measurement first of all, or it cannot be written.
pub fn save(text: &str, path: &Path, measurement: &Path) -> Result<(), RenderingError> {
    let target = Target::check(path)?;
    let io = |source| RenderingError::Io { path: path.to_owned(), source };
    if path.exists() {
        let same = |one: &Path, other: &Path| {
            one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|it| it == one))
        };
        if same(path, measurement) {
            return Err(RenderingError::Measurement(path.to_owned()));
        }
        let mut start = Vec::new();
        File::open(path).map_err(io)?.take(PEEK).read_to_end(&mut start).map_err(io)?;
        // Nothing is lost with an empty file.
        if !start.is_empty() && Format::of_rendering(&start).is_none() {
            let what = reading::name_what_is_there(&start);
            return Err(RenderingError::Occupied { path: path.to_owned(), what });
        }
    }
    target.write(text).map_err(io)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::text;

    #[test]
    fn an_earlier_rendering_is_replaced_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let measurement = home.path().join("report.json");
        fs::write(&measurement, "{\"schema\": \"checkrein.report.v1\"}").unwrap();
        let page = home.path().join("page");
        for opening in Format::ALL.into_iter().filter_map(Format::opening) {
            save(&format!("{opening} one"), &page, &measurement).unwrap();
        }
        fs::write(&page, "").unwrap();
        save("new", &page, &measurement).unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), "new", "an empty file is no loss");
        let refused = |text: &str| {
            fs::write(&page, text).unwrap();
            let error = save("new", &page, &measurement).unwrap_err().to_string();
            assert_eq!(fs::read_to_string(&page).unwrap(), text, "it is left alone");
            error.replace(&home.path().display().to_string(), "")
        };
        insta::assert_snapshot!(
            ["dear diary", "<html>", "{\"schema\": \"checkrein.report.v1\"}", "{\"v\":1,"]
                .map(refused)
                .join("\n")
        );
    }

    #[test]
    fn the_measurement_is_never_replaced_by_whatever_name() {
        let home = tempfile::tempdir().unwrap();
        let measurement = home.path().join("report.json");
        fs::write(&measurement, text::OPENING).unwrap();
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&measurement, &link).unwrap();
        for path in [&measurement, &link] {
            let refused = save("new", path, &measurement);
            assert!(matches!(refused, Err(RenderingError::Measurement(_))), "{path:?}");
        }
    }
}
