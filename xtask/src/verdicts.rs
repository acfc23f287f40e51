//! An independent suite of scripted agents, whose verdicts it knows, against the release binary.
//!
//! The suite is not part of this repository. Where it lies beside it, every case must pass.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::house::House;
use crate::{golden, run};

/// Plays all given cases. One agent waits most of its time, so two run at once.
pub(crate) fn replay(house: &House) -> Result<String> {
    let Some(script) = house.verdicts() else {
        return Ok("no suite beside the repository: nothing to play".to_owned());
    };
    let mut command = Command::new("python3");
    command.arg(script).args(["--set", "given", "--jobs", "2"]).current_dir(&house.root);
    command.env("PROXY_CMD", format!("{} proxy", house.release_binary().display()));
    let lines = run::shown(&mut command)?;
    let passed = golden::passed(&lines)?;
    ensure!(passed > 0, "no case passed");
    Ok(format!("{passed} cases passed"))
}
