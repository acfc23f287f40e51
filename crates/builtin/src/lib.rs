//! The resource types Checkrein ships, decoded while it is built.

use checkrein_catalog::Catalog;

static STORED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/catalog.postcard"));

/// The shipped catalogue; start-up parses no YAML.
pub fn catalog() -> Catalog {
    match postcard::from_bytes(STORED) {
        Ok(catalog) => catalog,
        Err(error) => unreachable!("the build script wrote it from the same types: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_catalogue_can_be_read_back() {
        let catalog = catalog();
        assert!(catalog.get("pipeline").is_some());
        assert!(catalog.types.values().all(|resource| catalog.dialect(resource).is_some()));
    }
}
