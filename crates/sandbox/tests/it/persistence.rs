//! A data folder outlives the process.

use std::time::{Duration, Instant};

use checkrein_sandbox::{Error, Options, Sandbox, Seed};
use serde_json::json;

use crate::client::{NOW, STOREFRONT, Shop};

#[tokio::test]
async fn what_was_written_is_there_after_a_restart_and_time_does_not_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        data_dir: Some(folder.path().join("deep/down")),
        start_ms: Some(NOW),
        speed: 0.0,
        ..Options::default()
    };
    let shop = Shop::with(options.clone(), vec![]).await;
    shop.advance(Duration::from_secs(3600)).await;
    let body = json!({"identifier": "tea", "name": "Tea"});
    shop.post(&format!("/ng/api/servicesV2?{STOREFRONT}"), body).await;
    shop.running.stop().await;

    let shop = Shop::with(options, vec![]).await;
    let read = shop.get(&format!("/ng/api/servicesV2/tea?{STOREFRONT}")).await;
    assert_eq!(read.at("/data/service/name"), "Tea");
    assert_eq!(shop.get("/ng/api/projects").await.at("/data/totalItems"), 4, "seeded once");
    assert_eq!(shop.get("/__sandbox/clock").await.at("/now_ms"), NOW + 3_600_000);
}

#[tokio::test]
async fn a_reset_brings_the_seeded_world_back() {
    let shop = Shop::open().await;
    shop.delete("/ng/api/organizations/atlas").await;
    shop.arm(json!({"kind": "500"})).await;
    assert_eq!(shop.send("POST", "/__sandbox/reset", "").await.status, 204);
    assert_eq!(shop.get("/ng/api/organizations").await.at("/data/totalItems"), 2);
}

#[tokio::test]
async fn an_empty_seed_has_the_default_organization_only() {
    let shop = Shop::with(Options { seed: Seed::Empty, ..Options::default() }, vec![]).await;
    assert_eq!(shop.get("/ng/api/organizations").await.at("/data/totalItems"), 1);
    assert_eq!(shop.get("/ng/api/projects").await.at("/data/totalItems"), 0);
}

#[tokio::test]
async fn a_taken_port_and_a_folder_that_is_a_file_say_what_to_do() {
    let shop = Shop::open().await;
    let port = shop.running.url().rsplit(':').next().unwrap().parse().unwrap();
    let taken = Sandbox::start(Options { port: Some(port), ..Options::default() }, vec![]).await;
    let said = taken.unwrap_err().to_string();
    assert!(said.contains(&format!("127.0.0.1:{port}")) && said.contains("choose another port"));
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = Options { data_dir: Some(file.path().to_owned()), ..Options::default() };
    let refused = Sandbox::start(options, vec![]).await;
    assert!(matches!(refused, Err(Error::DataFolder { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_stopped_sandbox_closes_its_port() {
    let shop = Shop::open().await;
    let host = shop.running.url().trim_start_matches("http://").to_owned();
    shop.running.stop().await;
    assert!(tokio::net::TcpStream::connect(host).await.is_err());
}

#[tokio::test]
async fn a_start_in_memory_is_quick() {
    Shop::open().await;
    let began = Instant::now();
    let shop = Shop::open().await;
    let took = began.elapsed();
    println!("opening and seeding took {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?} even on a busy machine");
    assert_eq!(shop.get("/__sandbox/health").await.at("/status"), "up");
}
