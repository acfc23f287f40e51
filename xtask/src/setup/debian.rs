//! Programs of the system.

use std::process::Command;

use anyhow::{Result, bail};

use crate::house::House;
use crate::run;

/// A program and the Debian packages that bring it.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("cc", &["gcc", "libc6-dev"]),
    ("chromium", &["chromium"]),
    ("git", &["git"]),
    ("npm", &["nodejs", "npm"]),
    ("python3", &["python3", "python3-venv"]),
];

/// The programs that are not here.
pub(super) fn missing() -> Vec<String> {
    let absent = PROGRAMS.iter().filter(|(program, _)| !run::answers(program));
    absent.map(|(program, _)| (*program).to_owned()).collect()
}

/// Installs what is missing from Debian's packages when run as root.
pub(super) fn install(_house: &House) -> Result<String> {
    let absent = missing();
    if absent.is_empty() {
        return Ok("all there".to_owned());
    }
    let wanted = PROGRAMS.iter().filter(|(program, _)| absent.iter().any(|name| name == program));
    let packages: Vec<&str> = wanted.flat_map(|(_, packages)| packages.iter().copied()).collect();
    if !is_root() || !run::answers("apt-get") {
        bail!(
            "missing: {}\nhint: install the Debian packages {}, or the like of your system",
            absent.join(", "),
            packages.join(", ")
        );
    }
    run::shown(Command::new("apt-get").arg("update"))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--no-install-recommends"]).args(&packages);
    run::shown(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    let absent = missing();
    if !absent.is_empty() {
        bail!("still missing after the installation: {}", absent.join(", "));
    }
    Ok(format!("installed {}", packages.join(", ")))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
