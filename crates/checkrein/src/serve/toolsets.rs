//! The choice of toolsets, as users of the Node server wrote it.

use checkrein_catalog::{Catalog, ToolsetFilter, UnknownToolsets};

/// Toolsets of the Node server whose resource types are still to come. Naming one is no mistake,
/// so a configuration that worked there starts here too, and is told.
const STILL_TO_COME: &[&str] = &[
    "agent-pipelines",
    "agents",
    "ai-evals",
    "ansible",
    "autonomous_work",
    "ccm",
    "chaos",
    "dashboards",
    "dbops",
    "deploys",
    "evidence-vault",
    "feature-flags",
    "gitops",
    "governance",
    "iacm",
    "idp",
    "incidents",
    "knowledge-graph",
    "observability-evaluations",
    "registries",
    "registries-v3",
    "release-management",
    "scs",
    "sei",
    "semantic-layer",
    "sto",
    "vibe",
];

/// What is left of the catalogue, and the named toolsets that are still to come.
pub(super) fn choose(
    catalog: &Catalog,
    text: &str,
) -> Result<(Catalog, Vec<String>), UnknownToolsets> {
    let tokens: Vec<&str> =
        text.split(',').map(str::trim).filter(|token| !token.is_empty()).collect();
    let is_change = |token: &&str| token.starts_with(['+', '-']);
    let name = |token: &str| token.trim_start_matches(['+', '-']).trim().to_owned();
    let (missing, present): (Vec<&str>, Vec<&str>) =
        tokens.iter().partition(|token| is_still_to_come(catalog, &name(token)));
    let missing: Vec<String> = missing.into_iter().map(name).collect();
    let changes = tokens.iter().any(is_change);
    if present.is_empty() && !missing.is_empty() && !changes {
        // A list of which nothing is left is not the same as no list, which means everything.
        let mut none = Catalog::default();
        none.dialects.clone_from(&catalog.dialects);
        return Ok((none, missing));
    }
    let present: Vec<String> = present
        .iter()
        .map(
            |token| {
                if changes && !is_change(token) { format!("+{token}") } else { (*token).into() }
            },
        )
        .collect();
    Ok((catalog.enabled(&ToolsetFilter::new(&present.join(",")))?, missing))
}

fn is_still_to_come(catalog: &Catalog, name: &str) -> bool {
    STILL_TO_COME.contains(&name) && !catalog.toolsets.iter().any(|toolset| toolset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> (Vec<String>, Vec<String>) {
        let (catalog, missing) = choose(&checkrein_builtin::catalog(), text).expect("known names");
        (catalog.toolsets.into_iter().map(|toolset| toolset.name).collect(), missing)
    }

    #[test]
    fn a_toolset_still_to_come_is_left_out_and_told() {
        let (all, _) = chosen("");
        assert_eq!(chosen("+ansible"), (all.clone(), vec!["ansible".to_owned()]));
        assert_eq!(chosen("-ansible,services").0, all);
        let (some, missing) = chosen("services,ansible");
        assert_eq!((some, missing), (vec!["services".to_owned()], vec!["ansible".to_owned()]));
    }

    #[test]
    fn a_list_of_which_nothing_is_left_does_not_mean_everything() {
        assert_eq!(chosen("agent-pipelines"), (vec![], vec!["agent-pipelines".to_owned()]));
    }

    #[test]
    fn other_names_are_unknown() {
        let names = choose(&checkrein_builtin::catalog(), "+nope").map_err(|error| error.names);
        assert_eq!(names.map(drop), Err(vec!["nope".to_owned()]));
    }
}
