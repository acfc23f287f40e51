//! The catalogue as it is shipped, for tests.

use std::path::Path;
use std::sync::LazyLock;

use checkrein_catalog::catalog::Catalog;
use checkrein_catalog::model::ResourceType;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let (catalog, problems) = checkrein_catalog::read::catalogue(&folder);
    assert!(problems.is_empty(), "{problems:?}");
    catalog
});

pub(crate) fn catalog() -> &'static Catalog {
    &CATALOG
}

pub(crate) fn resource(name: &str) -> &'static ResourceType {
    catalog().get(name).expect("a shipped type")
}
