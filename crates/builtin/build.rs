//! Reads the catalogue and writes it in its compact form; any mistake in it fails the build.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../catalog");
    let mut out = io::stdout().lock();
    writeln!(out, "cargo::rerun-if-changed={}", dir.display())?;
    let (catalog, problems) = checkrein_catalog::read::catalogue(&dir);
    for problem in &problems {
        writeln!(out, "cargo::error={}", problem.to_string().replace('\n', " "))?;
    }
    if !problems.is_empty() {
        return Err(format!("the catalogue has {} mistakes", problems.len()).into());
    }
    let file = PathBuf::from(env::var("OUT_DIR")?).join("catalog.bin");
    fs::write(file, checkrein_catalog::packed::pack(&catalog)?)?;
    Ok(())
}
