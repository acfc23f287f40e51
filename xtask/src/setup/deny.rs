//! `cargo deny`, built from source once and kept where Cargo keeps its programs.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::house::House;
use crate::run;

const VERSION: &str = "0.20.2";

/// Whether `cargo deny` can run.
pub(super) fn is_there() -> bool {
    run::answers("cargo-deny")
}

/// Builds it when it is not there.
pub(super) fn install(house: &House) -> Result<String> {
    if is_there() {
        return Ok("there".to_owned());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Not optimised and without the part that fetches advisories: it reads one lock file, and this
    // builds in a minute or two.
    command.args(["install", "--locked", "--debug", "--no-default-features"]);
    command.args(["--version", VERSION, "cargo-deny"]).current_dir(&house.root);
    run::shown(&mut command).context("`cargo-deny` could not be installed")?;
    Ok(format!("installed {VERSION}"))
}
