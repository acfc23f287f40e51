//! The resource types Checkrein ships.
//!
//! `build.rs` reads and checks `catalog/` while the crate is compiled, so that a start reads no
//! YAML; a type costs its decoding when it is first used.

use checkrein_catalog::Catalog;

/// The catalogue in its compact form.
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin"));

/// The shipped catalogue.
#[must_use]
pub fn catalog() -> Catalog {
    match checkrein_catalog::packed::unpack(BYTES) {
        Ok(catalog) => catalog,
        Err(error) => unreachable!("the build script wrote these bytes: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_shipped_catalogue_is_the_one_in_the_folder() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
        let (read, problems) = checkrein_catalog::read::catalogue(&dir);
        assert_eq!(problems, []);
        assert_eq!(super::catalog(), read);
    }
}
