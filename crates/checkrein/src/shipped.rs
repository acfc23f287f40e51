//! The catalogue a command works on: the shipped resource types, then the user's own.

use std::path::{Path, PathBuf};

use checkrein_catalog::Catalog;
use checkrein_catalog::read::{Problem, add_user_dir};

use crate::failure::Failure;

/// The user's configuration directory.
pub(crate) fn user_dir() -> Result<PathBuf, Failure> {
    let variable = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
    let base = match std::env::var_os(variable).filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => std::env::home_dir()
            .filter(|home| !home.as_os_str().is_empty())
            .ok_or_else(|| Failure::new("there is no home directory"))?
            .join(".config"),
    };
    Ok(base.join("checkrein"))
}

/// The shipped catalogue with the types of some directories, and what is wrong with those.
///
/// The user's own directory is read first, so that a directory named on purpose wins.
pub(crate) fn with_directories(directories: &[PathBuf]) -> (Catalog, Vec<Problem>) {
    let mut catalog = checkrein_builtin::catalog();
    let mut problems = Vec::new();
    let own = user_dir().map(|dir| dir.join("catalog")).ok().filter(|dir| dir.is_dir());
    for directory in own.iter().chain(directories) {
        problems.extend(add_user_dir(&mut catalog, directory));
    }
    (catalog, problems)
}

/// Whether a directory holds a whole catalogue rather than additions to the shipped one.
pub(crate) fn is_whole(directory: &Path) -> bool {
    directory.join("toolsets.yaml").is_file() && directory.join("dialects").is_dir()
}
