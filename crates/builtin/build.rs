//! Reads the catalogue with the loader that also reads a user's files, and stores it compactly.

use std::error::Error;
use std::path::PathBuf;

use checkrein_catalog::read;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../../catalog");
    println!("cargo::rerun-if-changed={}", folder.display());
    let (catalog, problems) = read::catalogue(&folder);
    for problem in &problems {
        println!("cargo::error={problem}");
    }
    let file = PathBuf::from(std::env::var("OUT_DIR")?).join("catalog.postcard");
    std::fs::write(file, postcard::to_stdvec(&catalog)?)?;
    Ok(())
}
