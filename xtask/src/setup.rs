//! What the checks need beyond Cargo: installed where that is allowed, else named exactly.

mod debian;
mod deny;
mod node;
mod python;

use anyhow::{Result, bail};

use crate::checks::Check;
use crate::house::House;

/// Installs what is missing. Each is a check: one that cannot be had is a failure that says so.
pub(crate) const INSTALLS: &[Check] = &[
    Check { name: "programs", run: debian::install },
    Check { name: "cargo-deny", run: deny::install },
    Check { name: "npm packages", run: node::install },
    Check { name: "Python packages", run: python::install },
];

/// Installs nothing, but says what is missing.
pub(crate) const PRESENT: &[Check] = &[Check { name: "setup", run: present }];

fn present(house: &House) -> Result<String> {
    let mut missing = debian::missing();
    if !deny::is_there() {
        missing.push("cargo-deny".to_owned());
    }
    if !node::is_there(house) {
        missing.push("npm packages in `tests/clients/node_modules`".to_owned());
    }
    if !python::is_there(house) {
        missing.push("Python packages in `tests/clients/.venv`".to_owned());
    }
    if !missing.is_empty() {
        bail!("missing: {}\nhint: run `cargo xtask setup`", missing.join(", "));
    }
    Ok(String::new())
}

/// Whether what was installed is what the list asks for: the list is kept beside it as a stamp.
fn is_stamped(stamp: &std::path::Path, list: &std::path::Path) -> bool {
    match (std::fs::read(stamp), std::fs::read(list)) {
        (Ok(stamp), Ok(list)) => stamp == list,
        _ => false,
    }
}
