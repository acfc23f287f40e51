//! The Python packages of the real clients, in an environment of their own.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::is_stamped;
use crate::house::House;
use crate::run;

/// Whether the environment holds what the requirements say.
pub(super) fn is_there(house: &House) -> bool {
    let (stamp, requirements) = places(house);
    is_stamped(&stamp, &requirements)
}

/// Makes the environment anew and installs exactly what the requirements say.
pub(super) fn install(house: &House) -> Result<String> {
    if is_there(house) {
        return Ok("there".to_owned());
    }
    let folder = house.clients().join(".venv");
    let mut command = Command::new("python3");
    command.args(["-m", "venv", "--clear"]).arg(&folder);
    run::shown(&mut command)
        .context("no virtual environment\nhint: install the Debian package `python3-venv`")?;
    let (stamp, requirements) = places(house);
    let mut command = Command::new(folder.join("bin/python"));
    command.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements);
    run::shown(&mut command).context("the Python packages could not be installed")?;
    std::fs::copy(requirements, stamp)?;
    Ok("installed".to_owned())
}

fn places(house: &House) -> (PathBuf, PathBuf) {
    let clients = house.clients();
    (clients.join(".venv/.installed.txt"), clients.join("requirements.txt"))
}
