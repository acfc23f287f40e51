//! Where a run's ledger lives: away from where the agent works.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::failure::Failure;

/// The user's directory, or a new one among the user's state files (XDG base directories).
pub(crate) fn choose(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let base = state.or_else(|| home.map(|home| home.join(".local/state"))).ok_or_else(|| {
        Failure::new("there is no home directory to keep the run in").hint("name one by --run-dir")
    })?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("{}-{}", since.as_millis(), std::process::id());
    Ok(base.join("checkrein/runs").join(name))
}

/// Makes it, closed to other users.
pub(super) fn make(directory: &Path) -> Result<(), Failure> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(|error| {
        Failure::new(format!("failed to make the run directory `{}`: {error}", directory.display()))
            .hint("name another by --run-dir")
    })
}
