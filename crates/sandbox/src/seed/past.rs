//! What happened lately in the seeded world: runs, freezes and a few changes to look back at.

use std::time::Duration;

use serde_json::json;

use super::DAY;
use super::gardener::{Gardener, home, millis};
use crate::execution::PastRun;
use crate::scope::Scope;
use crate::store::StoreError;
use crate::{code, execution};

/// The last runs of the seeded past end this long ago.
const QUIET: Duration = Duration::from_secs(25 * 60);

/// Plants runs, freezes and late changes.
pub(super) fn plant(
    gardener: &mut Gardener<'_>,
    pipelines: &[(&str, u32)],
) -> Result<(), StoreError> {
    gardener.until(DAY * 3);
    late_changes(gardener, pipelines);
    gardener.until(DAY);
    freezes(gardener);
    repositories(gardener);
    gardener.until(Duration::ZERO);
    for (text, runs) in pipelines {
        let (scope, id) = home(text);
        let until_ms = gardener.now_ms() - millis(QUIET);
        let planted = {
            let store = gardener.world.store();
            execution::seed_history(gardener.world, &store, &scope, &id, *runs, until_ms)
        };
        if let Err(refusal) = planted {
            gardener.refused(&format!("runs of {id}"), &refusal);
        }
    }
    last_night(gardener);
    Ok(())
}

/// The newest run is one that failed and will fail again, so there is something to diagnose.
fn last_night(gardener: &mut Gardener<'_>) {
    let scope = Scope::project("default", "storefront");
    let night = PastRun {
        start_ms: gardener.now_ms() - millis(QUIET),
        notes: "Started by hand after the nightly run had failed".to_owned(),
        ..PastRun::default()
    };
    let planted = {
        let store = gardener.world.store();
        execution::seed_run(gardener.world, &store, &scope, "nightly_checkout_tests", &night)
    };
    if let Err(refusal) = planted {
        gardener.refused("the last night", &refusal);
    }
}

/// Repositories with branches, commits and pull requests.
fn repositories(gardener: &mut Gardener<'_>) {
    let (scope, now) = (Scope::project("default", "storefront"), gardener.now_ms());
    let planted = {
        let store = gardener.world.store();
        code::seed_repositories(gardener.world, &store, &scope, now)
    };
    if let Err(refusal) = planted {
        gardener.refused("repositories", &refusal);
    }
}

/// Changes of the last days, so that the audit trail has a difference to show.
fn late_changes(gardener: &mut Gardener<'_>, pipelines: &[(&str, u32)]) {
    let storefront = "orgIdentifier=default&projectIdentifier=storefront";
    if let Some((text, _)) = pipelines.iter().find(|(text, _)| home(text).1 == "deploy_web") {
        let longer = text.replace("timeout: 10m", "timeout: 15m");
        let target = format!("/pipeline/api/pipelines/v2/deploy_web?{storefront}");
        gardener.send("PUT", &target, &longer);
        gardener.pass(DAY / 2);
    }
    let search = json!({
        "identifier": "search", "name": "Search", "tags": {"tier": "back", "language": "rust"},
        "description": "Product search, rewritten",
    });
    gardener.send("PUT", &format!("/ng/api/servicesV2?{storefront}"), &search.to_string());
    gardener.pass(DAY / 4);
    let debug = json!({
        "identifier": "debug_tools", "name": "Debug tools", "description": "Not needed any more",
    });
    gardener.send("POST", &format!("/ng/api/servicesV2?{storefront}"), &debug.to_string());
    gardener.send("DELETE", &format!("/ng/api/servicesV2/debug_tools?{storefront}"), "");
}

/// One freeze that is switched off and one that is to come; neither stands in the way of a demo.
fn freezes(gardener: &mut Gardener<'_>) {
    let date = |days: i64| {
        let at = jiff::Timestamp::from_millisecond(gardener.now_ms() + days * 86_400_000);
        let at = jiff::tz::Offset::UTC.to_datetime(at.unwrap_or_default());
        at.strftime("%Y-%m-%d 06:00 PM").to_string()
    };
    let year_end = format!(
        "freeze:\n  name: Year end\n  identifier: year_end\n  status: Disabled\n  \
         description: Nothing moves while the books close\n  entityConfigs:\n    - name: All\n      \
         entities:\n        - type: Service\n          filterType: All\n        - type: EnvType\n          \
         filterType: All\n  windows:\n    - timeZone: Europe/Berlin\n      startTime: {}\n      \
         duration: 10d\n",
        date(20)
    );
    let weekend = format!(
        "freeze:\n  name: Weekend\n  identifier: weekend\n  status: Enabled\n  orgIdentifier: atlas\n  \
         projectIdentifier: payments\n  entityConfigs:\n    - name: Live\n      entities:\n        \
         - type: Service\n          filterType: All\n        - type: EnvType\n          \
         filterType: Equals\n          entityRefs:\n            - Production\n  windows:\n    \
         - timeZone: UTC\n      startTime: {}\n      duration: 2d\n      recurrence:\n        \
         type: Weekly\n",
        date(3)
    );
    gardener.send("POST", "/ng/api/freeze", &year_end);
    let payments = "orgIdentifier=atlas&projectIdentifier=payments";
    gardener.send("POST", &format!("/ng/api/freeze?{payments}"), &weekend);
}
