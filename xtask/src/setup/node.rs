//! The npm packages of the real clients, a Node.js that is new enough among them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::is_stamped;
use crate::house::House;
use crate::run;

/// Whether `node_modules` is what the lock file says.
pub(super) fn is_there(house: &House) -> bool {
    let (stamp, lock) = places(house);
    is_stamped(&stamp, &lock)
}

/// Installs exactly what the lock file says.
pub(super) fn install(house: &House) -> Result<String> {
    if is_there(house) {
        return Ok("there".to_owned());
    }
    let mut command = Command::new("npm");
    // Not `npm ci`: it refuses a lock file without the optional package for Windows that one
    // dependency names and not every registry has. This takes the locked versions and checksums too.
    command.args(["install", "--no-save", "--no-audit", "--no-fund"]).current_dir(house.clients());
    run::shown(&mut command).context("the npm packages could not be installed")?;
    let node = house.clients().join("node_modules/node/bin/node");
    ensure!(run::answers(&node.to_string_lossy()), "`{}` does not run", node.display());
    let (stamp, lock) = places(house);
    std::fs::copy(lock, stamp)?;
    Ok("installed".to_owned())
}

fn places(house: &House) -> (PathBuf, PathBuf) {
    let clients = house.clients();
    (clients.join("node_modules/.installed.json"), clients.join("package-lock.json"))
}
